"""The table of one mail: a view, and the names by which its reader knows the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from felix_async.game.commands import Start
from felix_async.game.views import OwnView, View
from felix_async.language.phrases import joined, phrase
from felix_async.text import Harmless
from felix_async.time.zones import DEFAULT_ZONE


@dataclass(frozen=True, slots=True)
class Scene:
    """What a seat sees, in words; the reader's own name is `you`.

    `zone` is where the reader's clock hangs (`felix_async.time.zones`).
    """

    table: View
    names: Sequence[Harmless]
    seat: int
    zone: str = DEFAULT_ZONE

    @property
    def own(self) -> OwnView:
        """What only the reader sees."""
        return self.table.own[self.seat]

    @property
    def name(self) -> Harmless:
        """The reader's name."""
        return self.names[self.seat]

    @property
    def is_asked(self) -> bool:
        """Whether the table waits for the reader."""
        return self.seat in self.table.asked and not self.table.seats[self.seat].gone

    @property
    def may_start(self) -> bool:
        """Whether the reader may begin the game."""
        return self.table.welcome(Start(seat=self.seat))

    @property
    def others(self) -> list[Harmless]:
        """Everybody else, clockwise from the reader's left."""
        seats = len(self.names)
        return [self.names[(self.seat + step) % seats] for step in range(1, seats)]

    @property
    def next_mice(self) -> int | None:
        """The mice on the next mouse card; None where there is none left to take."""
        return next((card.mice for card in self.table.mouse_cards if not card.taken), None)

    @property
    def is_last_bidder(self) -> bool:
        """Whether everybody else has passed, and nobody has bid."""
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
