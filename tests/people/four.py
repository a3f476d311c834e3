"""A whole game of four by mail, as people come to it: one message at a time, some talk, a slip, a question.

Each message is dealt with, and all that is due leaves, before the next one is written, so that no two of them
are told of in one letter just because they came together. As many say things in advance as in a simulated
year.

`PYTHONPATH=tests python -m people.four` says how many letters and words it takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import fmean
from typing import Final, get_args

from felix_async.follow_up.kinds import load_all
from felix_async.game.ahead import NOTHING, Ahead
from felix_async.game.commands import Bid
from felix_async.game.sensible import sensible_player
from felix_cli.year.answering import DEFAULT, Ask, open_ask, what_to_say
from felix_cli.year.luck import Luck
from felix_events.model import Pace
from people.parlour import Parlour, a_parlour

NAMES: Final = ("Anna", "Ben", "Cara", "Dan")
BESIDE: Final[Mapping[int, str]] = {
    7: "SAY Hello everybody!",
    8: "SAY Hi Anna, good luck to all.",
    15: "STATUS",
    22: "SAY I smell a dog.",
    23: "SAY Only one?",
    31: "BID 40",
    37: "SAY Well done, that was a nice sack.",
    38: "SAY Thanks, I needed that one.",
    46: "HELP",
    52: "SAY Sorry, it took me a while.",
    58: "hmm, not so easy today",
    64: "SAY Who has the rabbit?",
    71: "SAY Last rounds!",
    72: "SAY Already?",
}
"""Messages that are no moves, before the answer of this number, by whoever gives that."""
_SEED: Final = "four 7"
JUMP: Final = 2
"""Mice by which a bid is at most higher than it must be."""
SHORTEST: Final = 5
LONGEST: Final = 45
"""Minutes until somebody writes."""


@dataclass(frozen=True)
class Count:
    """Each player's letters and the words of their text parts, by seat; and how many told what."""

    letters: list[int]
    words: list[int]
    kinds: Counter[str]


@dataclass
class Four:
    """Four people, their mail, and when they write."""

    parlour: Parlour
    luck: Luck
    answers: int = 0
    aside: dict[int, Ask] = field(default_factory=dict)
    """By seat, what it was asked early and left without an answer."""

    def play(self) -> None:
        """From the invitations to the result."""
        while not self.parlour.game.is_over:
            self.parlour.wait(SHORTEST + self.luck.below(LONGEST - SHORTEST + 1))
            asks = [(seat, ask) for seat in range(len(NAMES)) if (ask := self._ask(seat)) is not None]
            seat, ask = asks[self.luck.below(len(asks))]
            if ask.is_early and not self.luck.happens(DEFAULT.early):
                self.aside[seat] = ask
            else:
                self._answer(seat)

    def _ask(self, seat: int) -> Ask | None:
        """Return the ask that a seat has to answer, if any."""
        ask = open_ask(self.parlour.game, seat, self._ahead(seat))
        return None if self.aside.get(seat) == ask else ask

    def _ahead(self, seat: int) -> Ahead:
        parlour = self.parlour
        with parlour.store.read() as reader:
            return parlour.service.ahead(reader, parlour.game_id).get(seat, NOTHING)

    def _answer(self, seat: int) -> None:
        self.answers += 1
        if beside := BESIDE.get(self.answers):
            self.parlour.write(seat, beside)
            self.parlour.wait(SHORTEST)
        game = self.parlour.game
        if game.phase == "inviting":
            self.parlour.write(seat, "JOIN")
            return
        may_say = game.options.pace == "together"
        limit = may_say and self.luck.happens(DEFAULT.early)
        card = may_say and self.luck.happens(DEFAULT.ahead)
        said = what_to_say(game, seat, self.luck, self._ahead(seat), limit=limit, card=card)
        if isinstance(said.move, Bid):
            said = replace(said, move=Bid(seat=seat, amount=self._bid(seat)))
        self.parlour.write(seat, said.order)

    def _bid(self, seat: int) -> int:
        """A bid that is worth it, perhaps one or two mice more than it must be."""
        least = self.parlour.game.high_bid + 1
        reasons = sensible_player(self.parlour.view(seat), seat, self.luck).reasons
        most = next(int(str(one.value)) for one in reasons if one.what == "bids_up_to")
        highest = min(most, self.parlour.game.seats[seat].mice, least + JUMP)
        return least + self.luck.below(max(1, highest - least + 1))

    def count(self) -> Count:
        """Count the letters of the game."""
        kinds: Counter[str] = Counter()
        parlour = self.parlour
        with parlour.store.read() as reader:
            for letter in reader.letters():
                told = load_all(reader.notices_in(letter.letter_id))
                kinds[" ".join(sorted({notice.kind for notice in told}))] += 1
        words = [sum(len(mail.text.split()) for mail in box) for box in parlour.boxes]
        return Count([len(box) for box in parlour.boxes], words, kinds)


@cache
def played(pace: Pace) -> Count:
    """Play the game at a table of this pace."""
    parlour = a_parlour(NAMES, _SEED, is_awake=True, pace=pace)
    four = Four(parlour, Luck(_SEED, pace))
    four.play()
    return four.count()


def main() -> None:
    """Say what the game takes, with one message a bid and with everybody asked together."""
    for pace in get_args(Pace):
        count = played(pace)
        each, most = fmean(count.words), max(count.words)
        print(f"{pace}: {sum(count.letters)} letters; words for each player: {each:,.0f}, at most {most:,}")


if __name__ == "__main__":
    main()
