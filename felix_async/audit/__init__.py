"""Checks of a whole game: its log, its draws, its causes, and the seats' own logs."""
