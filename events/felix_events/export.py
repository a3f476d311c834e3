"""A game as a file: a header line, its events, and a trailer that makes every changed byte show.

    {"felix":1,"game_id":"k7m2p","names":["Anna","Ben","Cara"],"table":"Thursday club","checks":"8f0c…"}
    {"actor":"host","at":…,"version":1}                                      one envelope a line, in order
    {"opens":41,"record":{…}}                              once the game is over: private records, by version
    {"seat_log":2,"size":9,"root":"<base64>","checks":"77ab…"}       and the seats' own logs, by seat,
    {"actor":"seat","at":…,"version":1}                              each with its envelopes below,
    {"opens":1,"record":{…}}                                         and their private records
    {"trailer":1,"size":152,"root":"<base64>","sha256":"<hex>"}

`root` is the RFC 6962 root over the events (`felix_events.tree`), `sha256` is over every byte before the
trailer. `names` are the seats' names as they were at the time of the export; header and private records lie
outside the tree, and a seat's log has a tree of its own. `checks` holds the first eight hexadecimal digits of
each event's leaf: it proves nothing, and serves to name the damaged line where a trailer does not fit.

Files are read as bytes, lines end with 0x0A and nothing else, and each line must be exactly what felix
would have written.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Final, Literal, TypeVar

import orjson
from pydantic import Field, ValidationError

from felix_events.envelope import GameId, Private, PrivateV2, encode_private
from felix_events.model import Record, Seat
from felix_events.tree import leaf, tree_root

T = TypeVar("T", bound=Record)
_OPENS: Final = b'{"opens":'
_SEAT_LOG: Final = b'{"seat_log":'
_TRAILER: Final = b'{"trailer":'


class Header(Record):
    """The first line."""

    felix: Literal[1] = 1
    game_id: GameId
    names: Annotated[list[str], Field(max_length=5)]
    table: str
    checks: str


class Trailer(Record):
    """The last line."""

    trailer: Literal[1] = 1
    size: Annotated[int, Field(ge=0)]
    root: str
    sha256: str


class Opened(Record):
    """The private record of the event with version `opens`, of the game or of the seat's log above it."""

    opens: Annotated[int, Field(ge=1)]
    record: PrivateV2 | Private


class Heading(Record):
    """The line above a seat's own log: how many events it holds, and what the trailer and the header say of a
    game's.
    """

    seat_log: Seat
    size: Annotated[int, Field(ge=1)]
    root: str
    checks: str


@dataclass(frozen=True, slots=True)
class OwnLog:
    """A seat's own log: its events' bytes, and private records by version."""

    bodies: Sequence[bytes]
    private_records: Mapping[int, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Export:
    """A file read: its header, the events' bytes as they stand there, private records by version, and the
    seats' own logs by seat.
    """

    header: Header
    bodies: list[bytes]
    private_records: dict[int, bytes] = field(default_factory=dict)
    seat_logs: dict[int, OwnLog] = field(default_factory=dict)


class NotAnExport(ValueError):
    """The bytes are no felix export at all."""


class Damaged(ValueError):
    """A felix export in which a line is not as it was written. Lines count from 1, the header's is 1."""

    def __init__(self, line: int, expected: str, found: str) -> None:
        super().__init__(f"line {line}: expected {expected}, found {found}")
        self.line = line
        self.expected = expected
        self.found = found


def write_export(
    game_id: str,
    names: Sequence[str],
    table: str,
    bodies: Sequence[bytes],
    private_records: Mapping[int, bytes] | None = None,
    seat_logs: Mapping[int, OwnLog] | None = None,
) -> bytes:
    """The bytes of an export; the same game gives the same bytes. A seat's log that is empty is left out."""
    leaves = [leaf(body) for body in bodies]
    header = Header(game_id=game_id, names=list(names), table=table, checks=_checks(leaves))
    opened = _opened_lines(private_records or {})
    own = [
        line
        for seat, log in sorted((seat_logs or {}).items())
        if log.bodies
        for line in (_heading(seat, log.bodies), *log.bodies, *_opened_lines(log.private_records))
    ]
    before = b"".join(line + b"\n" for line in (_line(header), *bodies, *opened, *own))
    trailer = Trailer(size=len(bodies), root=_base64(tree_root(leaves)), sha256=sha256(before).hexdigest())
    return before + _line(trailer) + b"\n"


def _opened_lines(records: Mapping[int, bytes]) -> list[bytes]:
    return [_opened_line(*one) for one in sorted(records.items())]


def _opened_line(version: int, record: bytes) -> bytes:
    return b'{"opens":%d,"record":%b}' % (version, record)


def read_export(data: bytes) -> Export:
    """The export in these bytes, with every line's place and the trailer checked.

    The contents of the events are not checked. Raises NotAnExport, or Damaged with the first bad line.
    """
    if not _looks_like_export(data):
        raise NotAnExport("this is not a felix export")
    *lines, rest = data.split(b"\n")
    if rest:
        raise Damaged(len(lines) + 1, "a line that ends with a line feed", "the end of the file")
    header = _read(Header, lines[0], 1, "a header")
    end = _trailer_index(header, lines)
    trailer = _read(Trailer, lines[end], end + 1, "a trailer")
    opens = _first_opened(lines[:end])
    bodies = lines[1:opens]
    leaves = [leaf(body) for body in bodies]
    _check_root(header, trailer, leaves, end + 1)
    own = _first_heading(lines, opens, end)
    private_records = _read_opened(lines[opens:own], opens + 1, bodies)
    seat_logs = _read_seat_logs(lines[own:end], own + 1)
    digest = sha256(data[: -len(lines[end]) - 1]).hexdigest()
    if trailer.sha256 != digest:
        _check_around(header, bodies, leaves, private_records, seat_logs)
        raise Damaged(
            end + 1,
            f"sha256 {digest}; the change is here, or in the header, line 1, or a private record is missing",
            f"sha256 {trailer.sha256}",
        )
    return Export(header, bodies, private_records, seat_logs)


def _trailer_index(header: Header, lines: Sequence[bytes]) -> int:
    """The index of the last line, which is the trailer; Damaged names the first line that is amiss if not."""
    end = next((index for index, line in enumerate(lines) if line.startswith(_TRAILER)), len(lines))
    if end == len(lines) - 1:
        return end
    opens = _first_opened(lines[:end])
    bodies = lines[1:opens]
    changed = _first_difference(header.checks, _checks([leaf(body) for body in bodies]))
    if changed is not None:
        raise Damaged(
            changed + 2, f"version {changed + 1} as it was exported, and a trailer at the end", "neither"
        )
    own = _first_heading(lines, opens, end)
    _read_opened(lines[opens:own], opens + 1, bodies)
    _read_seat_logs(lines[own:end], own + 1)
    if end == len(lines):
        raise Damaged(end + 1, "a trailer at the end", "none")
    _read(Trailer, lines[end], end + 1, "a trailer")
    raise Damaged(end + 2, "the end of the file after the trailer", "another line")


def _check_root(header: Header, trailer: Trailer, leaves: list[bytes], line: int) -> None:
    root = _base64(tree_root(leaves))
    if trailer.root == root and trailer.size == len(leaves):
        return
    changed = _first_difference(header.checks, _checks(leaves))
    if changed is None:
        raise Damaged(
            line, f"root {root} and size {len(leaves)}", f"root {trailer.root} and size {trailer.size}"
        )
    raise Damaged(
        changed + 2,
        f"version {changed + 1} as it was exported (root {trailer.root}, {trailer.size} events)",
        f"other bytes (root {root}, {len(leaves)} events)",
    )


def _check_around(
    header: Header,
    bodies: Sequence[bytes],
    leaves: Sequence[bytes],
    private_records: Mapping[int, bytes],
    seat_logs: Mapping[int, OwnLog],
) -> None:
    """The events are as they were: find the change around them, if it can be pinned to a line."""
    if header.checks != _checks(leaves):
        raise Damaged(1, f"checks {_checks(leaves)}", f"checks {header.checks}")
    line = 2 + len(bodies)
    _check_opened(private_records, bodies, line)
    line += len(private_records)
    for log in seat_logs.values():
        line += 1 + len(log.bodies)
        _check_opened(log.private_records, log.bodies, line)
        line += len(log.private_records)


def _check_opened(records: Mapping[int, bytes], bodies: Sequence[bytes], first_line: int) -> None:
    for line, (version, record) in enumerate(records.items(), first_line):
        if not _fits(record, version, bodies):
            raise Damaged(line, f"the private record that version {version} names", "another")


def _read_opened(lines: Sequence[bytes], first_line: int, bodies: Sequence[bytes]) -> dict[int, bytes]:
    records: dict[int, bytes] = {}
    last = 0
    for number, line in enumerate(lines, first_line):
        opened = _read(Opened, line, number, "a private record")
        if opened.opens <= last:
            # Out of order: this one, or the one before if that is not the record of its event.
            wrong = number if _fits(records[last], last, bodies) else number - 1
            raise Damaged(wrong, "private records by version", f"{last} before {opened.opens}")
        last = opened.opens
        records[last] = encode_private(opened.record)[0]
    return records


def _read_seat_logs(lines: Sequence[bytes], first_line: int) -> dict[int, OwnLog]:
    logs: dict[int, OwnLog] = {}
    start = 0
    while start < len(lines):
        number = first_line + start
        heading = _read(Heading, lines[start], number, "the heading of a seat's log")
        start += 1
        log = list(lines[start : start + heading.size])
        start += heading.size
        if heading.seat_log <= max(logs, default=-1) or len(heading.checks) != 8 * heading.size:
            raise Damaged(number, "the seats' logs by seat, with a check for each event", "another heading")
        _check_seat_log(heading, log, number)
        if b'/seat/%d"' % heading.seat_log not in log[0]:
            raise Damaged(number, "the seat whose log this is", f"seat {heading.seat_log}")
        end = _first_heading(lines, start, len(lines))
        logs[heading.seat_log] = OwnLog(log, _read_opened(lines[start:end], first_line + start, log))
        start = end
    return logs


def _check_seat_log(heading: Heading, log: Sequence[bytes], line: int) -> None:
    leaves = [leaf(body) for body in log]
    changed = _first_difference(heading.checks, _checks(leaves))
    if changed is None and heading.root == _base64(tree_root(leaves)):
        return
    if changed is None or heading.root == _base64(tree_root(leaves)):
        raise Damaged(line, "a heading that fits the log below it", "one that does not")
    version = f"version {changed + 1} of the log of seat {heading.seat_log} as it was exported"
    raise Damaged(line + changed + 1, version, "other bytes")


def _heading(seat: int, log: Sequence[bytes]) -> bytes:
    leaves = [leaf(body) for body in log]
    root = _base64(tree_root(leaves))
    return _line(Heading(seat_log=seat, size=len(log), root=root, checks=_checks(leaves)))


def _fits(record: bytes, version: int, bodies: Sequence[bytes]) -> bool:
    """Return True if the event of this version names this private record."""
    return any(sha256(record).hexdigest().encode("ascii") in body for body in bodies[version - 1 : version])


def _read(kind: type[T], line: bytes, number: int, name: str) -> T:
    try:
        record = kind.model_validate_json(line)
    except ValidationError:
        raise Damaged(number, name, "something else") from None
    if _line(record) != line:
        raise Damaged(number, f"{name} as felix writes it", "other bytes")
    return record


def _line(record: Record) -> bytes:
    if isinstance(record, Opened):
        return _opened_line(record.opens, encode_private(record.record)[0])
    return orjson.dumps(record.model_dump())


def _looks_like_export(data: bytes) -> bool:
    """Return True if felix wrote this; one changed byte in a telling place must not hide that."""
    first, _, rest = data.partition(b"\n")
    last = rest.rstrip(b"\n").rpartition(b"\n")[2]
    return (
        first.startswith(b'{"felix":1,')
        or last.startswith(b'{"trailer":1,')
        or (b'"type":"game_created"' in rest.partition(b"\n")[0] and b'"game_id":' in first)
    )


def _first_opened(lines: Sequence[bytes]) -> int:
    """The index of the first private record, or where one could have stood."""
    after = (_OPENS, _SEAT_LOG)
    return next((index for index, line in enumerate(lines) if line.startswith(after)), len(lines))


def _first_heading(lines: Sequence[bytes], start: int, end: int) -> int:
    """The index of the first seat's log from `start` on, or where one could have stood."""
    return next((index for index in range(start, end) if lines[index].startswith(_SEAT_LOG)), end)


def _checks(leaves: Sequence[bytes]) -> str:
    return "".join(leaf_hash[:4].hex() for leaf_hash in leaves)


def _first_difference(expected: str, found: str) -> int | None:
    """The index of the first event whose check differs."""
    for index in range(0, max(len(expected), len(found)), 8):
        if expected[index : index + 8] != found[index : index + 8]:
            return index // 8
    return None


def _base64(root: bytes) -> str:
    return base64.b64encode(root).decode("ascii")
