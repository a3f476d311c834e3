"""The lines of an exported file, as records: what each holds, and its bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

import orjson
from pydantic import Field, StringConstraints, ValidationError, ValidationInfo, field_validator

from felix_events.envelope import Actor, GameId, Private, PrivateV2, canonical, encode_private, words_hash
from felix_events.model import BY_TYPE, EVENTS, At, Hash, Record, Seat
from felix_events.tree import leaf, tree_root

T = TypeVar("T", bound=Record)
Version = Annotated[int, Field(ge=1, le=999_999)]
Size = Annotated[int, Field(ge=0, le=999_999)]
Seen = Seat | Literal["spectator", "all"]
"""Whose file it is: a seat's, one with what everybody sees, or one with all that there is."""
SECRET_TYPES: Final = tuple(event.type for event in EVENTS if event.secret)
"""The events that a viewer may have as a leaf only."""
SAID: Final = b'{"said":'
OPENS: Final = b'{"opens":'
SEAT_LOG: Final = b'{"seat_log":'
LEAF: Final = b'{"leaf":"'
TOLD: Final = b'{"told":'
"""How the lines that are no envelope begin."""
_LEAF: Final = re.compile(re.escape(LEAF) + rb"([0-9a-f]{64})")


class HeaderV1(Record):
    """The first line of a file of format 1."""

    felix: Literal[1] = 1
    game_id: GameId
    names: Annotated[list[str], Field(max_length=5)]
    table: str
    checks: str


class Header(Record):
    """The first line. `former` holds [version, seat, name] of those who sat in a seat until that version."""

    felix: Literal[2] = 2
    game_id: GameId
    names: Annotated[list[str], Field(max_length=5)]
    table: str
    checks: str
    former: Annotated[list[tuple[Version, Seat, str]], Field(max_length=999)] = Field(default_factory=list)
    viewer: Seen = "all"


class TrailerV1(Record):
    """The last line of a file of format 1."""

    trailer: Literal[1] = 1
    size: Size
    root: str
    sha256: str


class Trailer(Record):
    """The last line; `root` is null where no tree can be shown, `checkpoint` has room for a signed note."""

    trailer: Literal[2] = 2
    size: Size
    root: str | None
    sha256: str
    checkpoint: Annotated[str, Field(max_length=9999)] | None = None


class Leaf(Record):
    """In place of an event that the viewer may not know: its leaf, and what everybody knows of it."""

    leaf: Hash
    version: Version
    type: Literal[SECRET_TYPES]  # type: ignore[valid-type]  # one for each such event
    seat: Seat | None
    at: At


class ToldHidden(Record):
    """An event of a running game of which the viewer may know that it happened, and no more."""

    told: Version
    type: Literal[SECRET_TYPES]  # type: ignore[valid-type]  # one for each such event
    seat: Seat | None


class Told(Record):
    """An event of a running game as the viewer is told of it: neither when, nor by which bytes."""

    told: Version
    type: str
    actor: Actor
    data: dict[str, Any]

    @field_validator("data")
    @classmethod
    def _as_written(cls, data: dict[str, Any], before: ValidationInfo) -> dict[str, Any]:
        """Return the data of an event of this type with all its fields, by key."""
        event = BY_TYPE[before.data["type"]].model_validate_json(canonical(data))
        written: dict[str, Any] = orjson.loads(canonical(event.model_dump()))
        return written


MOST_OF_SALT: Final = 32
"""Bytes of a salt at most."""


class Said(Record):
    """What a player said at this version; the event there holds the hash of salt and text."""

    said: Version
    text: str
    salt: Annotated[str, StringConstraints(pattern=rf"^([0-9a-f]{{2}}){{0,{MOST_OF_SALT}}}$")]

    @property
    def version(self) -> int:
        """The version of the event."""
        return self.said

    @property
    def hash(self) -> str:
        """The hash that the event must hold."""
        return words_hash(bytes.fromhex(self.salt), self.text)


class Opened(Record):
    """The private record of the event with version `opens`, of the game or of the seat's log above it."""

    opens: Version
    record: PrivateV2 | Private

    @property
    def version(self) -> int:
        """The version of the event."""
        return self.opens

    @property
    def hash(self) -> str:
        """The hash that the event must hold."""
        return encode_private(self.record)[1]


class Heading(Record):
    """The line above a seat's own log: how many events it holds, and what the trailer and the header say of a
    game's.
    """

    seat_log: Seat
    size: Version
    root: str
    checks: str


class Damaged(ValueError):
    """A felix export in which a line is not as it was written. Lines count from 1, the header's is 1."""

    def __init__(self, line: int, expected: str, found: str) -> None:
        super().__init__(f"line {line}: expected {expected}, found {found}")
        self.line = line
        self.expected = expected
        self.found = found


def line_of(record: Record) -> bytes:
    """The bytes of a line, without its line feed."""
    if isinstance(record, Opened):
        return opened_line(record.opens, encode_private(record.record)[0])
    return orjson.dumps(record.model_dump())


def opened_line(version: int, record: bytes) -> bytes:
    """The line of a private record."""
    return b'{"opens":%d,"record":%b}' % (version, record)


def opened_lines(records: Mapping[int, bytes]) -> list[bytes]:
    """The lines of private records, by version."""
    return [opened_line(*one) for one in sorted(records.items())]


def read_line(kind: type[T], line: bytes, number: int, name: str) -> T:
    """The record in a line; Damaged if it is not just what felix would have written."""
    try:
        record = kind.model_validate_json(line)
        written = line_of(record)
    except (ValidationError, KeyError, TypeError):
        # An event of another type; or JSON may hold numbers that felix cannot even write.
        raise Damaged(number, name, "something else") from None
    if written != line:
        raise Damaged(number, f"{name} as felix writes it", "other bytes")
    return record


def is_told(line: bytes) -> bool:
    """Return True if the line tells of an event, or of none, without its bytes."""
    return line.startswith(TOLD)


def is_envelope(line: bytes) -> bool:
    """Return True unless the line stands in place of an event."""
    return not line.startswith((LEAF, TOLD))


def leaf_in(line: bytes) -> bytes:
    """The leaf of an event: what its line hashes to, or what the line in its place says."""
    found = _LEAF.match(line)
    return leaf(line) if found is None else bytes.fromhex(found[1].decode("ascii"))


def root_over(lines: Sequence[bytes]) -> bytes | None:
    """The root of the tree over these events, None if they are only told."""
    if any(map(is_told, lines)):
        return None
    return tree_root(map(leaf_in, lines))


def checks_of(lines: Sequence[bytes]) -> str:
    """The first eight hexadecimal digits of the hash of each line, which is an event's leaf."""
    return "".join(leaf(line)[:4].hex() for line in lines)
