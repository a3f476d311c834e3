"""A game told again on a terminal: the command, and how a table is drawn."""
