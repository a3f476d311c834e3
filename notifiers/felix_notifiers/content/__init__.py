"""The contents of a mail: its sections, each with its text and its HTML."""
