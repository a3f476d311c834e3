"""A year of games by mail on a simulated clock: real service, real scheduler, invented people."""
