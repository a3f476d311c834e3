"""A log told again: one step for each event, as one viewer may see it, with a sentence in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from felix_async.game.cards import card_text
from felix_async.game.fold import fold
from felix_async.game.state import Game
from felix_async.game.view import Hidden, View, Viewer, redact, view
from felix_events.envelope import Envelope
from felix_events.model import (
    BidPlaced,
    Card,
    CardPlaced,
    CardsTurned,
    DummyDealt,
    Event,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GameStarted,
    HandDealt,
    PlayerDeclined,
    PlayerInvited,
    PlayerJoined,
    PlayerPassed,
    RoundStarted,
    SackDiscarded,
    SackSold,
    SeedRevealed,
)


@dataclass(frozen=True, slots=True)
class Step:
    """An event as a viewer may know it, and the table after it. `envelope` is for its public fields only."""

    version: int
    envelope: Envelope
    event: Event | Hidden
    text: str
    after: Game

    def table(self, viewer: Viewer) -> View:
        """The table after this step."""
        return view(self.after, viewer)


def steps(envelopes: Sequence[Envelope], viewer: Viewer, names: Sequence[str]) -> Iterator[Step]:
    """The steps of a log, in order."""
    game: Game | None = None
    for envelope in envelopes:
        game = fold((envelope.data,), game)
        event = redact(envelope.data, viewer)
        text = describe(event, names, actor=envelope.actor)
        yield Step(envelope.version, envelope, event, text, game)


def default_viewer(game: Game) -> Viewer:
    """Everything once a game is over, before that what everybody sees."""
    return "all" if game.is_over else "spectator"


def describe(event: Event | Hidden, names: Sequence[str], actor: str = "seat", you: int | None = None) -> str:
    """What happened, as a sentence; a reader who sits at seat `you` is addressed as such."""
    teller = _Teller(names, you)
    text = teller.tell(event)
    if actor == "host" and not isinstance(event, GameCreated):
        text = f"{text} (The host did this.)"
    return text


def card_list(cards: Sequence[Card]) -> str:
    """`11, −5 and rabbit`."""
    return _joined([card_text(card) for card in cards]) or "nothing"


def mice_text(number: int) -> str:
    """`1 mouse`, `5 mice`."""
    return "1 mouse" if number == 1 else f"{number} mice"


@dataclass(frozen=True, slots=True)
class _Teller:
    names: Sequence[str]
    you: int | None

    def tell(self, event: Event | Hidden) -> str:
        match event:
            case Hidden():
                return self._hidden(event)
            case GameCreated() | PlayerInvited() | PlayerJoined() | PlayerDeclined() | GameStarted():
                return self._opening(event)
            case HandDealt() | DummyDealt() | CardPlaced():
                return self._secret(event)
            case GameEnded() | GameAbandoned() | SeedRevealed():
                return self._ending(event)
            case _:
                return self._round(event)

    def _who(self, seat: int) -> str:
        if seat == self.you:
            return "You"
        return self.names[seat] if seat < len(self.names) else f"Seat {seat}"

    def _within(self, seat: int) -> str:
        """The same within a sentence."""
        return "you" if seat == self.you else self._who(seat)

    def _hidden(self, event: Hidden) -> str:
        if event.type == "dummy_dealt":
            return "The dummy's pile was shuffled; one of its cards is in the box."
        assert event.seat is not None, "only the dummy has no seat"
        if event.type == "hand_dealt":
            return f"{self._who(event.seat)} got nine cards; the tenth is in the box."
        return f"{self._who(event.seat)} placed a card."

    def _opening(self, event: Event) -> str:
        match event:
            case GameCreated():
                return f"A table for {len(event.seats)} was opened, rules {event.ruleset}."
            case PlayerInvited():
                return f"{self._who(event.seat)} {_was(event.seat, self.you)} invited."
            case PlayerJoined():
                return f"{self._who(event.seat)} joined."
            case PlayerDeclined():
                return f"{self._who(event.seat)} declined."
            case GameStarted():
                return f"The game started; {self._within(event.start_seat)} will start the first round."
        raise TypeError(f"{event.type} opens nothing")

    def _secret(self, event: Event) -> str:
        match event:
            case HandDealt():
                return (
                    f"{self._who(event.seat)} got {card_list(event.cards)};"
                    f" {card_text(event.boxed)} is in the box."
                )
            case DummyDealt():
                return f"The dummy's pile is {card_list(event.pile)}; {card_text(event.boxed)} is in the box."
            case CardPlaced():
                return f"{self._who(event.seat)} placed {card_text(event.card)}."
        raise TypeError(f"{event.type} is no secret")

    def _round(self, event: Event) -> str:
        match event:
            case RoundStarted():
                filled = (
                    f"the mouse cards hold {_joined([str(mice) for mice in event.mice_on_cards])}"
                    if any(event.mice_on_cards)
                    else "the mouse cards stay empty"
                )
                starts = "start" if event.start_seat == self.you else "starts"
                return f"Round {event.round}: {self._within(event.start_seat)} {starts}; {filled}."
            case CardsTurned():
                return f"{card_list(event.cards).capitalize()} {_turned(event.cards)} turned over."
            case BidPlaced():
                return f"{self._who(event.seat)} bid {mice_text(event.amount)}."
            case PlayerPassed():
                return f"{self._who(event.seat)} passed and took {mice_text(event.mice)}."
            case SackSold():
                chased = "" if event.chased is None else f"The dog chased {card_text(event.chased)} away. "
                return (
                    f"{chased}{self._who(event.seat)} bought the sack for {mice_text(event.price)}"
                    f" and got {card_list(event.prize)}."
                )
            case SackDiscarded():
                return "Nobody wanted the sack; it went to the box."
        raise TypeError(f"{event.type} belongs to no round")

    def _ending(self, event: Event) -> str:
        match event:
            case GameEnded():
                totals = [
                    f"{name} {score.total} (cats {_signed(score.cats)}, {mice_text(score.mice)})"
                    for name, score in zip(
                        self._everybody(range(len(event.scores))), event.scores, strict=True
                    )
                ]
                return f"The game is over: {_joined(totals)}. {self.winners(event.winners)}"
            case GameAbandoned():
                return "The game does not take place."
            case SeedRevealed():
                return "The seed of all draws was shown."
        raise TypeError(f"{event.type} ends nothing")

    def winners(self, seats: Sequence[int]) -> str:
        """Who won, in a sentence."""
        who = _joined(self._everybody(seats))
        return f"{who} share the win." if len(seats) > 1 else f"{who} won."

    def _everybody(self, seats: Sequence[int]) -> list[str]:
        """The names of these seats, as they stand one after the other in a sentence."""
        return [self._within(seat) if place else self._who(seat) for place, seat in enumerate(seats)]


def _was(seat: int, you: int | None) -> str:
    return "were" if seat == you else "was"


def _turned(cards: Sequence[Card]) -> str:
    return "was" if len(cards) == 1 else "were"


def _signed(points: int) -> str:
    return f"−{-points}" if points < 0 else str(points)


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
