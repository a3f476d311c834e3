"""The database against the log: whether its rows are those that the log's events came of and led to.

The log may be sound, and the rows beside it tell another story: a mail with another line, a command that
nothing came of, a letter with another log. Only what holds in every honest database is expected: what was
erased, cut down or retired is counted, and of an imported game there are but a few rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, get_args

from felix_async.audit.audit import Finding, Report
from felix_async.audit.beside import CHECK, MOST, Looks, Named
from felix_async.audit.evidence import Evidence, Flaw, created_in
from felix_async.audit.posted import look_at_letters, look_at_notices, look_at_tidings
from felix_async.audit.private import opened_there
from felix_async.audit.received import look_at_commands, look_at_mails
from felix_async.audit.redacted import envelopes_of
from felix_async.audit.seat_logs import own_logs
from felix_async.follow_up.due import Kind
from felix_events import model as m
from felix_events.envelope import Envelope
from felix_events.lines import MOST_OF_SALT
from felix_events.store.base import Reader, StoreError
from felix_events.store.rows import GameRow

_DUE: Final = frozenset(get_args(Kind))
_UNREADABLE: Final = (
    *(LookupError, ValueError, TypeError, ArithmeticError, AttributeError, StoreError),
    RecursionError,
)


def look_beside(reader: Reader, evidence: Evidence, report: Report) -> None:
    """Add to a report on a game what the rows of its database say."""
    if not {"bytes", "tree"} <= set(report.passed) or any(one.check == "seats" for one in report.findings):
        report.not_checked[CHECK] = "the log that it is held to is not sound"
        return
    row = reader.game(evidence.game_id)
    if row is None:
        report.findings.append(Finding(CHECK, 1, "a row of the game", "none"))
        return
    try:
        envelopes = envelopes_of(evidence)
        looks = Looks(reader, evidence, envelopes, row, list(_named(evidence, envelopes)))
    except (*_UNREADABLE, Flaw):
        report.not_checked[CHECK] = "the log that it is held to cannot be followed"
        return
    for look in (_look_at_game, _look_at_people, _look_at_sayings, _look_at_due, _look_at_post):
        _run(looks, look)
    if looks.is_by_mail:
        _run(looks, look_at_mails)
    if not looks.is_imported:
        _run(looks, look_at_commands)
    _tell(looks, report)


class Whole(Report):
    """The findings on what belongs to no game alone; in place of a game's id the name of the database."""


def look_at_whole(reader: Reader, name: str, game_id: str | None = None) -> Whole:
    """The report on how the database is made, and on rows that lead nowhere; with a game, on those of it."""
    report = Whole(name, 0)
    for odd in reader.odd_schema():
        report.findings.append(Finding(CHECK, 0, f"{odd} as felix makes it", "none, or another one"))
    for game, command_id in reader.unheard_of(game_id)[:MOST]:
        expected = f"an event of game {game} that command {_shown(command_id)} caused"
        report.findings.append(Finding(CHECK, 0, expected, "none"))
    if game_id is None:
        for pair in reader.orphans():
            report.findings.append(Finding(CHECK, 0, f"rows that are there ({pair})", "none"))
    return report


def _shown(command_id: str) -> str:
    return command_id if len(command_id) < 20 else f"{command_id[:16]}…"


def _named(evidence: Evidence, envelopes: list[Envelope]) -> Iterator[Named]:
    """The private records that are there, with their events, of the game's log and of those of its seats."""
    for version, record in opened_there(evidence, envelopes).items():
        yield Named(envelopes[version - 1], record, None, version)
    for seat, log in own_logs(evidence, envelopes).items():
        for version, record in log.records.items():
            envelope = log.envelopes[version - 1]
            until = min(getattr(envelope.data, "size", len(envelopes)), len(envelopes))
            yield Named(envelope, record, seat, until)


def _run(looks: Looks, look: Callable[[Looks], object]) -> None:
    """A row that makes no sense is a finding, and the others are looked at all the same."""
    try:
        look(looks)
    except _UNREADABLE:
        what = look.__name__.strip("_").removeprefix("look_at_")
        looks.expect(False, 1, f"rows of the database that can be read ({what})", "others")


def _tell(looks: Looks, report: Report) -> None:
    findings = sorted(looks.odd, key=lambda one: one.version)
    report.findings += findings[:MOST]
    if len(findings) > MOST:
        more = f"{len(findings) - MOST} more rows that are not"
        report.findings.append(Finding(CHECK, looks.size, "rows that fit the log", more))
    if looks.not_checked:
        report.not_checked[CHECK] = "; ".join(f"{what}: {count}" for what, count in looks.not_checked.items())
    elif not findings:
        report.passed.append(CHECK)


def _look_at_game(looks: Looks) -> None:
    """The row of the game: how it came here, and since when."""
    row = looks.row
    first = next((one for one in looks.named if one.seat is None and one.envelope.version == 1), None)
    if looks.is_imported:
        looks.expect(not _was_played(looks, row, first), 1, "a game that was imported", "rows of one played")
        return
    is_seeded = created_in(looks.envelopes).options.seeded
    has_mails = any(one.record.mail_sha256 is not None for one in looks.named)
    is_known = {"played": True, "local": not has_mails, "simulated": is_seeded}
    looks.expect(is_known.get(row.kind, False), 1, "a game of the kind that its log shows", row.kind)
    looks.expect(row.seed is not None, 1, "the seed of the game", "none")
    created_at = looks.envelopes[0].at
    looks.expect(row.created_at <= created_at, 1, f"a game created by {created_at}", row.created_at)
    if first is not None and looks.is_by_mail:
        is_by_mail = first.record.channel == "mail"
        looks.expect(
            (row.opened_by is not None) == is_by_mail, 1, "who opened it if it was by mail", "otherwise"
        )


def _was_played(looks: Looks, row: GameRow, first: Named | None) -> bool:
    """Return True if a game that counts as imported has what only games of this server have."""
    reader, game_id = looks.reader, looks.game_id
    command = None if first is None else reader.command(first.record.cause)
    return bool(
        row.seed is not None
        or any(seat.secret for seat in reader.seats(game_id))
        or reader.noted(game_id)
        or (command is not None and command[0] == game_id)
    )


def _look_at_people(looks: Looks) -> None:
    """The seats are those of the log, with who sits there, and who has lost them."""
    rows, seats = looks.reader.seats(looks.game_id), looks.game.seats
    numbers = [row.seat for row in rows]
    looks.expect(numbers == list(range(len(seats))), 1, f"{len(seats)} seats", f"{len(rows)}")
    taken = {
        envelope.version: (envelope.data.seat, looks.sat[envelope.version - 1][envelope.data.seat])
        for envelope in looks.envelopes
        if isinstance(envelope.data, m.SeatTaken)
    }
    for row in rows:
        if row.seat < len(seats):
            last = max((version for version, (seat, _) in taken.items() if seat == row.seat), default=1)
            is_theirs = row.player_id == seats[row.seat].player_id
            looks.expect(is_theirs, last, f"who sits in seat {row.seat} by the log", "somebody else")
    former = {row.version: (row.seat, row.player_id) for row in looks.reader.former(looks.game_id)}
    for version in sorted(former.keys() | taken.keys()):
        if looks.is_imported and version not in former:
            continue  # the file did not tell their names
        fits = former.get(version) == taken.get(version)
        looks.expect(fits, version, "who lost a seat then, by the log", "somebody else, nobody, or more")


def _look_at_sayings(looks: Looks) -> None:
    """Each line that was said belongs to its event, and the other way round; after the end people talk on."""
    rows = {row.version: row for row in looks.reader.sayings(looks.game_id)}
    for version, row in rows.items():
        event = looks.at(version)
        is_said = isinstance(event, m.PlayerSaid) and event.seat == row.seat
        is_after = version > looks.size and looks.row.is_over and 0 <= row.seat < len(looks.game.seats)
        looks.expect(is_said or is_after, version, "something said there by the log", "nothing, or by others")
        looks.expect(len(row.salt) <= MOST_OF_SALT, version, "a salt of what was said", "other bytes")
    for envelope in looks.envelopes:
        if isinstance(envelope.data, m.PlayerSaid) and not looks.is_imported:
            looks.expect(
                envelope.version in rows,
                envelope.version,
                "the row of what was said, though forgotten",
                "none",
            )


def _look_at_due(looks: Looks) -> None:
    """The deadlines are those of the log, and nothing is due beyond it; the rest follows no single rule."""
    rows, seats = looks.reader.due_of(looks.game_id), looks.game.seats
    if looks.is_imported or looks.row.is_over:
        looks.expect(not rows, looks.size, "nothing due in a game that nobody plays", "rows")
        return
    if looks.reader.trouble(looks.game_id) is not None:
        looks.not_checked["deadlines of a game in trouble"] += 1
        return
    for row in rows:
        is_there = row.kind in _DUE and 0 <= row.seat < len(seats) and 0 <= row.turn <= seats[row.seat].turn
        looks.expect(is_there, looks.size, "due rows of decisions that the log knows", f"one of {row.kind}")
    by_log = {
        (seat, state.time.deadline.turn, state.time.deadline.at)
        for seat, state in enumerate(seats)
        if state.time.deadline is not None
    }
    kept = {(row.seat, row.turn, row.due_at) for row in rows if row.kind == "deadline"}
    looks.expect(kept == by_log, looks.size, "the deadlines that the log gives", "others")


def _look_at_post(looks: Looks) -> None:
    """The notices of the game, and the letters that they became."""
    if looks.is_imported:
        return
    notices, told = look_at_notices(looks), look_at_tidings(looks)
    if looks.is_by_mail:
        look_at_letters(looks, notices, told)
