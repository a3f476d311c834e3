"""Mail that came in: `mail inbox` and `mail quarantine`, each with list, show, retry and drop.

A message is never lost: what is dropped stays where it is, and can be tried again. A message that was
processed is never processed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import click

from felix_async.address import decode_token, token_in
from felix_async.reading.budget import RETRIED
from felix_cli.completion import complete_game
from felix_cli.mail_text import header_of, shown
from felix_cli.mailboxes import (
    ALL,
    LARGEST_ID,
    all_option,
    any_ids_argument,
    before_option,
    body_option,
    chosen,
    game_asked,
    game_option,
    id_argument,
    ids_argument,
    limit_option,
    maybe_id_argument,
    raw_option,
    say_older,
    show_mail,
    tell_changed,
    version_option,
    with_short_times,
)
from felix_cli.output import Problem, print_json, print_table
from felix_cli.wiring import db_option, json_option, read_database, settings_for, write_database
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Mail, MailLine, MailState

DROPPED: Final = "dropped by the operator"
NO_TEXT: Final = "has no text any more: it was erased with a player, or is too old"
_PAGE: Final = 1000
_NOT_AGAIN: Final[dict[MailState, str]] = {
    "new": "is waiting already; a running server takes it within seconds",
    "done": "has been processed; a message is never processed twice",
    "duplicate": "is a copy of another one; only one of them counts",
}
_NOT_DROPPED: Final[dict[MailState, str]] = {
    "done": "has been processed, and what it did stays",
    "ignored": "is ignored already",
    "duplicate": "is ignored already",
}


@click.group()
def inbox() -> None:
    """All incoming messages, in every state.

    \b
    Example:
      felix mail inbox list
    """


@inbox.command("list")
@click.option("--state", type=click.Choice(get_args(MailState)), help="Only messages in this state.")
@game_option
@limit_option
@before_option
@json_option
@db_option
def list_inbox(
    state: MailState | None, game: str | None, limit: int, before: int | None, as_json: bool, db: Path | None
) -> None:
    """List messages, the newest first.

    \b
    Example:
      felix mail inbox list --state ignored --limit 50
    """
    _list(state, game, limit, before, as_json, db)


@inbox.command("show")
@maybe_id_argument
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="The game of --version.")
@version_option
@body_option
@raw_option
@json_option
@db_option
def show_inbox(
    id_: int | None,
    game: str | None,
    version: int | None,
    body: bool,
    raw: Path | None,
    as_json: bool,
    db: Path | None,
) -> None:
    """Show a message's headers and outcome; secrets are blanked.

    With a game and the number of a step, as `felix replay` has it, show the message that made that step, and
    say which line of it did; while the game runs only with --body, as a card may lie face down. A step by an
    order given in advance leads to the message that gave the order.

    \b
    Example:
      felix mail inbox show 12
      felix mail inbox show --game k7m2p --version 24
    """
    if (id_ is None) == (game is None) or (game is None) != (version is None):
        raise click.UsageError("Give an ID, or --game and --version.")
    if id_ is not None:
        _show(id_, None, body, raw, as_json, db)
    elif game is not None and version is not None:
        _show_cause(game, version, body, raw, as_json, db)


@inbox.command("retry")
@ids_argument
@json_option
@db_option
def retry_inbox(ids: tuple[int, ...], as_json: bool, db: Path | None) -> None:
    """Process ignored or quarantined messages again. Nothing is done twice.

    \b
    Example:
      felix mail inbox retry 12
    """
    _retry(ids, None, as_json, db)


@inbox.command("drop")
@ids_argument
@json_option
@db_option
def drop_inbox(ids: tuple[int, ...], as_json: bool, db: Path | None) -> None:
    """Ignore waiting or quarantined messages. They are kept and can be retried.

    \b
    Example:
      felix mail inbox drop 12 13
    """
    _drop(ids, None, as_json, db)


@click.group()
def quarantine() -> None:
    """Mail that needs your attention. Felix leaves it alone until you say what to do.

    \b
    Example:
      felix mail quarantine list
    """


@quarantine.command("list")
@game_option
@limit_option
@before_option
@json_option
@db_option
def list_quarantine(game: str | None, limit: int, before: int | None, as_json: bool, db: Path | None) -> None:
    """List the messages in quarantine, the newest first.

    \b
    Example:
      felix mail quarantine list --game k7m2p
    """
    _list("quarantined", game, limit, before, as_json, db)


@quarantine.command("show")
@id_argument
@body_option
@raw_option
@json_option
@db_option
def show_quarantine(id_: int, body: bool, raw: Path | None, as_json: bool, db: Path | None) -> None:
    """Show a message's headers and why it is here; secrets are blanked.

    \b
    Example:
      felix mail quarantine show 12 --body
    """
    _show(id_, "quarantined", body, raw, as_json, db)


@quarantine.command("retry")
@any_ids_argument
@all_option
@json_option
@db_option
def retry_quarantine(ids: tuple[int, ...], everything: bool, as_json: bool, db: Path | None) -> None:
    """Process messages again, once the cause is fixed.

    \b
    Example:
      felix mail quarantine retry 12
    """
    _retry(chosen(ids, everything), "quarantined", as_json, db)


@quarantine.command("drop")
@any_ids_argument
@all_option
@json_option
@db_option
def drop_quarantine(ids: tuple[int, ...], everything: bool, as_json: bool, db: Path | None) -> None:
    """Ignore messages; they stay in the inbox and can be retried there.

    \b
    Example:
      felix mail quarantine drop --all
    """
    _drop(chosen(ids, everything), "quarantined", as_json, db)


def _list(
    state: MailState | None, game: str | None, limit: int, before: int | None, as_json: bool, db: Path | None
) -> None:
    settings = settings_for(db)
    with read_database(db) as reader:
        named = game_asked(reader, game)
        found = [*_found(reader, settings.mailbox, limit + 1, state, before, named)]
        told = [_row(line, reader, settings.mailbox) for line in found[:limit]]
    if as_json:
        print_json(told)
        return
    columns = ("mail_id", "received_at", "state", "game_id", "from", "subject", "note")
    cells = [[_cell(row[column]) for column in columns] for row in with_short_times(told)]
    head = [column.replace("_", " ") for column in columns]
    print_table(head, cells, spare=("game id",), cut=("from", "subject", "note"))
    say_older(told[-1]["mail_id"] if told else None, "messages", is_cut=len(found) > limit)


def _found(
    reader: Reader, mailbox: str, limit: int, state: MailState | None, before: int | None, game: str | None
) -> Iterator[MailLine]:
    """The newest messages that are asked for; a game is found in the address, whoever may have made it up."""
    count = 0
    page = limit if game is None else _PAGE
    while lines := reader.mail_lines(page, state, before):
        for line in lines:
            if game in (None, _place(line.recipient, mailbox)[0]):
                yield line
                count += 1
                if count == limit:
                    return
        before = lines[-1].mail_id


def _show(
    mail_id: int, only: MailState | None, body: bool, raw: Path | None, as_json: bool, db: Path | None
) -> None:
    settings = settings_for(db)
    with read_database(db) as reader:
        mail = _mail(reader, mail_id, only)
    data = mail.raw or mail.evidence
    show_mail(_facts(mail, settings.mailbox), data, body=body, raw_to=raw, as_json=as_json)


def _show_cause(
    game: str, version: int, body: bool, raw: Path | None, as_json: bool, db: Path | None
) -> None:
    from felix_cli.cause import GONE, cause_at

    cause = cause_at(game, version, db, whole=body)
    mail = cause.mail
    facts = _facts(mail, settings_for(db).mailbox)
    if as_json:
        facts = {"made": cause.told(), **facts}
    gone = [GONE[cause.found.missing]] if cause.found.missing else []
    show_mail(facts, mail.raw, body=body, raw_to=raw, as_json=as_json, first=[cause.sentence(), *gone, ""])


def _retry(ids: Sequence[int], only: MailState | None, as_json: bool, db: Path | None) -> None:
    changed = _change(db, ids, only, _retried)
    tell_changed("mail", changed, "new", as_json, "waiting; a running server processes it within seconds")


def _drop(ids: Sequence[int], only: MailState | None, as_json: bool, db: Path | None) -> None:
    changed = _change(db, ids, only, _dropped)
    tell_changed("mail", changed, "ignored", as_json, "ignored; kept in the inbox")


def _change(
    db: Path | None, ids: Sequence[int], only: MailState | None, change: Callable[[Tx, Mail], None]
) -> list[int]:
    """Change all these messages, or, if one cannot be changed, none; no ids: all of the only state."""
    with write_database(db) as tx:
        wanted = list(dict.fromkeys(ids)) or [line.mail_id for line in tx.mail_lines(ALL, only)]
        for mail_id in wanted:
            change(tx, _mail(tx, mail_id, only))
    return wanted


def _mail(reader: Reader, mail_id: int, only: MailState | None) -> Mail:
    mail = reader.mail(mail_id) if abs(mail_id) < LARGEST_ID else None
    if mail is None:
        raise Problem(f"There is no message {mail_id}; `felix mail inbox list` lists those there are.")
    if only not in (None, mail.state):
        raise Problem(f"Message {mail_id} is not in quarantine: it is {mail.state}.")
    return mail


def _retried(tx: Tx, mail: Mail) -> None:
    if mail.state in _NOT_AGAIN:
        raise Problem(f"Message {mail.mail_id} {_NOT_AGAIN[mail.state]}.")
    if not mail.raw:
        raise Problem(f"Message {mail.mail_id} {NO_TEXT}.")
    tx.requeue_mail(mail.mail_id, RETRIED, retried=True)


def _dropped(tx: Tx, mail: Mail) -> None:
    if mail.state in _NOT_DROPPED:
        raise Problem(f"Message {mail.mail_id} {_NOT_DROPPED[mail.state]}.")
    note = f"{DROPPED}; before: {mail.note}" if mail.note else DROPPED
    tx.settle_mail(mail.mail_id, "ignored", key=mail.key, note=note)


def _place(recipient: str, mailbox: str) -> tuple[str | None, int | None]:
    """The game and the seat that an address says it is for."""
    token = decode_token(token_in(recipient, mailbox) or "")
    return (None, None) if token is None else (token.game_id, token.seat)


def _row(line: MailLine, reader: Reader, mailbox: str) -> dict[str, Any]:
    mail = reader.mail(line.mail_id)
    raw = b"" if mail is None else mail.raw
    game_id, seat = _place(line.recipient, mailbox)
    return {
        "mail_id": line.mail_id,
        "received_at": line.received_at,
        "state": line.state,
        "game_id": game_id,
        "seat": seat,
        "from": header_of(raw, "From"),
        "subject": header_of(raw, "Subject"),
        "bytes": line.size,
        "tries": line.tries,
        "note": shown(line.note),
    }


def _facts(mail: Mail, mailbox: str) -> dict[str, object]:
    game_id, seat = _place(mail.recipient, mailbox)
    return {
        "mail_id": mail.mail_id,
        "state": mail.state,
        "note": shown(mail.note),
        "received_at": mail.received_at,
        "recipient": shown(mail.recipient),
        "sender": shown(mail.sender),
        "game_id": game_id,
        "seat": seat,
        "bytes": len(mail.raw),
        "sha256": mail.sha256,
        "tries": mail.tries,
    }


def _cell(value: object) -> str:
    return "" if value is None else shown(str(value), 40)
