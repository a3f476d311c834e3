"""The facts that one message tells a player about a game."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from felix_async.follow_up.answer import CARD_TURNED, STALE, Answer
from felix_async.game.story import Change, NewHost, Step, Timeout
from felix_events.model import SackSold
from felix_notifiers.content.block import Block
from felix_notifiers.content.ending import Ending
from felix_notifiers.content.history import Speech, Told
from felix_notifiers.content.snapshot import Snapshot

BEHIND: Final = (STALE, CARD_TURNED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """The kinds of notices that one mail is for, none if it just says how the table is, with their facts.

    `history` tells what happened since the reader's last move, since the last letter (`since_letter`), or so
    far if the reader has not moved yet; `speeches` is what others said, for mails without it. `at_once` is
    what happened by the mail that is answered; with it all is told up to the version `told_until`, if that
    is not None. `ending` is a game laid open. `blocks` are what was asked for; `aside` is what felix asks
    beside the game. `rung` is the reminder (`felix_async.follow_up.due`), `timeouts` are the reader's
    decisions that came too late.

    `sale` is the end of the round before this one, if somebody bought the sack, as long as that is news.
    `is_first` says that no letter has told the reader of this round yet, `sack` how the one before it ended.
    `made` is the move that the reader made by the mail that is answered, `absence` the newest word of another
    player about being away that no letter has told.
    `arrivals`, `changes` and `hosts_since` are about seats: who took one, for whom the computer plays, and
    why the reader hosts; `denied` is who denies a move, or whose dispute is over, and which move, '' of a
    card that lies face down.
    """

    game: Snapshot
    kinds: Set[str]
    answer: Answer | None = None
    history: Sequence[Told] = ()
    since_letter: bool = False
    at_once: Sequence[Told] = ()
    told_until: int | None = None
    has_moved: bool = True
    speeches: Sequence[Speech] = ()
    ending: Ending | None = None
    blocks: Sequence[Block] = ()
    aside: Block | None = None
    rung: str = ""
    timeouts: Sequence[Timeout] = ()
    arrivals: Sequence[str] = ()
    changes: Sequence[Change] = ()
    hosts_since: NewHost | None = None
    sale: Step | None = None
    is_first: bool = True
    sack: Step | None = None
    made: Step | None = None
    absence: Step | None = None
    denied: tuple[int, str] | None = None

    @property
    def sold(self) -> tuple[int, int] | None:
        """The seat that bought the sack before this round, and its price."""
        event = None if self.sale is None else self.sale.event
        return (event.seat, event.price) if isinstance(event, SackSold) else None

    @property
    def is_behind(self) -> bool:
        """True if the mail that is answered was about an older table: the answer shows how it is now."""
        lines = [] if self.answer is None else self.answer.lines
        return any(line.code in BEHIND for line in lines)
