"""A game to look at again: stepping through it, and a page that shows it."""
