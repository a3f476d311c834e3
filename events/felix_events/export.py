"""A game as a file: a header line, its events, and a trailer that makes every changed byte show.

    {"felix":2,"game_id":"k7m2p","names":["Anna","Ben"],"table":"Thursday club","checks":"8f0c…",
     "former":[[57,1,"Zoe"]],"viewer":"all"}                                 on one line
    {"actor":"host","at":…,"version":1}                                      one envelope a line, in order
    {"said":12,"text":"Good luck!","salt":"…"}                               what was said, by version
    {"opens":41,"record":{…}}                              once the game is over: private records, by version
    {"seat_log":2,"size":9,"root":"<base64>","checks":"77ab…"}       and the seats' own logs, by seat,
    {"actor":"seat","at":…,"version":1}                              each with its envelopes below,
    {"opens":1,"record":{…}}                                         and their private records
    {"trailer":2,"size":152,"root":"<base64>","sha256":"<hex>","checkpoint":null}

`root` is the RFC 6962 root over the events (`felix_events.tree`), `sha256` is over every byte before the
trailer. `names` are the seats' names as they were at the time of the export; header, sayings and private
records lie outside the tree, and a seat's log has a tree of its own. `checks` holds the first eight
hexadecimal digits of the hash of each event's line: it proves nothing, and serves to name the damaged line
where a trailer does not fit. In a file for one viewer, lines of other kinds stand in place of events
(`felix_events.lines`).

Files are read as bytes, lines end with 0x0A and nothing else, and each line must be exactly what felix
would have written. Files of format 1 are read as well: they have no sayings, and less in header and trailer.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, TypeVar

from felix_events.envelope import encode_private
from felix_events.lines import (
    OPENS,
    SAID,
    SEAT_LOG,
    Damaged,
    Header,
    HeaderV1,
    Heading,
    Leaf,
    Opened,
    Said,
    Seen,
    Told,
    ToldHidden,
    Trailer,
    TrailerV1,
    checks_of,
    is_envelope,
    line_of,
    opened_lines,
    read_line,
    root_over,
)

R = TypeVar("R", Said, Opened)
MOST_LINES: Final = 200_000
"""Lines of a file that is read; a game has some hundred."""
_TRAILER: Final = b'{"trailer":'
_FORMAT: Final = re.compile(rb'\{"(?:felix|trailer)":([1-9][0-9]{0,5}),')
_NEWEST: Final = 2
_OR_HEADER: Final = "; the change is here, or in the header, line 1"


@dataclass(frozen=True, slots=True)
class OwnLog:
    """A seat's own log: its events' bytes, and private records by version."""

    bodies: Sequence[bytes]
    private_records: Mapping[int, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Export:
    """A file read: its header, the events' bytes as they stand there (or the lines in their place), private
    records by version, the seats' own logs by seat, what was said by version, and its checkpoint.

    The header of a file of format 1 is told as one of today.
    """

    header: Header
    bodies: list[bytes]
    private_records: dict[int, bytes] = field(default_factory=dict)
    seat_logs: dict[int, OwnLog] = field(default_factory=dict)
    said: dict[int, Said] = field(default_factory=dict)
    checkpoint: str | None = None


class NotAnExport(ValueError):
    """The bytes are no felix export at all."""


class OtherFormat(NotAnExport):
    """They are one of a format that this felix does not know."""

    def __init__(self, number: int) -> None:
        super().__init__(f"this file is of format {number}; this felix reads 1 and {_NEWEST}")


def write_export(
    game_id: str,
    names: Sequence[str],
    table: str,
    bodies: Sequence[bytes],
    private_records: Mapping[int, bytes] | None = None,
    seat_logs: Mapping[int, OwnLog] | None = None,
    *,
    said: Mapping[int, Said] | None = None,
    former: Sequence[tuple[int, int, str]] = (),
    viewer: Seen = "all",
) -> bytes:
    """The bytes of an export; the same game gives the same bytes. A seat's log that is empty is left out."""
    header = Header(
        game_id=game_id,
        names=list(names),
        table=table,
        checks=checks_of(bodies),
        former=list(former),
        viewer=viewer,
    )
    words = [line_of(one) for _, one in sorted((said or {}).items())]
    own = [
        line
        for seat, log in sorted((seat_logs or {}).items())
        if log.bodies
        for line in (_heading(seat, log.bodies), *log.bodies, *opened_lines(log.private_records))
    ]
    lines = (line_of(header), *bodies, *words, *opened_lines(private_records or {}), *own)
    before = b"".join(line + b"\n" for line in lines)
    trailer = Trailer(size=len(bodies), root=_root(bodies), sha256=sha256(before).hexdigest())
    return before + line_of(trailer) + b"\n"


def read_export(data: bytes) -> Export:
    """The export in these bytes, with every line's place and the trailer checked.

    The contents of the events are not checked. Raises NotAnExport, or Damaged with the first bad line.
    """
    number = _format_of(data)
    if data.count(b"\n") > MOST_LINES:
        raise NotAnExport(f"this file has more than {MOST_LINES:,} lines; no felix export has so many")
    *lines, rest = data.split(b"\n")
    if rest:
        raise Damaged(len(lines) + 1, "a line that ends with a line feed", "the end of the file")
    header = _header(lines[0], number)
    end = _trailer_index(header, lines, number)
    trailer = _trailer(lines[end], end + 1, number)
    parts = _Parts.of(lines, end, number)
    _check_events(header, trailer, parts.bodies, end + 1)
    words, records, seat_logs = parts.read()
    digest = sha256(data[: -len(lines[end]) - 1]).hexdigest()
    if trailer.sha256 != digest:
        _check_around(header, parts, words, records, seat_logs)
        raise Damaged(
            end + 1,
            f"sha256 {digest}; the change is here, or in the header, line 1, or a private record is missing",
            f"sha256 {trailer.sha256}",
        )
    if header.checks != checks_of(parts.bodies):
        raise Damaged(1, f"checks {checks_of(parts.bodies)}", f"checks {header.checks}")
    said = {one.said: one for one in words}
    return Export(header, parts.bodies, records, seat_logs, said, trailer.checkpoint)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The lines between header and trailer, cut where their kinds begin."""

    bodies: list[bytes]
    words: list[bytes]
    records: list[bytes]
    own: list[bytes]

    @classmethod
    def of(cls, lines: Sequence[bytes], end: int, number: int) -> _Parts:
        own_kinds = (OPENS, SEAT_LOG)
        words = _first(lines, 1, end, own_kinds if number == 1 else (SAID, *own_kinds))
        records = _first(lines, words, end, own_kinds)
        own = _first(lines, records, end, (SEAT_LOG,))
        return cls(
            list(lines[1:words]), list(lines[words:records]), list(lines[records:own]), list(lines[own:end])
        )

    @property
    def line_of_words(self) -> int:
        """The number of the first line after the events."""
        return 2 + len(self.bodies)

    def read(self) -> tuple[list[Said], dict[int, bytes], dict[int, OwnLog]]:
        """What stands after the events; Damaged names the first line that is amiss."""
        line = self.line_of_words
        words = _read_by_version(Said, self.words, line, self.bodies, "what was said")
        line += len(words)
        records = _read_opened(self.records, line, self.bodies)
        return words, records, _read_seat_logs(self.own, line + len(records))


def _header(line: bytes, number: int) -> Header:
    if number != 1:
        return read_line(Header, line, 1, "a header")
    old = read_line(HeaderV1, line, 1, "a header")
    return Header(game_id=old.game_id, names=old.names, table=old.table, checks=old.checks)


def _trailer(line: bytes, place: int, number: int) -> Trailer:
    if number != 1:
        return read_line(Trailer, line, place, "a trailer")
    old = read_line(TrailerV1, line, place, "a trailer")
    return Trailer(size=old.size, root=old.root, sha256=old.sha256)


def _trailer_index(header: Header, lines: Sequence[bytes], number: int) -> int:
    """The index of the last line, which is the trailer; Damaged names the first line that is amiss if not."""
    end = next((index for index, line in enumerate(lines) if line.startswith(_TRAILER)), len(lines))
    if end == len(lines) - 1:
        return end
    parts = _Parts.of(lines, end, number)
    changed = _first_difference(header.checks, checks_of(parts.bodies))
    if changed is not None:
        raise Damaged(
            changed + 2, f"version {changed + 1} as it was exported, and a trailer at the end", "neither"
        )
    parts.read()
    if end == len(lines):
        raise Damaged(end + 1, "a trailer at the end", "none")
    _trailer(lines[end], end + 1, number)
    raise Damaged(end + 2, "the end of the file after the trailer", "another line")


def _check_events(header: Header, trailer: Trailer, bodies: Sequence[bytes], line: int) -> None:
    """The events have the tree that the trailer says, and what stands in their place is well-formed."""
    root = _root(bodies)
    changed = _first_difference(header.checks, checks_of(bodies))
    if trailer.root != root or trailer.size != len(bodies):
        if changed is None:
            raise Damaged(
                line,
                f"root {_told(root)} and size {len(bodies)}",
                f"root {_told(trailer.root)} and size {trailer.size}",
            )
        raise Damaged(
            changed + 2,
            f"version {changed + 1} as it was exported (root {_told(trailer.root)}, {trailer.size} events)",
            f"other bytes (root {_told(root)}, {len(bodies)} events)",
        )
    if changed is not None and _is_in_line(header.checks, bodies, changed):
        raise Damaged(changed + 2, f"version {changed + 1} as it was exported{_OR_HEADER}", "other bytes")
    for version, body in enumerate(bodies, 1):
        if header.viewer == "all" or root is None or not is_envelope(body):
            _check_in_place(body, version, header.viewer, is_told=root is None)


def _is_in_line(checks: str, bodies: Sequence[bytes], changed: int) -> bool:
    """Return True if it is a line in place of an event that changed, and not its check in the header.

    A changed line has another check altogether, where a changed check differs in a digit.
    """
    if changed >= len(bodies) or is_envelope(bodies[changed]):
        return False
    said = checks[8 * changed : 8 * changed + 8]
    return sum(map(str.__eq__, said, checks_of(bodies[changed : changed + 1]))) < len(said) - 1


def _check_in_place(body: bytes, version: int, viewer: Seen, *, is_told: bool) -> None:
    """A line that stands in place of an event is as felix writes it, at its place, and not for everybody."""
    if viewer == "all":
        if not is_envelope(body):
            raise Damaged(version + 1, "an event, in a file with all of them", "a line in place of one")
    elif not is_told:
        found = read_line(Leaf, body, version + 1, "the leaf of a hidden event")
        if found.version != version:
            raise Damaged(version + 1, f"the leaf of version {version}", f"that of version {found.version}")
    else:
        kind: type[Told | ToldHidden] = Told if b',"data":' in body else ToldHidden
        told = read_line(kind, body, version + 1, "what a viewer is told of a running game")
        if told.told != version:
            raise Damaged(version + 1, f"what is told of version {version}", f"of version {told.told}")


def _check_around(
    header: Header,
    parts: _Parts,
    words: Sequence[Said],
    records: Mapping[int, bytes],
    seat_logs: Mapping[int, OwnLog],
) -> None:
    """The events are as they were: find the change around them, if it can be pinned to a line."""
    bodies = parts.bodies
    if header.checks != checks_of(bodies):
        raise Damaged(1, f"checks {checks_of(bodies)}", f"checks {header.checks}")
    line = parts.line_of_words
    for one in words:
        if not _fits(one, bodies):
            raise Damaged(line, f"the words that version {one.said} hashes", "others")
        line += 1
    _check_opened(records, bodies, line)
    line += len(records)
    for log in seat_logs.values():
        line += 1 + len(log.bodies)
        _check_opened(log.private_records, log.bodies, line)
        line += len(log.private_records)


def _check_opened(records: Mapping[int, bytes], bodies: Sequence[bytes], first_line: int) -> None:
    for line, (version, record) in enumerate(records.items(), first_line):
        if not _names(bodies, version, sha256(record).hexdigest()):
            raise Damaged(line, f"the private record that version {version} names", "another")


def _read_by_version(
    kind: type[R], lines: Sequence[bytes], first_line: int, bodies: Sequence[bytes], name: str
) -> list[R]:
    found: list[R] = []
    for number, line in enumerate(lines, first_line):
        one = read_line(kind, line, number, name)
        if found and one.version <= found[-1].version:
            # Out of order: this one, or the one before if that is not the record of its event.
            wrong = number if _fits(found[-1], bodies) else number - 1
            raise Damaged(wrong, f"{name} by version", f"{found[-1].version} before {one.version}")
        found.append(one)
    return found


def _read_opened(lines: Sequence[bytes], first_line: int, bodies: Sequence[bytes]) -> dict[int, bytes]:
    found = _read_by_version(Opened, lines, first_line, bodies, "a private record")
    return {one.opens: encode_private(one.record)[0] for one in found}


def _read_seat_logs(lines: Sequence[bytes], first_line: int) -> dict[int, OwnLog]:
    logs: dict[int, OwnLog] = {}
    start = 0
    while start < len(lines):
        number = first_line + start
        heading = read_line(Heading, lines[start], number, "the heading of a seat's log")
        start += 1
        log = list(lines[start : start + heading.size])
        start += heading.size
        if heading.seat_log <= max(logs, default=-1) or len(heading.checks) != 8 * heading.size:
            raise Damaged(number, "the seats' logs by seat, with a check for each event", "another heading")
        _check_seat_log(heading, log, number)
        if b'/seat/%d"' % heading.seat_log not in log[0]:
            raise Damaged(number, "the seat whose log this is", f"seat {heading.seat_log}")
        end = _first(lines, start, len(lines), (SEAT_LOG,))
        logs[heading.seat_log] = OwnLog(log, _read_opened(lines[start:end], first_line + start, log))
        start = end
    return logs


def _check_seat_log(heading: Heading, log: Sequence[bytes], line: int) -> None:
    changed = _first_difference(heading.checks, checks_of(log))
    fits = heading.root == _root(log)
    if changed is None and fits:
        return
    if changed is None or fits:
        raise Damaged(line, "a heading that fits the log below it", "one that does not")
    version = f"version {changed + 1} of the log of seat {heading.seat_log} as it was exported"
    raise Damaged(line + changed + 1, version, "other bytes")


def _heading(seat: int, log: Sequence[bytes]) -> bytes:
    return line_of(Heading(seat_log=seat, size=len(log), root=_root(log) or "", checks=checks_of(log)))


def _fits(one: Said | Opened, bodies: Sequence[bytes]) -> bool:
    return _names(bodies, one.version, one.hash)


def _names(bodies: Sequence[bytes], version: int, hash_: str) -> bool:
    """Return True if the event of this version holds this hash."""
    return any(hash_.encode("ascii") in body for body in bodies[version - 1 : version])


def _format_of(data: bytes) -> int:
    """The number of the file's format; one changed byte in a telling place must not hide that felix wrote it.

    Raises NotAnExport, or OtherFormat.
    """
    first, _, rest = data.partition(b"\n")
    last = rest.rstrip(b"\n").rpartition(b"\n")[2]
    header, trailer = (_number_in(line, key) for line, key in ((first, b"felix"), (last, b"trailer")))
    if header is None and trailer is None:
        if b'"type":"game_created"' in rest.partition(b"\n")[0] and b'"game_id":' in first:
            return _NEWEST
        raise NotAnExport("this file is not a felix export")
    known = [number for number in (header, trailer) if number in (1, _NEWEST)]
    if not known:
        raise OtherFormat(header or trailer or 0)
    return known[0]


def _number_in(line: bytes, key: bytes) -> int | None:
    found = _FORMAT.match(line)
    return int(found[1]) if found and line.startswith(b'{"%b"' % key) else None


def _first(lines: Sequence[bytes], start: int, end: int, kinds: tuple[bytes, ...]) -> int:
    """The index of the first line of these kinds from `start` on, or where one could have stood."""
    return next((index for index in range(start, end) if lines[index].startswith(kinds)), max(start, end))


def _first_difference(expected: str, found: str) -> int | None:
    """The index of the first event whose check differs."""
    for index in range(0, max(len(expected), len(found)), 8):
        if expected[index : index + 8] != found[index : index + 8]:
            return index // 8
    return None


def _root(bodies: Sequence[bytes]) -> str | None:
    root = root_over(bodies)
    return None if root is None else base64.b64encode(root).decode("ascii")


def _told(root: str | None) -> str:
    """The beginning of a root in hexadecimal digits, as a page shows it."""
    try:
        return f"{base64.b64decode(root or '?', validate=True)[:4].hex()}…"
    except ValueError:
        return "none"
