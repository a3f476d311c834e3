"""A game in this terminal, now, against computer players: `play`."""
