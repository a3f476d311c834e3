"""A whole game of three who write as people write, what it took, and what was not as it should be.

`PYTHONPATH=tests python -m people.evening FIRST LAST FILE` plays games with seeds from FIRST to LAST and
writes each fault into a file; a share of mails with a typo may follow, and `ahead` for people who say things
in advance.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson

from felix_async.draw import Stream
from felix_events.envelope import check_envelopes
from felix_events.model import BidPlaced, CardPlaced, PlayerPassed
from people.deciding import Deciding, Ways
from people.in_advance import Saying, may_speak
from people.parlour import Arrived, Parlour, a_parlour
from people.persona import NAMES, Persona, personas

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
TOLD: Final = "seed 15"
"""The game whose transcript is kept."""
MOVES: Final = (BidPlaced, CardPlaced, PlayerPassed)
PAUSE: Final = 2.5
"""Minutes after which what was taken is done."""


@dataclass(frozen=True)
class Habits:
    """How often somebody answers before their turn, says how far they go, and gives the next card, too."""

    early: float = 0
    limits: float = 0
    cards: float = 0


IN_TURN: Final = Habits()
AHEAD: Final = Habits(0.8, 0.6, 0.3)


@dataclass
class Tally:
    """What a game took, and its faults: a move that was not done, another one that was, no answer.

    Decisions are the answers to invitations, the cards, the bids and the passes that were made.
    """

    decisions: int = 0
    messages: int = 0
    mails: int = 0
    faults: list[dict[str, Any]] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Messages for each decision."""
        return self.messages / self.decisions

    def add(self, other: Tally) -> None:
        """Count another game as well."""
        self.decisions += other.decisions
        self.messages += other.messages
        self.mails += other.mails
        self.faults += other.faults

    def __str__(self) -> str:
        faults = dict(Counter(fault["fault"] for fault in self.faults))
        took = f"{self.decisions} decisions, {self.messages} messages ({self.rate:.3f})"
        return f"{took}, {self.mails} mails, {faults}"


@dataclass
class Evening:
    """A table of three, their words, and the count."""

    seed: str
    parlour: Parlour
    people: Sequence[Persona]
    chance: Random
    numbers: Stream
    ways: Ways
    habits: Habits = IN_TURN
    tally: Tally = field(default_factory=Tally)

    def play(self) -> Tally:
        """From the invitations to the result."""
        for seat in range(len(self.people)):
            self._join(seat)
        while not self.parlour.game.is_over:
            self.parlour.wait(self.chance.randrange(1, 40))
            self._say_in_advance()
            asked = list(self.parlour.game.asked)
            self.chance.shuffle(asked)
            deciding = [Deciding(self, seat) for seat in asked]
            for one in deciding:
                one.write()
            for one in deciding:
                one.write_again()
            self.pause()
            for one in deciding:
                one.settle()
        self.tally.mails = sum(map(len, self.parlour.boxes))
        self.tally.decisions = len(self.people) + self._moves()
        return self.tally

    def _say_in_advance(self) -> None:
        """Some of those who are not in turn say what they will do, each at a time of their own."""
        for seat in range(len(self.people)):
            if self.chance.random() < self.habits.early and may_speak(self, seat):
                saying = Saying(self, seat)
                saying.write()
                self.pause()
                saying.settle()

    def _moves(self) -> int:
        """The cards, bids and passes that seats have made, by a mail or by what they had said."""
        with self.parlour.store.read() as reader:
            made = check_envelopes([row.body for row in reader.log(self.parlour.game_id)])
        return sum(1 for one in made if one.actor == "seat" and isinstance(one.data, MOVES))

    def _join(self, seat: int) -> None:
        text = str(self.people[seat].pick("join"))
        answer = self.say(seat, self.people[seat].signed(text))
        self.pause()
        if self.parlour.game.phase == "inviting" and seat in self.parlour.game.asked:
            self.note("not done", seat, text, answer, want={"do": "JOIN"}, phase="inviting")
            self.say(seat, "JOIN")

    def pause(self) -> None:
        """What was taken is done meanwhile."""
        self.parlour.wait(PAUSE)

    def say(self, seat: int, text: str) -> Arrived | None:
        """One mail; the answer to it, if there is one."""
        self.tally.messages += 1
        got = [
            mail for mail in self.parlour.write(seat, text, self.people[seat].program) if mail.seat == seat
        ]
        return got[-1] if got else None

    def note(self, fault: str, seat: int, text: str, answer: Arrived | None, **more: Any) -> None:
        """Keep what was not as it should be."""
        told = "" if answer is None else answer.told
        fields = {"fault": fault, "who": NAMES[seat], "seed": self.seed, "text": text, "answer": told}
        self.tally.faults.append(fields | more)


def an_evening(
    seed: str, people: Sequence[Persona] = (), ways: Ways = WAYS, habits: Habits = IN_TURN
) -> Evening:
    """Three people, invited; they come to their moves in these ways."""
    numbers = Stream(sha256(seed.encode()).digest(), "evening")
    parlour = a_parlour(NAMES, seed, is_awake=habits.early > 0)
    return Evening(seed, parlour, people or personas(seed), Random(seed), numbers, ways, habits)


def main() -> None:
    """Play games and tell what was not as it should be."""
    first, last, path, *more = sys.argv[1:]
    habits = AHEAD if "ahead" in more else IN_TURN
    typos = [word for word in more if word != "ahead"]
    total = Tally()
    with Path(path).open("wb") as out:
        for number in range(int(first), int(last) + 1):
            evening = an_evening(f"seed {number}", habits=habits)
            for person in evening.people:
                person.typos = float(*typos)
            tally = evening.play()
            total.add(tally)
            out.writelines(orjson.dumps(fault) + b"\n" for fault in tally.faults)
            print(f"seed {number}: {tally}", flush=True)
    print(total)


if __name__ == "__main__":
    main()
