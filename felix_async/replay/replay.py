"""A game told again, as one viewer may know it: its beats, its decisions, and the table at each version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from felix_async.audit.evidence import Evidence, Flaw
from felix_async.game.beats import Beat, beats
from felix_async.game.figures import Figure, figures
from felix_async.game.moments import Moment, moments
from felix_async.game.names import Names
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.game.views import View, Viewer
from felix_async.replay.beside import Told, told_beside
from felix_async.replay.decisions import Decision, decisions
from felix_async.replay.tables import table_at
from felix_events.envelope import Envelope


@dataclass(frozen=True, slots=True)
class Replay:
    """A game as far as it was played. `game` is its state at the end, hidden things included.

    `decisions` are by the version of the move, `told` is what the seats kept to themselves: both as far as
    the viewer may know them, and empty if the seats' own logs are not sound (`is_sound`). `moments`, the best
    first, and `figures` are of a game that is over and made from what everybody saw.
    """

    game_id: str
    table: str
    names: Names
    viewer: Viewer
    envelopes: Sequence[Envelope]
    game: Game
    beats: Sequence[Beat]
    decisions: Mapping[int, Decision]
    told: Told
    is_sound: bool
    moments: Sequence[Moment]
    figures: Sequence[Figure]

    def view(self, version: int) -> View:
        """Return the table after a version. Raises IndexError if the game has none of this number."""
        last = max(one.version for one in self.envelopes)
        if not 1 <= version <= last:
            raise IndexError(f"the game has {last} steps")
        return table_at(self.envelopes, version, self.viewer, is_over=self.game.is_over)


def replay_of(
    evidence: Evidence,
    envelopes: Sequence[Envelope],
    viewer: Viewer,
    names: Names,
    *,
    table: str = "",
    words: Mapping[int, str] | None = None,
) -> Replay:
    """Tell a game again. `words` are what was said, by version."""
    story = Story.of(envelopes)
    game = story.game
    if viewer == "all" and not game.is_over:
        raise ValueError("a running game has hidden cards: nobody may see all of it")
    told, found, is_sound = Told(), dict[int, Decision](), True
    try:
        told = told_beside(evidence, envelopes, viewer, names, is_over=game.is_over)
        found = decisions(evidence, envelopes, viewer, names, told)
    except Flaw:
        told, is_sound = Told(), False
    return Replay(
        evidence.game_id,
        table,
        names,
        viewer,
        envelopes,
        game,
        beats(envelopes, viewer, names, words or {}),
        found,
        told,
        is_sound,
        moments(story),
        figures(story),
    )
