"""The envelope: an event, and what the log knows about it, as canonical bytes.

    {"actor":"seat","at":"2026-11-20T21:00:00.000000Z","data":{"amount":5,"seat":1},"game_id":"k7m2p",
     "private":"<sha-256>","schema":1,"type":"bid_placed","version":37}

(on one line). The bytes are JSON in the canonical form of RFC 8785; they are kept and exported as they
were written, and `leaf` hashes them for the tree. `salt` (128 bits, hexadecimal) is there in secret
events only, so that ten possible cards cannot be tried against a hash. `private` is there on every
event that somebody caused from outside: the SHA-256 of a `Private` record, which is kept beside the row
and opened when the game is over.

A seat has a log of its own for what the others must not even notice before the end. It is named
`<game>/seat/<n>`, and its envelopes are the same, with events of their own (`SEAT_EVENTS`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from hashlib import sha256
from operator import or_
from types import GenericAlias
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import (
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    create_model,
    with_config,
)
from typing_extensions import TypedDict

from felix_events.model import EVENTS, SEAT_EVENTS, At, Event, Hash, Record, Terms
from felix_events.upcast import LaterSchema, UnknownSchema, upcast

Actor = Literal["seat", "host", "clock", "computer", "rules"]
"""Who caused an event; `rules` where it follows from the one before."""
GameId = Annotated[str, StringConstraints(pattern=r"^[a-z2-9]{3,12}$")]
SEAT_NUMBERS: Final = ("0", "1", "2", "3", "4")
MOST_OF_LINE: Final = 200
"""Characters of a line that a private record keeps: of such a one `whole_words` are sure."""
BETWEEN_LINES: Final = "; "
"""Stands between lines that were read as one."""
MOST_OF_ID: Final = 998
"""Characters of a Message-ID that it keeps: as many as a line of a header has at most."""
MAX_SAYING: Final = 300
"""Characters that a player may say at once."""
SeatLogId = Annotated[str, StringConstraints(pattern=r"^[a-z2-9]{3,12}/seat/[0-4]$")]
Salt = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]


class Envelope(Record):
    """An event with its place in the log of one game. Versions run 1, 2, 3 …; 0 means that there is none."""

    game_id: GameId
    version: Annotated[int, Field(ge=1, le=999_999)]
    type: str
    schema_: int = Field(alias="schema")
    at: At
    actor: Actor
    data: Event
    salt: Salt | None = None
    private: Hash | None = None


class SeatEnvelope(Envelope):
    """An event with its place in a seat's own log."""

    game_id: SeatLogId


Channel = Literal["mail", "desk", "computer", "clock", "order", "web"]
"""The way by which a command came; `order` if it was given in advance."""


class Private(Record):
    """The cause of an event; private until the game is over. Schema 1, which does not say so.

    `cause` is the command's id, `mail_sha256` the hash of the raw mail, `order` the line as it was read.
    """

    salt: Salt
    channel: Channel
    cause: str
    mail_sha256: Hash | None
    order: str | None


class PrivateV2(Private):
    """The same of tables whose options ask for schema 2, in which `order` is canonical.

    `line` is the line as it was written, `message_id` that of its mail, `grammar` the number of the reader of
    plain words then, and `inferred` says that it was read by that one.
    """

    schema_: Literal[2] = Field(2, alias="schema")
    line: Annotated[str, StringConstraints(max_length=MOST_OF_LINE)] | None
    message_id: Annotated[str, StringConstraints(max_length=MOST_OF_ID)] | None
    grammar: Annotated[int, Field(ge=1, le=999_999)] | None
    inferred: bool


def whole_words(line: str) -> str:
    """Return the line of a record without its last word if that may be torn."""
    return line if len(line) < MOST_OF_LINE else line.rpartition(" ")[0]


def lines_of(line: str) -> list[str]:
    """Return the lines of a message that the line of a record was made of, in whole words."""
    return whole_words(line).split(BETWEEN_LINES)


class Unreadable(ValueError):
    """Bytes that are no envelope of a felix log; `index` counts from 0 in what was given."""

    def __init__(self, index: int, why: str) -> None:
        super().__init__(why)
        self.index = index
        self.why = why


class OfLater(Unreadable):
    """An event of a type, or of a schema, that a later felix may know."""


def _envelope_of(event: type[Event], base: type[Envelope] = Envelope) -> type[Envelope]:
    fields: dict[str, Any] = {
        "type": (Literal[event.type], ...),
        "schema_": (Literal[event.schema_version], Field(alias="schema")),
        "data": (event, ...),
    }
    return create_model(f"{event.__name__}Envelope", __base__=base, **fields)


def _fact_of(event: type[Event]) -> Any:
    keys = {"type": Literal[event.type], "schema": Literal[event.schema_version], "data": event}
    fact: Any = TypedDict(f"{event.__name__}Fact", keys)  # type: ignore[misc]  # one for each class
    return with_config(ConfigDict(strict=True, extra="ignore"))(fact)


def _union(kinds: Iterable[Any]) -> Any:
    """Any of these, told apart by their `type`."""
    several = list(kinds)
    if len(several) == 1:
        return several[0]
    return Annotated[reduce(or_, several), Field(discriminator="type")]


def _list_of(kind: Any) -> Any:
    return GenericAlias(list, (kind,))


ENVELOPES: dict[str, type[Envelope]] = {event.type: _envelope_of(event) for event in EVENTS}
SEAT_ENVELOPES: dict[str, type[Envelope]] = {
    event.type: _envelope_of(event, SeatEnvelope) for event in SEAT_EVENTS
}


class _Family:
    """The envelopes of one kind of log."""

    def __init__(self, kinds: Iterable[type[Envelope]]) -> None:
        union = _union(kinds)
        self.one: TypeAdapter[Envelope] = TypeAdapter(union)
        self.many: TypeAdapter[list[Envelope]] = TypeAdapter(_list_of(union))


_GAME: Final = _Family(ENVELOPES.values())
_SEAT: Final = _Family(SEAT_ENVELOPES.values())
# Left to right, because pydantic would try both otherwise, and no bytes fit both.
_ANY_PRIVATE: Any = Annotated[PrivateV2 | Private, Field(union_mode="left_to_right")]
_PRIVATE: TypeAdapter[Private] = TypeAdapter(_ANY_PRIVATE)
_PRIVATES: TypeAdapter[list[Private]] = TypeAdapter(_list_of(_ANY_PRIVATE))


@cache
def _facts() -> TypeAdapter[list[Any]]:
    """Only what a fold needs, in a third of the time: the envelope's other fields are skipped over."""
    return TypeAdapter(_list_of(_union(map(_fact_of, EVENTS))))


def seat_log_id(game_id: str, seat: int) -> str:
    """The name of a seat's own log.

    >>> seat_log_id("k7m2p", 2)
    'k7m2p/seat/2'
    """
    return f"{game_id}/seat/{seat}"


def game_of(log_id: str) -> str:
    """The game that a log belongs to: the name of a seat's own log begins with it.

    >>> game_of("k7m2p/seat/2"), game_of("k7m2p")
    ('k7m2p', 'k7m2p')
    """
    game_id, found, seat = log_id.rpartition("/seat/")
    return game_id if found and seat in SEAT_NUMBERS else log_id


def canonical(value: object) -> bytes:
    """The one JSON text of a value (RFC 8785); keys must be ASCII, numbers integers."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _canonical_record(value: object) -> bytes:
    """The same of a record, or of what holds some: what `model_dump` comes to, in a fraction of the time."""
    return orjson.dumps(value, default=vars, option=orjson.OPT_SORT_KEYS)


def clock_text(terms: Terms | None) -> str:
    """The terms of a game as its `clock_set` has them, '' for a game without a clock."""
    return "" if terms is None else canonical(terms.model_dump()).decode()


def encode_envelope(
    event: Event,
    *,
    game_id: str,
    version: int,
    at: str,
    actor: Actor,
    salt: str | None = None,
    private: str | None = None,
) -> bytes:
    """The bytes that the log keeps for an event."""
    record: dict[str, object] = {
        "game_id": game_id,
        "version": version,
        "type": event.type,
        "schema": event.schema_version,
        "at": at,
        "actor": actor,
        "data": event,
    }
    if salt is not None:
        record["salt"] = salt
    if private is not None:
        record["private"] = private
    return _canonical_record(record)


def decode_events(bodies: Sequence[bytes]) -> list[Event]:
    """The events in stored bytes, validated, old schemas brought up to date: what a fold starts from.

    This trusts felix's own store for the rest of the envelope; `check_envelopes` does not. Raises Unreadable.
    """
    try:
        return [fact["data"] for fact in _facts().validate_json(_listed(bodies))]
    except ValidationError:
        pass
    try:
        # Of most old logs only the first event has another schema by now.
        first = [_decode(index, body, _GAME)[0].data for index, body in enumerate(bodies[:1])]
        return first + [fact["data"] for fact in _facts().validate_json(_listed(bodies[1:]))]
    except ValidationError:
        return [_decode(index, body, _GAME)[0].data for index, body in enumerate(bodies)]


def decode_seat_envelopes(bodies: Sequence[bytes]) -> list[Envelope]:
    """The envelopes of a seat's own log out of felix's own store. Raises ValueError."""
    return _SEAT.many.validate_json(_listed(bodies))


def check_envelope(body: bytes, index: int = 0) -> Envelope:
    """The envelope of bytes from a stranger: canonical, known, and strict, or Unreadable says why not."""
    return _checked(body, index, _GAME)


def check_envelopes(bodies: Sequence[bytes]) -> list[Envelope]:
    """`check_envelope` for each, in one go; Unreadable names the first that fails."""
    return _all_checked(bodies, _GAME)


def check_seat_envelopes(bodies: Sequence[bytes]) -> list[Envelope]:
    """The same for the envelopes of a seat's own log."""
    return _all_checked(bodies, _SEAT)


def _checked(body: bytes, index: int, family: _Family) -> Envelope:
    _check_canonical(body, index)
    envelope, read = _decode(index, body, family)
    _check_form(envelope, read, index)
    _check_salt(envelope, index)
    return envelope


def _all_checked(bodies: Sequence[bytes], family: _Family) -> list[Envelope]:
    alone = 0
    envelopes = _together(bodies, family)
    if len(envelopes) != len(bodies):
        # Of most old logs only the first event has another schema by now.
        alone, envelopes = 1, _together(bodies[1:], family)
    if len(envelopes) != len(bodies) - alone:
        alone, envelopes = len(bodies), []
    checked = [_checked(body, index, family) for index, body in enumerate(bodies[:alone])]
    is_same = _canonical_record(list(map(_record_of, envelopes))) == _listed(bodies[alone:])
    for index, envelope in enumerate(envelopes, alone):
        if not is_same:
            _check_form(envelope, bodies[index], index)
        _check_salt(envelope, index)
    return checked + envelopes


def _together(bodies: Sequence[bytes], family: _Family) -> list[Envelope]:
    """The envelopes of today's schemas, read in one go; fewer than there are bytes if any is not one."""
    try:
        return family.many.validate_json(_listed(bodies))
    except ValidationError:
        return []


def _listed(bodies: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(bodies) + b"]"


def encode_private(record: Private) -> tuple[bytes, str]:
    """The canonical bytes of a private record, and the hash that goes into the envelope."""
    body = _private_bytes(record)
    return body, sha256(body).hexdigest()


def check_private(body: bytes, expected: str | None) -> Private:
    """The private record in these bytes; ValueError if it is not the one that `expected` hashes."""
    found = sha256(body).hexdigest()
    if found != expected:
        raise ValueError(f"the private record hashes to {found[:16]}…, the event says {str(expected)[:16]}…")
    record = _PRIVATE.validate_json(body)
    if _private_bytes(record) != body:
        raise ValueError("the private record is not in canonical form")
    return record


def check_privates(bodies: Sequence[bytes], expected: Sequence[str | None]) -> list[Private]:
    """`check_private` for each, in one go; Unreadable names the first that fails."""
    try:
        records = _PRIVATES.validate_json(_listed(bodies))
    except ValidationError:
        records = []
    hashes = [sha256(body).hexdigest() for body in bodies]
    if hashes == list(expected) and canonical(list(map(_private_fields, records))) == _listed(bodies):
        return records
    return [_check_private(index, *one) for index, one in enumerate(zip(bodies, expected, strict=True))]


def _check_private(index: int, body: bytes, expected: str | None) -> Private:
    try:
        return check_private(body, expected)
    except ValueError as error:
        raise Unreadable(index, str(error)) from None


def _private_bytes(record: Private) -> bytes:
    return canonical(_private_fields(record))


def _private_fields(record: Private) -> dict[str, object]:
    fields = {**vars(record)}
    if "schema_" in fields:
        fields["schema"] = fields.pop("schema_")
    return fields


def words_hash(salt: bytes, text: str) -> str:
    """What the log holds of what a player said: the SHA-256 of the canonical JSON of its salt and text.

    >>> words_hash(bytes(16), "Well played")
    'd5840a80636caca717e96539ba2beaea991dfbb9975264945e48512b0f67c95e'
    """
    return sha256(canonical({"salt": salt.hex(), "text": text})).hexdigest()


def _check_canonical(body: bytes, index: int) -> None:
    try:
        raw = orjson.loads(body)
    except ValueError as error:
        raise Unreadable(index, f"not JSON: {error}") from None
    if not isinstance(raw, dict):
        raise Unreadable(index, "not a JSON object")
    if canonical(raw) != body:
        raise Unreadable(index, "not in canonical form")


def _check_form(envelope: Envelope, body: bytes, index: int) -> None:
    """A record must encode to the bytes that it was read from."""
    if _canonical_record(_record_of(envelope)) != body:
        raise Unreadable(index, "not in canonical form")


def _record_of(envelope: Envelope) -> dict[str, object]:
    record = {**vars(envelope)}
    record["schema"] = record.pop("schema_")
    if envelope.salt is None:
        del record["salt"]
    if envelope.private is None:
        del record["private"]
    return record


def _check_salt(envelope: Envelope, index: int) -> None:
    """An event that is secret while its game runs has a salt, and no other one has."""
    if envelope.data.secret != (envelope.salt is not None):
        raise Unreadable(index, f"{envelope.type} {'lacks its' if envelope.data.secret else 'has a'} salt")


def _decode(index: int, body: bytes, family: _Family) -> tuple[Envelope, bytes]:
    """The envelope, and the bytes that it was read from: those given, or their upcast."""
    try:
        return family.one.validate_json(body), body
    except ValidationError as error:
        first = error
    try:
        raw = orjson.loads(body)
        schema, data = upcast(raw["type"], raw["schema"], raw["data"])
        today = canonical(raw | {"schema": schema, "data": data})
        return family.one.validate_json(today), today
    except UnknownSchema as error:
        kind = OfLater if isinstance(error, LaterSchema) else Unreadable
        raise kind(index, str(error)) from None
    except (ValueError, KeyError, TypeError):
        raise Unreadable(index, _sentence(first)) from None


def _sentence(error: ValidationError) -> str:
    """The first complaint of a validation, in one line, without the input."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    # If there are several kinds of envelope, the path begins with the kind.
    path = first["loc"]
    path = path[1:] if path and path[0] in (*ENVELOPES, *SEAT_ENVELOPES) else path
    where = ".".join(str(part) for part in path) or "envelope"
    return f"{where}: {first['msg']}"
