"""The errors of a store."""

from __future__ import annotations

from typing import Final

LOOK_FIRST: Final = "`felix doctor` and docs/operating.md say what to do before a backup is restored."
"""Of one game that cannot be read: a backup takes all the others back, too."""


class StoreError(Exception):
    """The store cannot do its work; `str()` is one sentence for the operator, with what to do next."""


class Damaged(StoreError):
    """Something that is kept cannot be read, though the disk gives it.

    With a `game_id` it is what belongs to one game: the others can be played on.
    """

    def __init__(self, text: str, game_id: str = "") -> None:
        super().__init__(text)
        self.game_id = game_id


class VersionConflict(Exception):
    """Somebody else appended first: the log is at `actual`, not at `expected`."""

    def __init__(self, game_id: str, expected: int, actual: int) -> None:
        super().__init__(f"the log of {game_id} is at version {actual}, not {expected}")
        self.game_id = game_id
        self.expected = expected
        self.actual = actual
