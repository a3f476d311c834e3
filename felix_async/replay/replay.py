"""A game told again, as one viewer may know it: its beats, its decisions, and the table at each version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from felix_async.audit.evidence import Evidence, Flaw
from felix_async.audit.redacted import may_open
from felix_async.game.beats import Beat, beats
from felix_async.game.figures import Figure, figures
from felix_async.game.moments import Moment, moments
from felix_async.game.names import Names
from felix_async.game.narrate import numbers_told
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.game.views import View, Viewer
from felix_async.provenance import Provenance, provenances
from felix_async.replay.beside import Told, told_beside
from felix_async.replay.decisions import Decision, decisions
from felix_async.replay.tables import table_at
from felix_events.envelope import Envelope


@dataclass(frozen=True)
class Replay:
    """A game as far as `envelopes` go; `words` are what was said, by version.

    What is told of it is made when it is first asked for. Raises ValueError if all of a running game is.
    """

    evidence: Evidence
    envelopes: Sequence[Envelope]
    viewer: Viewer
    names: Names
    table: str = ""
    words: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.viewer == "all" and not self.game.is_over:
            raise ValueError("a running game has hidden cards: nobody may see all of it")

    @cached_property
    def story(self) -> Story:
        """All that happened, hidden things included."""
        return Story.of(self.envelopes)

    @property
    def game(self) -> Game:
        """The state at the end, hidden things included."""
        return self.story.game

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        """The versions as a file for this viewer has them: it counts anew what it tells of a running game."""
        if self.game.is_over or self.evidence.viewer != "all":
            return {one.version: one.version for one in self.envelopes}
        return numbers_told(self.story)

    @cached_property
    def beats(self) -> Sequence[Beat]:
        """The story in beats."""
        return beats(self.envelopes, self.viewer, self.names, self.words)

    @cached_property
    def _kept(self) -> Told | None:
        """Return the orders given in advance, out of the seats' own logs; None if a log is not sound."""
        try:
            return told_beside(
                self.evidence, self.envelopes, self.viewer, self.names, is_over=self.game.is_over
            )
        except Flaw:
            return None

    @property
    def is_sound(self) -> bool:
        """Return True if the seats' own logs are sound: else nothing of them is told."""
        return self._kept is not None

    @property
    def told(self) -> Told:
        """What the seats kept to themselves, as far as the viewer may know it."""
        return self._kept or Told()

    @cached_property
    def decisions(self) -> Mapping[int, Decision]:
        """The decisions that the viewer may know, by the version of the move; none if they are not sound."""
        if not self.is_sound:
            return {}
        try:
            return decisions(self.evidence, self.envelopes, self.viewer, self.names, self.told)
        except Flaw:
            return {}

    @cached_property
    def causes(self) -> Mapping[int, Provenance]:
        """The causes of the steps whose records the viewer may open, by the version of their first event.

        None while the game runs: nor are these records in a file for a seat then. None if they are not sound.
        """
        if not (self.game.is_over and self.is_sound):
            return {}
        try:
            found = provenances(self.evidence, self.envelopes, self.names)
        except Flaw:
            return {}
        return {
            version: one
            for version, one in found.items()
            if may_open(self.envelopes[version - 1], self.viewer)
        }

    @cached_property
    def moments(self) -> Sequence[Moment]:
        """The moments of a game that is over, the best first, made from what everybody saw."""
        return moments(self.story)

    @cached_property
    def figures(self) -> Sequence[Figure]:
        """Luck and skill in a game that has a result, made from what everybody saw."""
        return figures(self.story)

    def view(self, version: int) -> View:
        """Return the table after a version. Raises IndexError if the game has none of this number."""
        last = self.envelopes[-1].version
        if not 1 <= version <= last:
            raise IndexError(f"the game has {last} steps")
        return table_at(self.envelopes, version, self.viewer, is_over=self.game.is_over)
