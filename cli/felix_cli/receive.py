"""`mail receive`: a message on standard input, for the pipe of a mail server that has nothing better.

The exit code is all that a mail server understands (sysexits.h): 0 the message is on disk; 67 no such address
here; 65 the message is too large; 75 try again later. Whatever is felix's own trouble is 75, wrong options in
the mail server's configuration included: for any other code the message goes back to its writer.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import click

from felix_async.clock import system_clock, text_of
from felix_async.inbox.delivery import is_ours, recipients_in, sender_in
from felix_async.settings import Settings
from felix_async.text import plain
from felix_cli.output import Problem, problem_of
from felix_cli.upgrade import open_to_write
from felix_cli.wiring import db_option, settings_for

EX_DATAERR: Final = 65
EX_NOUSER: Final = 67
EX_TEMPFAIL: Final = 75
PATIENCE_SECONDS: Final = 60.0
"""For all of it: Postfix sends a message back where a command takes longer than it waits (1,000 seconds)."""
_NO_SENDER: Final = ("", "<>", "mailer-daemon")
"""How mail servers write the sender of a bounce; the last is what Postfix puts for `$sender` in a pipe."""


class _ForAMailServer(click.Command):
    """A command that is never wrongly used: a mail server would send the message back for it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise Problem(error.format_message(), EX_TEMPFAIL) from None


@click.command(cls=_ForAMailServer)
@click.option(
    "--recipient", help="Whom the message is for.  [default: $ORIGINAL_RECIPIENT, $RECIPIENT, the headers]"
)
@click.option("--sender", help="The envelope's sender, empty for a bounce.  [default: $SENDER, the headers]")
@db_option
def receive(recipient: str | None, sender: str | None, db: Path | None) -> None:
    """Store a message from standard input. A running server processes it within seconds.

    Exit codes, for a mail server: 0 kept, 75 try again later, 67 no such address here, 65 too large.

    \b
    Example:
      felix mail receive --recipient felix@example.org < mail.eml
    """
    try:
        with _bounded_in_time():
            _keep(settings_for(db), recipient, sender)
    except Problem:
        raise
    except Exception as error:
        # Whatever it was, a message that may be someone's move must not be sent back for it.
        problem = problem_of(error)
        what = problem.format_message() if problem else f"It could not be kept: {type(error).__name__}."
        raise Problem(what, EX_TEMPFAIL) from error


def _keep(settings: Settings, recipient: str | None, sender: str | None) -> None:
    raw = _read(settings.listen.max_bytes)
    named = recipient if recipient is not None else _recipient_in(os.environ)
    sent_by = sender if sender is not None else os.environ.get("SENDER")
    sent_by = sender_in(raw) if sent_by is None else sent_by
    sent_by = "" if sent_by.lower() in _NO_SENDER else sent_by
    recipients = recipients_in(raw, settings.mailbox) if named is None else [named]
    with closing(open_to_write(settings.database)) as store, store.write() as tx:
        if named is not None and not is_ours(tx, named, settings.mailbox):
            raise Problem("There is no such address here.", EX_NOUSER)
        for address in recipients:
            tx.keep_mail(text_of(system_clock()), plain(address), plain(sent_by, 320), raw)


def _recipient_in(environment: Mapping[str, str]) -> str | None:
    """Greet as the mail server does: the address as it was written, before that of an alias."""
    return environment.get("ORIGINAL_RECIPIENT") or environment.get("RECIPIENT") or None


def _read(most: int) -> bytes:
    """All of standard input; what is too large is read to its end and not kept in memory."""
    raw = sys.stdin.buffer.read(most + 1)
    if len(raw) <= most:
        return raw
    # A mail server that cannot write all of it may take that for trouble, and try again for days.
    while sys.stdin.buffer.read(65_536):
        continue
    raise Problem(f"Too large: at most {most} bytes are taken.", EX_DATAERR)


@contextmanager
def _bounded_in_time() -> Iterator[None]:
    """Raise Problem if something hangs: a lock that somebody holds, a disk, standard input."""

    def give_up(*_: object) -> None:
        raise Problem(f"This took longer than {PATIENCE_SECONDS:g} seconds.", EX_TEMPFAIL)

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
