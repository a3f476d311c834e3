"""The game, pure: cards, commands, state, the decider, scoring, the fold, and what a viewer may see."""
