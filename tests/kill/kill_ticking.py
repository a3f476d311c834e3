"""A process for which time passes is killed at random moments: nothing due is lost, or done twice.

The child does what a server does as time passes, on a clock of its own that goes on by ten minutes a look: it
deals with an outage, reminds, times out, and lets the post go out; some of its players move, at once, in
plain words or in advance, and some never do. It says a line after each transaction. The parent kills it
(`kill -9`), often in the middle of a look, and starts the next child at once, or minutes or days later. Then
it reads the database from outside and compares what it finds with what the log alone says must be there.

    PYTHONPATH=tests python -m kill.kill_ticking DATABASE NOW SEED        is the child
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

import orjson

from felix_async.address import Token
from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.clock import later, seconds_between, text_of, time_of
from felix_async.draw import Stream
from felix_async.game.commands import Give, Join, order_text
from felix_async.game.folding import apply
from felix_async.game.players import random_player
from felix_async.game.state import Game, initial_state
from felix_async.game.timing import running
from felix_async.game.views import view
from felix_async.language.grammar import Order, read_line
from felix_async.orders.context import OrderContext, ReceivedOrder, Source
from felix_async.orders.inferred import take, undo
from felix_async.reading.sender import Writer
from felix_async.schedule.outage import OUTAGE
from felix_async.schedule.tick import keep_time
from felix_async.service import Origin, Player, Service
from felix_events.envelope import check_envelopes
from felix_events.model import DeadlineSet, Terms, TurnTimedOut
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Letter
from felix_events.store.sqlite import SqliteStore
from kill.in_advance import check_chains
from written import said_text

T = TypeVar("T")
Taken = tuple[str, int, int]
"""An order that was taken from plain words: the game, the seat, and the number of its question."""
TESTS: Final = Path(__file__).parents[1]
START: Final = "2026-01-01T12:00:00.000000Z"
PLAYERS: Final = [Player(name, name.title(), f"{name}@players.test") for name in ("anna", "ben", "cara")]
TERMS: Final = (Terms(move=2 * 3600), Terms(move=3600, reserve=5 * 3600), None)
GAMES: Final = 3
GAPS: Final = (0, 0, 300, 1200, 2 * 24 * 3600)
"""Seconds between a kill and the next start, by the child's clock."""
MOST_STEPS: Final = 120
"""A child is killed after so many lines at the most."""
FIRST_STEPS: Final = 8
"""Lines of a first look after an outage: half of the children come no further."""
LONGEST_PAUSE: Final = 0.004


# ---- the child
@dataclass
class Life:
    """A server's day, ten minutes at a time."""

    store: SqliteStore
    now: datetime
    numbers: Stream
    name: str
    steps: int = 0

    def live(self) -> None:
        """Go on until somebody puts an end to it."""
        service = Service(lambda: self.now, os.urandom)
        while True:
            if keep_time(self.do, service):
                say("worked")
            say("ticked", text_of(self.now))
            self.do(partial(self._deliver))
            taken = self.do(partial(self._move, service=service))
            if taken is not None:
                say("took", *taken)
            self.now += timedelta(minutes=10)

    def do(self, work: Callable[[Tx], T]) -> T:
        """A transaction, and a line when it is committed."""
        with self.store.write() as tx:
            result = work(tx)
        say("committed")
        return result

    def _deliver(self, tx: Tx) -> None:
        now = text_of(self.now)
        for notice in tx.pending(now):
            name = f"<{notice.notice_id}@felix.test>"
            letter = tx.freeze(Letter(notice.game_id, notice.seat, "somebody", name, b"", now, next_at=now))
            tx.settle([notice.notice_id], letter)
            tx.mark_letter(letter, "sent", next_at=now)

    def _move(self, tx: Tx, service: Service) -> Taken | None:
        """Open games while there are few, and let one player of one of them decide something.

        If that was taken from plain words, it is done at the next look; perhaps it is undone before that.
        """
        self.steps += 1
        cause = f"{self.name}/{self.steps}"
        open_games = [game.game_id for game in tx.games() if game.state in ("inviting", "running")]
        if len(open_games) < GAMES:
            terms = TERMS[self.numbers.below(len(TERMS))]
            origin = Origin(cause, "host", "desk")
            game_id, _ = service.open_table(
                tx, PLAYERS, origin=origin, table_name="T", ruleset="felicity-2017", clock=terms
            )
            for seat in range(len(PLAYERS)):
                join = Join(seat=seat, contribution="0" * 64)
                service.handle(tx, game_id, join, Origin(f"{cause}/{seat}", "host", "desk", order="JOIN"))
            return None
        game_id = open_games[self.numbers.below(len(open_games))]
        game = service.load(tx, game_id)
        if game.phase == "bidding" and self.numbers.below(2):
            self._say_in_advance(tx, service, game_id, game, cause)
            return None
        if not game.awaited or self.numbers.below(3):
            return None
        seat = game.awaited[0]
        move = random_player(view(game, seat), seat, self.numbers).move
        if self.numbers.below(2):
            service.handle(tx, game_id, move, Origin(cause, "host", "desk", order=order_text(move)))
            return None
        mail_id = tx.keep_mail(text_of(self.now), "felix", PLAYERS[seat].name, cause.encode())
        tx.settle_mail(mail_id, "done")
        mail, order, turn = tx.mail(mail_id), read_line(order_text(move)), game.seats[seat].turn
        assert mail is not None
        assert isinstance(order, Order)
        writer = Writer(tx.seats(game_id)[seat], Token(game_id, seat, "move", turn), "")
        source = Source("mail", cause, mail_id, mail.sha256)
        ctx = OrderContext(tx, service, writer, source, turn)
        reply = take(ctx, ReceivedOrder(order, str(order), f"mail/{mail_id}", turn))
        if self.numbers.below(5) == 0:
            undo(ctx)
        return game_id, seat, reply.asks

    def _say_in_advance(self, tx: Tx, service: Service, game_id: str, game: Game, cause: str) -> None:
        """One of those who are still in says what it will do; if it is its turn, that happens at once."""
        bidders = [seat for seat in game.bidders if not game.seats[seat].computer]
        if not bidders:
            return
        seat = bidders[self.numbers.below(len(bidders))]
        least, hand = game.high_bid + 1, game.seats[seat].hand
        gives = [Give(seat=seat, kind="bid", limit=least + self.numbers.below(6))]
        if self.numbers.below(3) == 0:
            gives = [Give(seat=seat, kind="pass")]
        if hand and self.numbers.below(2):
            gives.append(Give(seat=seat, kind="next", card=hand[self.numbers.below(len(hand))]))
        said = said_text(gives)
        service.instruct(tx, game_id, gives, Origin(cause, "host", "desk", order=said))


def say(*words: object) -> None:
    """A line on the pipe, at once."""
    print(json.dumps(words), flush=True)


# ---- the parent
def took(told: list[Any]) -> list[Any]:
    """The acknowledgements of orders that were taken."""
    return [line for line in told if line[0] == "took"]


@dataclass
class Vigil:
    """What was told over all the kills: the time that was reached, and the outages that were dealt with."""

    path: Path
    now: str = START
    outages: list[tuple[str, str]] = field(default_factory=list)
    taken: set[Taken] = field(default_factory=set)
    looked_at: str = ""
    found: Counter[str] = field(default_factory=Counter)

    def kill_one(self, number: int, chance: Random) -> None:
        """Start a child some time later, kill it in the middle, and look at what is there."""
        gap = chance.choice(GAPS)
        self.now = later(self.now, gap)
        last = self._last_beat()
        life = [str(self.path), self.now, f"{number}/{chance.random()}"]
        command = [sys.executable, "-m", "kill.kill_ticking", *life]
        steps, pause = (
            chance.randint(1, chance.choice((FIRST_STEPS, MOST_STEPS))),
            chance.uniform(0, LONGEST_PAUSE),
        )
        lines: list[str] = []
        with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            while len(lines) < steps:
                lines.append(child.stdout.readline())
                assert lines[-1], f"child {number} ended by itself"
            time.sleep(pause)
            child.kill()
            lines += child.stdout.readlines()
        told = [json.loads(line) for line in lines if line.endswith("\n")]
        ticked = [line[1] for line in told if line[0] == "ticked"]
        self.taken |= {(game_id, seat, number) for what, game_id, seat, number in took(told)}
        self.looked_at = max([self.looked_at, *ticked])
        was_outage = last is not None and self.now > later(last, OUTAGE)
        self.found["killed in the first look after an outage"] += was_outage and not ticked
        self.found["killed in a look"] += told[-1][0] == "committed"
        if ticked and was_outage:
            assert last is not None, "there was no outage before the first beat"
            self.outages.append((last, self.now))
        # A look that was under way may have written later times than the last that was told.
        self.now = max([self.now, *ticked])
        if ticked:
            self.now = later(self.now, 600)
        with closing(SqliteStore.open_to_read(self.path)) as store, store.read() as reader:
            self.check(reader)

    def _last_beat(self) -> str | None:
        with closing(SqliteStore.open_to_read(self.path)) as store, store.read() as reader:
            return reader.last_beat()

    def check(self, reader: Reader) -> None:
        """Every game is sound, everybody was reminded and timed out once, and an outage cost nobody time."""
        for row in reader.games():
            evidence = evidence_of(reader, row.game_id)
            assert evidence is not None
            report = audit(evidence)
            assert report.sound, [str(finding) for finding in report.findings]
            told = Told.of(reader, row.game_id)
            self._check_taken(reader, row.game_id)
            chains = check_chains(reader, row.game_id)
            self.found["moves by orders"] = max(self.found["moves by orders"], chains.moves)
            self.found["moves in a chain"] = max(self.found["moves in a chain"], chains.longest)
            self._check_reminders(reader, row.game_id, told)
            assert max(told.timed_out.values(), default=1) == 1, "somebody was timed out twice"
            self._check_outages(told)
            rows = reader.due_of(row.game_id)
            due = {(one.seat, one.turn): one.due_at for one in rows if one.kind == "deadline"}
            wanted = {(seat, deadline.turn): deadline.at for seat, deadline in running(told.game)}
            assert due == wanted, "each deadline is watched, and no other"
            self.found["time-outs"] = max(self.found["time-outs"], len(told.timed_out))

    def _check_taken(self, reader: Reader, game_id: str) -> None:
        """What was taken is there; it was done once, or waits for its time, or was dropped and never done."""
        records = [orjson.loads(row.private_record) for row in reader.log(game_id) if row.private_record]
        causes = Counter(record["cause"] for record in records)
        asked = [one for row in reader.seats(game_id) for one in reader.questions(game_id, row.seat)]
        known = {(game_id, one.seat, one.number) for one in asked}
        assert {one for one in self.taken if one[0] == game_id} <= known, "acknowledged and lost"
        for one in asked:
            cause = f"taken/{game_id}/{one.seat}/{one.number}"
            assert causes[cause] == (one.state == "yes"), f"{cause} was done {causes[cause]} times"
            assert (reader.outcome(cause) is not None) >= (one.state == "yes")
            assert one.state != "open" or one.due_at > self.looked_at, f"{cause} was not looked at"
        for state, count in Counter(one.state for one in asked).items():
            self.found[f"taken: {state}"] = max(self.found[f"taken: {state}"], count)

    def _check_reminders(self, reader: Reader, game_id: str, told: Told) -> None:
        reminders = [one for one in reader.notices(game_id) if one.kind == "reminder"]
        rungs = Counter((one.seat, one.turn, one.about) for one in reminders)
        assert max(rungs.values(), default=1) == 1, f"reminded twice: {rungs}"
        for one in reminders:
            assert (one.seat, one.turn) in told.asked[one.version], "reminded after the move"
        self.found["reminders"] = max(self.found["reminders"], len(reminders))

    def _check_outages(self, told: Told) -> None:
        """Whoever was waited for when felix went down got all of that time back, once."""
        for (seat, turn, last), moved in told.moved.items():
            assert len(moved) == 1, f"the same outage moved a deadline twice: {seat}, {turn}, {last}"
            at, seconds = moved[0]
            assert seconds == -(-seconds_between(last, at) // 60) * 60
        for last, until in self.outages:
            for seat, turn in told.running_at(last):
                gained = sum(
                    moved[0][1]
                    for (one, decision, since), moved in told.moved.items()
                    if (one, decision) == (seat, turn) and last <= since < until
                )
                lost = seconds_between(last, until)
                assert gained >= lost - OUTAGE, f"seat {seat} paid for the outage from {last} to {until}"
        self.found["deadlines moved"] = max(self.found["deadlines moved"], len(told.moved))


@dataclass
class Told:
    """What a log says: who was asked at each version, who was timed out, and what an outage moved."""

    game: Game
    asked: dict[int, set[tuple[int, int]]]
    timed_out: Counter[tuple[int, int]]
    moved: dict[tuple[int, int, str], list[tuple[str, int]]]
    deadlines: list[tuple[str, set[tuple[int, int]]]]

    @classmethod
    def of(cls, reader: Reader, game_id: str) -> Told:
        """The whole log, event by event."""
        told = cls(initial_state(), {}, Counter(), {}, [])
        game = told.game
        records = {row.version: row.private_record for row in reader.log(game_id)}
        for envelope in check_envelopes(reader.bodies(game_id)):
            event: Any = envelope.data
            if isinstance(event, TurnTimedOut):
                told.timed_out[event.seat, event.turn] += 1
            if isinstance(event, DeadlineSet) and envelope.actor == "clock":
                cause = json.loads(records[envelope.version] or b"{}")["cause"].split("/extend/")[1]
                before = game.seats[event.seat].time.deadline
                assert before is not None, "only what runs is moved"
                last = cause.split("/", 2)[2]
                if not last.startswith("letter"):
                    moved = told.moved.setdefault((event.seat, event.turn, last), [])
                    moved.append((envelope.at, seconds_between(before.at, event.at)))
            apply(game, event)
            told.asked[envelope.version] = {(seat, game.seats[seat].turn) for seat in game.asked}
            told.deadlines.append((envelope.at, {(seat, one.turn) for seat, one in running(game)}))
        return told

    def running_at(self, at: str) -> set[tuple[int, int]]:
        """The deadlines that ran at a time."""
        return next((seats for when, seats in reversed(self.deadlines) if when <= at), set())


def kill_often(path: Path, rounds: int, seed: int, talk: Callable[[str], None] = print) -> Vigil:
    """So many children, one after the other, on one database; AssertionError at the first thing wrong."""
    talk(f"{rounds} kills while time passes, seed {seed}")
    SqliteStore.create(path).close()
    vigil = Vigil(path)
    chance = Random(seed)
    for number in range(rounds):
        vigil.kill_one(number, chance)
    days = (time_of(vigil.now) - time_of(START)) / timedelta(days=1)
    talk(f"{days:.0f} days, {len(vigil.outages)} outages; the most in one game, and how the kills fell:")
    talk(", ".join(f"{what}: {count}" for what, count in sorted(vigil.found.items())))
    return vigil


if __name__ == "__main__":
    with closing(SqliteStore.open_to_write(Path(sys.argv[1]))) as database:
        stream = Stream(sys.argv[3].encode(), "life")
        Life(database, time_of(sys.argv[2]), stream, sys.argv[3]).live()
