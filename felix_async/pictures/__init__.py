"""Our own drawings of the cards, for messages and for the replay."""
