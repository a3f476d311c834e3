"""Envelopes are canonical bytes, are read strictly, and name what is wrong with a stranger's."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, get_args

import orjson
import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from each import each
from felix_events import model as m
from felix_events.envelope import (
    Actor,
    Private,
    Unreadable,
    canonical,
    check_envelope,
    check_envelopes,
    check_private,
    decode_events,
    encode_envelope,
    encode_private,
)
from felix_events.export import Export

HASH = "0123456789abcdef" * 4
SALT = "fedcba9876543210" * 2
AT = "2026-11-20T21:00:00.000000Z"

REASONS = get_args(m.GameAbandoned.model_fields["reason"].annotation)
SAMPLES: list[m.Event] = [
    m.GameCreated(
        ruleset="felix-2007", seats=["a", "b-2", "c"], options=m.Options(start_seat=2), commitment=HASH
    ),
    m.HostNamed(seat=1),
    m.PlayerInvited(seat=0),
    m.PlayerJoined(seat=4, contribution=HASH),
    m.PlayerDeclined(seat=1),
    m.PlayerUninvited(seat=3),
    m.InvitationExpired(seat=2),
    m.GameStarted(start_seat=3),
    m.HandDealt(seat=0, cards=[-8, -5, 0, 3, 5, 8, 11, 15, "large_dog"], boxed="small_dog"),
    m.DummyDealt(pile=["small_dog", 15, 11, 8, 5, 3, 0, -5, -8], boxed="large_dog"),
    m.RoundStarted(round=9, start_seat=1, mice_on_cards=[2, 3, 4, 6], bank=0),
    m.CardPlaced(seat=2, card=0),
    m.CardsTurned(cards=[11, "large_dog"]),
    m.BidPlaced(seat=1, amount=5),
    m.PlayerPassed(seat=3, mice=0),
    m.SackSold(seat=1, price=5, chased=-8, prize=[3]),
    m.SackSold(seat=1, price=1, chased=None, prize=[]),
    m.SackDiscarded(),
    m.ClockSet(
        terms=m.Terms(move=60, reserve=60 * 24 * 3600, weekends=False, zone="America/Argentina/Jujuy", away=0)
    ),
    m.ClockSet(terms=m.Terms(move=86400, zone="+05:45")),
    m.DeadlineSet(seat=4, turn=21, reserve_from=AT, at=AT),
    m.ReserveSpent(seat=1, seconds=3600, left=0),
    m.TurnTimedOut(seat=2, turn=1, in_a_row=2),
    m.AbsenceDeclared(seat=0, start=AT, back=AT, computer=True, spent=86400),
    m.AbsenceBegan(seat=0),
    m.AbsenceEnded(seat=0, early=True, spent=90000),
    m.VoteCast(seat=1, on="pause"),
    m.VoteCast(seat=1, on="abandon"),
    m.VoteCast(seat=1, on="seat 4"),
    m.VotesWithdrawn(seat=1),
    m.GamePaused(until=AT),
    m.GameResumed(seat=3),
    m.GameResumed(seat=None),
    m.DisputeRaised(seat=1, turn=12, what="bid", lapses=AT, until=AT, stopped=0),
    m.DisputeRaised(seat=2, turn=1, what="card", lapses=AT, until=None, stopped=172800),
    m.DisputeSettled(seat=1, turn=12, what="bid", how="stands", stopped=3600),
    m.DisputeSettled(seat=0, turn=3, what="pass", how="withdrawn", stopped=0),
    m.ServerRestored(),
    m.SeatHandedOver(seat=0, to="computer", for_good=True),
    m.SeatHandedOver(seat=0, to="player", for_good=False),
    m.SeatTaken(seat=1, player_id="p-0123456789ab"),
    m.PlayerSaid(seat=4, text_hash=HASH),
    m.GameEnded(scores=[m.Score(cats=-13, mice=5, total=-8)] * 3, winners=[0, 1, 2]),
    m.GameEnded(scores=[m.Score(cats=11, mice=5, total=16), None, None, None], winners=[0]),
    *(m.GameAbandoned(reason=reason) for reason in REASONS),
    m.SeatLogsClosed(roots=[HASH] * 5),
    m.SeedRevealed(seed=HASH),
]
SEAT_SAMPLES: list[m.Event] = [
    m.ChoiceExplained(
        seat=2,
        turn=7,
        order="PLAY LARGE DOG",
        reasons=[
            m.Reason(what="mice_owned", value=15),
            m.Reason(what="own_card", value="large_dog"),
            m.Reason(what="bids_up_to", value=-3),
            m.Reason(what="drawn_by_chance", value=None),
        ],
    ),
    m.OrderGiven(seat=1, size=40, round=2, turned=3, kind="bid", first=5, limit=9, then="ask"),
    m.OrderGiven(seat=1, size=40, round=2, turned=3, kind="pass"),
    m.OrderGiven(seat=1, size=40, round=2, turned=3, kind="next", card="large_dog"),
    m.OrderDropped(seat=1, size=41, order=1, why="replaced"),
    m.OrderDone(seat=1, size=42, order=2),
]

CHECKS: list[Callable[[bytes], object]] = [
    check_envelope,
    lambda body: check_envelopes([body]),
]
both_checks = pytest.mark.parametrize("check", CHECKS, ids=["one", "many"])

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
KEYS = st.text(st.characters(max_codepoint=127))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


def sealed(event: m.Event, version: int = 1) -> bytes:
    """An event's envelope, with a salt where it needs one."""
    salt = SALT if event.secret else None
    return encode_envelope(event, game_id="k7m2p", version=version, at=AT, actor="seat", salt=salt)


def changed(event: m.Event, /, **changes: Any) -> bytes:
    """Its envelope in canonical form with other keys on the outside; those of `data` go into the data."""
    record = orjson.loads(sealed(event))
    changes["data"] = record["data"] | changes.get("data", {})
    return canonical(record | changes)


BID = m.BidPlaced(seat=1, amount=5)
CLOCK = m.ClockSet(terms=m.Terms(move=86400))
TERMS = CLOCK.terms.model_dump()
PAUSED = m.GamePaused(until=AT)


# ---- canonical bytes
@given(JSON)
@example('\u007f\u0080\u2028\u00e4\U0001f431 \\ " / \b\f\n\r\t\x00\x1f')
def test_the_canonical_form_is_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


def test_an_envelope_is_written_as_documented() -> None:
    body = encode_envelope(BID, game_id="k7m2p", version=37, at=AT, actor="seat", private=HASH)
    assert body == (
        b'{"actor":"seat","at":"2026-11-20T21:00:00.000000Z","data":{"amount":5,"seat":1},"game_id":"k7m2p",'
        b'"private":"%b","schema":1,"type":"bid_placed","version":37}' % HASH.encode()
    )


def test_a_secret_event_carries_its_salt() -> None:
    assert b'"salt":"%b"' % SALT.encode() in sealed(m.CardPlaced(seat=2, card=0))


def test_every_envelope_of_a_game_is_rfc_8785(ended_game: Export) -> None:
    assert [rfc8785.dumps(orjson.loads(body)) for body in ended_game.bodies] == ended_game.bodies


# ---- the way back
def test_there_is_a_sample_of_every_event() -> None:
    assert {type(event) for event in SAMPLES} == set(m.EVENTS) == set(m.BY_TYPE.values())
    assert {type(event) for event in SEAT_SAMPLES} == set(m.SEAT_EVENTS) == set(m.SEAT_BY_TYPE.values())


@both_checks
@each("event", SAMPLES)
def test_every_event_comes_back_and_is_accepted_from_a_stranger(
    event: m.Event, check: Callable[[bytes], object]
) -> None:
    assert decode_events([sealed(event)]) == [event]
    assert check(sealed(event))


def test_the_whole_envelope_comes_back() -> None:
    actors: list[Actor] = ["seat", "host", "clock", "computer", "rules"]
    for version, actor in enumerate(actors, 1):
        body = encode_envelope(BID, game_id="k7m2p", version=version, at=AT, actor=actor, private=HASH)
        envelope = check_envelope(body)
        assert (envelope.game_id, envelope.version, envelope.at) == ("k7m2p", version, AT)
        assert (envelope.type, envelope.schema_, envelope.data) == ("bid_placed", 1, BID)
        assert (envelope.actor, envelope.salt, envelope.private) == (actor, None, HASH)


def test_many_envelopes_come_back_in_order() -> None:
    bodies = [sealed(event, version) for version, event in enumerate(SAMPLES, 1)]
    envelopes = check_envelopes(bodies)
    assert [envelope.data for envelope in envelopes] == decode_events(bodies) == SAMPLES
    assert [envelope.version for envelope in envelopes] == list(range(1, len(SAMPLES) + 1))


def test_a_whole_game_is_accepted_and_one_without_events(ended_game: Export) -> None:
    for bodies in (ended_game.bodies, []):
        assert [envelope.data for envelope in check_envelopes(bodies)] == decode_events(bodies)
    assert decode_events([]) == []


def test_an_event_does_not_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        BID.amount = 6  # type: ignore[misc]  # that it cannot be assigned is the point


# ---- strictness

NOT_AN_ENVELOPE: dict[str, bytes] = {
    "no bytes": b"",
    "no JSON": b"bid_placed 5",
    "no object": b"[]",
    "an empty object": b"{}",
    "a list as data": changed(BID).replace(b'{"amount":5,"seat":1}', b"[5,1]"),
    "two in one": sealed(BID) + b"," + sealed(BID),
    "half of one": sealed(BID)[:70],
    "a byte order mark": b"\xef\xbb\xbf" + sealed(BID),
    "no UTF-8": sealed(BID).replace(b"k7m2p", b"k7m\xff2"),
}
NOT_CANONICAL: dict[str, bytes] = {
    "a space": sealed(BID).replace(b":", b": ", 1),
    "a line feed": sealed(BID) + b"\n",
    "another order outside": sealed(BID)
    .replace(b'{"actor":"seat",', b"{")
    .replace(b"}", b',"actor":"seat"}'),
    "another order inside": sealed(BID).replace(b'"amount":5,"seat":1', b'"seat":1,"amount":5'),
    "the same key twice": sealed(BID).replace(b'"amount":5', b'"amount":5,"amount":5'),
    "two answers": sealed(BID).replace(b'"amount":5', b'"amount":6,"amount":5'),
    "an escaped letter": sealed(BID).replace(b"bid_placed", b"\\u0062id_placed"),
    "minus nothing": changed(m.CardPlaced(seat=2, card=0)).replace(b'"card":0', b'"card":-0'),
    "a fraction for a card": changed(m.CardPlaced(seat=2, card=3)).replace(b'"card":3', b'"card":3.0'),
    "an exponent for a card": changed(m.CardPlaced(seat=2, card=3)).replace(b'"card":3', b'"card":3e0'),
    "a fraction for a schema": sealed(BID).replace(b'"schema":1', b'"schema":1.0'),
    "true for a schema": sealed(BID).replace(b'"schema":1', b'"schema":true'),
    "a salt that is null": changed(BID, salt=None),
    "a hash that is null": changed(BID, private=None),
    "a default left out": sealed(SAMPLES[0]).replace(b'"seeded":false,', b""),
}
NOT_STRICT: dict[str, bytes] = {
    "a key too many outside": changed(BID, more=1),
    "a key too many inside": changed(BID, data={"more": 1}),
    "text for a number": changed(BID, data={"amount": "5"}),
    "a fraction for a number": changed(BID, data={"amount": 5.0}),
    "true for a number": changed(BID, data={"amount": True}),
    "null for a number": changed(BID, data={"amount": None}),
    "text for a version": changed(BID, version="1"),
    "a fraction for a version": changed(BID, version=1.0),
    "no such version": changed(BID, version=0),
    "a number for a text": changed(BID, game_id=23456),
    "a number for true": changed(SAMPLES[0], data={"options": {"seeded": 1, "start_seat": None}}),
    "no such card": changed(m.CardPlaced(seat=2, card=0), data={"card": 4}),
    "text for a card": changed(m.CardPlaced(seat=2, card=3), data={"card": "3"}),
    "true for a card": changed(m.CardPlaced(seat=2, card=0), data={"card": False}),
    "no such seat": changed(BID, data={"seat": 5}),
    "no mice": changed(BID, data={"amount": -1}),
    "no such actor": changed(BID, actor="anna"),
    "no such game id": changed(BID, game_id="K7M2P"),
    "no such ruleset": changed(SAMPLES[0], data={"ruleset": "felix-2008"}),
    "two seats": changed(SAMPLES[0], data={"seats": ["a", "b"]}),
    "another zone": changed(BID, at="2026-11-20T21:00:00.000000+00:00"),
    "whole seconds": changed(BID, at="2026-11-20T21:00:00Z"),
    "other digits": changed(BID, at="２０２６-11-20T21:00:00.000000Z"),
    "no such month": changed(BID, at="2026-13-20T21:00:00.000000Z"),
    "no such hour": changed(BID, at="2026-11-20T24:00:00.000000Z"),
    "a line feed after the time": changed(BID, at=AT + "\n"),
    "a clock of zero": changed(CLOCK, data={"terms": TERMS | {"move": 0}}),
    "a clock of a century": changed(CLOCK, data={"terms": TERMS | {"move": 100 * 366 * 86400}}),
    "a zone with a path": changed(CLOCK, data={"terms": TERMS | {"zone": "../../etc/passwd"}}),
    "a thirtieth of February": changed(PAUSED, data={"until": "2026-02-30T00:00:00.000000Z"}),
    "a year that no calendar knows": changed(PAUSED, data={"until": "0000-01-01T00:00:00.000000Z"}),
    "a year before all games": changed(PAUSED, data={"until": "1969-12-31T00:00:00.000000Z"}),
    "a year after all games": changed(PAUSED, data={"until": "9999-12-31T00:00:00.000000Z"}),
    "a deadline in another zone": changed(PAUSED, data={"until": "2026-11-20T21:00:00.000000+00:00"}),
    "a vote for something else": changed(m.VoteCast(seat=1, on="pause"), data={"on": "rematch"}),
    "a vote for a seat that no table has": changed(m.VoteCast(seat=1, on="seat 4"), data={"on": "seat 5"}),
    "no time out in a row": changed(m.TurnTimedOut(seat=2, turn=1, in_a_row=1), data={"in_a_row": 0}),
    "less than no reserve": changed(m.ReserveSpent(seat=1, seconds=1, left=0), data={"left": -1}),
    "a short hash": changed(BID, private=HASH[:-1]),
    "a hash in capitals": changed(BID, private=HASH.upper()),
    "a short salt": changed(m.CardPlaced(seat=2, card=0), salt=SALT[:-1]),
}
BAD: dict[str, bytes] = NOT_AN_ENVELOPE | NOT_CANONICAL | NOT_STRICT
TOLD: list[tuple[bytes, str]] = [
    (changed(BID, data={"amount": "5"}), "data.amount: Input should be a valid integer"),
    (changed(BID, more=1), "more: Extra inputs are not permitted"),
    (b"bid_placed", "not JSON: "),
    (b"[]", "not a JSON object"),
    (NOT_CANONICAL["a space"], "not in canonical form"),
    (changed(BID, type="cat_escaped"), "event type 'cat_escaped' is not known to this version of felix"),
    (changed(BID, type=["bid_placed"]), "envelope: "),
    (changed(BID, schema=2), "bid_placed has schema 2, this version of felix knows 1"),
    (changed(BID, salt=SALT), "bid_placed has a salt"),
    (
        sealed(m.CardPlaced(seat=2, card=0)).replace(b'"salt":"%b",' % SALT.encode(), b""),
        "card_placed lacks its salt",
    ),
]


@both_checks
@each("body", BAD.values())
def test_what_felix_would_not_write_is_unreadable(body: bytes, check: Callable[[bytes], object]) -> None:
    with pytest.raises(Unreadable):
        check(body)


@each("body", NOT_STRICT.values())
def test_these_are_canonical_and_yet_unreadable(body: bytes) -> None:
    """Held here so that none of them is refused for its form alone."""
    assert canonical(orjson.loads(body)) == body


@both_checks
@each(("body", "why"), TOLD)
def test_the_reason_is_told(body: bytes, why: str, check: Callable[[bytes], object]) -> None:
    with pytest.raises(Unreadable) as caught:
        check(body)
    assert str(caught.value).startswith(why)
    assert caught.value.why == str(caught.value)


@each("bad", [0, 3, 9])
def test_the_first_unreadable_event_is_named(bad: int) -> None:
    bodies = [sealed(BID, version) for version in range(1, 11)]
    for body in (NOT_CANONICAL["a space"], changed(BID, salt=SALT), changed(BID, schema=2)):
        bodies[bad] = body
        assert named(check_envelopes, bodies) == bad
    bodies[9] = b"{}" if bad < 9 else bodies[9]
    assert named(check_envelopes, bodies) == named(decode_events, bodies) == bad


def named(read: Callable[[list[bytes]], object], bodies: list[bytes]) -> int:
    with pytest.raises(Unreadable) as caught:
        read(bodies)
    return caught.value.index


@each("cut", [1, 60, 100])
def test_an_event_in_two_pieces_is_named(cut: int) -> None:
    """Pieces that make an event once they are joined are none."""
    whole = sealed(BID)
    at_comma = whole.index(b",", cut)
    assert named(check_envelopes, [whole, whole[:at_comma], whole[at_comma + 1 :]]) == 1


@each("body", [changed(BID, schema=2), changed(BID, data={"amount": "5"}), b"{}", b"[]"])
def test_the_store_too_is_read_with_open_eyes(body: bytes) -> None:
    assert named(decode_events, [body]) == 0


# ---- private records

RECORD = Private(salt=SALT, channel="mail", cause="<ä@example.org>", mail_sha256=HASH, order="BID 5")


@given(TEXT, TEXT)
def test_a_private_record_is_rfc_8785_whatever_was_written(cause: str, order: str) -> None:
    record = Private(salt=SALT, channel="mail", cause=cause, mail_sha256=HASH, order=order)
    body, found = encode_private(record)
    assert body == rfc8785.dumps(record.model_dump())
    assert found == sha256(body).hexdigest()
    assert check_private(body, found) == record


def test_a_private_record_of_the_desk_names_no_mail() -> None:
    record = Private(salt=SALT, channel="desk", cause="1", mail_sha256=None, order=None)
    body, found = encode_private(record)
    assert b'"mail_sha256":null,"order":null' in body
    assert check_private(body, found) == record


@each("expected", [HASH, None])
def test_a_private_record_of_another_event_is_refused(expected: str | None) -> None:
    body, found = encode_private(RECORD)
    with pytest.raises(ValueError, match=f"hashes to {found[:16]}…, the event says {str(expected)[:16]}…"):
        check_private(body, expected)


@each(
    ("body", "why"),
    [
        (encode_private(RECORD)[0] + b" ", "canonical form"),
        (encode_private(RECORD)[0].replace(b"{", b'{"more":1,'), "more"),
        (encode_private(RECORD)[0].replace(b'"mail"', b'"pigeon"'), "channel"),
        (b"{}", "salt"),
        (b"BID 5", "JSON"),
    ],
)
def test_a_private_record_is_read_strictly(body: bytes, why: str) -> None:
    """Even where its hash is the one in the event."""
    with pytest.raises(ValueError, match=why):
        check_private(body, sha256(body).hexdigest())
