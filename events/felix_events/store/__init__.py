"""Keep events, and all that follows from them: one contract, and one store in SQLite."""
