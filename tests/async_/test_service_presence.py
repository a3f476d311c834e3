"""The computer plays for those who left: from their view alone, by the game's own dice, and exactly once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_in
from felix_async.draw import Dice, Numbers
from felix_async.game import sensible
from felix_async.game.commands import Bid, Leave, Pass, Play, Return
from felix_async.game.folding import fold
from felix_async.game.players import Decision
from felix_async.game.sensible import sensible_player
from felix_async.game.views import View, view
from felix_async.service import Origin, Service
from felix_events.envelope import check_envelopes
from felix_events.export import read_export
from felix_events.model import BidPlaced, CardPlaced, Event, PlayerPassed, SeedRevealed
from felix_events.store.base import Tx
from felix_events.store.sqlite import SqliteStore
from games import a_started_room, place_all
from golden.make_golden import GOLDEN
from table import ANNA, BEN, CARA, DAN

LIVES = [script for script in GOLDEN if script.course in ("life", "late")]


def as_event(move: Play | Bid | Pass) -> tuple[str, int, object]:
    """A move, comparable with the event that it becomes."""
    match move:
        case Play():
            return ("card_placed", move.seat, move.card)
        case Bid():
            return ("bid_placed", move.seat, move.amount)
        case Pass():
            return ("player_passed", move.seat, None)


def as_move(event: Event) -> tuple[str, int, object] | None:
    match event:
        case CardPlaced():
            return (event.type, event.seat, event.card)
        case BidPlaced():
            return (event.type, event.seat, event.amount)
        case PlayerPassed():
            return (event.type, event.seat, None)
    return None


@pytest.mark.parametrize("script", LIVES, ids=lambda script: script.name)
def test_the_computers_moves_follow_from_the_file_alone(script: Any) -> None:
    """From the events before, the seat's view, and the seed that was shown at the end."""
    export = read_export(script.path.read_bytes())
    envelopes = check_envelopes(export.bodies)
    events = [envelope.data for envelope in envelopes]
    shown = events[-1]
    assert isinstance(shown, SeedRevealed)
    dice = Dice(export.header.game_id, bytes.fromhex(shown.seed))
    moves = 0
    for version, envelope in enumerate(envelopes[1:], 1):
        before = fold(events[:version])
        made = as_move(envelope.data)
        if made is None or envelope.actor == "rules" or not before.seats[made[1]].computer:
            continue
        numbers = dice.stream(before.contributions, f"computer/{version}")
        assert as_event(sensible_player(view(before, made[1]), made[1], numbers).move) == made
        moves += 1
    assert moves > 10
    assert audit(evidence_in(export)).sound


def test_the_computer_is_shown_the_view_of_the_seat_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[tuple[View, int]] = []

    def watched(table: View, seat: int, numbers: Numbers) -> Decision:
        tables.append((table, seat))
        return sensible_player(table, seat, numbers)

    monkeypatch.setattr(sensible, "sensible_player", watched)
    room, game_id = a_started_room()
    for seat in (BEN, DAN):
        room.do(game_id, Leave(seat=seat, for_good=seat == DAN))
    room.play(game_id)
    assert {seat for _, seat in tables} == {BEN, DAN}
    assert all(table.viewer == seat and list(table.own) == [seat] for table, seat in tables)


def test_what_others_hide_does_not_move_the_computer() -> None:
    """Two tables that differ in what Ben must not know: the computer does the same for Ben."""
    room, game_id = a_started_room()
    game = room.game(game_id)
    other = game.copy()
    for seat in (ANNA, CARA, DAN):
        other.seats[seat].hand = [15] * 9
        other.seats[seat].mice += 20
    numbers = [Dice(game_id, bytes(32)).stream(game.contributions, "computer/1") for _ in range(2)]
    moves = [
        sensible_player(view(each, BEN), BEN, drawn)
        for each, drawn in zip((game, other), numbers, strict=True)
    ]
    assert moves[0] == moves[1]


def test_the_computers_moves_are_marked_as_the_computers() -> None:
    room, game_id = a_started_room()
    room.do(game_id, Leave(seat=BEN, for_good=False))
    *_, last = check_envelopes(room.evidence(game_id).bodies)
    assert (last.type, last.actor, last.data.model_dump()["seat"]) == ("card_placed", "computer", BEN)


def test_the_same_leave_again_moves_nothing_more() -> None:
    room, game_id = a_started_room()
    leave, origin = Leave(seat=BEN, for_good=False), Origin("leave", "seat", "mail")
    first = room.do(game_id, leave, origin)
    size = room.game(game_id).version
    again = room.do(game_id, leave, origin)
    assert (again.repeated, again.version, again.events) == (True, first.version, first.events)
    assert room.game(game_id).version == size


def test_the_same_return_again_moves_nothing_more() -> None:
    room, game_id = a_started_room()
    for seat in (ANNA, BEN, CARA, DAN):
        room.do(game_id, Leave(seat=seat, for_good=False))
    return_, origin = Return(seat=ANNA), Origin("return", "seat", "mail")
    room.do(game_id, return_, origin)
    evidence = room.evidence(game_id)
    assert room.do(game_id, return_, origin).repeated
    assert room.evidence(game_id) == evidence


def test_a_player_who_has_resigned_cannot_move_and_the_computer_can() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    room.do(game_id, Leave(seat=BEN, for_good=True))
    refusal = room.do(game_id, Bid(seat=BEN, amount=1)).refusal
    assert refusal is not None
    assert refusal.code == "seat/gone"
    room.do(game_id, Bid(seat=ANNA, amount=1))
    assert room.game(game_id).asked == [CARA]


def test_after_the_end_a_player_who_resigned_hears_that_it_is_over() -> None:
    room, game_id = a_started_room()
    for seat in (ANNA, BEN, CARA, DAN):
        room.do(game_id, Leave(seat=seat, for_good=True))
    refusal = room.do(game_id, Pass(seat=BEN)).refusal
    assert refusal is not None
    assert refusal.code == "game/over"


def test_a_server_that_starts_anew_plays_on_the_same() -> None:
    """Nothing about the computer's seats is in memory alone."""
    logs = []
    for restarts in (False, True):
        room, game_id = a_started_room()
        room.do(game_id, Leave(seat=BEN, for_good=False))
        if restarts:
            room.service = Service(room.clock, room.service.entropy)
        room.play(game_id, seed="on")
        logs.append([envelope.data for envelope in check_envelopes(room.evidence(game_id).bodies)])
    assert logs[0] == logs[1]


class ReadBeside:
    """A transaction beside which somebody reads the game once the command is remembered."""

    def __init__(self, tx: Tx, read: Callable[[], object]) -> None:
        self._tx = tx
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def remember(self, *outcome: str) -> None:
        self._tx.remember(*outcome)
        self._read()


def test_a_reader_beside_the_transaction_does_not_mislead_the_computer(tmp_path: Path) -> None:
    """It sees the game as it was before, and keeps that in the memory that both share."""
    room, game_id = a_started_room(SqliteStore.create(tmp_path / "felix.db"))
    place_all(room, game_id)
    room.do(game_id, Leave(seat=BEN, for_good=False))

    def read() -> None:
        with room.store.read() as reader:
            assert room.service.load(reader, game_id).to_move == ANNA

    with room.store.write() as tx:
        beside = cast(Tx, ReadBeside(tx, read))
        bid = Bid(seat=ANNA, amount=1)
        room.service.handle(beside, game_id, bid, room.by_mail(bid))
    assert room.game(game_id).asked == [CARA]
    assert audit(room.evidence(game_id)).sound
    room.store.close()
