"""The draws of a log, told from its events: what was drawn, and what the seed gives. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from felix_async.audit.evidence import created_in
from felix_async.draw import Dice, Draws
from felix_async.game.cards import PET_CARDS, in_order
from felix_async.game.timing import timeout_label
from felix_events import model as m

T = TypeVar("T")


def playing(events: Sequence[m.Event]) -> list[int]:
    """The seats that had joined when the game started, in seat order."""
    joined: set[int] = set()
    for event in events:
        if type(event) is m.PlayerJoined:
            joined.add(event.seat)
        elif isinstance(event, m.PlayerDeclined | m.PlayerUninvited):
            joined.discard(event.seat)
        elif type(event) is m.GameStarted:
            break
    return sorted(joined)


def revealed(game_id: str, last: m.Event) -> Dice | None:
    """Return the dice of the seed that the last event reveals; None if it reveals none."""
    return Dice(game_id, bytes.fromhex(last.seed)) if isinstance(last, m.SeedRevealed) else None


_DEALS: Final[frozenset[type[m.Event]]] = frozenset({m.GameStarted, m.HandDealt, m.DummyDealt})
_HANDS: Final[frozenset[type[m.Event]]] = frozenset(
    {m.RoundStarted, m.TurnTimedOut, m.PlayerPassed, m.CardPlaced}
)


@dataclass(frozen=True, slots=True)
class _Draw:
    """A draw of the log: the version that shows it, its label, what came of it, and among how many things."""

    version: int
    label: str
    outcome: Any
    among: int = len(PET_CARDS)


def drawn_otherwise(events: Sequence[m.Event], dice: Draws) -> Iterator[tuple[int, str, str]]:
    """The draws of a log that the seed does not give: the version, what it gives, and what is there."""
    created = created_in(events)
    contributions: list[str | None] = [None] * len(created.seats)
    seats = playing(events)
    draws = {draw.version: draw for draw in _draws(events)}
    for version, event in enumerate(events, 1):
        if type(event) is m.PlayerJoined:
            contributions[event.seat] = event.contribution
        draw = draws.get(version)
        if draw is None or (draw.label == "start" and created.options.start_seat is not None):
            continue  # the seat was named; that it plays, the moves have shown
        stream = dice.stream(contributions, draw.label)
        drawn: object
        if draw.label == "dummy":
            drawn = stream.shuffled(PET_CARDS)
        elif draw.label == "start":
            drawn = seats[stream.below(len(seats))]
        else:
            drawn = stream.below(draw.among)
        if drawn != draw.outcome:
            yield version, f"{draw.label}: {drawn} from the seed", f"{event.model_dump()}"


def _draws(events: Sequence[m.Event]) -> Iterator[_Draw]:
    """Every draw of a log. A card placed for a seat whose time was up is a place in its hand."""
    hands: dict[int, list[m.Card]] = {}
    placed: dict[int, m.Card] = {}
    timed_out: int | None = None
    number = 0
    # Hands are followed, event by event, only if a card was ever drawn from one.
    telling = _DEALS | _HANDS if m.TurnTimedOut in set(map(type, events)) else _DEALS
    for version, event in enumerate(events, 1):
        if type(event) not in telling:
            continue
        match event:
            case m.GameStarted():
                yield _Draw(version, "start", event.start_seat)
            case m.HandDealt():
                hands[event.seat] = in_order(event.cards)
                yield _Draw(version, f"box/{event.seat}", PET_CARDS.index(event.boxed))
            case m.DummyDealt():
                yield _Draw(version, "dummy", [*event.pile, event.boxed])
            case m.RoundStarted():
                for seat, card in placed.items():
                    hands[seat] = [kept for kept in hands.get(seat, ()) if kept != card]
                placed, number = {}, event.round
            case m.TurnTimedOut():
                timed_out = event.seat
            case m.PlayerPassed():
                timed_out = None
            case _:
                assert isinstance(event, m.CardPlaced), "nothing else is left of what tells"
                hand = hands.get(event.seat, [])
                if event.seat == timed_out and event.card in hand:
                    label = timeout_label(number, event.seat)
                    yield _Draw(version, label, hand.index(event.card), len(hand))
                timed_out = None
                placed[event.seat] = event.card


class Recorded:
    """The draws as the log has them, so that a game can be decided again before its seed is known."""

    def __init__(self, events: Sequence[m.Event]) -> None:
        last = events[-1]
        self.seed = bytes.fromhex(last.seed) if isinstance(last, m.SeedRevealed) else bytes(32)
        self._drawn: dict[str, Any] = {}
        for draw in _draws(events):
            self._drawn.setdefault(draw.label, draw.outcome)
        seats = playing(events)
        if "start" in self._drawn:
            # The draw is a place among those who play.
            seat = self._drawn["start"]
            self._drawn["start"] = seats.index(seat) if seat in seats else None

    def stream(self, _contributions: Sequence[str | None], label: str) -> _RecordedDraw:
        """The draw with this label, whatever was put into it."""
        return _RecordedDraw(self._drawn.get(label))


@dataclass(frozen=True, slots=True)
class _RecordedDraw:
    drawn: Any

    def below(self, n: int) -> int:
        return self.drawn if isinstance(self.drawn, int) and 0 <= self.drawn < n else 0

    def shuffled(self, items: Sequence[T]) -> list[T]:
        same_cards = self.drawn is not None and sorted(map(str, self.drawn)) == sorted(map(str, items))
        return list(self.drawn) if same_cards else list(items)
