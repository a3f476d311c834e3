"""The rows of the table: what felix does, and beside it what anybody would have to do for as much."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final
from uuid import UUID

import orjson

from bench.chains import BIDS, chain_rounds
from bench.eventsourced import Fact, Tables, facts_of
from bench.games import EVENTS, Step, a_script, open_table, play_through, write_script
from bench.games import Table as FelixTable
from bench.letters import YARDSTICK, letter_rounds, older_felix
from bench.mails import mail_rounds
from bench.measure import Round, Rounds, Row, by_turns, open_raw, seconds, time_of_children
from bench.moves import BEFORE_ORDERS, move_rounds
from bench.plain_words import plain_words_rounds
from bench.replays import find_chromium, help_rounds, telling_rounds, view_rounds
from bench.ticks import FEW, MANY, due_rounds, empty_tick_rounds
from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence, evidence_of
from felix_async.clock import system_clock
from felix_async.game.state import Game
from felix_async.service import Service
from felix_cli.audit_workers import audit_all
from felix_events.store.rows import LogRow, Sealed
from felix_events.store.sqlite import SqliteStore
from felix_events.tree import leaf, tree_root

GAMES: Final = 1500
"""Games of a database that is audited."""
_LOG: Final = """CREATE TABLE events (
    game_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    body BLOB NOT NULL,
    range BLOB NOT NULL,
    private_record BLOB,
    PRIMARY KEY (game_id, version)
) STRICT"""


def all_rows(folder: Path) -> list[Row]:
    """Every row; each makes its databases in this folder. Without the repository's history one is missing."""
    trees = {commit: older_felix(folder, commit) for commit in (YARDSTICK, BEFORE_ORDERS)}
    for commit in (commit for commit, tree in trees.items() if tree is None):
        print(f"left out: felix as it was at {commit}; there is no such commit here", file=sys.stderr)
    older, before_orders = trees.values()
    browser = find_chromium()
    if browser is None:
        print("left out: the first view of a page; there is no Chromium here", file=sys.stderr)
    return [
        Row(
            "append one event, a transaction of its own",
            "raw sqlite3: autocommit INSERT of the same bytes",
            "at_least",
            0.80,
            partial(_append, folder),
        ),
        Row(
            f"load, validate and fold {EVENTS} events",
            "raw sqlite3: fetchall of the game's rows",
            "at_least",
            0.25,
            partial(_load, folder),
        ),
        Row(
            f"load, validate and fold {EVENTS} events (library)",
            "eventsourcing: repository.get",
            "at_least",
            8,
            partial(_load_beside_library, folder),
        ),
        Row(
            "one mailed move, storage side",
            "eventsourcing, cached: get, the same events, save",
            "at_least",
            1.5,
            partial(_move, folder),
        ),
        *(
            [
                Row(
                    "one mailed move, nobody has said anything in advance",
                    f"felix as it was at {BEFORE_ORDERS}",
                    "at_most",
                    1.05,
                    partial(move_rounds, folder, before_orders),
                )
            ]
            if before_orders is not None
            else []
        ),
        Row(
            f"a chain of {BIDS} bids that were ordered in advance, one transaction",
            "the same bids, mailed one by one",
            "at_most",
            0.25,
            partial(chain_rounds, folder),
        ),
        Row(
            f"audit {EVENTS} events, everything checked",
            "parsing and hashing the same bytes",
            "at_most",
            8,
            partial(_audit, folder),
        ),
        Row(
            f"audit of {GAMES} games on two processes, processor time of the busier one",
            "the same on one process",
            "at_least",
            1.7,
            partial(_audit_all, folder),
        ),
        Row(
            "one message, from SMTP to the committed move",
            "aiosmtpd: append the raw mail to SQLite, say 250",
            "at_least",
            0.4,
            partial(mail_rounds, folder),
        ),
        *(
            [
                Row(
                    "one move with its letters, processor time",
                    f"felix as it was at {YARDSTICK}: the same games",
                    "at_most",
                    0.5,
                    partial(letter_rounds, folder, older),
                )
            ]
            if older is not None
            else []
        ),
        Row(
            "an answer in plain words, read in its situation",
            "mail-parser-reply: the same mail, its reply told from the quote",
            "at_most",
            10,
            plain_words_rounds,
        ),
        Row(
            f"look at what is due: nothing, with {MANY:,} open games",
            f"the same with {FEW:,}",
            "at_most",
            1.5,
            partial(empty_tick_rounds, folder),
        ),
        Row(
            "a reminder that is due, a transaction of its own",
            "raw sqlite3: autocommit INSERT of as many bytes",
            "at_least",
            0.5,
            partial(due_rounds, folder),
        ),
        Row("felix --version", 'python -c "import click"', "at_most", 1.2, _version),
        Row("felix replay --help", "felix --help", "at_most", 1.5, help_rounds),
        Row("felix replay, a game told out of its file", "felix --help", "at_most", 8, telling_rounds),
        *(
            [
                Row(
                    "the first view of a page of more than 300 events, in Chromium",
                    "an empty page",
                    "at_most",
                    5,
                    partial(view_rounds, folder, browser),
                )
            ]
            if browser is not None
            else []
        ),
    ]


def _append(folder: Path) -> Rounds:
    """Copies of one log, event by event; felix also hashes the event and guards the table."""
    with (
        closing(SqliteStore.create(folder / "append.db")) as store,
        closing(open_raw(folder / "append-raw.db", _LOG)) as raw,
    ):
        with store.read() as reader:
            log = reader.log(play_through(store, a_script()))
        appends, inserts = _appends(store, log), _inserts(raw, log)
        yield from by_turns(partial(next, appends), partial(next, inserts), turns=len(log))


def _load(folder: Path) -> Rounds:
    """A service that knows nothing yet, against reading the rows and doing nothing with them."""
    path = folder / "load.db"
    with (
        closing(SqliteStore.create(path)) as store,
        closing(sqlite3.connect(path, isolation_level=None)) as raw,
    ):
        game_id = play_through(store, a_script())
        fetch = partial(_fetch, raw, game_id)
        assert len(fetch()) == EVENTS
        yield from by_turns(partial(_loaded, store, game_id), fetch, runs=10)


def _load_beside_library(folder: Path) -> Rounds:
    script = a_script()
    with (
        closing(SqliteStore.create(folder / "library-felix.db")) as store,
        closing(Tables(folder / "library.db", cached=False)) as tables,
    ):
        game_id = play_through(store, script)
        table_id = tables.open(script.opening)
        for step in script.moves:
            tables.move(table_id, facts_of(step.events))
        mice = [seat.mice for seat in _loaded(store, game_id).seats]
        assert tables.get(table_id).mice == mice, "both tell the same game"
        yield from by_turns(partial(_loaded, store, game_id), partial(tables.get, table_id), runs=10)


def _move(folder: Path) -> Rounds:
    """Whole games, move by move, a game a round; opening the tables is not counted."""
    with (
        closing(SqliteStore.create(folder / "move.db")) as store,
        closing(Tables(folder / "move-library.db", cached=True)) as tables,
    ):
        for number in count():
            script = write_script(f"move-{number}")
            table = open_table(store, script.seed)
            table_id = tables.open(script.opening)
            ours, theirs = _moves(table, script.moves), _library_moves(tables, table_id, script.moves)
            turns = len(script.moves)
            yield next(by_turns(partial(next, ours), partial(next, theirs), turns=turns))


def _audit(folder: Path) -> Rounds:
    """With all that the store keeps beside the events: tree, private records, seed, state."""
    with closing(SqliteStore.create(folder / "audit.db")) as store:
        game_id = play_through(store, a_script())
        with store.read() as reader:
            evidence = evidence_of(reader, game_id)
    assert evidence is not None
    assert audit(evidence).sound
    yield from by_turns(partial(audit, evidence), partial(_parsed_and_hashed, evidence), runs=10)


def _audit_all(folder: Path) -> Rounds:
    """One game again and again: to audit one costs no less because of another."""
    path = folder / "audits.db"
    with closing(SqliteStore.create(path)) as store:
        games = [play_through(store, a_script())] * GAMES
    for _ in range(3):
        alone = seconds(lambda: deque(audit_all(path, games, 1), maxlen=0))
        children = time_of_children()
        own = seconds(lambda: deque(audit_all(path, games, 2), maxlen=0))
        yield Round(max(own, time_of_children() - children), alone)


def _version() -> Rounds:
    """Two processes of the Python that runs this."""
    felix = [str(Path(sys.executable).with_name("felix")), "--version"]
    click = [sys.executable, "-c", "import click"]
    yield from by_turns(partial(_run, felix), partial(_run, click), clock=time_of_children)


def _appends(store: SqliteStore, log: Sequence[LogRow]) -> Iterator[None]:
    """Each `next` appends one event."""
    for copy in count():
        for row in log:
            with store.write() as tx:
                tx.append(f"copy-{copy}", row.version - 1, [Sealed(row.body, row.private_record)])
            yield


def _inserts(raw: sqlite3.Connection, log: Sequence[LogRow]) -> Iterator[None]:
    """Each `next` inserts one row."""
    for copy in count():
        for row in log:
            raw.execute(
                "INSERT INTO events (game_id, version, body, range, private_record) VALUES (?, ?, ?, ?, ?)",
                (f"copy-{copy}", row.version, row.body, row.range_, row.private_record),
            )
            yield


def _loaded(store: SqliteStore, game_id: str) -> Game:
    with store.read() as reader:
        return Service(system_clock, os.urandom).load(reader, game_id)


def _fetch(raw: sqlite3.Connection, game_id: str) -> list[object]:
    return raw.execute("SELECT * FROM events WHERE game_id = ? ORDER BY version", (game_id,)).fetchall()


def _moves(table: FelixTable, steps: Sequence[Step]) -> Iterator[None]:
    """Each `next` makes one move."""
    for step in steps:
        table.move(step)
        yield


def _library_moves(tables: Tables, table_id: UUID, steps: Sequence[Step]) -> Iterator[None]:
    """Each `next` makes the same move; nothing is decided, the events are given."""
    moves: list[list[Fact]] = [facts_of(step.events) for step in steps]
    for facts in moves:
        tables.move(table_id, facts)
        yield


def _parsed_and_hashed(evidence: Evidence) -> bytes:
    """All the bytes that an audit reads, parsed and hashed, and nothing made of them."""
    for body in evidence.bodies:
        orjson.loads(body)
    for record in evidence.private_records.values():
        orjson.loads(record)
        sha256(record).digest()
    return tree_root(map(leaf, evidence.bodies))


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
