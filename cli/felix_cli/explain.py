"""Explain how a message is read: `mail explain`. Nothing is executed; of a database, letters are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import click
import orjson
from click.core import ParameterSource

from felix_async.game.views import view
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import MISUNDERSTOOD
from felix_async.meaning.situation import Situation, situation_of
from felix_async.reading.mime import decode, head_of
from felix_async.reading.reader import Reading, open_bytes, read
from felix_async.reading.sender import referred_to
from felix_async.reading.verdicts import Understood, settled
from felix_async.text import plain
from felix_cli.completion import complete_seat, complete_target
from felix_cli.config import config_option
from felix_cli.heard import heard, said_in, told_lines
from felix_cli.heard import told as told_of
from felix_cli.mailboxes import version_option
from felix_cli.naming import is_file, seat_named
from felix_cli.output import Problem, print_json, print_table
from felix_cli.situations import cases_in
from felix_cli.wiring import followed, json_option, look_up, read_database, until_option

MAX_BYTES: Final = 33_554_432
"""The longest mail that is looked at; no server takes a longer one."""
WIDTH: Final = 60
"""Columns for a line of the message."""

_HEADER: Final = re.compile(rb"([!-9;-~]+):|[ \t]")
_MBOX: Final = re.compile(rb"From [^\n]*\n")
_KNOWN: Final = frozenset(
    {b"from", b"to", b"subject", b"date", b"message-id", b"received", b"return-path", b"mime-version"}
    | {b"content-type", b"in-reply-to", b"references", b"delivered-to", b"reply-to", b"sender"}
)


@click.command()
@click.argument("file", metavar="[FILE|-]", type=click.File("rb"), required=False)
@click.option(
    "--letter",
    type=click.File("rb"),
    metavar="FILE",
    help="The letter that it answers, as felix sent it: its lines are quotes.",
)
@click.option(
    "--db",
    type=click.Path(path_type=Path, exists=True),
    help="Look up the letter that it answers in this database, as a server does, and the game.",
)
@click.option(
    "--game",
    "target",
    metavar="GAME|FILE",
    shell_complete=complete_target,
    help="Read it as the answer of a seat of this game.",
)
@click.option("--seat", metavar="PLAYER", shell_complete=complete_seat, help="The player who answers.")
@until_option
@version_option
@click.option(
    "--situations",
    type=click.File("rb"),
    metavar="FILE|-",
    help="Read the text in each line of this file in the situation beside it, and print JSON lines.",
)
@config_option
@json_option
def explain(
    file: BinaryIO | None,
    letter: BinaryIO | None,
    db: Path | None,
    target: str | None,
    seat: str | None,
    until: int | None,
    version: int | None,
    situations: BinaryIO | None,
    as_json: bool,
) -> None:
    """Explain how a message would be read, line by line. Each gets a verdict and a reason.

    FILE is a whole message, or its text alone; - is standard input. Nothing is executed. With a game and
    a seat, it is read as that seat's answer: what would be done, asked, answered or passed on, and by
    which words. It shows no more of the table than that seat may see. With --until it is read at the table
    after that step; with --version, the message that made that step, at the table that it met.

    \b
    Example:
      felix mail explain answer.eml
      felix mail explain answer.eml --db felix.db
      felix mail explain answer.eml --game k7m2p --seat Ben
      felix mail explain --game k7m2p --version 24
      felix mail explain --situations answers.jsonl
    """
    if version is not None:
        if target is None or any((file, letter, seat, until, situations)):
            raise click.UsageError("--version goes with --game alone: it finds the message and the seat.")
        _explain_step(target, version, db, as_json=as_json)
        return
    if (file is None) == (situations is None):
        raise click.UsageError("Give a message, or --situations and a file.")
    if (target is None) != (seat is None) or (target is None and until is not None):
        raise click.UsageError("--game and --seat go together, and --until with them.")
    if situations is not None:
        if target is not None or letter is not None or db is not None:
            raise click.UsageError("--situations stands alone: there is a situation on each of its lines.")
        explain_situations(situations)
        return
    assert file is not None, "one of the two is there"
    raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise Problem(f"Too long: {MAX_BYTES // 1_048_576} MB at most.")
    named = click.get_current_context().get_parameter_source("config") is ParameterSource.COMMANDLINE
    from_database = db is not None or named or (target is not None and not is_file(target))
    find = _letter_in(db) if from_database else _no_letter
    said = explained(raw, find if letter is None else lambda _: letter.read(MAX_BYTES))
    if target is not None and seat is not None:
        _explain_in_game(said, situation_in(target, seat, until, db), as_json=as_json)
        return
    lines = settled(said)
    orders, asked = told(lines, "order"), told(lines, "asked")
    if as_json:
        print_json({"orders": orders, "asked": asked, "lines": _shown(lines)})
        return
    click.echo(f"Orders: {', '.join(orders) or 'none'}")
    if not lines:
        click.echo(MISUNDERSTOOD["mail/no_text"])
    if asked:
        click.echo(f"To be asked about: {', '.join(asked)}")
    _print_lines(lines)


def explained(raw: bytes, find: Callable[[Reading], bytes]) -> Sequence[Understood]:
    """Read each line of a message, or of a text without headers; `find` finds the letter that it answers."""
    raw = _MBOX.sub(b"", raw, count=1) if _MBOX.match(raw) else raw
    if not is_mail(raw):
        return said_in(decode(raw))
    opened = open_bytes(raw)
    return read(opened, find(opened.reading)).said


def explain_situations(file: BinaryIO) -> None:
    """Print how each text of a file reads in its situation, one JSON object on a line."""
    cases = list(cases_in(file))
    for case in cases:
        click.echo(orjson.dumps(told_of(heard(said_in(case.text), case.situation))))


def situation_in(target: str, player: str, until: int | None, db: Path | None) -> Situation:
    """Return the situation of a seat at a version, by what that seat may see.

    An order that waits for a YES, or for its time, is known of a game as it is now in the database.
    """
    subject = look_up(target, db).whole()
    _, game = followed(subject, until)
    seat = seat_named(player, subject.people)
    is_now = until is None and not is_file(target)
    waiting = _waiting(subject.game_id, seat, game.seats[seat].turn, db) if is_now else None
    return situation_of(view(game, seat), tuple(subject.names), waiting)


def _explain_step(target: str, version: int, db: Path | None, *, as_json: bool) -> None:
    from felix_cli.cause import GONE, cause_at

    cause = cause_at(target, version, db, whole=True)
    if cause.found.missing:
        raise Problem(f"{cause.sentence()} {GONE[cause.found.missing]}")
    if cause.made.seat is None or not cause.made.until:
        raise Problem(f"{cause.sentence()} That is no answer of a seat.")
    subject = look_up(cause.game_id, db)
    _, game = followed(subject, cause.made.until)
    if not as_json:
        click.echo(cause.sentence())
    situation = situation_of(view(game, cause.made.seat), tuple(subject.names))
    _explain_in_game(explained(cause.mail.raw, _letter_in(db)), situation, as_json=as_json)


def _waiting(game_id: str, seat: int, turn: int, db: Path | None) -> Order | None:
    with read_database(db) as reader:
        asked = reader.questions(game_id, seat)
    texts = (one.text for one in asked if (one.kind, one.state, one.turn) == ("order", "open", turn))
    order = read_line(next(texts, ""))
    return order if isinstance(order, Order) else None


def _explain_in_game(said: Sequence[Understood], situation: Situation, *, as_json: bool) -> None:
    found = heard(said, situation)
    lines = settled(said)
    possible = [str(order) for order in situation.possible]
    waiting = None if situation.waiting is None else str(situation.waiting)
    if as_json:
        print_json(
            {
                "possible": possible,
                "waiting": waiting,
                **told_of(found),
                "exact": found.is_exact,
                "lines": _shown(lines),
            }
        )
        return
    click.echo(f"Possible: {', '.join(possible) or 'nothing now'}")
    if waiting:
        click.echo(f"Waiting: {waiting}")
    click.echo("\n".join(told_lines(found)))
    _print_lines(lines)


def _shown(lines: Sequence[Understood]) -> list[dict[str, str]]:
    return [{"text": plain(line.whole, 1000), "verdict": line.verdict, "why": line.why} for line in lines]


def _print_lines(lines: Sequence[Understood]) -> None:
    if lines:
        click.echo()
        rows = [(plain(line.whole, WIDTH), line.verdict, line.why) for line in lines]
        print_table(("Line", "Verdict", "Why"), rows)


def _letter_in(db: Path | None) -> Callable[[Reading], bytes]:
    """Finds the letter that a message answers in this database, whoever wrote the message."""

    def find(letter: Reading) -> bytes:
        with read_database(db) as reader:
            letters = (reader.letter_with(message_id) for message_id in referred_to(letter))
            return next((ours.raw for ours in letters if ours and ours.raw), b"")

    return find


def _no_letter(_letter: Reading) -> bytes:
    return b""


def told(lines: Sequence[Understood], verdict: str) -> list[str]:
    """The orders with this verdict, as felix repeats them."""
    return [plain(str(line.order), 1000) for line in lines if line.verdict == verdict]


def is_mail(raw: bytes) -> bool:
    """Return True if these bytes begin with a message's headers, all in the right form, one of them known.

    A text may begin with the headers that Outlook writes above a quote; a `Sent` gives those away.
    """
    headers = [_HEADER.match(line) for line in head_of(raw).splitlines()]
    names = {found[1].lower() for found in headers if found is not None and found[1] is not None}
    return bool(headers) and None not in headers and bool(names & _KNOWN) and b"sent" not in names
