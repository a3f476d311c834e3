"""Evidence for an audit: a game taken out of a store, or out of an exported file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from felix_async.game.views import Viewer
from felix_async.text import plain
from felix_events import model as m
from felix_events.envelope import SEAT_NUMBERS, Envelope, seat_log_id
from felix_events.export import Export, OwnLog, write_export
from felix_events.lines import MOST_OF_SALT, Said
from felix_events.store.base import Reader
from felix_events.store.rows import LogRow
from felix_events.tree import extend, leaf


@dataclass(frozen=True, slots=True)
class Kept:
    """The facts kept beside the events: versions and ranges of the rows, size, state, clock and seed."""

    versions: Sequence[int]
    ranges: Sequence[bytes]
    size: int
    state: str
    clock: str
    seed: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class SeatLog(OwnLog):
    """A seat's own log, and the rows that a store kept it in (None: out of a file)."""

    rows: Sequence[LogRow] | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A game to be looked at: its events' bytes, its private records by version, and what a store kept.

    `records_expected` says that each event which names a private record must come with it. `seat_logs` are
    the seats' own logs, by seat, those that hold anything. `said` is what players said, by version, but for
    those who were forgotten.
    """

    game_id: str
    bodies: Sequence[bytes]
    private_records: dict[int, bytes]
    kept: Kept | None = None
    records_expected: bool = False
    seat_logs: Mapping[int, SeatLog] = field(default_factory=dict)
    said: Mapping[int, Said] = field(default_factory=dict)
    checkpoint: str | None = None
    viewer: Viewer = "all"
    """Whose file it is: anything but `"all"` means that there are lines in place of events."""


class Flaw(Exception):
    """The first thing that is wrong, which ends a check; `seat` if it is in that seat's own log."""

    def __init__(self, version: int, expected: str, found: str, seat: int | None = None) -> None:
        super().__init__(version, expected, found, seat)
        self.version = version
        self.expected = expected
        self.found = found
        self.seat = seat


def created_in(events: Sequence[m.Event | Envelope]) -> m.GameCreated:
    """Return the first event of a log, whose bytes have been checked."""
    first = events[0].data if isinstance(events[0], Envelope) else events[0]
    assert isinstance(first, m.GameCreated), "no log begins otherwise"
    return first


def veiled(text: str, instead: str, *, over: bool) -> str:
    """Return what a finding tells; of a game that runs, what stands for it."""
    return text if over else f"{instead} (hidden while the game runs)"


def evidence_of(reader: Reader, game_id: str) -> Evidence | None:
    """Return a game with all that the store keeps beside it, None if the store knows nothing of it."""
    rows = reader.log(game_id)
    game = reader.game(game_id)
    seat_rows = {seat: reader.log(seat_log_id(game_id, seat)) for seat in range(len(SEAT_NUMBERS))}
    seat_logs = {
        seat: SeatLog([row.body for row in log], _records_of(log), log)
        for seat, log in seat_rows.items()
        if log
    }
    if game is None and not rows and not seat_logs:
        return None
    return Evidence(
        game_id,
        [row.body for row in rows],
        _records_of(rows),
        Kept(
            [row.version for row in rows],
            [row.range_ for row in rows],
            size=0 if game is None else game.size,
            state="unknown" if game is None else game.state,
            clock="" if game is None else game.clock,
            seed=None if game is None else game.seed,
        ),
        # A game that was exported while it ran comes without its private records.
        records_expected=game is None or game.kind != "imported" or game.is_over,
        seat_logs=seat_logs,
        said=_said(reader, game_id, len(rows)),
    )


def not_as_written(evidence: Evidence) -> Flaw | None:
    """Return the first event that does not fit the tree kept beside it.

    None if all do, or nothing is kept. A file made of such a log would pass for sound: its tree is a new one.
    """
    kept, range_ = evidence.kept, b""
    if kept is None:
        return None
    bodies = evidence.bodies
    for index, (version, stored, body) in enumerate(zip(kept.versions, kept.ranges, bodies, strict=True)):
        if version != index + 1:
            return Flaw(index + 1, f"version {index + 1} in the log", f"version {version}")
        range_ = extend(range_, index, leaf(body))
        if stored != range_:
            return Flaw(version, "an event that fits the tree kept beside it", "other bytes")
    if kept.size != len(bodies):
        return Flaw(min(kept.size, len(bodies)) + 1, f"a log of {kept.size} events", f"{len(bodies)} events")
    return None


def _said(reader: Reader, game_id: str, size: int) -> dict[int, Said]:
    """What was said up to the end of the log: after it people talk among themselves."""
    rows = [one for one in reader.sayings(game_id) if one.text and 0 < one.version <= size]
    rows = [one for one in rows if len(one.salt) <= MOST_OF_SALT]
    return {one.version: Said(said=one.version, text=one.text, salt=one.salt.hex()) for one in rows}


def _records_of(rows: Sequence[LogRow]) -> dict[int, bytes]:
    return {row.version: row.private_record for row in rows if row.private_record is not None}


def exported(
    evidence: Evidence,
    names: Sequence[str],
    table: str,
    *,
    is_over: bool,
    former: Sequence[tuple[int, int, str]] = (),
) -> bytes:
    """The bytes of a game's export. Once the game is over, with its private records and the seats' own logs.

    `names` are by seat, '' for a player who was forgotten; `former` are (version, seat, name) of those who
    sat in a seat until that version.
    """
    return write_export(
        evidence.game_id,
        [plain(name) for name in names],
        plain(table),
        evidence.bodies,
        evidence.private_records if is_over else {},
        evidence.seat_logs if is_over else {},
        said=evidence.said,
        former=[(version, seat, plain(name)) for version, seat, name in former],
        viewer=evidence.viewer,
    )


def evidence_in(export: Export) -> Evidence:
    """A game in a file, whose trailer `read_export` has checked."""
    seat_logs = {seat: SeatLog(log.bodies, log.private_records) for seat, log in export.seat_logs.items()}
    return Evidence(
        export.header.game_id,
        export.bodies,
        export.private_records,
        seat_logs=seat_logs,
        said=export.said,
        checkpoint=export.checkpoint,
        viewer=export.header.viewer,
    )
