"""A game that is over, laid open: how each sack went, its best moments, and who was away.

Everything is made from the log as `"all"` may see it, which `felix_async.game.views` gives of a game that is
over and of no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from felix_async.game.auctions import Auction, auctions
from felix_async.game.moments import Moment, best, moments
from felix_async.game.story import Step, Story
from felix_async.game.views import view
from felix_events.model import SeatHandedOver, SeatTaken
from felix_events.store.rows import Former


@dataclass(frozen=True, slots=True)
class Absence:
    """The rounds in which the computer played for a seat, from a version on; `last` is None if to the end."""

    seat: int
    first: int
    last: int | None
    version: int


@dataclass(frozen=True, slots=True)
class Ending:
    """How each round ended, and the best moments; `former` are those whose seats somebody else has taken.

    `arrivals` say at which version that was, which seat, and in which round.
    `export` is the whole game, if it comes with the letter.
    """

    sacks: Sequence[Auction] = ()
    absences: Sequence[Absence] = field(default_factory=list)
    moments: Sequence[Moment] = ()
    former: Sequence[Former] = ()
    arrivals: Sequence[tuple[int, int, int]] = ()
    export: bytes | None = field(default=None, repr=False)


def ending_of(story: Story, export: bytes | None = None, former: Sequence[Former] = ()) -> Ending:
    """Return what a finished game lays open. ValueError if it still runs."""
    view(story.game, "all")
    absences: list[Absence] = []
    for step in story.steps:
        if isinstance(step.event, SeatHandedOver | SeatTaken):
            _note_absence(absences, step, step.event)
    taken = [
        (step.version, step.event.seat, step.before.round)
        for step in story.steps
        if isinstance(step.event, SeatTaken)
    ]
    return Ending(auctions(story), absences, best(moments(story)), former, taken, export)


def _note_absence(absences: list[Absence], step: Step, event: SeatHandedOver | SeatTaken) -> None:
    """The computer takes a seat over, or somebody comes to it; leaving for good changes nothing then."""
    round_ = step.before.round
    open_ = next((one for one in absences if one.seat == event.seat and one.last is None), None)
    plays = isinstance(event, SeatHandedOver) and event.to == "computer"
    if plays and open_ is None:
        absences.append(Absence(event.seat, round_, None, step.version))
    elif not plays and open_ is not None:
        absences[absences.index(open_)] = replace(open_, last=round_)
