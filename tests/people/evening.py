"""A whole game of three who write as people write, what it took, and what was not as it should be.

`PYTHONPATH=tests python -m people.evening FIRST LAST FILE` plays games with seeds from FIRST to LAST and
writes each fault into a file.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any, Final

import orjson

from felix_async.draw import Stream
from felix_async.game.cards import card_text
from felix_async.game.commands import Bid, Move, Pass, Play, order_text
from felix_async.game.sensible import sensible_player
from felix_async.game.views import View
from felix_async.language.words import MISUNDERSTOOD
from felix_events.envelope import decode_events
from felix_events.model import BidPlaced, CardPlaced, PlayerPassed
from people.parlour import Arrived, Parlour, a_parlour
from people.persona import NAMES, Persona, chosen, personas

Ways = Sequence[tuple[str, float]]
WAYS: Final[Ways] = (
    ("changed", 0.04),
    ("later", 0.03),
    ("unsure", 0.02),
    ("question", 0.02),
    ("alone", 0.02),
    ("limit", 0.02),
    ("next", 0.03),
    ("beside", 0.04),
    ("talk", 0.10),
)
"""Ways in which somebody comes to a move, and how often; the others just write it."""
PAUSE: Final = 2.5
"""Minutes after which what was taken is done."""
_NOT_UNDERSTOOD: Final = " ".join(MISUNDERSTOOD["order/unknown"].split()[:5])


@dataclass
class Tally:
    """What a game took."""

    decisions: int = 0
    messages: int = 0
    mails: int = 0
    ways: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, Any]] = field(default_factory=list)
    """What was not as it should be: a move that was not done, or another one, or no answer."""

    @property
    def rate(self) -> float:
        """Messages for each decision."""
        return self.messages / self.decisions

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The faults of a kind."""
        return [fault for fault in self.faults if fault["fault"] == kind]


@dataclass
class Evening:
    """A table of three, their words, and the count."""

    seed: str
    parlour: Parlour
    people: Sequence[Persona]
    chance: Random
    numbers: Stream
    ways: Ways
    tally: Tally = field(default_factory=Tally)

    def play(self) -> Tally:
        """From the invitations to the result."""
        for seat, person in enumerate(self.people):
            self._join(seat, person)
        while not self.parlour.game.is_over:
            asked = list(self.parlour.game.asked)
            self.chance.shuffle(asked)
            deciding = [_Deciding(self, seat) for seat in asked]
            for one in deciding:
                one.write()
            for one in deciding:
                one.write_again()
            self.parlour.wait(PAUSE)
            for one in deciding:
                one.settle()
        self.tally.mails = sum(len(box) for box in self.parlour.boxes)
        return self.tally

    def _join(self, seat: int, person: Persona) -> None:
        self.tally.decisions += 1
        text = str(person.pick("join"))
        answer = self.say(seat, person.signed(text))
        self.parlour.wait(PAUSE)
        if seat not in self.parlour.game.asked:
            return
        if self.parlour.game.phase != "inviting":
            return
        self.note("not done", seat, text, "JOIN", answer)
        self.say(seat, "JOIN")

    def say(self, seat: int, text: str) -> Arrived | None:
        """One mail; the answer to it, if there is one."""
        self.tally.messages += 1
        got = [
            mail for mail in self.parlour.write(seat, text, self.people[seat].program) if mail.seat == seat
        ]
        return got[-1] if got else None

    def note(self, fault: str, seat: int, text: str, want: str, answer: Arrived | None, **more: Any) -> None:
        """Keep what was not as it should be, with the situation in which it was written."""
        self.tally.faults.append({
            "fault": fault, "who": NAMES[seat], "seed": self.seed, "text": text, "want": want, **more,
            "answer": "" if answer is None else _told(answer),
        })  # fmt: skip


@dataclass
class _Deciding:
    """A decision before somebody, from the first word about it to the move."""

    evening: Evening
    seat: int

    def __post_init__(self) -> None:
        parlour = self.evening.parlour
        self.person = self.evening.people[self.seat]
        self.table: View = parlour.view(self.seat)
        self.turn = self.table.own[self.seat].turn
        self.round = self.table.round
        self.version = parlour.game.version
        self.move = self._chosen()
        self.way = chosen(self.evening.chance, self.evening.ways)
        self.text = ""
        self.answer: Arrived | None = None
        self.is_over = False
        self.evening.tally.decisions += 1
        self.evening.tally.ways[self.way] += 1

    def write(self) -> None:
        """The first mails: a question or talk may come before the move."""
        person, move, table = self.person, self.move, self.table
        if self.way == "unsure":
            text = person.unsure(move, table)
            answer = self._say(text)
            self._expect_nothing("acted on doubt", text, answer)
        elif self.way == "question":
            topic, text = person.pick("questions")
            answer = self._say(text)
            self._expect_nothing("acted on a question", text, answer)
            self._expect_understood("question", text, answer, info=topic)
        elif self.way == "alone":
            text = person.filled(str(person.pick("alone")), move, table)
            self._expect_nothing("acted on talk", text, self._say(text))
        if self.is_over:
            return
        if self.way == "later":
            wrong = self._wrong_move()
            self.text = person.move(wrong, table)
            self.answer = self._say(self.text)
            return
        said = self._in_words()
        self.text = said
        self.answer = self._say(said)

    def _in_words(self) -> str:
        person, move, table = self.person, self.move, self.table
        if self.way == "limit" and isinstance(move, Bid):
            return person.filled(str(person.pick("limit")), move, table)
        if self.way == "next" and not isinstance(move, Bid) and len(table.own[self.seat].hand) > 1:
            key = "next_place" if isinstance(move, Play) else "next_pass"
            return person.filled(str(person.pick(key)), move, table)
        said = person.move(move, table, changed=self.way == "changed")
        if self.way == "talk":
            return self._with(said, person.filled(str(person.pick("talk")), move, table))
        if self.way == "beside":
            _, question = person.pick("beside")
            return self._joined(said, person.filled(question, move, table))
        return said

    def write_again(self) -> None:
        """Who is not content with what was taken corrects it, if that is still possible."""
        if self.way != "later" or self.is_over:
            return
        if self._done():
            self.move = self._wrong
            return
        self.text = self.person.move(self.move, self.table, later=True)
        self.answer = self._say(self.text)

    def settle(self) -> None:
        """Once the pause is over, the move must be done; who sees that it is not writes again."""
        evening = self.evening
        if self.is_over:
            return
        done = self._done()
        if done:
            if self.answer is not None and _NOT_UNDERSTOOD in _told(self.answer):
                self._note("not understood, though done")
        else:
            self._note("not done")
            told = _told(self.answer) if self.answer is not None else ""
            if "Answer YES" in told and order_text(self.move) in told:
                self._say(str(self.person.pick("yes")))
                evening.parlour.wait(PAUSE)
                done = self._done()
            if not done:
                self.evening.say(self.seat, order_text(self.move))
                evening.parlour.wait(PAUSE)
                done = self._done()
            if not done:
                raise AssertionError(f"{evening.seed}: {NAMES[self.seat]} cannot {self.move}: {told}")
        if done[-1] != order_text(self.move) and not self._within_limit(done[-1]):
            self._note("wrong", did=done[-1])
        if self.answer is None:
            self._note("silence")

    # ----

    def _within_limit(self, order: str) -> bool:
        """Who names a limit may be bid for, up to it."""
        bids = [f"BID {n}" for n in range(self.table.high_bid + 1, self._amount + 1)]
        return self.way == "limit" and order in bids

    @property
    def _amount(self) -> int:
        return self.move.amount if isinstance(self.move, Bid) else 0

    def _say(self, text: str) -> Arrived | None:
        return self.evening.say(self.seat, self.person.signed(text))

    def _chosen(self) -> Move:
        """A sensible move, sometimes a higher bid."""
        move = sensible_player(self.table, self.seat, self.evening.numbers).move
        bids = self.table.own[self.seat].choices.bids
        if isinstance(move, Bid) and bids and self.evening.chance.random() < 0.4:
            return Bid(seat=self.seat, amount=min(bids[1], move.amount + self.evening.chance.randrange(4)))
        return move

    def _wrong_move(self) -> Move:
        """Another move than the one that is meant in the end."""
        own = self.table.own[self.seat].choices
        others: list[Move] = [Play(seat=self.seat, card=card) for card in own.plays]
        if own.may_pass:
            least, most = own.bids or (1, 0)
            others = [Bid(seat=self.seat, amount=n) for n in range(least, min(most, least + 4) + 1)]
            others.append(Pass(seat=self.seat))
        left = [other for other in others if other != self.move] or [self.move]
        self._wrong = self.evening.chance.choice(left)
        return self._wrong

    def _with(self, said: str, talk: str) -> str:
        is_first = self.evening.chance.random() < 0.4
        return self._joined(talk, said) if is_first else self._joined(said, talk)

    def _joined(self, one: str, other: str) -> str:
        """Two sentences in one mail."""
        between = self.evening.chance.choice((" ", " ", "\n", "\n\n"))
        return f"{one}{between if one[-1] in '.!?)' else between.replace(' ', '. ')}{other}"

    def _done(self) -> list[str]:
        """The moves of this seat since it was asked, as orders."""
        found: list[Move] = []
        for event in _events(self.evening.parlour, self.version):
            match event:
                case CardPlaced(seat=self.seat, card=card) if isinstance(self.move, Play):
                    found.append(Play(seat=self.seat, card=card))
                case BidPlaced(seat=self.seat, amount=amount):
                    found.append(Bid(seat=self.seat, amount=amount))
                case PlayerPassed(seat=self.seat):
                    found.append(Pass(seat=self.seat))
        return [order_text(move) for move in found]

    def _expect_nothing(self, fault: str, text: str, answer: Arrived | None) -> None:
        self.evening.parlour.wait(PAUSE)
        if self._done():
            self._note(fault, text=text, did=self._done()[-1])
            self.is_over = True
        if answer is None:
            self._note("silence", text=text)

    def _expect_understood(self, fault: str, text: str, answer: Arrived | None, info: str) -> None:
        if answer is not None and _NOT_UNDERSTOOD in _told(answer):
            self._note(fault, text=text, info=info)

    def _note(self, fault: str, **more: Any) -> None:
        own = self.table.own[self.seat]
        situation = {
            "phase": self.table.phase,
            "hand": [card_text(card) for card in own.hand],
            "mice": own.mice,
            "high": self.table.high_bid,
            "way": self.way,
        }
        text = more.pop("text", self.text)
        self.evening.note(fault, self.seat, text, order_text(self.move), self.answer, **situation, **more)


def _events(parlour: Parlour, version: int) -> list[Any]:
    with parlour.store.read() as reader:
        return decode_events(reader.bodies(parlour.game_id)[version:])


def _told(mail: Arrived) -> str:
    return " ".join(mail.text.split())


def an_evening(seed: str, people: Sequence[Persona] = (), ways: Ways = WAYS) -> Evening:
    """Three people, invited; they come to their moves in these ways."""
    return Evening(
        seed,
        a_parlour(NAMES, seed),
        people or personas(seed),
        Random(seed),
        Stream(sha256(seed.encode()).digest(), "evening"),
        ways,
    )


def main() -> None:
    """Play games with seeds from A to B and tell what was not as it should be."""
    first, last = int(sys.argv[1]), int(sys.argv[2])
    total = Tally()
    with open(sys.argv[3], "wb") as out:
        for number in range(first, last + 1):
            tally = an_evening(f"seed {number}").play()
            total.decisions += tally.decisions
            total.messages += tally.messages
            total.mails += tally.mails
            total.ways += tally.ways
            total.faults += tally.faults
            for fault in tally.faults:
                out.write(orjson.dumps(fault) + b"\n")
            faults = Counter(fault["fault"] for fault in tally.faults)
            print(number, tally.decisions, tally.messages, f"{tally.rate:.3f}", dict(faults), flush=True)
    print(f"{total.messages / total.decisions:.3f}", total.mails, Counter(f["fault"] for f in total.faults))


if __name__ == "__main__":
    main()
