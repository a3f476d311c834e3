"""The topics that a player asks felix about in plain words."""

from __future__ import annotations

from typing import Literal

Topic = Literal[
    "hand", "status", "history", "help", "mice", "time", "fairness", "undo", "replay", "games", "rules",
    "rules/large_dog", "rules/small_dog", "rules/two_dogs", "rules/rabbit", "rules/cards", "rules/minus",
    "rules/row", "rules/start", "rules/bid", "rules/pass", "rules/mice", "rules/no_bid", "rules/end",
    "rules/dummy",
]  # fmt: skip
"""Something that a player wants to know.

`mice` are those of everybody, as they came and went; `replay` is a game that is over, to look at, `games` are
all of the player's. `rules` are all of them, `rules/…` is one point of them in two sentences.
"""
