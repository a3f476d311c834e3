"""A game told again: the command, and each of its forms."""
