"""What a letter is made of (`Sheet`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from felix_async.follow_up.answer import Answer
from felix_async.game.story import Change, NewHost, Timeout
from felix_async.game.views import View
from felix_async.time.zones import DEFAULT_ZONE
from felix_notifiers.content.block import Block
from felix_notifiers.content.ending import Ending
from felix_notifiers.content.history import Speech, Told


@dataclass(frozen=True, slots=True)
class Sequel:
    """That this table is the next game of the same players: the seat that starts (None: it is drawn), and the
    names of those players who were not asked.
    """

    start: int | None = None
    not_asked: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that a letter is made of. The viewer of `table` is the seat that reads it.

    `occasions` are the kinds of notices that this one mail is for; with none it says how the table stands.
    `history` tells what happened since the reader's last move, or, with `since_letter`, since the last letter
    to them; `reply_address` is where an answer goes.
    `since` says since when each seat has been waited for,
    `expires` when the reader's invitation does ('' where it does not).
    `zone` is where the reader's clock hangs. `ending` is what a game that has ended shows of itself. `blocks`
    are what was asked for.
    """

    game_id: str
    table_name: str
    names: Sequence[str]
    table: View
    occasions: Set[str]
    answer: Answer | None
    history: Sequence[Told]
    reply_address: str
    since_letter: bool = False
    speeches: Sequence[Speech] = ()
    """What others said that the reader has not heard, for letters that do not tell the history."""
    has_moved: bool = True
    """Whether the reader has placed a card or bid before; else the history is that of the game so far."""
    since: Mapping[int, str] = field(default_factory=dict)
    expires: str = ""
    zone: str = DEFAULT_ZONE
    ending: Ending | None = None
    blocks: Sequence[Block] = field(default=())
    aside: Block | None = None
    """What felix asks the reader beside the game."""
    arrivals: Sequence[str] = ()
    """What there is to say about seats that change hands, or that nobody has taken."""
    has_next: bool = False
    """Whether the next game with these players was opened already."""
    unasked: Sequence[int] = ()
    """The seats whose players get no mail, so that no REMATCH asks them."""
    sequel: Sequel | None = None
    """Of a table that has not begun: whether it is the rematch of a game."""
    closes: str = ""
    """When a table is closed that has not begun; '' where that is not known."""
    hosts_since: NewHost | None = None
    """Why the reader hosts a table that has not begun."""
    now: str = ""
    """When the letter is written; '' where that is not known, and time is told as if none had passed."""
    rung: str = ""
    """Which reminder it is (`felix_async.follow_up.due`); '' where there is but one."""
    lapses: Sequence[Timeout] = ()
    """The reader's decisions for which there was no more time."""
    changes: Sequence[Change] = ()
    """What the reader is told as the host: for whom the computer plays now, and who hosts."""
