"""The games of `examples/games`, each as its export and as its page: `make examples` writes them anew.

People play them, who do what the computer would do in their place, mostly one bid at a time, at times with a
limit that they name in advance. They take their time, sleep at night, and talk. All of it follows from a word
for each game, so the same games come out every time; the words are chosen for games that are worth a look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final

from felix_async.audit.evidence import exported
from felix_async.draw import Stream
from felix_async.game.commands import Command, Give, Leave, Say, order_text
from felix_async.game.players import Decision
from felix_async.game.sensible import sensible_player
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_async.language.words import WORD_OF
from felix_async.service import Origin, Player
from felix_cli.replay.html import write_page
from felix_cli.wiring import subject_in
from felix_events.envelope import words_hash
from felix_events.model import Options, Ruleset, Terms
from felix_events.store.rows import Saying
from games import Room, SteppingClock, a_room, joining
from table import ANNA, BEN, CARA, DAN, EVE

FOLDER: Final = Path(__file__).parents[2] / "examples" / "games"
NAMES: Final = ("Anna", "Ben", "Cara", "Dan", "Eva")
_FIRST_EVENING: Final = datetime.fromisoformat("2026-10-01T17:00:00+00:00")
_MORNING, _NIGHT = 6, 21
"""Hours in UTC between which people answer."""
_IN_ADVANCE: Final = 3
"""One in so many who may name a limit in advance does."""
_CLOCK: Final = Terms(move=2 * 86400, reserve=86400, zone="Europe/Berlin", weekends=True, away=0)


@dataclass(frozen=True)
class Example:
    """What a game follows from; `talk` is who says what as soon as a round begins."""

    word: str
    seats: int
    table: str
    talk: Mapping[int, Sequence[tuple[int, str]]]
    ruleset: Ruleset = "felicity-2017"
    clock: Terms | None = None
    leaves: tuple[int, int] | None = None
    """Who gives up the seat, and in which round; Fay takes it in the next one."""

    @property
    def log(self) -> Path:
        """The exported file."""
        return FOLDER / f"{self.seats}-players.jsonl"

    @property
    def page(self) -> Path:
        """The replay beside it."""
        return self.log.with_suffix(".html")

    def played(self) -> bytes:
        """Play the game, and return its export."""
        evening = Evening(self, a_room(f"example/{self.word}"))
        evening.play()
        return evening.export()


@dataclass
class Evening:
    """An example while it is played."""

    example: Example
    room: Room
    clock: SteppingClock = field(init=False)
    game_id: str = field(init=False)
    asked: set[tuple[object, ...]] = field(default_factory=set)
    """Where a seat has thought of an order in advance."""

    def __post_init__(self) -> None:
        """Open the table: Anna hosts it."""
        self.clock = self.room.clock
        self.clock.now, self.clock.step = _FIRST_EVENING, timedelta(seconds=1)
        one = self.example
        with self.room.store.write() as tx:
            self.game_id, outcome = self.room.service.open_table(
                tx,
                [Player(f"p-{name.lower()}", name) for name in NAMES[: one.seats]],
                origin=Origin("open", "host", "desk", order=WORD_OF["NEW"]),
                table_name=one.table,
                ruleset=one.ruleset,
                options=Options(seeded=True),
                host=ANNA,
                clock=one.clock,
            )
        assert outcome.refusal is None, outcome.refusal

    @property
    def game(self) -> Game:
        """The state now."""
        with self.room.store.read() as reader:
            return self.room.service.load(reader, self.game_id)

    def play(self) -> None:
        """To the end."""
        for seat in range(self.example.seats):
            self.wait("join", seat)
            words = f"{NAMES[seat]} is in"
            join = joining(seat, words)
            origin = replace(self.room.by_mail(join), order=f"JOIN {words}")
            assert self.room.do(self.game_id, join, origin).refusal is None
        round_ = 0
        while not (game := self.game).is_over:
            if game.round > round_:
                round_ = game.round
                self.begin(round_)
                continue
            self.wait("move", game.version)
            self.says_in_advance(game)
            self.moves(game)

    def begin(self, round_: int) -> None:
        """What is said as a round begins, and who leaves or comes."""
        for seat, words in self.example.talk.get(round_, ()):
            self.wait("talk", seat, round_)
            self.say(seat, words)
        who, when = self.example.leaves or (None, 0)
        if who is None:
            return
        if round_ == when:
            self.do(Leave(seat=who, for_good=False), "STOP")
        if round_ == when + 1:
            with self.room.store.write() as tx:
                fay = Player("p-fay", "Fay")
                self.room.service.seat_substitute(
                    tx,
                    self.game_id,
                    who,
                    fay,
                    address="fay@players.test",
                    origin=self.origin(WORD_OF["JOIN"]),
                )

    def moves(self, game: Game) -> None:
        """One of those who are asked answers."""
        seat = game.asked[self.numbers("who", game.version).below(len(game.asked))]
        move = self.decided(game, seat).move
        self.do(move, order_text(move))

    def says_in_advance(self, game: Game) -> None:
        """Some whose turn it is not yet say how far they would go for the cards that lie open."""
        for seat in game.bidders if game.phase == "bidding" else ():
            about = ("advance", game.round, len(game.turned), seat)
            limit = _limit_of(self.decided(game, seat))
            if (
                about in self.asked
                or seat == game.to_move
                or not game.high_bid + 1 < limit <= game.seats[seat].mice
            ):
                continue
            self.asked.add(about)
            if self.numbers(*about).below(_IN_ADVANCE) == 0:
                with self.room.store.write() as tx:
                    give = Give(seat=seat, kind="bid", limit=limit)
                    origin = self.origin(f"{WORD_OF['UPTO']} {limit}")
                    outcome = self.room.service.instruct(tx, self.game_id, [give], origin)
                assert outcome.refusal is None, outcome.refusal

    def decided(self, game: Game, seat: int) -> Decision:
        """Return what the computer would do in this seat."""
        numbers = self.numbers("move", game.round, len(game.turned), game.high_bid, seat)
        return sensible_player(view(game, seat), seat, numbers)

    def say(self, seat: int, words: str) -> None:
        """Say something to the table; the log has its salted hash."""
        salt = self.room.service.entropy(16)
        with self.room.store.write() as tx:
            command = Say(seat=seat, text_hash=words_hash(salt, words))
            outcome = self.room.service.handle(tx, self.game_id, command, self.origin(WORD_OF["SAY"]))
            assert outcome.refusal is None, outcome.refusal
            tx.keep_saying(Saying(self.game_id, outcome.version, seat, salt, words))

    def do(self, command: Command, order: str) -> None:
        """Do what a seat writes."""
        outcome = self.room.do(self.game_id, command, self.origin(order))
        assert outcome.refusal is None, f"{command}: {outcome.refusal}"

    def origin(self, order: str) -> Origin:
        """Where the next line comes from: a message of its own."""
        self.room.commands += 1
        cause = f"mail-{self.room.commands}"
        return Origin(cause, "seat", "mail", sha256(cause.encode()).hexdigest(), order)

    def wait(self, *about: object) -> None:
        """Minutes or hours go by, and no night is disturbed."""
        numbers = self.numbers("wait", *about)
        minutes = numbers.below(90) if numbers.below(4) else 60 * numbers.below(10)
        self.clock.now += timedelta(minutes=minutes, seconds=numbers.below(60))
        if not _MORNING <= self.clock.now.hour < _NIGHT:
            later = self.clock.now + timedelta(hours=24 - _NIGHT)
            self.clock.now = later.replace(hour=_MORNING, minute=numbers.below(60))

    def numbers(self, *about: object) -> Stream:
        """Return chance that is the same whatever else has happened."""
        return Stream(sha256(self.example.word.encode()).digest(), repr(about))

    def export(self) -> bytes:
        """The game as a file."""
        with self.room.store.read() as reader:
            former = [(row.version, row.seat, row.name) for row in reader.former(self.game_id)]
            names = [row.name for row in reader.seats(self.game_id)]
        evidence = self.room.evidence(self.game_id)
        return exported(evidence, names, self.example.table, is_over=True, former=former)


def _limit_of(decision: Decision) -> int:
    """Return how far a seat would go, 0 if that is not known."""
    limits = [reason.value for reason in decision.reasons if reason.what == "bids_up_to"]
    return limits[0] if limits and isinstance(limits[0], int) else 0


EXAMPLES: Final = (
    Example(
        "three 5",
        3,
        "Kitchen table",
        {
            1: [(ANNA, "Good evening! Cards down, claws in.")],
            2: [(CARA, "Nobody wanted it? Then the box had the best round of us all.")],
            3: [(BEN, "Three of them scratch, Cara. I counted.")],
            4: [
                (CARA, "Anna! Who bids that much with her own large dog in the row?"),
                (ANNA, "Somebody who hopes that you bid one more."),
            ],
            6: [(BEN, "Twenty-two points for three mice, and I passed.")],
            9: [
                (BEN, "Last one. Anna, will you lend me two mice?"),
                (ANNA, "With pleasure. After the game."),
            ],
        },
    ),
    Example(
        "four 11",
        4,
        "Thursday club",
        {
            1: [(ANNA, "Two days a move, and no excuses."), (DAN, "My cat is the excuse.")],
            2: [(BEN, "One mouse for minus twenty-one. Is that a record?"), (CARA, "Not even yours.")],
            4: [(ANNA, "Ben drove me up to twelve over his own −5!"), (BEN, "I liked the look of it.")],
            5: [(CARA, "He did it again."), (ANNA, "He always does it twice.")],
            8: [(DAN, "At last a cat that stays.")],
            9: [(CARA, "One card left. Deep breath.")],
        },
        clock=_CLOCK,
    ),
    Example(
        "five 3 28",
        5,
        "Cat people",
        {
            1: [
                (EVE, "Hello from the night train."),
                (DAN, "I may have to stop next week. I'll find somebody."),
            ],
            2: [(CARA, "One mouse for minus six. I am just warming up.")],
            3: [(EVE, "Cara, you can stop warming up now.")],
            4: [
                (DAN, "That dog was mine. And that was it for me: felix, keep my seat warm."),
                (ANNA, "Twenty mice, and now you run! Who plays on?"),
            ],
            6: [(DAN, "Fay here. Seven mice for a 3 and two rabbits: is it always like this?")],
            7: [(EVE, "Most of the time, Fay."), (DAN, "Dan told me to bid until it hurts.")],
            8: [(CARA, "Thirty-nine. THIRTY-NINE!")],
            9: [(DAN, "One card left, and only I know which.")],
        },
        ruleset="felix-2007",
        leaves=(DAN, 4),
    ),
)
"""Each has a bluff, a dog, an order in advance and a close end; the fourth seat of the last becomes Fay's."""


def write() -> None:
    """Write every example."""
    FOLDER.mkdir(exist_ok=True)
    for one in EXAMPLES:
        one.log.write_bytes(one.played())
        subject = subject_in(one.log)
        write_page(subject, "all", one.page)
        print(f"{one.log}: {len(subject.evidence.bodies)} events")


if __name__ == "__main__":
    write()
