"""How an event of an earlier schema is read: one worked example, from an invented past of `bid_placed`.

Once upon a time, in schema 0, a bid was written `{"seat":1,"mice":"4"}`. Schema 1 calls it `amount`, and
makes it a number. Whoever makes such a change adds one function to `UPCASTERS`; the log stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from felix_events.envelope import Unreadable, canonical, check_envelope, check_envelopes, decode_events
from felix_events.envelope import encode_envelope as encode
from felix_events.model import BidPlaced, PlayerPassed
from felix_events.tree import leaf
from felix_events.upcast import Data, UnknownSchema, Upcaster, upcast


def bid_placed_from_0(data: Data) -> Data:
    """Schema 1 names the bid `amount`, and as a number."""
    return {"seat": data["seat"], "amount": int(data["mice"])}


UPCASTERS: Mapping[tuple[str, int], Upcaster] = {("bid_placed", 0): bid_placed_from_0}

ENVELOPE: dict[str, Any] = {
    "actor": "seat",
    "at": "2020-02-02T20:20:20.000000Z",
    "data": {"mice": "4", "seat": 1},
    "game_id": "k7m2p",
    "schema": 0,
    "type": "bid_placed",
    "version": 1,
}
OLD = canonical(ENVELOPE)
NEW = encode(
    PlayerPassed(seat=2, mice=2), game_id="k7m2p", version=2, at="2026-11-20T21:00:00.000000Z", actor="seat"
)


@pytest.fixture
def old_bids_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("felix_events.upcast.UPCASTERS", UPCASTERS)


@pytest.mark.usefixtures("old_bids_can_be_read")
class TestAnOldBid:
    def test_is_todays_event_beside_new_ones_also_from_a_stranger(self) -> None:
        today, passed = BidPlaced(seat=1, amount=4), PlayerPassed(seat=2, mice=2)
        assert decode_events([OLD, NEW]) == [today, passed]
        old, new = check_envelopes([OLD, NEW])
        assert (old.version, old.schema_, old.data, new.data) == (1, 1, today, passed)

    def test_keeps_its_leaf(self) -> None:
        """Nothing is written back: what is hashed are the bytes of then, not those of today's schema."""
        before = leaf(OLD)
        envelope = check_envelope(OLD)
        today = encode(envelope.data, game_id="k7m2p", version=1, at=envelope.at, actor=envelope.actor)
        assert leaf(OLD) == before != leaf(today)

    def test_must_be_canonical_and_is_checked_like_any_other(self) -> None:
        with pytest.raises(Unreadable, match="canonical"):
            check_envelope(OLD.replace(b":", b": ", 1))
        changes: list[dict[str, Any]] = [{"actor": "nobody"}, {"salt": "0" * 32}, {"salt": None}, {"more": 1}]
        for change in (*changes, {"data": {"mice": "4"}}):
            with pytest.raises(Unreadable):
                check_envelope(canonical(ENVELOPE | change))


def test_an_old_bid_without_an_upcaster_cannot_be_read() -> None:
    with pytest.raises(Unreadable, match="bid_placed has schema 0, this version of felix knows 1"):
        decode_events([OLD])


def test_steps_are_taken_one_after_the_other() -> None:
    """From schema 1 over 2 to 3, each by the function that knows only its own step."""
    steps: Mapping[tuple[str, int], Upcaster] = {
        ("bid_placed", 1): lambda data: {"seat": data["seat"], "mice": data["amount"]},
        ("bid_placed", 2): lambda data: {**data, "currency": "mice"},
    }
    data = {"seat": 1, "amount": 4}
    assert upcast("bid_placed", 1, data, steps, {"bid_placed": 3}) == (
        3,
        {"seat": 1, "mice": 4, "currency": "mice"},
    )


def test_data_of_today_stays_as_it_is() -> None:
    data = {"seat": 1, "amount": 4}
    assert upcast("bid_placed", 1, data) == (1, data)


def test_a_schema_of_the_future_and_an_unknown_type_are_not_guessed_at() -> None:
    with pytest.raises(UnknownSchema, match="bid_placed has schema 2, this version of felix knows 1"):
        upcast("bid_placed", 2, {})
    with pytest.raises(UnknownSchema, match="'cat_escaped' is not known"):
        upcast("cat_escaped", 1, {})
