"""A whole game of three who write as people write, what it took, and what was not as it should be.

`PYTHONPATH=tests python -m people.evening FIRST LAST FILE` plays games with seeds from FIRST to LAST and
writes each fault into a file; a share of mails with a typo may follow.
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
from people.deciding import Deciding, Ways
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
PAUSE: Final = 2.5
"""Minutes after which what was taken is done."""


@dataclass
class Tally:
    """What a game took, and its faults: a move that was not done, another one that was, no answer."""

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
    tally: Tally = field(default_factory=Tally)

    def play(self) -> Tally:
        """From the invitations to the result."""
        for seat in range(len(self.people)):
            self._join(seat)
        while not self.parlour.game.is_over:
            self.parlour.wait(self.chance.randrange(1, 40))
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
        return self.tally

    def _join(self, seat: int) -> None:
        self.tally.decisions += 1
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


def an_evening(seed: str, people: Sequence[Persona] = (), ways: Ways = WAYS) -> Evening:
    """Three people, invited; they come to their moves in these ways."""
    numbers = Stream(sha256(seed.encode()).digest(), "evening")
    return Evening(seed, a_parlour(NAMES, seed), people or personas(seed), Random(seed), numbers, ways)


def main() -> None:
    """Play games and tell what was not as it should be."""
    first, last, path, *typos = sys.argv[1:]
    total = Tally()
    with Path(path).open("wb") as out:
        for number in range(int(first), int(last) + 1):
            evening = an_evening(f"seed {number}")
            for person in evening.people:
                person.typos = float(*typos)
            tally = evening.play()
            total.add(tally)
            out.writelines(orjson.dumps(fault) + b"\n" for fault in tally.faults)
            print(f"seed {number}: {tally}", flush=True)
    print(total)


if __name__ == "__main__":
    main()
