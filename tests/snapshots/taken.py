"""Whatever felix makes of what does not change: mails, games, audits, transcripts, and a year, as bytes.

Nothing here looks at a value inside felix: only at what comes out, so that felix may be built anew inside.
"""

from __future__ import annotations

import io
import runpy
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stdout
from email import message_from_bytes, policy
from email.message import EmailMessage
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from by_mail import letters_by_mail
from cli.terminal import Terminal
from felix_async.audit.audit import audit
from felix_events.store.sqlite import SqliteStore
from gallery.__main__ import slug
from gallery.shown import mails as gallery_mails
from games import Fields, forged
from golden.make_golden import FOLDER as GOLDEN
from golden.make_golden import kept_game
from people.evening import TOLD, an_evening
from people.transcript import told

Files = dict[str, bytes]
"""What was taken, by the name of its file: `.txt` is for readers, all else is packed."""

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
TRANSCRIPTS: Final[dict[str, tuple[str, ...]]] = {
    "1_one_round.py": (),
    "3_replay_to_version.py": (str(GOLDEN / "4-players-2017.jsonl"), "--until", "60"),
    "5_turn_mail.py": (),
}
"""The examples in which nothing is left to chance, and their arguments."""
FORGED: Final = ("3-players-2017", "life-taken", "time-voted")
"""Golden games of which every event is forged."""


def mails() -> Files:
    """Take every mail of the gallery: its subject and text, and its HTML."""
    found: Files = {}
    for name, mail in gallery_mails().items():
        found[f"{slug(name)}.txt"] = f"Subject: {mail.subject}\n\n{mail.text}".encode()
        found[f"{slug(name)}.html"] = mail.html.encode()
    return found


def by_mail() -> Files:
    """Take every letter of a game by mail, headers and all, and the list of them."""
    with tempfile.TemporaryDirectory() as folder:
        raws = letters_by_mail(Path(folder) / "felix.db", players=3, seed=7)
    letters = {f"{number:03}.eml": raw for number, raw in enumerate(raws, 1)}
    return {"letters.txt": _listed(raws), **letters}


def by_people() -> Files:
    """Take the transcript of a game of three who write as people write."""
    evening = an_evening(TOLD)
    evening.play()
    return {"transcript.txt": told(evening.parlour).encode()}


def games() -> Files:
    """Take the story and the audit of each golden game, with reasons where the computer came in."""
    terminal, found = Terminal(GOLDEN), {}
    for file in sorted(GOLDEN.glob("*.jsonl")):
        why = ["--why"] if file.stem.startswith(("life", "time")) else []
        found[f"{file.stem}.txt"] = (
            terminal.run("replay", file, *why) + terminal.run("audit", file)
        ).encode()
    return found


def forgeries() -> Files:
    """Take what an audit finds if one field of one event is another, field after field."""
    return {f"{name}.txt": "".join(_findings(name)).encode() for name in FORGED}


def transcripts() -> Files:
    """Take what the examples print."""
    return {f"{name}.txt": _printed(name, *words).encode() for name, words in TRANSCRIPTS.items()}


def year() -> Files:
    """Take two months of some tables: the figures, the logs, and when a letter went to whom."""
    return _year(days=60, games=5)


def whole_year() -> Files:
    """Take a year of two hundred games; of the letters, a hash of all that went to one seat."""
    files = _year(days=365, games=200)
    seats: dict[bytes, list[bytes]] = {}
    for line in files["letters.txt"].splitlines():
        seats.setdefault(line.split(b"  ")[2], []).append(line)
    hashes = [
        b"%s  %d letters  %s\n" % (seat, len(lines), sha256(b"\n".join(lines)).hexdigest()[:16].encode())
        for seat, lines in sorted(seats.items())
    ]
    return files | {"letters.txt": b"".join(hashes)}


PARTS: Final[dict[str, Callable[[], Files]]] = {
    "mails": mails,
    "by-mail": by_mail,
    "by-people": by_people,
    "games": games,
    "forgeries": forgeries,
    "transcripts": transcripts,
    "year": year,
    "whole-year": whole_year,
}
SLOW: Final = frozenset({"whole-year", "year", "by-people", "by-mail", "forgeries"})


def _findings(name: str) -> Iterator[str]:
    """Each field of each event forged once, with what is found; version by version."""
    played = kept_game(GOLDEN / f"{name}.jsonl")
    for version, pick in zip(range(1, played.size + 1), cycle(range(5)), strict=False):
        fields = played.events[version - 1].model_dump(mode="json")
        names = [field for field, value in sorted(fields.items()) if _other(value) != value]
        if not names:
            continue
        field = names[pick % len(names)]

        def change(event: Fields, field: str = field) -> None:
            event["data"][field] = _other(event["data"][field])

        report = audit(forged(played.evidence, version, change))
        yield f"version {version}, {played.events[version - 1].type}.{field}\n"
        yield from (f"    {finding}\n" for finding in report.findings)


def _other(value: Any) -> Any:
    """A value of the same kind that is not this one; the same, if there is none."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value[:-1] + ("0" if value[-1:] != "0" else "1")
        case list():
            return value[1:] + value[:1] if value[1:] + value[:1] != value else value[:-1]
        case _:
            return value


def _printed(name: str, *arguments: str) -> str:
    with (
        patch.object(sys, "argv", [name, *arguments]),
        patch.object(sys, "stdin", io.StringIO()),
        redirect_stdout(io.StringIO()) as printed,
    ):
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return printed.getvalue()


def _year(*, days: int, games: int) -> Files:
    with tempfile.TemporaryDirectory() as folder:
        terminal, database = Terminal(Path(folder)), Path(folder) / "year.db"
        words = ["simulate", "--calendar", days, "--games", games, "--seed", 1, "--json", "--db", database]
        figures = terminal.run(*words)
        games_told = terminal.json("games", "--db", database)
        with closing(SqliteStore.open_to_read(database)) as store, store.read() as reader:
            letters = [
                f"{letter.created_at}  {letter.recipient}  {letter.game_id}/{letter.seat}  {letter.state}\n"
                for letter in reader.letters()
            ]
            logs = [
                f"{game['game_id']}  {game['state']}  {game['events']} events  "
                f"{sha256(b''.join(reader.bodies(game['game_id']))).hexdigest()}\n"
                for game in games_told
            ]
    return {
        "figures.txt": figures.encode(),
        "games.txt": "".join(logs).encode(),
        "letters.txt": "".join(letters).encode(),
    }


def _listed(raws: list[bytes]) -> bytes:
    """A line for each letter: when, to whom, about what, and a hash of all its bytes."""
    lines = []
    for raw in raws:
        mail = message_from_bytes(raw, _class=EmailMessage, policy=policy.default)
        lines.append(f"{mail['Date']}  {mail['To']}  {mail['Subject']}  {sha256(raw).hexdigest()[:16]}\n")
    return "".join(lines).encode()
