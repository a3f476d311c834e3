"""Whole games by mail, to this felix and to an older one: the processor time of a move with its letters.

Both are real servers, each in a process of its own, with letters that go nowhere. The older one is taken out
of this repository's history. A player answers the newest letter as people do: the order, and below it the
letter, quoted. Whoever is quicker waits: a move is over when the last letter about it is gone.
"""

from __future__ import annotations

import io
import os
import smtplib
import sqlite3
import subprocess
import sys
import tarfile
import time
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Final

from bench.games import Step, write_script
from bench.measure import Round, Rounds
from felix_async.game.commands import Move, order_text

YARDSTICK: Final = "86bbf04"
"""The commit that felix is measured beside: the last before letters were written outside the writer."""
GOAL_PAGES: Final = 30
_SEEDS: Final = tuple(f"letters-{number}" for number in range(6))
_AT_A_TIME: Final = 8
"""Moves on one side before it is the other one's turn."""
ROOT: Final = Path(__file__).parent.parent
_PACKAGES: Final = ("", "events", "notifiers", "cli")
_PATIENCE: Final = 60.0
_BLINK: Final = 0.02
"""Seconds after the last letter in which a server looks whether there is more."""
_NIGHT: Final = "2026-01-01T02"
"""The games are played in an hour of the night: letters that ask ahead of the turn, which the older felix did
not write, wait for the morning.
"""
_OPEN: Final = (
    "SELECT (SELECT count(*) FROM inbox WHERE state = 'new')"
    " + (SELECT count(*) FROM notices WHERE settled = 0 AND due_at < ?)"
    " + (SELECT count(*) FROM letters WHERE state = 'ready'),"
    " (SELECT count(*) FROM inbox WHERE state = 'done')"
)
_WAL_HEADER, _FRAME_HEADER, _PAGE = 32, 24, 4096


@dataclass(slots=True)
class Side:
    """A server that plays, and how many moves it was sent."""

    process: subprocess.Popen[str]
    database: Path
    smtp: smtplib.SMTP
    look: sqlite3.Connection
    moves: int = 0

    def play(self, steps: Sequence[Step]) -> float:
        """Make these moves, one after the other; the seconds of processor time that it took."""
        before = float(self._ask("time"))
        for step in steps:
            self._move(step)
        time.sleep(_BLINK)
        return float(self._ask("time")) - before

    def settle(self) -> None:
        """Wait until all mail is dealt with and all letters are gone."""
        end = time.monotonic() + _PATIENCE
        while self.look.execute(_OPEN, (_NIGHT,)).fetchone() != (0, self.moves):
            if time.monotonic() > end:
                raise RuntimeError(f"{self.database} did not come to {self.moves} moves in time")
            time.sleep(0.002)

    def pages(self) -> int:
        """The pages in the write-ahead log; it only grows while somebody still reads its beginning."""
        size = self.database.with_name("felix.db-wal").stat().st_size
        return (size - _WAL_HEADER) // (_PAGE + _FRAME_HEADER)

    def _move(self, step: Step) -> None:
        command, name = step.command, step.origin.command_id
        assert isinstance(command, Move), "a script is made of moves"
        seed = name.partition("@")[0].rpartition(".")[2]
        player = f"p{command.seat}.{seed}@players.test"
        letter = message_from_bytes(b64decode(self._ask(player)), policy=default)
        assert isinstance(letter, EmailMessage)
        raw = _answer(player, letter, order_text(command), f"<{self.moves}.{player}>")
        self.smtp.sendmail(player, [str(letter["Reply-To"])], raw)
        self.moves += 1
        self.settle()

    def _ask(self, line: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()


def older_felix(folder: Path, commit: str) -> Path | None:
    """Felix as it was, taken out of the history into this folder; None if that is not at hand."""
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", commit]
    try:
        archived = subprocess.run(command, check=True, capture_output=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    tree = folder / commit
    with tarfile.open(fileobj=io.BytesIO(archived)) as tar:
        tar.extractall(tree, filter="data")
    return tree


def search_path(tree: Path) -> str:
    """PYTHONPATH for the felix in this tree."""
    return os.pathsep.join(str((tree / package).resolve()) for package in _PACKAGES)


def letter_rounds(folder: Path, older: Path) -> Rounds:
    """Rounds of the row, some moves each: seconds of processor time for one move on each side.

    The first, which warms up, is a whole game, and also counts what is written.
    """
    with ExitStack() as stack:
        felix, yardstick = (
            stack.enter_context(_serving(tree, folder / name))
            for tree, name in ((ROOT, "now"), (older, "then"))
        )
        for number, seed in enumerate(_SEEDS):
            steps = write_script(seed).moves
            if number:
                yield from _by_turns(felix, yardstick, steps)
                continue
            pages = [side.pages() for side in (felix, yardstick)]
            with _kept_from_its_beginning(felix), _kept_from_its_beginning(yardstick):
                warm = [*_by_turns(felix, yardstick, steps)][-1]
                now, then = (
                    (side.pages() - before) / len(steps)
                    for side, before in zip((felix, yardstick), pages, strict=True)
                )
            print(
                f"one move with its letters writes {now:.1f} pages (goal: at most {GOAL_PAGES});"
                f" {YARDSTICK} wrote {then:.1f}",
                file=sys.stderr,
            )
            yield warm


def _by_turns(felix: Side, yardstick: Side, steps: Sequence[Step]) -> Iterator[Round]:
    """A game, in rounds of two turns for each side; who goes first changes."""
    for first in range(0, len(steps), 2 * _AT_A_TIME):
        one, two = steps[first : first + _AT_A_TIME], steps[first + _AT_A_TIME : first + 2 * _AT_A_TIME]
        theirs = yardstick.play(one)
        ours = felix.play(one) + felix.play(two)
        theirs += yardstick.play(two)
        moves = len(one) + len(two)
        yield Round(ours / moves, theirs / moves)


@contextmanager
def _serving(tree: Path, folder: Path) -> Iterator[Side]:
    """A server of the felix in this tree, its first letters gone."""
    folder.mkdir()
    command = [sys.executable, "-P", str(Path(__file__).with_name("served.py")), str(folder), *_SEEDS]
    with subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": search_path(tree)},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            port = process.stdout.readline()
            if not port:
                raise RuntimeError(f"the server in {tree} ended before it listened")
            database = folder / "felix.db"
            with (
                smtplib.SMTP("127.0.0.1", int(port), "bench.test", _PATIENCE) as smtp,
                closing(_look_into(database)) as look,
            ):
                side = Side(process, database, smtp, look)
                side.settle()
                yield side
            process.stdin.close()
            process.wait(_PATIENCE)
        finally:
            process.kill()


@contextmanager
def _kept_from_its_beginning(side: Side) -> Iterator[None]:
    """Read in a transaction: as long as that goes on, nothing in the write-ahead log is written over."""
    with closing(_look_into(side.database)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        yield
        reader.execute("ROLLBACK")


def _look_into(database: Path) -> sqlite3.Connection:
    uri = f"{database.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, isolation_level=None)


def _answer(player: str, letter: EmailMessage, order: str, message_id: str) -> bytes:
    """The order, and the letter below it."""
    text = letter.get_body(("plain",))
    assert text is not None, "every letter has a text part"
    quoted = "".join(f"> {line}\r\n" for line in text.get_content().splitlines())
    return (
        f"From: {player}\r\nTo: {letter['Reply-To']}\r\nSubject: Re: {letter['Subject']}\r\n"
        f"Message-ID: {message_id}\r\nIn-Reply-To: {letter['Message-ID']}\r\n"
        f"References: {letter['Message-ID']}\r\nDate: Thu, 01 Jan 2026 01:00:00 +0000\r\n"
        "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: 8bit\r\n\r\n"
        f"{order}\r\n\r\nOn Thu, 1 Jan 2026, felix wrote:\r\n{quoted}"
    ).encode()
