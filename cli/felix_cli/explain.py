"""Explain how a mail is read: `mail explain`. Nothing is executed; of a database, letters are looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import click

from felix_async.language.words import MISUNDERSTOOD
from felix_async.reading.mime import decode
from felix_async.reading.reader import Reading, open_bytes, read, read_text
from felix_async.reading.sender import referred_to
from felix_async.reading.understand import understand
from felix_async.reading.verdicts import Understood
from felix_async.reading.wanted import wanted
from felix_async.text import plain
from felix_cli.output import Problem, print_json, print_table
from felix_cli.wiring import json_option, read_database

MAX_BYTES: Final = 33_554_432
"""The longest mail that is looked at; no server takes a longer one."""
WIDTH: Final = 60
"""Columns for a line of the mail."""

_HEADER: Final = re.compile(rb"([!-9;-~]+):|[ \t]")
_MBOX: Final = re.compile(rb"From [^\n]*\n")
_KNOWN: Final = frozenset(
    {b"from", b"to", b"subject", b"date", b"message-id", b"received", b"return-path", b"mime-version"}
    | {b"content-type", b"in-reply-to", b"references", b"delivered-to", b"reply-to", b"sender"}
)


@click.command()
@click.argument("file", metavar="FILE|-", type=click.File("rb"))
@click.option(
    "--letter",
    type=click.File("rb"),
    metavar="FILE",
    help="The letter that it answers, as felix sent it: its lines are quotes.",
)
@click.option(
    "--db",
    type=click.Path(path_type=Path, exists=True),
    help="Look the letter that it answers up in this database, as a server does.",
)
@json_option
def explain(file: BinaryIO, letter: BinaryIO | None, db: Path | None, as_json: bool) -> None:
    """Show how a mail would be read: its orders, and every line with a verdict and a reason.

    FILE is a whole mail, or the text of one alone; - is standard input. Nothing is executed.

    \b
    Example:
      felix mail explain answer.eml
      felix mail explain answer.eml --db felix.db
    """
    raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise Problem(f"This is longer than {MAX_BYTES // 1_048_576} MB; no mail is.")
    lines = explained(raw, _letter_in(db) if letter is None else lambda _: letter.read(MAX_BYTES))
    orders, asked = told(lines, "order"), told(lines, "asked")
    if as_json:
        shown = [{"text": plain(line.text, 1000), "verdict": line.verdict, "why": line.why} for line in lines]
        print_json({"orders": orders, "asked": asked, "lines": shown})
        return
    click.echo(f"Orders: {', '.join(orders) or 'none'}")
    if not lines:
        click.echo(MISUNDERSTOOD["mail/no_text"])
    if asked:
        click.echo(f"To be asked about: {', '.join(asked)}")
    if lines:
        click.echo()
        rows = [(plain(line.text, WIDTH), line.verdict, line.why) for line in lines]
        print_table(("Line", "Verdict", "Why"), rows)


def explained(raw: bytes, find: Callable[[Reading], bytes] = lambda _: b"") -> list[Understood]:
    """Read each line of a mail, or of a text without headers; `find` finds the letter that it answers."""
    raw = _MBOX.sub(b"", raw, count=1) if _MBOX.match(raw) else raw
    if not is_mail(raw):
        return wanted(understand(read_text(decode(raw))))
    opened = open_bytes(raw)
    return wanted(read(opened, find(opened.reading)).said)


def _letter_in(db: Path | None) -> Callable[[Reading], bytes]:
    """Finds the letter that a mail answers in this database, whoever wrote the mail."""

    def find(letter: Reading) -> bytes:
        if db is None:
            return b""
        with read_database(db) as reader:
            letters = (reader.letter_with(message_id) for message_id in referred_to(letter))
            return next((ours.raw for ours in letters if ours and ours.raw), b"")

    return find


def told(lines: Sequence[Understood], verdict: str) -> list[str]:
    """The orders with this verdict, as felix repeats them."""
    return [plain(str(line.order), 1000) for line in lines if line.verdict == verdict]


def is_mail(raw: bytes) -> bool:
    """Return True if these bytes begin with a mail's headers, all in the right form, one of them known.

    A text may begin with the headers that Outlook writes above a quote; a `Sent` gives those away.
    """
    head = re.split(rb"\r?\n\r?\n|\r\r", raw, maxsplit=1)[0][:65_536]
    headers = [_HEADER.match(line) for line in head.splitlines()]
    names = {found[1].lower() for found in headers if found is not None and found[1] is not None}
    return bool(headers) and None not in headers and bool(names & _KNOWN) and b"sent" not in names
