"""What a command owes, and that all of it happens or nothing: notices, due rows, and the service's memory."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from felix_async import service
from felix_async.audit.audit import audit
from felix_async.clock import later
from felix_async.follow_up.notices import Hours
from felix_async.game.commands import Bid, Command, Decline, Pass, Play
from felix_async.game.state import Game, initial_state
from felix_async.service import Origin
from felix_events.store.base import Store
from felix_events.store.rows import Due, Notice
from felix_events.store.sqlite import SqliteStore
from fresh import a_database
from games import Room, a_room, a_started_room, joining, place_all
from table import ANNA, BEN, CARA, DAN


class Stop(Exception):
    """Something went wrong after the command."""


def handle_and_stop(room: Room, game_id: str, command: Command, origin: Origin) -> None:
    with room.store.write() as tx:
        assert room.service.handle(tx, game_id, command, origin).events
        raise Stop


@pytest.fixture
def store() -> Iterator[Store]:
    store = SqliteStore.in_memory()
    yield store
    store.close()


# ---- one transaction --------------------------------------------------------------------------------
def test_an_exception_undoes_the_command_and_the_service_knows(store: Store) -> None:
    room, game_id = a_started_room(store)
    place_all(room, game_id)
    before = room.evidence(game_id)
    pass_, origin = Pass(seat=ANNA), Origin("undone", "seat", "mail")
    with pytest.raises(Stop):
        handle_and_stop(room, game_id, pass_, origin)
    assert room.evidence(game_id) == before
    state = room.game(game_id)
    with store.read() as reader:
        assert room.service.load(reader, game_id) == state
        assert reader.outcome("undone") is None
    again = room.do(game_id, pass_, origin)
    assert (again.events, again.repeated) == (2, False)
    assert audit(room.evidence(game_id)).sound


def test_another_command_after_an_undone_one_is_judged_by_the_log(store: Store) -> None:
    """The undone state and the new one have the same version, and are told apart by their hashes."""
    room, game_id = a_started_room(store)
    place_all(room, game_id)
    with pytest.raises(Stop):
        handle_and_stop(room, game_id, Bid(seat=ANNA, amount=9), Origin("undone", "seat", "mail"))
    assert room.do(game_id, Bid(seat=ANNA, amount=2)).refusal is None
    assert room.do(game_id, Bid(seat=BEN, amount=3)).refusal is None
    assert [state.bid for state in room.game(game_id).seats] == [2, 3, 0, 0]
    assert audit(room.evidence(game_id)).sound


def test_a_part_that_is_undone_leaves_the_rest_of_its_transaction(store: Store) -> None:
    room, game_id = a_started_room(store)
    place_all(room, game_id)
    with store.write() as tx:
        room.service.handle(tx, game_id, Bid(seat=ANNA, amount=2), Origin("1", "seat", "mail"))
        with contextlib.suppress(Stop), tx.savepoint():
            room.service.handle(tx, game_id, Bid(seat=BEN, amount=9), Origin("2", "seat", "mail"))
            raise Stop
        room.service.handle(tx, game_id, Bid(seat=BEN, amount=3), Origin("3", "seat", "mail"))
    assert [state.bid for state in room.game(game_id).seats] == [2, 3, 0, 0]
    assert audit(room.evidence(game_id)).sound


def two_rooms(path: Path) -> tuple[Room, Room]:
    """Two services with a store each on the same file, as two processes have; they share the time."""
    first = a_room("first", a_database(path))
    second = a_room("second", SqliteStore.open_to_write(path))
    second.service.clock = first.clock
    return first, second


def beyond(version: int) -> Callable[[Game], bool]:
    """One move on."""
    return lambda game: game.version > version


@pytest.mark.slow
def test_two_services_on_one_file_take_turns(tmp_path: Path) -> None:
    """Each one's memory of the game is out of date whenever it is asked."""
    rooms = two_rooms(tmp_path / "felix.db")
    game_id = rooms[0].open(3, start=ANNA)
    for seat in (ANNA, BEN, CARA):
        rooms[seat % 2].do(game_id, joining(seat), Origin(f"join{seat}", "seat", "mail"))
    version = 0
    while not rooms[0].game(game_id).is_over:
        version = rooms[0].game(game_id).version
        mover, other = rooms[version % 2], rooms[1 - version % 2]
        mover.play(game_id, seed=f"{version}", until=beyond(version))
        other.commands = mover.commands
    assert rooms[0].evidence(game_id) == rooms[1].evidence(game_id)
    assert audit(rooms[0].evidence(game_id)).sound
    for room in rooms:
        room.store.close()


def test_a_service_whose_command_was_undone_sees_what_another_did_instead(tmp_path: Path) -> None:
    """The version is the one that it remembers, the state is not."""
    first, second = two_rooms(tmp_path / "felix.db")
    game_id = first.open(start=ANNA)
    first.join_all(game_id)
    place_all(first, game_id)
    with pytest.raises(Stop):
        handle_and_stop(first, game_id, Bid(seat=ANNA, amount=9), Origin("undone", "seat", "mail"))
    second.do(game_id, Bid(seat=ANNA, amount=2), Origin("other", "seat", "mail"))
    with first.store.read() as reader:
        assert first.service.load(reader, game_id).high_bid == 2
    for room in (first, second):
        room.store.close()


def test_a_game_that_fell_out_of_memory_is_read_from_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_CACHED_GAMES", 2)
    room = a_room()
    games = [room.open(command_id=f"create-{number}") for number in range(4)]
    for game_id in (*games, *games):
        state = room.game(game_id)
        with room.store.read() as reader:
            assert room.service.load(reader, game_id) == state
    assert len(room.service._known) == 2


def test_an_unknown_game_is_in_its_initial_state() -> None:
    room = a_room()
    with room.store.read() as reader:
        assert room.service.load(reader, "zzzzz") == initial_state()


# ---- notices ----------------------------------------------------------------------------------------
def notices_of(room: Room, game_id: str) -> list[Notice]:
    with room.store.read() as reader:
        return reader.notices(game_id)


def owed(
    room: Room, game_id: str, command: Command, origin: Origin | None = None
) -> list[tuple[int, str, int]]:
    """What a command makes felix owe: seat, kind of notice, and the decision that it asks for."""
    before = len(notices_of(room, game_id))
    assert room.do(game_id, command).refusal is None
    after = notices_of(room, game_id)[before:]
    assert {notice.version for notice in after} <= {room.game(game_id).version}
    return [(notice.seat, notice.kind, notice.turn) for notice in after]


def test_everybody_is_owed_an_invitation() -> None:
    room = a_room()
    game_id = room.open()
    invited = [(notice.seat, notice.kind, notice.turn) for notice in notices_of(room, game_id)]
    assert invited == [(seat, "invitation", 0) for seat in range(4)]


def test_a_join_owes_nobody_anything_while_others_are_missing() -> None:
    room = a_room()
    game_id = room.open()
    assert owed(room, game_id, joining(ANNA)) == []


def test_the_last_join_owes_everybody_a_turn() -> None:
    room = a_room()
    game_id = room.open()
    for seat in (DAN, ANNA, CARA):
        room.do(game_id, joining(seat))
    assert owed(room, game_id, joining(BEN)) == [(seat, "turn", 1) for seat in range(4)]


def test_a_card_placed_owes_nobody_anything_while_others_are_missing() -> None:
    room, game_id = a_started_room()
    card = room.game(game_id).seats[BEN].hand[0]
    assert owed(room, game_id, Play(seat=BEN, card=card)) == []


def test_the_last_card_owes_a_turn_to_the_start_player_alone() -> None:
    room, game_id = a_started_room()
    for seat in (BEN, CARA, DAN):
        room.do(game_id, Play(seat=seat, card=room.game(game_id).seats[seat].hand[0]))
    card = room.game(game_id).seats[ANNA].hand[0]
    assert owed(room, game_id, Play(seat=ANNA, card=card)) == [(ANNA, "turn", 2)]


def test_a_bid_and_a_pass_owe_a_turn_to_the_next_seat_alone() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    assert owed(room, game_id, Bid(seat=ANNA, amount=1)) == [(BEN, "turn", 2)]
    assert owed(room, game_id, Pass(seat=BEN)) == [(CARA, "turn", 2)]


def test_the_end_of_a_round_owes_everybody_a_turn() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    for command in (Bid(seat=ANNA, amount=1), Pass(seat=BEN), Pass(seat=CARA)):
        room.do(game_id, command)
    turns = [state.turn for state in room.game(game_id).seats]
    assert owed(room, game_id, Pass(seat=DAN)) == [(seat, "turn", turns[seat] + 1) for seat in range(4)]


def test_the_end_of_the_eighth_round_owes_a_turn_to_the_next_start_player_alone() -> None:
    """The last cards are placed by the rules."""
    room, game_id = a_started_room()
    room.play(game_id, until=lambda game: game.round == 8 and game.phase == "bidding")
    while room.game(game_id).round == 8:
        seat = room.game(game_id).asked[0]
        last = owed(room, game_id, Pass(seat=seat))
    (asked,) = room.game(game_id).asked
    assert last == [(asked, "turn", room.game(game_id).seats[asked].turn)]


def test_the_end_owes_everybody_the_result_and_nobody_a_turn() -> None:
    room, game_id = a_started_room()
    room.play(game_id, until=lambda game: game.round == 9)
    while not room.game(game_id).is_over:
        last = owed(room, game_id, Pass(seat=room.game(game_id).asked[0]))
    assert [(seat, kind) for seat, kind, _ in last] == [(seat, "result") for seat in range(4)]


def test_a_decline_owes_the_others_that_the_game_is_cancelled() -> None:
    room = a_room()
    game_id = room.open()
    room.do(game_id, joining(ANNA))
    assert owed(room, game_id, Decline(seat=CARA)) == [(seat, "cancelled", 0) for seat in (ANNA, BEN, DAN)]


def test_a_refusal_owes_nobody_anything() -> None:
    room, game_id = a_started_room()
    before = notices_of(room, game_id)
    room.do(game_id, Pass(seat=ANNA))
    assert notices_of(room, game_id) == before


def test_a_command_that_comes_again_owes_nobody_anything() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    bid = Bid(seat=ANNA, amount=1)
    origin = room.by_mail(bid)
    room.do(game_id, bid, origin)
    before = notices_of(room, game_id)
    assert room.do(game_id, bid, origin).repeated
    assert notices_of(room, game_id) == before


def test_what_is_owed_is_due_at_once() -> None:
    room, game_id = a_started_room()
    at = room.evidence(game_id).bodies[-1]
    assert f'"at":"{notices_of(room, game_id)[-1].due_at}"'.encode() in at


def test_an_undone_command_owes_nobody_anything(store: Store) -> None:
    room, game_id = a_started_room(store)
    place_all(room, game_id)
    before = notices_of(room, game_id), due_of(room, game_id)
    with pytest.raises(Stop):
        handle_and_stop(room, game_id, Pass(seat=ANNA), Origin("undone", "seat", "mail"))
    assert (notices_of(room, game_id), due_of(room, game_id)) == before


def test_a_simulated_game_owes_nobody_anything_from_its_creation_to_its_end() -> None:
    room = a_room()
    game_id = room.open(kind="simulated")
    room.join_all(game_id)
    assert due_of(room, game_id) == []
    room.play(game_id)
    assert (notices_of(room, game_id), due_of(room, game_id)) == ([], [])
    assert audit(room.evidence(game_id)).sound


# ---- due rows ---------------------------------------------------------------------------------------
def due_of(room: Room, game_id: str) -> list[Due]:
    with room.store.read() as reader:
        return [row for row in reader.due_of(game_id) if row.kind != "silence"]


def waited_for(room: Room, game_id: str, kind: str = "reminder") -> list[tuple[int, int]]:
    """The seats and turns that felix will look at again, to remind them unless it is asked for others."""
    return [(row.seat, row.turn) for row in due_of(room, game_id) if row.kind == kind]


def test_whoever_is_waited_for_is_looked_at_again_and_nobody_else() -> None:
    """From the invitation to the end, after every command."""
    room = a_room()
    game_id = room.open(3)
    room.join_all(game_id)

    def as_asked(_: object = None) -> bool:
        game = room.game(game_id)
        assert waited_for(room, game_id) == [(seat, game.seats[seat].turn) for seat in game.asked]
        return game.is_over

    room.play(game_id, until=as_asked)
    assert due_of(room, game_id) == []


def test_an_invited_seat_is_looked_at_again_until_it_answers() -> None:
    room = a_room()
    game_id = room.open()
    assert waited_for(room, game_id) == [(seat, 0) for seat in range(4)]
    room.do(game_id, joining(BEN))
    assert waited_for(room, game_id) == [(seat, 0) for seat in (ANNA, CARA, DAN)]
    room.do(game_id, Decline(seat=ANNA))
    assert due_of(room, game_id) == []


def test_an_invitation_expires_unless_it_is_answered() -> None:
    room = a_room()
    game_id = room.open()
    assert waited_for(room, game_id, "expiry") == [(seat, 0) for seat in range(4)]
    room.do(game_id, joining(BEN))
    assert waited_for(room, game_id, "expiry") == [(seat, 0) for seat in (ANNA, CARA, DAN)]


def test_a_table_is_closed_unless_it_is_started() -> None:
    room = a_room()
    game_id = room.open()
    for seat in (ANNA, BEN, CARA):
        room.do(game_id, joining(seat))
        assert waited_for(room, game_id, "closing") == [(0, 0)]
    room.do(game_id, joining(DAN))
    assert {row.kind for row in due_of(room, game_id)} == {"reminder"}


def test_a_seat_is_looked_at_a_day_after_it_was_asked() -> None:
    room, game_id = a_started_room()
    asked_at = notices_of(room, game_id)[-1].due_at
    assert {row.due_at for row in due_of(room, game_id)} == {later(asked_at, 24 * 3600)}


def test_the_operator_says_after_how_long() -> None:
    room = a_room()
    room.service.hours = Hours(remind_after=90, expire_after=500)
    game_id = room.open()
    invited_at = notices_of(room, game_id)[-1].due_at
    assert {(row.kind, row.due_at) for row in due_of(room, game_id)} == {
        ("reminder", later(invited_at, 90)),
        ("expiry", later(invited_at, 500)),
        ("closing", later(invited_at, 1000)),
    }


def test_what_others_do_moves_no_due_row() -> None:
    room, game_id = a_started_room()
    before = due_of(room, game_id)
    room.do(game_id, Play(seat=BEN, card=room.game(game_id).seats[BEN].hand[0]))
    assert due_of(room, game_id) == [row for row in before if row.seat != BEN]


def test_an_exchanged_card_moves_no_due_row() -> None:
    room, game_id = a_started_room()
    for card in room.game(game_id).seats[BEN].hand[:2]:
        room.do(game_id, Play(seat=BEN, card=card))
    assert waited_for(room, game_id) == [(seat, 1) for seat in (ANNA, CARA, DAN)]


def test_a_due_row_that_was_dealt_with_does_not_come_back() -> None:
    """A reminded seat is not reminded again because somebody else has moved."""
    room, game_id = a_started_room()
    with room.store.write() as tx:
        tx.clear_due(tx.due_of(game_id)[ANNA])
    room.do(game_id, Play(seat=BEN, card=room.game(game_id).seats[BEN].hand[0]))
    assert waited_for(room, game_id) == [(CARA, 1), (DAN, 1)]
