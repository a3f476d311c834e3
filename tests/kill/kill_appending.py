"""A process that appends is killed at random moments, and what it had acknowledged must be there, once.

The child does what the server does: it keeps a mail, and acknowledges it; then, in one transaction, it does
what the mail orders and settles it, and acknowledges that. Each acknowledgement is a line on a pipe, written
after the commit. The parent kills it (`kill -9`), opens the database, delivers again what was in flight, as
a mail server would, and compares the log with every acknowledgement there ever was. Then the next child
goes on with the same database.

    python tests/kill/kill_appending.py DATABASE NAME SEED        is the child
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
from pathlib import Path
from random import Random
from typing import Any, Final

from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.clock import system_clock
from felix_async.draw import Stream, contribution
from felix_async.game.commands import Bid, Join, Move, Pass, Play, SeatCommand, order_text
from felix_async.game.players import random_player
from felix_async.game.views import view
from felix_async.service import Origin, Outcome, Player, Service
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Mail
from felix_events.store.sqlite import SqliteStore

COMMANDS: Final[dict[str, type[SeatCommand]]] = {kind.__name__: kind for kind in (Join, Play, Bid, Pass)}
PLAYERS: Final = [Player(name, name.title()) for name in ("anna", "ben", "cara")]
MOST_STEPS: Final = 40
"""A child is killed after so many acknowledgements at the most."""
LONGEST_PAUSE: Final = 0.004
"""Seconds, at the most, from the last of them to the kill: about as long as a step takes."""


# ---- the child
def append_for_ever(path: Path, name: str, seed: str) -> None:
    """Play game after game by mail, until somebody puts an end to it."""
    store = SqliteStore.open_to_write(path)
    service = Service(system_clock, os.urandom)
    numbers = Stream(seed.encode(), "moves")
    step = 0
    while True:
        step += 1
        with store.read() as reader:
            running = [game.game_id for game in reader.games() if game.state in ("inviting", "running")]
            game = service.load(reader, running[0]) if running else None
        if game is None:
            with store.write() as tx:
                origin = Origin(f"table/{name}/{step}", "host", "desk")
                game_id, _ = service.open_table(
                    tx, PLAYERS, origin=origin, table_name="T", ruleset="felicity-2017"
                )
            say("opened", game_id)
            continue
        seat = game.asked[0]
        command: SeatCommand = Join(seat=seat, contribution=contribution("", ""))
        if game.phase != "inviting":
            command = random_player(view(game, seat), seat, numbers).move
        raw = order(f"{name}/{step}", running[0], command)
        say("keeps", raw.decode())
        mail_id = keep(store, raw)
        say("kept", mail_id, raw.decode())
        with store.write() as tx:
            (mail,) = tx.mails("new")
            outcome = process(tx, service, mail)
        say("did", f"{name}/{step}", running[0], outcome.version, outcome.events)


def say(*words: object) -> None:
    """A line on the pipe, at once."""
    print(json.dumps(words), flush=True)


def order(command_id: str, game_id: str, command: SeatCommand) -> bytes:
    """A mail with one order."""
    fields = command.model_dump()
    return json.dumps([command_id, game_id, type(command).__name__, fields]).encode()


def keep(store: SqliteStore, raw: bytes) -> int:
    """Receive a mail: committed before anybody is told."""
    with store.write() as tx:
        return tx.keep_mail("2026-11-20T21:00:00.000000Z", "felix", "anna", raw)


def process(tx: Tx, service: Service, mail: Mail) -> Outcome:
    """Do what a mail orders, and settle it: both or neither."""
    command_id, game_id, kind, fields = json.loads(mail.raw)
    command = COMMANDS[kind].model_validate(fields)
    order = order_text(command) if isinstance(command, Move) else kind.upper()
    outcome = service.handle(tx, game_id, command, Origin(command_id, "seat", "mail", mail.sha256, order))
    tx.settle_mail(mail.mail_id, "duplicate" if outcome.repeated else "done", key=command_id)
    return outcome


# ---- the parent
@dataclass
class Witness:
    """All that was ever acknowledged, and how many kills fell on which moment."""

    path: Path
    kept: dict[int, str] = field(default_factory=dict)
    done: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    moments: Counter[str] = field(default_factory=Counter)

    def hear(self, line: str) -> None:
        """Take down one acknowledgement."""
        match json.loads(line):
            case ["opened", game_id]:
                self.opened.add(game_id)
            case ["kept", mail_id, raw]:
                assert mail_id not in self.kept, f"mail {mail_id} was acknowledged before"
                self.kept[mail_id] = raw
            case ["did", command_id, game_id, version, events]:
                assert command_id not in self.done, f"command {command_id} was acknowledged before"
                self.done[command_id] = (game_id, version, events)

    def kill_one(self, name: str, chance: Random) -> None:
        """Start a child, kill it in the middle, open the database again, and look."""
        command = [sys.executable, __file__, str(self.path), name, str(chance.random())]
        steps, pause = chance.randint(1, MOST_STEPS), chance.uniform(0, LONGEST_PAUSE)
        lines: list[str] = []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            while len(lines) < steps:
                lines.append(child.stdout.readline())
                assert lines[-1], f"child {name} ended by itself"
            time.sleep(pause)
            child.kill()
            lines += child.stdout.readlines()
        if not lines[-1].endswith("\n"):
            del lines[-1]
        for line in lines:
            self.hear(line)
        in_flight = [json.loads(line)[1] for line in lines if line.startswith('["keeps"')][-1:]
        with closing(SqliteStore.open_to_write(self.path)) as store:
            for raw in in_flight:
                self.deliver_again(store, raw)
            with store.read() as reader:
                self.check(reader, {json.loads(raw)[1] for raw in in_flight} & self.opened)

    def deliver_again(self, store: SqliteStore, raw: str) -> None:
        """The last mail comes once more; with those left over, it is processed as the server would."""
        service = Service(system_clock, os.urandom)
        command_id, game_id = json.loads(raw)[:2]
        with store.read() as reader:
            before = [mail for mail in reader.mails() if mail.raw == raw.encode()]
            remembered = reader.outcome(command_id) is not None
            assert len(before) <= 1, f"{raw} was kept {len(before)} times"
            assert remembered == any(mail.state == "done" for mail in before), "half a transaction"
        acknowledged = command_id in self.done
        assert remembered or not acknowledged, f"{command_id} was acknowledged and is lost"
        self.moments["after the acknowledgement" if acknowledged else "after the second commit"] += remembered
        self.moments["between the commits"] += bool(before) and not remembered
        self.moments["before the first commit"] += not before
        keep(store, raw.encode())
        with store.write() as tx:
            outcomes = [process(tx, service, mail) for mail in tx.mails("new")]
        assert [outcome.repeated for outcome in outcomes] == (
            [True] if remembered else [False] + [True] * len(before)
        )
        assert all(outcome.refusal is None for outcome in outcomes)
        first = outcomes[0]
        expected = (game_id, first.version, first.events)
        assert self.done.setdefault(command_id, expected) == expected

    def check(self, reader: Reader, games: set[str]) -> None:
        """Everything acknowledged in these games is there, once, in a log without gaps that is sound."""
        mails = {mail.mail_id: mail for mail in reader.mails()}
        for mail_id, raw in self.kept.items():
            assert mails[mail_id].raw == raw.encode(), f"mail {mail_id} is not as it was acknowledged"
        assert not reader.mails("new")
        for game_id in games:
            evidence = evidence_of(reader, game_id)
            assert evidence is not None, f"game {game_id} was acknowledged and is lost"
            report = audit(evidence)
            assert report.sound, f"{game_id}: {[str(finding) for finding in report.findings]}"
            rows = reader.log(game_id)
            assert [row.version for row in rows] == list(range(1, len(rows) + 1))
            causes = {
                row.version: json.loads(row.private_record)["cause"] for row in rows if row.private_record
            }
            mine = {command_id: told for command_id, told in self.done.items() if told[0] == game_id}
            caused = [cause for version, cause in causes.items() if version > 1]
            assert sorted(caused) == sorted(mine), "each command once, and no other"
            for command_id, (_, version, events) in mine.items():
                assert causes[version - events + 1] == command_id
                told: dict[str, Any] = json.loads(reader.outcome(command_id) or "{}")
                assert (told["version"], told["events"]) == (version, events)


def kill_often(path: Path, rounds: int, seed: int, talk: Callable[[str], None] = print) -> Witness:
    """So many children, one after the other, on one database; AssertionError at the first thing lost."""
    talk(f"{rounds} kills, seed {seed}")
    SqliteStore.create(path).close()
    witness = Witness(path)
    chance = Random(seed)
    for number in range(rounds):
        witness.kill_one(str(number), chance)
    with closing(SqliteStore.open_to_read(path)) as store, store.read() as reader:
        assert witness.opened <= set(reader.logs())
        witness.check(reader, set(reader.logs()))
    mails, moves, games = len(witness.kept), len(witness.done), len(witness.opened)
    talk(f"{mails} mails and {moves} moves in {games} games: nothing lost, nothing twice")
    talk(", ".join(f"{count} killed {moment}" for moment, count in sorted(witness.moments.items())))
    return witness


if __name__ == "__main__":
    append_for_ever(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
