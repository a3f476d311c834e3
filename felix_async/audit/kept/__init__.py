"""A player's kept messages, held against the log of a game."""
