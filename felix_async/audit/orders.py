"""Orders given in advance, done again: what stood at each step, and what had to follow from it. Pure.

The seats' own logs are read along with the game's. Each of their events names the size of that one then, so
that it has a place between two steps. Between them the table rests, unless an order has a move to make: that
move is the next step then, at the same time, and names the order in its private record. Findings name the
order, by the version in its seat's own log; while the game runs they do not say what is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.audit.causes import cause_of
from felix_async.audit.evidence import Flaw
from felix_async.game.ahead import Ahead, Given, Step, given_by, holds, next_step, refuse_order
from felix_async.game.commands import Give, order_text
from felix_async.game.folding import apply
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from felix_events.envelope import Envelope

_ORDERS: Final = (m.OrderGiven, m.OrderDropped, m.OrderDone)
_PLAYED: Final = (m.CardPlaced, m.BidPlaced, m.PlayerPassed)
_PLAYERS: Final = ("seat", "host")
_WHY: Final[dict[type[m.Event], m.DropReason]] = {
    m.TurnTimedOut: "timed_out",
    m.SeatHandedOver: "left",
    m.SeatTaken: "substituted",
    m.BidPlaced: "replaced",
    m.CardPlaced: "replaced",
}
"""The events that begin a step with which orders of their seat end, and why."""
_ALL_FALL: Final = ("timed_out", "left", "substituted")
"""The reasons for which a seat has no orders any more; a bid or a card takes the place of one."""


def is_about_order(event: m.Event) -> bool:
    """Return True if an event of a seat's own log gives an order, drops one, or ends one."""
    return isinstance(event, _ORDERS)


def check_orders(
    envelopes: Sequence[Envelope],
    own: Mapping[int, Sequence[Envelope]],
    named: Mapping[int, tuple[int, int]] | None,
    *,
    over: bool,
) -> None:
    """Check that each order was followed as long as it stood, and that moves by orders follow from them.

    `own` are the seats' own logs; `named` are the moves whose private record names an order: the move's
    version -> the seat, and the order's version in its own log; None if private records are not there.
    Raises Flaw.
    """
    books = {seat: _Book(seat, [one for one in log if is_about_order(one.data)]) for seat, log in own.items()}
    walk = _Walk(envelopes, books, named, over)
    for start, end in _steps(envelopes):
        walk.rest(start)
        for envelope in envelopes[start:end]:
            apply(walk.game, envelope.data)
        walk.before = envelopes[start]
    walk.rest(len(envelopes))
    for book in books.values():
        if book.coming is not None:
            raise book.flaw("an event before the end of the game", "one that names a size after it")


def _steps(envelopes: Sequence[Envelope]) -> Iterator[tuple[int, int]]:
    """The steps of a log: the index of the first event of each, and that of the one after its last."""
    starts = [index for index, envelope in enumerate(envelopes) if envelope.actor != "rules"]
    return zip(starts, [*starts[1:], len(envelopes)], strict=True)


@dataclass(slots=True)
class _Book:
    """A seat's own log as far as it was read. `at` is when something happened last, for this seat."""

    seat: int
    events: Sequence[Envelope]
    place: int = 0
    ahead: Ahead = field(default_factory=Ahead)
    at: str = ""
    is_new: bool = False
    """True if an event of it was read since the table came to rest."""

    @property
    def coming(self) -> Envelope | None:
        return self.events[self.place] if self.place < len(self.events) else None

    def flaw(self, expected: str, found: str, version: int = 0) -> Flaw:
        """A finding at the coming event, or at another version of this log."""
        if not version:
            version = self.events[min(self.place, len(self.events) - 1)].version
        return Flaw(version, expected, found, self.seat)

    def without(self, given: Given | None) -> Ahead:
        auction, card = self.ahead.auction, self.ahead.card
        return Ahead(None if auction is given else auction, None if card is given else card)

    def holding(self, version: int, game: Game) -> Given | None:
        """Return the order of this version if it stands, and still has something to do."""
        given = next((one for one in self.ahead.given if one.version == version), None)
        return given if given is not None and holds(given, game) else None


@dataclass(slots=True)
class _Walk:
    """A game as far as it was followed, and the seats' own logs beside it."""

    envelopes: Sequence[Envelope]
    books: Mapping[int, _Book]
    named: Mapping[int, tuple[int, int]] | None
    over: bool
    game: Game = field(default_factory=initial_state)
    before: Envelope | None = None
    """The first event of the step before."""

    def rest(self, start: int) -> None:
        """Check the moment before the step that begins at this index, or the end of the log."""
        since = self.envelopes[start - 1].at if start else ""
        following = self.envelopes[start] if start < len(self.envelopes) else None
        for book in self.books.values():
            book.at, book.is_new = since, False
            self._read(book, following)
        self._check_step(start, following)

    def _read(self, book: _Book, following: Envelope | None) -> None:
        """Read what was said before the next step; the end of an order comes with its move."""
        stood = book.ahead.given
        while (one := book.coming) is not None:
            event = one.data
            assert isinstance(event, _ORDERS), "the others were left out"
            if event.size > self.game.version:
                break
            if event.size < self.game.version:
                raise book.flaw("the size of the game's log at the end of a step, in order", f"{event.size}")
            if isinstance(event, m.OrderDone):
                break
            if one.at < book.at or (following is not None and one.at > following.at):
                raise book.flaw("a time between the steps of the game that it stands between", one.at)
            if one.at > book.at:
                self._check_followed(book)
            self._take(book, one)
            book.at, book.is_new = one.at, True
            book.place += 1
        if self._why(book.seat) in _ALL_FALL:
            left = [given for given in stood if book.holding(given.version, self.game) == given]
            if left and not self.game.is_over:
                raise book.flaw("an order that was dropped then", "one that stands", left[0].version)

    def _check_followed(self, book: _Book) -> None:
        """Nothing may be said as long as an order that stands has a move to make."""
        step = next_step({book.seat: book.ahead}, self.game)
        if step is not None:
            raise book.flaw(self._told(step), "something else that was said first", step.by.version)

    def _why(self, seat: int) -> m.DropReason | None:
        """Return why orders of this seat end with the step before; None if they do not."""
        if self.game.seats and self.game.seats[seat].gone:
            return "left"
        if self.before is None or getattr(self.before.data, "seat", None) != seat:
            return None
        event = self.before.data
        is_back = isinstance(event, m.SeatHandedOver) and event.to == "player"
        return None if is_back else _WHY.get(type(event))

    def _take(self, book: _Book, one: Envelope) -> None:
        event = one.data
        if isinstance(event, m.OrderGiven):
            self._check_given(book, one, event)
            given = Given(one.version, event, one.actor)
            auction, card = book.ahead.auction, book.ahead.card
            earlier = card if event.kind == "next" else auction
            if earlier is not None and holds(earlier, self.game):
                raise book.flaw(f"version {earlier.version} to be dropped first", "a later order")
            book.ahead = Ahead(auction, given) if event.kind == "next" else Ahead(given, card)
            return
        assert isinstance(event, m.OrderDropped), "an end comes with its move"
        dropped = book.holding(event.order, self.game)
        if event.seat != book.seat or dropped is None:
            raise book.flaw("an order that stands to be dropped", f"version {event.order}")
        book.ahead = book.without(dropped)
        is_said = one.private is not None and one.actor in _PLAYERS
        if not is_said and (one.private is not None or one.actor != "rules"):
            raise book.flaw("a private record of what a player said, and of nothing else", one.actor)
        if not self._is_dropped(book, event, dropped, is_said=is_said):
            raise book.flaw("a reason that fits", event.why)

    def _is_dropped(self, book: _Book, event: m.OrderDropped, dropped: Given, *, is_said: bool) -> bool:
        """Return True if it fits what happened why an order was dropped."""
        if event.why == "asked":
            return is_said
        if event.why == "replaced" and is_said:
            later = book.events[book.place + 1].data if book.place + 1 < len(book.events) else None
            if not isinstance(later, m.OrderGiven) or later.size != event.size:
                return False
            return (later.kind == "next") == (dropped.order.kind == "next")
        return event.why == "rekeyed" or (not is_said and event.why == self._why(book.seat))

    def _check_given(self, book: _Book, one: Envelope, event: m.OrderGiven) -> None:
        if one.private is None or one.actor not in _PLAYERS:
            raise book.flaw("an order by a player, with a private record", f"one by {one.actor}")
        game = self.game
        give = Give(
            seat=event.seat,
            kind=event.kind,
            first=event.first,
            limit=event.limit,
            then=event.then,
            card=event.card,
        )
        if event.seat != book.seat:
            raise book.flaw(f"an order of seat {book.seat}", f"one of seat {event.seat}")
        refusal = refuse_order(give, game) if _is_whole(event) else None
        if refusal is not None or given_by(give, game) != event or not _is_whole(event):
            why = "" if refusal is None else f": {refusal.code}"
            found = f"{event.model_dump()}{why}" if self.over else "another one (hidden while the game runs)"
            raise book.flaw("an order that could be given then", found)

    def _check_step(self, start: int, following: Envelope | None) -> None:
        aheads = {seat: book.ahead for seat, book in self.books.items()}
        step = next_step(aheads, self.game) if aheads else None
        if step is not None:
            self._check_move(start, step, following)
            self._check_end(self.books[step.move.seat], step, following)
        else:
            named = None if self.named is None else self.named.get(start + 1)
            if named is not None:
                move = f"version {start + 1} of the game"
                raise Flaw(named[1], f"an order that says what happened in {move}", "none", named[0])
            self._check_clocks(start)
        for book in self.books.values():
            one = book.coming
            if one is not None and isinstance(one.data, m.OrderDone) and one.data.size == start:
                raise book.flaw("the end of an order with the move that ends it", "another one")

    def _check_move(self, start: int, step: Step, following: Envelope | None) -> None:
        book = self.books[step.move.seat]
        move = f"version {start + 1} of the game"
        if following is None:
            raise book.flaw(self._told(step), "the end of the log", step.by.version)
        is_move = following.actor == step.by.actor and isinstance(following.data, _PLAYED)
        if not is_move or cause_of(following.data, self.game, ()) != step.move:
            raise book.flaw(f"{self._told(step)} in {move}", "another step", step.by.version)
        if following.at != book.at:
            raise book.flaw(f"{move} at {book.at}", following.at, step.by.version)
        if self.named is not None and self.named.get(start + 1) != (book.seat, step.by.version):
            raise book.flaw(f"{move} with a private record that names it", "another one", step.by.version)
        if not book.is_new and isinstance(self.envelopes[start - 1].data, m.DeadlineSet):
            raise book.flaw("no clock before a move that follows at once", "one", step.by.version)

    def _check_end(self, book: _Book, step: Step, following: Envelope | None) -> None:
        assert following is not None, "checked with the move"
        one = book.coming
        ends = one is not None and isinstance(one.data, m.OrderDone) and one.data.size == self.game.version
        if ends != step.ends:
            text = "the end of an order" if step.ends else "an order that goes on"
            raise book.flaw(text, "none" if step.ends else "its end", step.by.version)
        if one is None or not ends:
            return
        assert isinstance(one.data, m.OrderDone), "so it is"
        if (one.data.seat, one.data.order) != (book.seat, step.by.version):
            raise book.flaw(f"the end of version {step.by.version}", f"that of {one.data.order}")
        if (one.at, one.actor, one.private) != (following.at, "rules", None):
            raise book.flaw("an end by the rules, at the time of its move", f"one by {one.actor} at {one.at}")
        book.ahead = book.without(step.by)
        book.place += 1

    def _check_clocks(self, start: int) -> None:
        """Check that time runs for everybody who is waited for, as the table rests."""
        game = self.game
        if game.clock is None or game.paused_until or game.phase not in ("placing", "bidding"):
            return
        for seat in game.awaited:
            if game.seats[seat].time.deadline is None:
                raise Flaw(start, f"a clock for seat {seat}, as no order follows", "none")

    def _told(self, step: Step) -> str:
        return order_text(step.move) if self.over else "its move (hidden while the game runs)"


def _is_whole(order: m.OrderGiven) -> bool:
    """Return True if an order has what its kind needs, and nothing else."""
    if order.kind == "bid":
        return order.card is None and (order.first is not None or order.limit is not None)
    bare = (order.first, order.limit, order.then) == (None, None, "pass")
    return bare and (order.card is not None) == (order.kind == "next")
