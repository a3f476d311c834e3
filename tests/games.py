"""Whole games for tests, fast and the same in every run.

Everything goes through `Service`, on a store in memory, with secrets from a seed, a clock that steps, and
computer players that see their own view only. What a game left behind (`Played`) can be cut at any version,
and forged: `forged` changes one event and makes the tree, the private record and the size fit again, so
that only what the events say can give it away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from hashlib import sha256
from typing import Any, Final

import orjson

from felix_async import clock as clocks
from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, Kept, SeatLog, evidence_of, exported
from felix_async.audit.seat_logs import named_in
from felix_async.draw import Numbers, Stream, contribution
from felix_async.game.commands import (
    ClockCommand,
    Command,
    Decline,
    HostCommand,
    Join,
    Move,
    Play,
    Restore,
    Stand,
)
from felix_async.game.folding import fold
from felix_async.game.players import ComputerPlayer, random_player
from felix_async.game.sensible import sensible_player
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_async.service import Origin, Outcome, Player, Service
from felix_events.envelope import Actor, Envelope, canonical, check_envelopes, check_private, encode_private
from felix_events.model import DEFAULT_PACE, Event, Options, Pace, Ruleset, Terms
from felix_events.store.base import Store
from felix_events.store.rows import GameKind
from felix_events.store.sqlite import SqliteStore
from felix_events.tree import extend, leaf
from written import ordered

NAMES: Final = ("Anna", "Ben", "Cara", "Dan", "Eve")
TABLE_NAME: Final = "Thursday club"
EPOCH: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
RULESETS: Final[tuple[Ruleset, ...]] = ("felicity-2017", "felix-2007")
BOTH_KINDS: Final = (sensible_player, random_player)
"""Computer players for a table, seat by seat and over again."""

Fields = dict[str, Any]


class SteppingClock:
    """Each look at it is `step` later than the one before; `now` may be set, also back."""

    def __init__(self, step: timedelta = timedelta(minutes=1)) -> None:
        self.now = EPOCH
        self.step = step

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


class SeededEntropy:
    """Bytes that follow from a word: secrets that are the same in every run."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0

    def __call__(self, length: int) -> bytes:
        self._count += 1
        block = sha256(f"{self._seed}/{self._count}".encode()).digest()
        assert length <= len(block), "nobody needs more than a hash at once"
        return block[:length]


@dataclass
class Room:
    """A place to play: a store, a clock, and a service that joins them."""

    store: Store
    service: Service
    clock: SteppingClock
    commands: int = 0

    def another(self) -> Room:
        """A room in which all is as it is in this one, and which shares nothing with it."""
        store = SqliteStore.in_memory()
        assert isinstance(self.store, SqliteStore)
        assert self.store._writer is not None
        assert store._writer is not None
        self.store._writer.backup(store._writer)
        clock = copy(self.clock)
        return Room(store, Service(clock, copy(self.service.entropy)), clock, self.commands)

    def open(
        self,
        seats: int = 4,
        *,
        ruleset: Ruleset = "felicity-2017",
        kind: GameKind = "played",
        start: int | None = None,
        host: int | None = None,
        clock: Terms | None = None,
        pace: Pace = DEFAULT_PACE,
        command_id: str = "create",
    ) -> str:
        """A table where everybody is invited; its id."""
        with self.store.write() as tx:
            game_id, outcome = self.service.open_table(
                tx,
                players(seats),
                origin=Origin(command_id, "host", "desk"),
                table_name=TABLE_NAME,
                ruleset=ruleset,
                kind=kind,
                options=Options(start_seat=start, pace=pace),
                host=host,
                clock=clock,
            )
        assert outcome.refusal is None
        return game_id

    def do(self, game_id: str, command: Command, origin: Origin | None = None) -> Outcome:
        """One command in a transaction of its own; without an origin, by whoever gives such commands."""
        with self.store.write() as tx:
            return self.service.handle(tx, game_id, command, origin or self.by_mail(command))

    def by_mail(self, command: Command, *, turn: int | None = None) -> Origin:
        """The origin of a command in a line of a mail of its own, or of one by the clock or at the desk."""
        self.commands += 1
        if isinstance(command, ClockCommand):
            return Origin(f"clock-{self.commands}", "clock", "clock")
        if isinstance(command, Restore):
            return Origin(f"desk-{self.commands}", "host", "desk")
        command_id = f"mail-{self.commands}"
        mail = sha256(command_id.encode()).hexdigest()
        actor: Actor = "host" if isinstance(command, HostCommand | Stand) else "seat"
        message_id = _join_id(command.seat) if isinstance(command, Join) else None
        return Origin(command_id, actor, "mail", mail, ordered(command), turn, message_id=message_id)

    def enter_mails(self, since: int = 0) -> None:
        """Enter the mails in the inbox by which the commands came, as if their text was retired."""
        with self.store.write() as tx:
            for number in range(since + 1, self.commands + 1):
                mail_id = tx.keep_mail(
                    clocks.text_of(EPOCH), "felix@felix.test", "", f"mail-{number}".encode()
                )
                tx.settle_mail(mail_id, "done")
                tx.drop_mail_bytes(mail_id)

    def game(self, game_id: str) -> Game:
        """The state now, from the log alone."""
        with self.store.read() as reader:
            return fold(envelope.data for envelope in check_envelopes(reader.bodies(game_id)))

    def evidence(self, game_id: str) -> Evidence:
        """The game as an audit gets it from the store."""
        with self.store.read() as reader:
            evidence = evidence_of(reader, game_id)
        assert evidence is not None
        return evidence

    def join_all(self, game_id: str) -> None:
        """Everybody who is still asked says JOIN."""
        for seat in self.game(game_id).asked:
            self.do(game_id, joining(seat))

    def play(
        self,
        game_id: str,
        kinds: Sequence[ComputerPlayer] = BOTH_KINDS,
        *,
        seed: str = "",
        until: Callable[[Game], bool] = lambda game: game.is_over,
        exchanges: bool = True,
    ) -> None:
        """Computer players make the moves, in an order that is drawn, until the game is as asked."""
        numbers = Stream(sha256(seed.encode()).digest(), "players")
        game = self.game(game_id)
        while not until(game):
            seat = game.asked[numbers.below(len(game.asked))]
            order: Move = kinds[seat % len(kinds)](view(game, seat), seat, numbers).move
            if exchanges and game.phase == "placing" and numbers.below(6) == 0:
                order = _exchange(game, numbers) or order
            # Half of the messages name the decision that they answer.
            turn = game.seats[seat].turn if numbers.below(2) and order.seat == seat else None
            outcome = self.do(game_id, order, self.by_mail(order, turn=turn))
            assert outcome.refusal is None, f"{order!r}: {outcome.refusal}"
            with self.store.read() as reader:
                game = self.service.load(reader, game_id)


def a_room(seed: str = "room", store: Store | None = None) -> Room:
    """A new place to play, in memory unless a store is given."""
    clock = SteppingClock()
    return Room(store or SqliteStore.in_memory(), Service(clock, SeededEntropy(seed)), clock)


def a_started_room(store: Store | None = None) -> tuple[Room, str]:
    """Four players in round 1, Anna starts, no card placed."""
    room = a_room(store=store)
    game_id = room.open(start=0)
    room.join_all(game_id)
    return room, game_id


def place_all(room: Room, game_id: str) -> None:
    """Each seat places the first card of its hand; Anna is asked for a bid then."""
    for seat, state in enumerate(room.game(game_id).seats):
        room.do(game_id, Play(seat=seat, card=state.hand[0]))


def players(seats: int) -> list[Player]:
    """Anna, Ben, Cara … with an address each."""
    return [Player(f"{name.lower()}-1", name, f"{name.lower()}@players.test") for name in NAMES[:seats]]


def joining(seat: int, words: str = "hello") -> Join:
    """The seat accepts, with words of its own for the draw."""
    return Join(seat=seat, contribution=contribution(_join_id(seat), words))


def _join_id(seat: int) -> str:
    return f"<join-{seat}@players.test>"


def _exchange(game: Game, numbers: Numbers) -> Play | None:
    """Some seat that has placed a card takes another one, where there is such a seat."""
    placed = [
        seat
        for seat, state in enumerate(game.seats)
        if state.has_placed and state.hand and not state.computer
    ]
    if not placed:
        return None
    seat = placed[numbers.below(len(placed))]
    hand = game.seats[seat].hand
    return Play(seat=seat, card=hand[numbers.below(len(hand))])


# ---- what a game leaves behind ----------------------------------------------------------------------
@dataclass(frozen=True)
class Played:
    """A game as far as it was played."""

    game_id: str
    evidence: Evidence
    names: tuple[str, ...] = field(default=())

    @cached_property
    def envelopes(self) -> list[Envelope]:
        """The log, read as a stranger reads it."""
        return check_envelopes(self.evidence.bodies)

    @cached_property
    def events(self) -> list[Event]:
        """What happened."""
        return [envelope.data for envelope in self.envelopes]

    @property
    def size(self) -> int:
        """How many events there are."""
        return len(self.evidence.bodies)

    def game(self, version: int | None = None) -> Game:
        """The state after that many events."""
        return fold(self.events[:version])

    def versions(self, type_: str) -> list[int]:
        """Where events of this type stand in the log."""
        return [envelope.version for envelope in self.envelopes if envelope.type == type_]

    def until(self, version: int) -> Played:
        """The game cut after that many events, in the middle of a step too, with a tree that fits."""
        return replace(self, evidence=cut(self.evidence, version))

    def step_ends(self) -> list[int]:
        """The versions after which a transaction ended."""
        starts = [envelope.version for envelope in self.envelopes if envelope.actor != "rules"]
        return [start - 1 for start in starts[1:]] + [self.size]

    def export(self) -> bytes:
        """The game as a file."""
        return exported(self.evidence, self.names, TABLE_NAME, is_over=True)


@cache
def a_game_played(
    seats: int = 4,
    *,
    seed: str = "a",
    ruleset: Ruleset = "felicity-2017",
    kinds: tuple[ComputerPlayer, ...] = BOTH_KINDS,
    start: int | None = None,
) -> Played:
    """A whole game."""
    seed = f"{seed}/{seats}/{ruleset}"
    room = a_room(seed)
    game_id = room.open(seats, ruleset=ruleset, start=start)
    room.join_all(game_id)
    room.play(game_id, kinds, seed=seed)
    return Played(game_id, room.evidence(game_id), NAMES[:seats])


@cache
def a_running_game(seats: int = 4) -> Played:
    """A game in the auction of its fourth round, one card turned."""
    played = a_game_played(seats)
    return played.until(next(v for v in played.step_ends() if v >= played.versions("cards_turned")[9]))


@cache
def a_declined_game(seats: int = 4, *, seed: str = "a") -> Played:
    """A game that Anna joined and Ben declined."""
    room = a_room(seed)
    game_id = room.open(seats)
    room.do(game_id, joining(0))
    room.do(game_id, Decline(seat=1))
    return Played(game_id, room.evidence(game_id), NAMES[:seats])


# ---- forging and finding ----------------------------------------------------------------------------
def cut(evidence: Evidence, version: int) -> Evidence:
    """The first so many events, with the tree and the state that belong to them."""
    bodies = list(evidence.bodies[:version])
    records = {place: record for place, record in evidence.private_records.items() if place <= version}
    shorter = replace(evidence, bodies=bodies, private_records=records, kept=_kept(evidence, bodies))
    explained = named_in(shorter).explained
    at = orjson.loads(bodies[-1])["at"] if bodies else ""
    own = {seat: _cut_own(seat, log, explained, at) for seat, log in evidence.seat_logs.items()}
    return replace(shorter, seat_logs={seat: log for seat, log in own.items() if log.bodies})


def _cut_own(seat: int, log: SeatLog, explained: Mapping[tuple[int, int], int], at: str) -> SeatLog:
    """What a seat's own log held at this time."""
    size = 0
    for version, one in enumerate(map(orjson.loads, log.bodies), 1):
        is_there = (seat, version) in explained if one["type"] == "choice_explained" else one["at"] <= at
        size = version if is_there else size
    records = {version: record for version, record in log.private_records.items() if version <= size}
    return SeatLog(log.bodies[:size], records, None if log.rows is None else log.rows[:size])


def forged(evidence: Evidence, version: int, change: Callable[[Fields], object]) -> Evidence:
    """The event of this version changed, canonical again, and everything kept beside it made to fit."""
    bodies = list(evidence.bodies)
    fields = orjson.loads(bodies[version - 1])
    change(fields)
    bodies[version - 1] = canonical(fields)
    assert bodies[version - 1] != evidence.bodies[version - 1], "nothing was changed"
    kept = None if evidence.kept is None else replace(evidence.kept, ranges=_ranges(bodies))
    return replace(evidence, bodies=bodies, kept=kept)


def recorded_otherwise(evidence: Evidence, version: int, **fields: object) -> Evidence:
    """The private record of a move with other fields, and the event names it."""
    old = evidence.private_records[version]
    record = check_private(old, sha256(old).hexdigest())
    body, named = encode_private(record.model_copy(update=fields))
    changed = replace(evidence, private_records={**evidence.private_records, version: body})
    return forged(changed, version, lambda event: event.update(private=named))


def envelope_with(**values: object) -> Callable[[Fields], object]:
    """A change for `forged`: these fields of the envelope."""
    return lambda event: event.update(values)


def data_with(**values: object) -> Callable[[Fields], object]:
    """A change for `forged`: these fields of the event itself."""
    return lambda event: event["data"].update(values)


def reordered(evidence: Evidence, versions: Sequence[int]) -> Evidence:
    """The events of these versions, in this order, numbered anew, with their records and a tree that fits."""
    bodies = []
    records = {}
    for place, version in enumerate(versions, 1):
        fields = orjson.loads(evidence.bodies[version - 1])
        bodies.append(canonical(fields | {"version": place}))
        if version in evidence.private_records:
            records[place] = evidence.private_records[version]
    return replace(evidence, bodies=bodies, private_records=records, kept=_kept(evidence, bodies))


def _kept(evidence: Evidence, bodies: Sequence[bytes]) -> Kept | None:
    if evidence.kept is None:
        return None
    try:
        state: str = fold(envelope.data for envelope in check_envelopes(bodies)).standing
    except LookupError:
        state = evidence.kept.state  # events so wrong that they cannot be followed
    return replace(
        evidence.kept,
        versions=list(range(1, len(bodies) + 1)),
        ranges=_ranges(bodies),
        size=len(bodies),
        state=state,
    )


def _ranges(bodies: Sequence[bytes]) -> list[bytes]:
    ranges: list[bytes] = []
    for index, body in enumerate(bodies):
        ranges.append(extend(ranges[-1] if ranges else b"", index, leaf(body)))
    return ranges


def with_kept(evidence: Evidence, **changes: Any) -> Evidence:
    """Something that the store keeps beside the events is another thing."""
    assert evidence.kept is not None
    return replace(evidence, kept=replace(evidence.kept, **changes))


def found(evidence: Evidence) -> dict[str, int]:
    """The checks that failed, each with the first version that it names."""
    return {finding.check: finding.version for finding in audit(evidence).findings}
