"""Mail that goes out: `mail letters` with list, show, retry and drop. The bytes of a letter never change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, get_args

import click

from felix_async.clock import system_clock, text_of
from felix_cli.inbox import DROPPED, NO_TEXT
from felix_cli.mail_text import header_of, shown
from felix_cli.mailboxes import (
    ALL,
    LARGEST_ID,
    any_ids_argument,
    before_option,
    body_option,
    chosen,
    game_asked,
    game_option,
    id_argument,
    ids_argument,
    limit_option,
    raw_option,
    say_older,
    show_mail,
    tell_changed,
    with_short_times,
)
from felix_cli.output import Problem, print_json, print_table
from felix_cli.wiring import db_option, json_option, read_database, write_database
from felix_events.store.base import Reader
from felix_events.store.naming import is_cut
from felix_events.store.rows import Letter, LetterLine, LetterState

RETRIED: Final = "to be tried now, says the operator"


@click.group()
def letters() -> None:
    """Outgoing mail: waiting to be sent, sent, or given up.

    \b
    Example:
      felix mail letters list --state failed
    """


@letters.command("list")
@click.option("--state", type=click.Choice(get_args(LetterState)), help="Only letters in this state.")
@game_option
@limit_option
@before_option
@json_option
@db_option
def list_letters(
    state: LetterState | None,
    game: str | None,
    limit: int,
    before: int | None,
    as_json: bool,
    db: Path | None,
) -> None:
    """List letters, the newest first.

    \b
    Example:
      felix mail letters list --state ready
    """
    with read_database(db) as reader:
        lines = reader.letter_lines(limit + 1, state, before, game_asked(reader, game))
        told = [_row(line, reader) for line in lines[:limit]]
    if as_json:
        print_json(told)
        return
    columns = ("letter_id", "created_at", "state", "game_id", "seat", "recipient", "tries", "subject", "note")
    cells = [[shown(str(row[column]), 40) for column in columns] for row in with_short_times(told)]
    head = [column.replace("_", " ") for column in columns]
    print_table(head, cells, spare=("seat", "tries"), cut=("recipient", "subject", "note"))
    say_older(told[-1]["letter_id"] if told else None, "letters", is_cut=len(lines) > limit)


@letters.command("show")
@id_argument
@body_option
@raw_option
@json_option
@db_option
def show_letter(id_: int, body: bool, raw: Path | None, as_json: bool, db: Path | None) -> None:
    """Show a letter's headers and how sending it went. Secrets are blanked.

    \b
    Example:
      felix mail letters show 40
    """
    with read_database(db) as reader:
        letter = _letter(reader, id_)
    show_mail(_facts(letter), letter.raw, body=body, raw_to=raw, as_json=as_json)


@letters.command("retry")
@any_ids_argument
@click.option("--all", "everything", is_flag=True, help="All that failed, instead of some by ID.")
@json_option
@db_option
def retry_letters(ids: tuple[int, ...], everything: bool, as_json: bool, db: Path | None) -> None:
    """Send failed or delayed letters now.

    \b
    Example:
      felix mail letters retry --all
    """
    now = text_of(system_clock())
    wanted: Sequence[int] = chosen(ids, everything)
    with write_database(db) as tx:
        wanted = list(dict.fromkeys(wanted)) or [one.letter_id for one in tx.letter_lines(ALL, "failed")]
        for letter_id in wanted:
            letter = _letter(tx, letter_id)
            if letter.state == "sent":
                raise Problem(f"Letter {letter_id} was sent; a letter is never sent twice.")
            if is_cut(letter.raw):
                raise Problem(f"Letter {letter_id} {NO_TEXT}.")
            tx.requeue_letter(letter_id, now, RETRIED)
    tell_changed("letter", wanted, "ready", as_json, "waiting; a running server sends it within seconds")


@letters.command("drop")
@ids_argument
@json_option
@db_option
def drop_letters(ids: tuple[int, ...], as_json: bool, db: Path | None) -> None:
    """Drop waiting or failed letters; they are kept and can be retried.

    \b
    Example:
      felix mail letters drop 40
    """
    wanted = list(dict.fromkeys(ids))
    with write_database(db) as tx:
        for letter_id in wanted:
            letter = _letter(tx, letter_id)
            if letter.state in ("sent", "dropped"):
                raise Problem(f"Letter {letter_id} is {letter.state} already; there is nothing to drop.")
            note = f"{DROPPED}; before: {letter.note}" if letter.note else DROPPED
            tx.end_letter(letter_id, "dropped", note)
    tell_changed("letter", wanted, "dropped", as_json, "dropped; kept in the list")


def _letter(reader: Reader, letter_id: int) -> Letter:
    letter = reader.letter(letter_id) if abs(letter_id) < LARGEST_ID else None
    if letter is None:
        raise Problem(f"There is no letter {letter_id}; `felix mail letters list` lists those there are.")
    return letter


def _row(line: LetterLine, reader: Reader) -> dict[str, Any]:
    letter = reader.letter(line.letter_id)
    return {
        "letter_id": line.letter_id,
        "created_at": line.created_at,
        "next_at": line.next_at,
        "state": line.state,
        "game_id": shown(line.game_id),
        "seat": line.seat,
        "recipient": shown(line.recipient),
        "subject": "" if letter is None else header_of(letter.raw, "Subject"),
        "bytes": line.size,
        "tries": line.tries,
        "note": shown(line.note),
    }


def _facts(letter: Letter) -> dict[str, object]:
    return {
        "letter_id": letter.letter_id,
        "state": letter.state,
        "note": shown(letter.note),
        "game_id": shown(letter.game_id),
        "seat": letter.seat,
        "recipient": shown(letter.recipient),
        "sender": shown(letter.sender),
        "created_at": letter.created_at,
        "next_at": letter.next_at,
        "bytes": len(letter.raw),
        "tries": letter.tries,
    }
