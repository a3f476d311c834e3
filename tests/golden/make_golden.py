"""Whole games for keeps: this writes `tests/golden/*.jsonl`, and says which situations they hold.

    python tests/golden/make_golden.py              write the files anew (a format changed on purpose)
    python tests/golden/make_golden.py --search     look for seeds, where the games below lost a situation

Run by hand, from the root of the project, with `PYTHONPATH=tests`. A game is a name, a table, a seed and
the policies of its seats, so that the same game comes out every time; the tests play it again and compare
every byte.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from felix_async.audit.evidence import evidence_in
from felix_async.draw import Numbers
from felix_async.game.cards import ROUNDS, START_MICE
from felix_async.game.commands import Bid, Decline, Move, Pass, Play
from felix_async.game.players import ComputerPlayer, Decision, because, random_player
from felix_async.game.sensible import sensible_player
from felix_async.game.views import View
from felix_events.export import read_export
from felix_events.model import Card, Ruleset, Terms
from games import NAMES, RULESETS, Played, a_room, joining
from golden.courses import COURSES
from golden.situations import SITUATIONS
from golden.timed import HURRY
from table import ANNA

FOLDER: Final = Path(__file__).parent
BEFORE: Final = FOLDER / "before"
"""Games as felix wrote them before orders could be given in advance: never made again, never changed."""


# ---- policies ---------------------------------------------------------------------------------------
def chosen(move: Move) -> Decision:
    """A move for no reason."""
    return Decision(move, [because("drawn_by_chance")])


def miser(table: View, seat: int, numbers: Numbers) -> Decision:
    """Bids 1 where nobody has bid."""
    own = table.own[seat].choices
    if own.plays:
        return random_player(table, seat, numbers)
    return chosen(
        Bid(seat=seat, amount=1) if own.bids is not None and not table.high_bid else Pass(seat=seat)
    )


def moody(table: View, seat: int, numbers: Numbers) -> Decision:
    """Bids all that it has, or 1 more, or mostly passes."""
    own = table.own[seat].choices
    mood = numbers.below(6)
    if own.plays:
        return random_player(table, seat, numbers)
    if own.bids is None or mood > 1:
        return chosen(Pass(seat=seat))
    return chosen(Bid(seat=seat, amount=own.bids[mood]))


def kennel(table: View, seat: int, numbers: Numbers) -> Decision:
    """Places what makes a sack of one large dog and negative cats, by seat, then bids by mood."""
    plays = table.own[seat].choices.plays
    favourites: list[Card] = ["large_dog", -5, -8, 0, 0]
    if favourites[seat] in plays:
        return chosen(Play(seat=seat, card=favourites[seat]))
    return moody(table, seat, numbers)


def even(table: View, seat: int, numbers: Numbers) -> Decision:
    """Keeps its rabbit to the end, where whoever took 6 mice buys all rabbits for 2: then two have 19."""
    own = table.own[seat]
    if own.choices.plays:
        return chosen(Play(seat=seat, card=next(card for card in own.choices.plays if card != 0)))
    buys = table.round == ROUNDS and own.mice == START_MICE + 6 and not table.high_bid
    return chosen(Bid(seat=seat, amount=2) if buys else Pass(seat=seat))


POLICIES: Final[dict[str, ComputerPlayer]] = {
    "random": random_player,
    "sensible": sensible_player,
    "miser": miser,
    "moody": moody,
    "kennel": kennel,
    "even": even,
}


# ---- games ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Script:
    """Everything that a golden game follows from. Without policies it is declined by its last seat.

    With a course, Anna is the host, and the course says what happens; where there is a clock, on its terms.
    """

    name: str
    seats: int
    ruleset: Ruleset
    seed: int
    policies: tuple[str, ...] = ()
    course: str = ""
    clock: Terms | None = None

    @property
    def path(self) -> Path:
        """Where the game is kept."""
        return FOLDER / f"{self.name}.jsonl"

    def play(self) -> Played:
        """The game, played through the service."""
        seed = f"{self.seats}/{self.ruleset}/{self.seed}"
        room = a_room(seed)
        host = ANNA if self.course else None
        game_id = room.open(self.seats, ruleset=self.ruleset, host=host, clock=self.clock)
        if self.course:
            COURSES[self.course](room, game_id)
        elif self.policies:
            room.join_all(game_id)
            room.play(game_id, [POLICIES[policy] for policy in self.policies], seed=seed)
        else:
            room.do(game_id, joining(0))
            room.do(game_id, Decline(seat=self.seats - 1))
        return Played(game_id, room.evidence(game_id), NAMES[: self.seats])


GOLDEN: Final = (
    Script("3-players-2017", 3, "felicity-2017", 9, ("kennel",)),
    Script("3-players-2007", 3, "felix-2007", 39, ("sensible", "random")),
    Script("4-players-2017", 4, "felicity-2017", 34, ("kennel",)),
    Script("4-players-2007", 4, "felix-2007", 7, ("kennel",)),
    Script("4-players-shared", 4, "felicity-2017", 0, ("even",)),
    Script("5-players-2017", 5, "felicity-2017", 49, ("miser", "moody")),
    Script("5-players-2007", 5, "felix-2007", 21, ("moody",)),
    Script("declined", 4, "felicity-2017", 0),
    Script("life-5-invited", 5, "felicity-2017", 0, course="life"),
    Script("life-5-late", 5, "felix-2007", 0, course="late"),
    Script("life-cancelled", 4, "felicity-2017", 0, course="cancelled"),
    Script("life-hostless", 3, "felicity-2017", 0, course="hostless"),
    Script("life-expired", 4, "felicity-2017", 0, course="expired"),
    Script("life-closed", 4, "felicity-2017", 0, course="closed"),
    Script("life-taken", 3, "felicity-2017", 0, course="taken"),
    Script("life-left", 3, "felicity-2017", 0, course="left"),
    Script("time-hurried", 4, "felicity-2017", 0, course="hurried", clock=HURRY),
    Script("time-disputed", 4, "felicity-2017", 0, course="disputed", clock=HURRY),
    Script("time-outvoted", 4, "felix-2007", 0, course="outvoted", clock=HURRY),
    Script("time-voted", 3, "felix-2007", 0, course="voted", clock=HURRY),
    Script("time-deserted", 3, "felicity-2017", 0, course="deserted", clock=HURRY),
)


def situations_of(played: Played) -> set[str]:
    """The names of the situations that a game holds."""
    return {name for name, holds in SITUATIONS.items() if holds(played)}


def kept_game(path: Path) -> Played:
    """A golden game as its file tells it."""
    export = read_export(path.read_bytes())
    return Played(export.header.game_id, evidence_in(export), tuple(export.header.names))


# ---- by hand ----------------------------------------------------------------------------------------

MIXES: Final = (("sensible", "random"), ("miser",), ("moody",), ("kennel",), ("miser", "moody"))


def candidates(seeds: int) -> Iterator[Script]:
    """Scripts to try: every table, every mix of policies, many seeds."""
    for seed, seats, ruleset, mix in product(range(seeds), (3, 4, 5), RULESETS, MIXES):
        yield Script(f"{seats}-{ruleset}-{mix[0]}-{seed}", seats, ruleset, seed, mix)


def search(seeds: int) -> None:
    """Print the scripts that hold a situation which none before them held."""
    missing = set(SITUATIONS)
    for script in candidates(seeds):
        new = situations_of(script.play()) & missing
        if new:
            print(script, sorted(new), flush=True)
            missing -= new
    print("missing:", sorted(missing))


def write() -> None:
    """Write every golden game."""
    for script in GOLDEN:
        played = script.play()
        script.path.write_bytes(played.export())
        told = sorted(name for name in situations_of(played) if not name.startswith("event "))
        print(f"{script.path.name}: {played.size} events; {'; '.join(told)}")


if __name__ == "__main__":
    search(400) if "--search" in sys.argv else write()
