"""A terminal as all commands that play or tell a game use it: how a table is drawn, and the keys."""
