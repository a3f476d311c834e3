"""The events of a game, the envelope that each is kept in, the tree over a log, and the stores."""
