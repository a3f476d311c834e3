"""Follow-ups of a step of a game: whom to tell, and when to look at it again."""
