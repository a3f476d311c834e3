"""The records of a game: `audit`, `export`, `import`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from felix_async.audit.audit import Finding, Report
from felix_async.audit.audit import audit as audit_evidence
from felix_async.audit.database import Whole
from felix_async.audit.evidence import created_in
from felix_async.audit.redacted import exported_for
from felix_async.clock import system_clock, text_of
from felix_async.settings import SettingsError
from felix_async.text import plain
from felix_cli.audit_workers import audit_all, audit_one, audit_whole
from felix_cli.completion import complete_target, complete_viewer
from felix_cli.kept_mails import finding_lines, mail_options, with_mails, witness_json, witness_lines
from felix_cli.naming import game_named, is_file, viewer_of
from felix_cli.output import (
    EXIT_COULD_NOT_LOOK,
    EXIT_PROBLEM,
    Problem,
    counted,
    echo_fitting,
    print_json,
    problem_of,
    progress,
    say,
)
from felix_cli.whole_file import write_game
from felix_cli.wiring import (
    Subject,
    db_option,
    followed,
    json_option,
    look_up,
    read_database,
    settings_for,
    subject_in,
    target_argument,
    write_database,
)
from felix_events.envelope import Envelope, clock_text, seat_log_id
from felix_events.export import NotAnExport
from felix_events.lines import Damaged
from felix_events.model import PlayerSaid, SeatTaken
from felix_events.store.base import StoreError, Tx
from felix_events.store.rows import GameRow, Saying, Sealed, SeatRow

if TYPE_CHECKING:
    from felix_async.audit.kept.witness import Witness

_EXPORT: Final = b'{"felix":'


@click.command()
@click.argument("target", metavar="[GAME|FILE]", required=False, shell_complete=complete_target)
@click.option("--all", "every", is_flag=True, help="Every game of the database.")
@mail_options
@json_option
@db_option
def audit(
    target: str | None,
    every: bool,
    mail: Sequence[Path],
    dkim_key: Path | None,
    dns: bool,
    as_json: bool,
    db: Path | None,
) -> None:
    """Check whether a game is sound: exit 0 sound, 1 findings, 2 could not look.

    With --mail, kept messages are held against it: what felix wrote at the time, and what was written to it.

    \b
    Example:
      felix audit k7m2p.jsonl --mail result.eml --mail ~/Maildir
    """
    if every == (target is not None):
        raise click.UsageError("Give a game, a file or --all.")
    if not mail and (dkim_key is not None or dns):
        raise click.UsageError("Signatures are those of messages: give some with --mail.")
    if every and mail:
        raise click.UsageError("Messages are held against one game: give it in place of --all.")
    reports: list[Report] = []
    witness: Witness | None = None
    try:
        for report in _audit_all(db, as_json=as_json) if target is None else _audit_one(target, db):
            if report.later and not report.findings and target is not None:
                mails = ". No message was held against it" if mail else ""
                raise Problem(f"{report.later}{mails}.", EXIT_COULD_NOT_LOOK)
            if mail and target is not None and not isinstance(report, Whole):
                witness = with_mails(report, target, db, mail, dkim_key, dns=dns)
            reports.append(report)
            if not as_json:
                for line in _report_lines(report, None if isinstance(report, Whole) else witness):
                    echo_fitting(line)
    except (Problem, NotAnExport, StoreError, SettingsError) as error:
        problem = problem_of(error) or error
        raise Problem(str(problem), EXIT_COULD_NOT_LOOK) from error
    if as_json:
        print_json([_report_json(one, None if isinstance(one, Whole) else witness) for one in reports])
    elif every:
        games = [report for report in reports if not isinstance(report, Whole)]
        unsound = sum(bool(report.findings) for report in games)
        unread = len(games) - unsound - sum(report.sound for report in games)
        later = f", {unread} with events that this felix does not know" if unread else ""
        say(f"{counted(len(games), 'game')}, {unsound or 'none'} with findings{later}.")
    if any(report.findings for report in reports):
        raise click.exceptions.Exit(EXIT_PROBLEM)
    if not all(report.sound for report in reports):
        raise click.exceptions.Exit(EXIT_COULD_NOT_LOOK)


def _audit_one(target: str, db: Path | None) -> Iterator[Report]:
    """The report on a game or a file; behind it that on the database, if anything is wrong with that."""
    if is_file(target):
        yield _audit_file(target)
        return
    with read_database(db) as reader:
        game_id = game_named(reader, target)
        yield audit_one(reader, game_id)
        whole = audit_whole(reader, settings_for(db).database, game_id)
    if not whole.sound:
        yield whole


def _audit_file(target: str) -> Report:
    try:
        subject = subject_in(Path(target))
        report = audit_evidence(subject.evidence)
        if subject.in_page:
            report.not_checked["page"] = "only the log in it was read; `felix replay` tells the game by that"
        return report
    except Damaged as damage:
        report = Report(plain(target), 0)
        finding = Finding("file", 0, damage.expected, damage.found, line=damage.line)
        report.findings.append(finding)
        return report


def _audit_all(db: Path | None, *, as_json: bool) -> Iterator[Report]:
    """The same of all games, as they are done; on a terminal their lines tell how far it is."""
    with read_database(db) as reader:
        game_ids = reader.logs()
    path = settings_for(db).database
    reports = audit_all(path, game_ids)
    has_lines = sys.stdout.isatty() and not as_json
    yield from reports if has_lines else progress(reports, len(game_ids), "auditing")
    with read_database(db) as reader:
        whole = audit_whole(reader, path)
    if not whole.sound:
        yield whole


def _report_lines(report: Report, witness: Witness | None) -> Iterator[str]:
    if report.later and not report.findings:
        yield f"{report.game_id}: not checked: {report.later}"
        return
    if report.sound:
        yield f"{report.game_id}: sound ({report.size} events; checked {', '.join(report.passed)})"
    else:
        yield f"{report.game_id}: not sound"
    yield from finding_lines(report.findings)
    for note in report.notes:
        yield f"  note: {note}"
    if witness is not None:
        yield from witness_lines(witness)
    for check, why in report.not_checked.items():
        yield f"  not checked: {check}: {why}"
    for one in witness.not_checked if witness is not None else ():
        yield f"  not checked: {one}"


def _report_json(report: Report, witness: Witness | None) -> dict[str, Any]:
    told = {**asdict(report), "sound": report.sound}
    return told if witness is None else told | {"mails": witness_json(witness)}


@click.command()
@target_argument
@click.option(
    "--as",
    "viewer",
    metavar="PLAYER|spectator|all",
    shell_complete=complete_viewer,
    help="Only what this one may know.  [default: all]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="FILE|-",
    default="-",
    help="The file.  [default: standard output]",
)
@db_option
def export(target: str, viewer: str | None, output: Path, db: Path | None) -> None:
    """Write a game to a file that can be audited anywhere.

    While a game runs its export holds the hidden cards: keep it to yourself. With --as it holds only
    what this viewer may know.

    \b
    Example:
      felix export k7m2p -o k7m2p.jsonl
    """
    subject = look_up(target, db).whole().as_written()
    _, game = followed(subject, None)
    over = game.is_over
    seen_by = "all" if viewer in (None, "all") else viewer_of(viewer, game, subject)
    data = exported_for(
        seen_by, subject.evidence, subject.people, subject.table, is_over=over, former=subject.former
    )
    write_game(output, data, seen_by, is_over=over, opening=_EXPORT, kind="export")


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@db_option
def import_(file: Path, db: Path | None) -> None:
    """Import an exported game, read-only; it is audited first and cannot be played on.

    \b
    Example:
      felix import k7m2p.jsonl
    """
    subject = subject_in(file).whole()
    report = audit_evidence(subject.evidence)
    if report.later and not report.findings:
        raise Problem(f"{report.later}.", EXIT_COULD_NOT_LOOK)
    if not report.sound:
        raise Problem(f"This game is not sound and was not imported: {report.findings[0]}.")
    evidence = subject.evidence
    envelopes, game = followed(subject, None)
    created = created_in(envelopes)
    with write_database(db, create=True) as tx:
        row = GameRow(
            subject.game_id,
            subject.table,
            "imported",
            text_of(system_clock()),
            None,
            clock=clock_text(game.clock),
        )
        tx.add_game(row)
        for seat, player_id in enumerate(created.seats):
            _seat_people(tx, subject, envelopes, seat, player_id)
        tx.append(subject.game_id, 0, _sealed(evidence.bodies, evidence.private_records))
        for seat, log in evidence.seat_logs.items():
            tx.append(seat_log_id(subject.game_id, seat), 0, _sealed(log.bodies, log.private_records))
        for version, said in evidence.said.items():
            event = envelopes[version - 1].data
            assert isinstance(event, PlayerSaid), "audited"
            salt = bytes.fromhex(said.salt)
            tx.keep_saying(Saying(subject.game_id, version, event.seat, salt, said.text))
        tx.note_game(subject.game_id, game.standing, game.version)
    look = f"felix show {subject.game_id}" + (f" --db {db}" if db else "")
    click.echo(f"Imported {subject.game_id} ({game.version} events); look at it with `{look}`.")


def _seat_people(tx: Tx, subject: Subject, envelopes: Sequence[Envelope], seat: int, player_id: str) -> None:
    """Enter who sits in a seat, and who sat there before, as far as the file has their names."""
    then = {(version, seat): name for version, seat, name in subject.former}
    name = subject.people[seat] if seat < len(subject.people) else f"Seat {seat}"
    came = [
        (envelope.version, envelope.data.player_id)
        for envelope in envelopes
        if isinstance(envelope.data, SeatTaken)
        and envelope.data.seat == seat
        and (envelope.version, seat) in then
    ]
    names = [*(then[version, seat] for version, _ in came), name]
    tx.add_seat(SeatRow(subject.game_id, seat, player_id, names[0], None, b""))
    for (version, who), name_then in zip(came, names[1:], strict=True):
        tx.reseat(SeatRow(subject.game_id, seat, who, name_then, None, b""), version)


def _sealed(bodies: Sequence[bytes], records: Mapping[int, bytes]) -> list[Sealed]:
    return [Sealed(body, records.get(version)) for version, body in enumerate(bodies, 1)]
