"""The envelopes of a seat's own log: as canonical and as strict as a game's, and never taken for one's."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from each import each
from felix_events.envelope import (
    Unreadable,
    canonical,
    check_envelope,
    check_seat_envelopes,
    decode_events,
    encode_envelope,
    game_of,
    seat_log_id,
)
from felix_events.model import BidPlaced, ChoiceExplained, Event, Reason

WHY = ChoiceExplained(
    seat=2,
    turn=7,
    order="BID 5",
    reasons=[Reason(what="own_card", value="large_dog"), Reason(what="bids_up_to", value=-3)],
)


def sealed(event: Event = WHY, version: int = 1, log_id: str = "k7m2p/seat/2") -> bytes:
    at = "2026-11-20T21:00:00.000000Z"
    return encode_envelope(event, game_id=log_id, version=version, at=at, actor="computer", salt="0f" * 16)


def changed(data: dict[str, Any] | None = None, **changes: Any) -> bytes:
    """The envelope with other values, canonical again; None takes a key away."""
    record = orjson.loads(sealed())
    record["data"] |= data or {}
    return canonical({key: value for key, value in (record | changes).items() if value is not None})


def test_an_envelope_of_a_seat_comes_back() -> None:
    one, two = check_seat_envelopes([sealed(), sealed(version=2)])
    assert (one.game_id, one.version, one.data, one.actor) == ("k7m2p/seat/2", 1, WHY, "computer")
    assert two.version == 2
    assert check_seat_envelopes([]) == []


@each(
    "body",
    [
        b"",
        b"{}",
        sealed() + b" ",
        sealed().replace(b'"turn":7', b'"turn":7.0'),
        sealed().replace(b'"turn":7', b'"turn":7,"turn":7'),
        changed({"more": 1}),
        changed({"turn": 0}),
        changed({"turn": "7"}),
        changed({"seat": 5}),
        changed({"order": ""}),
        changed({"reasons": []}),
        changed({"reasons": [{"what": "a feeling", "value": 1}]}),
        changed({"reasons": [{"what": "own_card", "value": "cat"}]}),
        changed({"reasons": [{"what": "own_card"}]}),
        changed({"reasons": [{"what": "mice_owned", "value": True}]}),
        changed(salt=None),
        changed(game_id="k7m2p"),
        changed(game_id="k7m2p/seat/5"),
        changed(game_id="k7m2p/seat/2/"),
        changed(schema=2),
        sealed(BidPlaced(seat=1, amount=5)),
    ],
)
def test_what_felix_would_not_write_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        check_seat_envelopes([sealed(), body])
    assert caught.value.index == 1


def test_the_reason_names_the_field() -> None:
    with pytest.raises(Unreadable, match=r"^data\.turn: Input should be a valid integer$"):
        check_seat_envelopes([changed({"turn": "7"})])


def test_an_event_of_a_seat_is_none_of_a_game() -> None:
    for read in (check_envelope, lambda body: decode_events([body])):
        with pytest.raises(Unreadable):
            read(sealed(log_id="k7m2p"))


@each("number", range(5))
def test_a_seats_log_is_named_after_its_game_and_seat_and_belongs_to_it(number: int) -> None:
    assert seat_log_id("k7m2p", number) == f"k7m2p/seat/{number}"
    assert game_of(seat_log_id("k7m2p", number)) == "k7m2p"


@each("log_id", ["k7m2p", "k7m2p/seat/5", "k7m2p/seat/", "k7m2p/seat/01"])
def test_any_other_log_is_a_games_own(log_id: str) -> None:
    assert game_of(log_id) == log_id
