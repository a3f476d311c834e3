"""Evenings at which each letter is written twice: to its reader, and to one who keeps other secrets there.

The other reader has another hand, another card in the box and face down, other mice, other orders in advance
or none, and has written other numbers and cards. Of a reader who is discreet, the other one also sees other
cards lie open, other bids and other points.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from random import Random
from typing import Any, Final

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.game.ahead import NOTHING, Ahead, Given, given_by
from felix_async.game.cards import card_text
from felix_async.game.commands import Give
from felix_async.game.state import Game
from felix_async.game.views import OwnView, View
from felix_events.model import Card, Pace, Ruleset
from felix_events.store.base import Reader
from felix_events.store.rows import Letter, SeatRow
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.mails import answer
from felix_notifiers.mails import case as cases
from felix_notifiers.mails import letters as pen
from felix_notifiers.mails.case import Case
from felix_notifiers.mails.letters import Part, Written
from notifiers.sheets import Html, part, read
from notifiers.twice import Evening, Twice, altered

SHOWN: Final = 150
"""Letters that Apple Mail shows at the most, and some more."""
CARDS: Final[tuple[Card, ...]] = (-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog")
OTHER: Final[Mapping[Card, Card]] = dict(zip(CARDS, [*CARDS[3:], *CARDS[:3]], strict=True))
_SAID: Final = {card_text(card): card_text(other) for card, other in OTHER.items()}
_CARD: Final = re.compile("|".join(rf"(?<![\w-]){re.escape(said)}(?!\w)" for said in _SAID))
_NUMBER: Final = re.compile(r"\d+")
_OF_CARDS: Final = re.compile(r"\b(?:PLAY|NEXT)\b")


def in_other_words(text: str) -> str:
    """The same with other mice, or other cards."""
    if _OF_CARDS.search(text):
        return _CARD.sub(lambda found: _SAID[found[0]], text)
    return _NUMBER.sub(lambda found: f"{int(found[0]) + 3}", text)


def to_other_words(told: Answer) -> Answer:
    """The answer to other words, of which the same came."""
    names = ("text", "why", "order", "instead", "small")
    lines = [
        line.model_copy(update={name: in_other_words(getattr(line, name)) for name in names})
        for line in told.lines
    ]
    offers = [in_other_words(offer) for offer in told.offers]
    return told.model_copy(
        update={"lines": lines, "offers": offers, "asks_text": in_other_words(told.asks_text)}
    )


def other_orders(game: Game, seat: int, numbers: Random) -> Ahead:
    """Orders in advance that this seat may have given: a limit of now or of the card before, a card, none."""
    hand = game.seats[seat].hand
    if game.phase not in ("placing", "bidding") or seat not in game.players or numbers.random() < 1 / 3:
        return NOTHING
    bid = given_by(Give(seat=seat, kind="bid", limit=game.high_bid + numbers.randrange(1, 9)), game)
    if numbers.random() < 1 / 2:
        bid = bid.model_copy(update={"turned": bid.turned - 1})
    card = given_by(Give(seat=seat, kind="next", card=numbers.choice(hand)), game) if hand else None
    return Ahead(Given(1, bid), Given(2, card) if card is not None else None)


def with_other_mice(own: OwnView, high_bid: int, numbers: Random) -> OwnView:
    """The same seat with more mice or fewer, and the bids that these allow."""
    mice = numbers.choice([amount for amount in range(31) if amount != own.mice])
    least = high_bid + 1
    bids = (least, mice) if own.choices.may_pass and mice >= least else None
    return replace(own, mice=mice, choices=replace(own.choices, bids=bids))


def with_other_cards(view: View, numbers: Random) -> View:
    """A table at which other cards lie open, other bids were made, and others won with other points."""
    row = [place if place.card is None else replace(place, card=numbers.choice(CARDS)) for place in view.row]
    bidder, bid = numbers.choice(view.players or [0]), numbers.randrange(view.high_bid + 1, 40)
    seats = [replace(one, bid=bid if one.seat == bidder else 0) for one in view.seats]
    mouse_cards = [replace(card, mice=card.mice + 1) for card in view.mouse_cards]
    scores = [None if one is None else one.model_copy(update={"total": one.total + 7}) for one in view.scores]
    winners = [bidder] if view.winners else []
    return replace(
        view, row=row, high_bid=bid, seats=seats, mouse_cards=mouse_cards, scores=scores, winners=winners
    )


@contextmanager
def with_other_secrets(numbers: Random) -> Iterator[None]:
    """Let the pen write to readers who keep other secrets."""
    make, tell, still, read_case = cases.snapshot_of, cases.occasion_of, answer.still_asking, cases.case_of

    def case_of(reader: Reader, game_id: str) -> Case:
        return altered(read_case(reader, game_id), "spectator", numbers)

    def snapshot_of(reader: Reader, case: Case, to: SeatRow, *more: Any, **options: Any) -> Snapshot:
        game = make(reader, case, to, *more, **options)
        table = with_other_cards(game.table, numbers) if game.discreet else game.table
        if table.phase in ("placing", "bidding"):
            table = replace(table, own={to.seat: with_other_mice(game.own, table.high_bid, numbers)})
        return replace(game, table=table)

    def occasion_of(reader: Reader, case: Case, to: SeatRow, *more: Any) -> Occasion:
        occasion = tell(reader, case, to, *more)
        return replace(occasion, sale=None) if occasion.game.discreet else occasion

    def still_asking(reader: Reader, to: SeatRow, told: Answer, _other: Game) -> Answer:
        # A reader with other cards is asked about one of those.
        return to_other_words(still(reader, to, told, read_case(reader, to.game_id).game))

    def ahead_at(reader: Reader, game_id: str, seat: int) -> Ahead:
        return other_orders(read_case(reader, game_id).game, seat, numbers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pen, "snapshot_of", snapshot_of)
        patch.setattr(pen, "occasion_of", occasion_of)
        patch.setattr(pen, "still_asking", still_asking)
        patch.setattr(pen, "case_of", case_of)
        patch.setattr(cases, "ahead_at", ahead_at)
        yield


def outside(letter: Letter) -> tuple[list[tuple[str, str]], str, str]:
    """Return all that shows of a letter before it is opened: headers, and how both parts begin."""
    message = read(letter.raw)
    parts = (part(message, "plain"), Html.beginning(part(message, "html"), SHOWN))
    text, html = (" ".join(words.split())[:SHOWN] for words in parts)
    return [(name, str(value)) for name, value in message.items()], text, html


@dataclass
class Locked(Twice):
    """Writes each letter as a `Letters` does, and once more to a reader who keeps other secrets.

    `inside` counts the kinds of letters that differ once they are opened.
    """

    inside: Counter[str] = field(default_factory=Counter)
    discreet: Counter[str] = field(default_factory=Counter)

    def to_player(self, reader: Reader, part: Part, now: str) -> Written | None:
        letter = self.pen.to_player(reader, part, now)
        other = self._otherwise([part], lambda parts: self.pen.to_player(reader, parts[0], now))
        self._compare([part], letter, other)
        self._count(reader, [part])
        return letter

    def to_player_of_many(
        self, reader: Reader, parts: Sequence[Part], now: str, number: int = 1, count: int = 1
    ) -> Written | None:
        write = partial(self.pen.to_player_of_many, reader, now=now, number=number, count=count)
        letter = write(parts)
        self._compare(parts, letter, self._otherwise(parts, write))
        self._count(reader, parts)
        self.digests += 1
        return letter

    def _otherwise(
        self, parts: Sequence[Part], write: Callable[[Sequence[Part]], Written | None]
    ) -> Written | None:
        with with_other_secrets(self.numbers):
            return write([self._other(part, "spectator") for part in parts])

    def _count(self, reader: Reader, parts: Sequence[Part]) -> None:
        if reader.choice(parts[0].to.player_id).discreet:
            self.discreet.update(notice.kind for part in parts for notice in part.notices)

    def _compare(
        self, parts: Sequence[Part], letter: Written | Letter | None, other: Written | Letter | None
    ) -> None:
        if not isinstance(letter, Written) or not isinstance(other, Written):
            super()._compare(parts, letter, other)
            return
        kinds = {notice.kind for part in parts for notice in part.notices}
        self.compared.update(kinds)
        if letter.letter == other.letter:
            return
        self.inside.update(kinds)
        one, another = outside(letter.letter), outside(other.letter)
        if one != another:
            game = parts[0].case.game
            about = f"{sorted(kinds)} to seat {parts[0].to.seat} in version {game.version}"
            self.differing.append(f"{about}: {one} | {another}")


class Night(Evening):
    """The same friends, who also say things in advance and want nothing on a locked screen, to the end."""

    def __init__(self, seats: int, ruleset: Ruleset, pace: Pace, seed: str, hand: Locked) -> None:
        super().__init__(seats, seed, hand, ruleset=ruleset, pace=pace)

    def plans(self) -> None:
        """Limits, passes and cards in advance, and what cannot be done; some think better of it."""
        for _ in range(2):
            for seat in range(self.seats):
                hand = self.game.seats[seat].hand
                limit = self.game.high_bid + self.numbers.randrange(1, 12)
                card = card_text(self.numbers.choice(hand)) if hand else "rabbit"
                say = (f"UP TO {limit}", f"NEXT {card}", "PASS", f"UP TO {limit}, NEXT {card}", "BID 99")
                self.write(seat, self.numbers.choice(say))
                self.wait(minutes=self.numbers.randrange(20))
            self.moves(1)

    def discretion(self) -> None:
        """Some want no card and no bid on a locked screen, and some do again."""
        for seat in range(self.seats):
            self.write(
                seat, self.numbers.choice(["NOTIFY DISCREET", "NOTIFY DISCREET", "NOTIFY DISCREET OFF"])
            )
        self.moves(2)

    def both(self) -> None:
        """One letter a day about both tables."""
        for seat in range(self.seats):
            self.write(seat, "NOTIFY DAILY")
        for table in (0, 1):
            self.moves(2 * self.seats, table)
        for _ in range(2):
            self.wait(hours=20)
        for seat in range(self.seats):
            self.write(seat, "NOTIFY TURNS")

    def skip(self, until: Callable[[Game], bool]) -> None:
        """Many moves that no mail makes, and one letter about them to each."""
        bag = self.tables[0]
        self.post.room.play(
            bag.game_id, seed=f"{self.numbers.random()}", until=lambda g: g.is_over or until(g)
        )
        self.deliver()

    def short(self) -> None:
        """Some of it, from the invitations to the result."""
        self.gather()
        scenes = self.numbers.sample([self.talk, self.both, self.absences, self.pause], 2)
        for scene in (self.discretion, self.plans, *scenes):
            scene()
        self.skip(lambda game: game.round == 9)
        self.to_the_end()

    def to_the_end(self) -> None:
        """All the moves that are left, each by mail."""
        while not self.game.is_over:
            self.moves(1)

    def whole(self) -> None:
        """All of it, in an order that is drawn."""
        self.gather()
        scenes = [self.discretion, self.plans, self.talk, self.moods, self.both, self.absences, self.pause]
        self.numbers.shuffle(scenes)
        for round_, scene in enumerate([*scenes, self.plans], start=1):
            self.skip(lambda game, round_=round_: game.round >= round_)  # type: ignore[misc]
            scene()
        self.to_the_end()


@dataclass(frozen=True)
class Course:
    """How a night is spent: at tables of so many seats, by these rules, at this pace."""

    seats: int
    ruleset: Ruleset
    pace: Pace
    seed: str = "one"

    def __str__(self) -> str:
        return f"{self.seats} seats, {self.ruleset}, {self.pace}, {self.seed}"

    def night(self, hand: Locked) -> Night:
        """A night that is about to begin."""
        return Night(self.seats, self.ruleset, self.pace, self.seed, hand)


@cache
def spent(course: Course, *, is_whole: bool = False) -> Locked:
    """Return the letters of such a night."""
    hand = Locked(Random(str(course)))
    night = course.night(hand)
    (night.whole if is_whole else night.short)()
    return hand
