"""The contents of a message: its sections, each with its text and its HTML."""
