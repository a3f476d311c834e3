"""A game as the reader of a message sees it: a view, the names of the others, and what time it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from felix_async.game.ahead import NOTHING, Ahead, Given
from felix_async.game.commands import Start
from felix_async.game.ledger import Purse
from felix_async.game.story import Step
from felix_async.game.views import OwnView, View
from felix_async.language.phrases import joined, phrase
from felix_async.text import Harmless
from felix_async.time.zones import DEFAULT_ZONE
from felix_notifiers.content.harmless import seat_names, table_label
from felix_notifiers.content.public import PublicTable


@dataclass(frozen=True, slots=True)
class Sequel:
    """That this table is the next game of the same players: the seat that starts (None: it is drawn), and the
    names of those players who were not asked.
    """

    start: int | None = None
    not_asked: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A game as one of its players sees it at the moment `now`; the viewer of `table` is that player.

    The player's orders go to `reply_address`, and their times are those of `zone`. `since` says since
    when each seat has been waited for, `expires` when the player's invitation does, and `closes` when a table
    is closed that has not begun; each is '' if it is not known, and so is `now`. `sequel` says that the table
    is the rematch of another, `has_next` that its own rematch was opened already, and `unasked` are the seats
    that no rematch would reach. `ahead` is what the player has said in advance, as far as it holds, `ended` a
    limit of this round that does not, because a card has turned. `disputes` are the steps that raised those
    which are open, `purses` are the mice and cats of all players, as everybody can count them. `discreet` is
    a reader who wants no card and no bid on a locked screen.
    """

    game_id: str
    table_name: str
    kept_names: Sequence[str]
    table: View
    reply_address: str
    zone: str = DEFAULT_ZONE
    now: str = ""
    since: Mapping[int, str] = field(default_factory=dict)
    expires: str = ""
    closes: str = ""
    sequel: Sequel | None = None
    has_next: bool = False
    unasked: Sequence[int] = ()
    ahead: Ahead = NOTHING
    ended: Given | None = None
    disputes: Sequence[Step] = ()
    purses: Mapping[int, Purse] = field(default_factory=dict)
    discreet: bool = False

    @cached_property
    def public(self) -> PublicTable:
        """The table as everybody sees it."""
        return PublicTable(
            game_id=self.game_id,
            table_name=self.table_name,
            names=self.names,
            view=self.table.public,
            discreet=self.discreet,
        )

    @cached_property
    def seat(self) -> int:
        """The seat of the reader. ValueError for a view that no seat has."""
        if not isinstance(self.table.viewer, int):
            raise ValueError(f"a letter is for a seat, not for {self.table.viewer!r}")
        return self.table.viewer

    @cached_property
    def names(self) -> list[Harmless]:
        """The names by seat; within a sentence the reader's own is `you` (`who`)."""
        return seat_names(self.kept_names)

    @property
    def label(self) -> Harmless:
        """`Thursday club k7m2p`."""
        return table_label(self.table_name, self.game_id)

    @property
    def own(self) -> OwnView:
        """The part of the view that is the reader's alone."""
        return self.table.own[self.seat]

    @property
    def name(self) -> Harmless:
        """The reader's name."""
        return self.names[self.seat]

    @property
    def is_asked(self) -> bool:
        """True if the table waits for the reader."""
        return self.seat in self.table.asked and not self.table.seats[self.seat].gone

    @property
    def is_early(self) -> bool:
        """True if the reader is still in an auction in which it is somebody else's turn."""
        seat = self.table.seats[self.seat]
        is_there = self.seat in self.table.players and not (seat.computer or self.table.paused_until)
        return is_there and self.table.in_advance().may_pass

    @property
    def may_start(self) -> bool:
        """True if the reader may begin the game."""
        return self.table.welcome(Start(seat=self.seat))

    @property
    def others(self) -> list[Harmless]:
        """Everybody else, clockwise from the reader's left."""
        seats = len(self.names)
        return [self.names[(self.seat + step) % seats] for step in range(1, seats)]

    @property
    def next_mice(self) -> int | None:
        """The mice on the next mouse card; None if all are taken."""
        return next((card.mice for card in self.table.mouse_cards if not card.taken), None)

    @property
    def is_last_bidder(self) -> bool:
        """True if all others have passed without a bid."""
        rest = [seat for seat in self.table.players if not self.table.seats[seat].passed]
        return rest == [self.seat] and not self.table.high_bid

    def who(self, seat: int | None) -> str:
        """A player within a sentence."""
        if seat is None:
            return phrase("mails.names.dummy")
        return phrase("mails.names.you") if seat == self.seat else self.names[seat]

    def everyone(self, seats: Iterable[int]) -> str:
        """`you, Ben and Cara`, the reader first."""
        return joined([self.who(seat) for seat in sorted(seats, key=lambda seat: seat != self.seat)])
