"""`felix audit --mail`: kept messages held against a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click

from felix_async.audit.audit import Finding
from felix_async.text import plain
from felix_cli.output import EXIT_COULD_NOT_LOOK, Problem, counted, text_width, wrapped
from felix_cli.wiring import look_up

if TYPE_CHECKING:
    from felix_async.audit.audit import Report
    from felix_async.audit.kept.signatures import Signatures
    from felix_async.audit.kept.witness import Contradiction, Witness

F = TypeVar("F", bound=Callable[..., Any])
_CHECK = "mails"
_MOST_SHOWN: Final = 3
"""Findings of kept messages that are told (the others mostly follow), and messages that no log names."""


def mail_options(command: F) -> F:
    """`--mail PATH`, which may be given several times, and by which key its signatures are judged."""
    dns = click.option("--dns", is_flag=True, help="Ask the DNS for the keys of signatures.")
    key = click.option(
        "--dkim-key",
        type=click.Path(readable=False, path_type=Path),
        metavar="FILE",
        help="The key of felix's domain, as the DNS has it or as PEM: check signatures by it.",
    )
    option = click.option(
        "--mail",
        type=click.Path(readable=False, path_type=Path),
        metavar="DIR|MBOX|EML",
        multiple=True,
        help="Kept messages: a folder, a Maildir, an mbox or one of them; may be given again.",
    )
    return option(key(dns(command)))


def with_mails(
    report: Report, target: str, db: Path | None, paths: Sequence[Path], key: Path | None, *, dns: bool
) -> Witness | None:
    """Hold the mails against the game, add what was found to its report, and return what they say.

    None if the log cannot be read; Problem if there are none, or none about it.
    """
    from felix_async.audit.kept.log import Log, NotComparable
    from felix_async.audit.kept.mailboxes import NotAMailbox, mails_in
    from felix_async.audit.kept.witness import held
    from felix_async.game.names import Names
    from felix_events.envelope import Unreadable
    from felix_events.lines import Damaged
    from felix_notifiers.content.retold import Retold

    try:
        subject = look_up(target, db)
        log = Log.of(subject.evidence, Names(subject.people, subject.former))
        kept = chain.from_iterable(map(mails_in, paths))
        witness = held(log, kept, Retold(log), _signatures(report, key, dns=dns))
    except NotAMailbox as error:
        raise Problem(str(error), EXIT_COULD_NOT_LOOK) from None
    except (Damaged, Unreadable):
        report.not_checked[_CHECK] = "the events cannot be read"
        return None
    except NotComparable as error:
        report.not_checked[_CHECK] = str(error)
        return None
    if not witness.of_game:
        why = witness.not_usable
        first = "" if len(why) == 1 else "; the first one"
        told = f" ({counted(len(why), 'message')} not usable{first}: {why[0]})" if why else ""
        mails = "The one message is not" if witness.mails == 1 else f"None of the {witness.mails} messages is"
        raise Problem(f"{mails} about {log.game_id}{told}.", EXIT_COULD_NOT_LOOK)
    report.findings += witness.findings
    if not witness.findings:
        report.passed.append(_CHECK)
    return witness


def _signatures(report: Report, key: Path | None, *, dns: bool) -> Signatures | None:
    """Return the judge of signatures, None if there is none. Raises Problem for a file without a key."""
    from felix_async.audit.kept.signatures import NEEDS, Signatures, from_dns, key_in

    if key is None and not dns:
        report.not_checked["signatures"] = "give the key of felix's domain (--dkim-key), or --dns"
        return None
    record = None
    if key is not None:
        try:
            record = key_in(key.read_text("utf-8"))
        except OSError as error:
            why = error.strerror or "no such name"
            raise Problem(f"{plain(str(key))}: it cannot be read ({why}).", EXIT_COULD_NOT_LOOK) from None
        except ValueError:
            record = None
        if record is None:
            raise Problem(f"There is no DKIM key in {plain(str(key))}.", EXIT_COULD_NOT_LOOK)
    try:
        return Signatures(from_dns if record is None else lambda _: record)
    except ImportError:
        report.not_checked["signatures"] = NEEDS
        return None


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Tell of findings by version, of those of kept messages only the first ones, in blocks that fit."""
    kept = 0
    for finding in sorted(findings, key=lambda one: one.place):
        kept += finding.check == _CHECK
        if finding.check != _CHECK:
            yield f"  {plain(str(finding), 500)}"
        elif kept <= _MOST_SHOWN:
            yield from _block(cast("Contradiction", finding))
    if kept > _MOST_SHOWN:
        more = counted(kept - _MOST_SHOWN, "more contradiction")
        yield f"  and {more} of kept messages (--json has them all)"


def _block(one: Contradiction) -> Iterator[str]:
    width = text_width()
    yield from wrapped(f"{one.where}{plain(one.message, 500)}", width, "  ", "    ")
    for label, side in (("it says: ", one.expected), ("the log: ", one.found)):
        yield from wrapped(plain(side, 500), width, f"    {label}", " " * (4 + len(label)))


def witness_lines(witness: Witness) -> Iterator[str]:
    """Tell of the mails as lines, with those that say nothing, and why; but for `not_checked`."""
    told = []
    if witness.letters:
        logs = f", {witness.logs} with the same log" if witness.logs else ""
        told.append(f"{counted(witness.letters, 'letter')} of felix's, {witness.fitting} fit it{logs}")
    if witness.sent:
        there = (
            f"{witness.in_log} of them in the log" if witness.tells_mails else "of which this file is silent"
        )
        told.append(f"{counted(witness.sent, 'message')} to felix, {there}")
    elif witness.letters:
        told.append("none to felix (give the folder of sent messages, too)")
    told.append(f"they confirm {len(witness.joined)} of {witness.players} shares of the shuffle")
    yield f"  messages: {'; '.join(told)}"
    signed = [f"{number} by {plain(domain)}" for domain, number in witness.signed.items()]
    if signed or witness.unsigned:
        yield f"  signed: {', '.join(signed) or 'none'}"
    for one in witness.unsigned:
        yield f"  not signed: {one}"
    rest = [(witness.other_games, "about other games"), (witness.others, "about none")]
    left_out = [f"{number} {what}" for number, what in rest if number]
    if left_out:
        yield f"  messages left out: {', '.join(left_out)}"
    for one in witness.not_usable:
        yield f"  not usable: {one}"
    for one in witness.idle[:_MOST_SHOWN]:
        yield f"  not in the log: {one}"
    if len(witness.idle) > _MOST_SHOWN:
        yield f"  not in the log: {len(witness.idle) - _MOST_SHOWN} more (--json has them all)"


def witness_json(witness: Witness) -> dict[str, Any]:
    """The same for scripts; the findings stand with the others."""
    told = asdict(witness)
    del told["findings"]
    return told
