"""The command line: Click commands, one file for each group of verbs, and the wiring of everything."""
