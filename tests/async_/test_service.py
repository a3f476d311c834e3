"""One command, one transaction: done once, refused with a value, undone as a whole."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import orjson
import pytest

from felix_async.audit.audit import audit
from felix_async.clock import time_of
from felix_async.draw import commit
from felix_async.game.commands import Bid, Decline, Pass, Play
from felix_async.game.rules import Refusal
from felix_async.service import Origin, Outcome, Player, Service
from felix_events.envelope import Envelope, check_envelopes
from felix_events.model import GameCreated
from felix_events.store.base import StoreError
from felix_events.store.rows import GameRow, Sealed
from games import EPOCH, Room, SeededEntropy, a_room, a_started_room, joining, place_all, players
from table import ANNA, BEN


def log_of(room: Room, game_id: str) -> list[Envelope]:
    with room.store.read() as reader:
        return check_envelopes(reader.bodies(game_id))


def private_of(room: Room, game_id: str, version: int) -> dict[str, object]:
    record: dict[str, object] = orjson.loads(room.evidence(game_id).private_records[version])
    return record


# ---- done once --------------------------------------------------------------------------------------
def test_a_command_says_how_many_events_it_caused() -> None:
    room, game_id = a_started_room()
    before = room.game(game_id).version
    card = room.game(game_id).seats[BEN].hand[0]
    assert room.do(game_id, Play(seat=BEN, card=card)) == Outcome(before + 1, 1)


def test_the_same_command_again_does_nothing_and_gives_the_same_answer() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    bid = Bid(seat=ANNA, amount=3)
    origin = room.by_mail(bid)
    first = room.do(game_id, bid, origin)
    log = log_of(room, game_id)
    room.do(game_id, Pass(seat=BEN))
    assert room.do(game_id, bid, origin) == replace(first, repeated=True)
    assert log_of(room, game_id)[: len(log)] == log
    assert room.game(game_id).version == len(log) + 2, "Ben's pass and its card"


def test_a_command_is_known_by_its_id_alone() -> None:
    """A mail delivered twice has one id, whatever its lines are read as the second time."""
    room, game_id = a_started_room()
    origin = Origin("one", "seat", "mail")
    hand = room.game(game_id).seats[BEN].hand
    first = room.do(game_id, Play(seat=BEN, card=hand[0]), origin)
    again = room.do(game_id, Play(seat=BEN, card=hand[1]), origin)
    assert again == replace(first, repeated=True)
    assert room.game(game_id).seats[BEN].placed == hand[0]


def test_a_refusal_is_given_again_even_where_the_command_would_be_allowed_by_now() -> None:
    room = a_room()
    game_id = room.open()
    origin = Origin("early", "seat", "mail")
    early = room.do(game_id, Play(seat=ANNA, card=3), origin)
    assert early.refusal == Refusal("game/not_started")
    room.join_all(game_id)
    assert room.do(game_id, Play(seat=ANNA, card=3), origin) == replace(early, repeated=True)


def test_a_refusal_given_again_has_all_its_details() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    origin = Origin("rich", "seat", "mail")
    refusal = Refusal("bid/above_mice", {"amount": 99, "mice": 15})
    version = room.game(game_id).version
    bid = Bid(seat=ANNA, amount=99)
    assert room.do(game_id, bid, origin) == Outcome(version, refusal=refusal)
    assert room.do(game_id, bid, origin) == Outcome(version, refusal=refusal, repeated=True)


def test_a_command_that_changes_nothing_causes_no_event_and_is_no_refusal() -> None:
    room, game_id = a_started_room()
    card = room.game(game_id).seats[BEN].hand[0]
    first = room.do(game_id, Play(seat=BEN, card=card))
    assert room.do(game_id, Play(seat=BEN, card=card)) == Outcome(first.version)
    assert room.game(game_id).version == first.version


# ---- refusals ---------------------------------------------------------------------------------------
def test_a_refused_command_leaves_everything_as_it_was() -> None:
    room, game_id = a_started_room()
    before = room.evidence(game_id)
    outcome = room.do(game_id, Bid(seat=ANNA, amount=1))
    assert outcome.refusal == Refusal("auction/not_open")
    assert room.evidence(game_id) == before


def test_an_unknown_game_is_refused() -> None:
    assert a_room().do("zzzzz", Pass(seat=ANNA)) == Outcome(0, refusal=Refusal("game/unknown"))


def test_an_imported_game_cannot_be_played_on() -> None:
    """Its log is there, its seed is not."""
    room, game_id = a_started_room()
    with room.store.read() as reader:
        rows = reader.log(game_id)
    elsewhere = a_room()
    with elsewhere.store.write() as tx:
        tx.add_game(GameRow(game_id, "T", "imported", "2026-01-01T00:00:00.000000Z", None, "running"))
        tx.append(game_id, 0, [Sealed(row.body, row.private_record) for row in rows])
    assert elsewhere.do(game_id, Pass(seat=ANNA)) == Outcome(len(rows), refusal=Refusal("game/imported"))
    assert elsewhere.game(game_id).version == len(rows)


def test_a_move_after_the_end_is_refused() -> None:
    room, game_id = a_started_room()
    room.play(game_id)
    assert room.do(game_id, Pass(seat=ANNA)).refusal == Refusal("game/over")


# ---- stale turns ------------------------------------------------------------------------------------
def answer(room: Room, game_id: str, command: Play | Bid | Pass, turn: int) -> Refusal | None:
    return room.do(game_id, command, room.by_mail(command, turn=turn)).refusal


def test_an_answer_to_the_decision_that_is_asked_is_taken() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    assert answer(room, game_id, Bid(seat=ANNA, amount=1), turn=2) is None


@pytest.mark.parametrize("turn", [0, 1, 3])
def test_an_answer_to_another_decision_is_stale(turn: int) -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    assert answer(room, game_id, Bid(seat=ANNA, amount=1), turn) == Refusal("turn/stale")


def test_a_play_may_be_exchanged_in_answer_to_the_same_mail() -> None:
    room, game_id = a_started_room()
    for card in room.game(game_id).seats[BEN].hand[:2]:
        assert answer(room, game_id, Play(seat=BEN, card=card), turn=1) is None


def test_a_play_for_an_earlier_round_is_stale() -> None:
    room, game_id = a_started_room()
    room.play(game_id, until=lambda game: game.round == 2)
    card = room.game(game_id).seats[BEN].hand[0]
    assert answer(room, game_id, Play(seat=BEN, card=card), turn=1) == Refusal("turn/stale")


def test_a_late_play_of_a_seat_not_asked_since_is_told_that_the_row_is_complete() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    card = room.game(game_id).seats[BEN].hand[0]
    assert answer(room, game_id, Play(seat=BEN, card=card), turn=1) == Refusal("row/complete")


def test_the_host_s_desk_answers_no_mail_and_is_never_stale() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    assert room.do(game_id, Pass(seat=ANNA), Origin("desk-1", "host", "desk")).refusal is None


def test_an_answer_to_an_invitation_is_never_stale() -> None:
    room, game_id = a_started_room()
    join = room.do(game_id, joining(ANNA), room.by_mail(joining(ANNA), turn=0))
    assert join.refusal == Refusal("game/already_started")
    decline = room.do(game_id, Decline(seat=ANNA), room.by_mail(Decline(seat=ANNA), turn=0))
    assert decline.refusal == Refusal("game/not_to_decline")


def test_an_old_answer_after_the_end_is_told_that_the_game_is_over() -> None:
    room, game_id = a_started_room()
    room.play(game_id)
    assert answer(room, game_id, Pass(seat=ANNA), turn=1) == Refusal("game/over")


# ---- the bytes of a step ----------------------------------------------------------------------------
def test_a_move_by_mail_has_a_private_record_that_names_the_mail_and_the_line() -> None:
    room, game_id = a_started_room()
    card = room.game(game_id).seats[BEN].hand[0]
    mail = sha256(b"a mail").hexdigest()
    origin = Origin(
        *("mail/0", "seat", "mail", mail, f"PLAY {card}", 1),
        line=f"play {card} please",
        message_id="<1@players.test>",
        grammar=2,
        inferred=True,
    )
    version = room.do(game_id, Play(seat=BEN, card=card), origin).version
    record = private_of(room, game_id, version)
    salt = record.pop("salt")
    assert isinstance(salt, str)
    assert len(salt) == 32
    assert record == {
        "channel": "mail",
        "cause": "mail/0",
        "mail_sha256": mail,
        "order": f"PLAY {card}",
        "line": f"play {card} please",
        "message_id": "<1@players.test>",
        "grammar": 2,
        "inferred": True,
        "schema": 2,
    }


@pytest.mark.parametrize(("actor", "channel"), [("host", "desk"), ("computer", "computer")])
def test_a_move_that_came_in_no_mail_has_a_record_of_the_same_shape(actor: str, channel: str) -> None:
    room, game_id = a_started_room()
    card = room.game(game_id).seats[BEN].hand[0]
    origin = Origin("c", actor, channel)  # type: ignore[arg-type]  # both are from the list above
    version = room.do(game_id, Play(seat=BEN, card=card), origin).version
    record = private_of(room, game_id, version)
    assert {**record, "salt": ""} == {
        "salt": "", "channel": channel, "cause": "c", "mail_sha256": None, "order": None,
        "line": None, "message_id": None, "grammar": None, "inferred": False, "schema": 2,
    }  # fmt: skip
    assert log_of(room, game_id)[-1].actor == actor


def test_only_the_first_event_of_a_step_is_the_command_s() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    room.do(game_id, Pass(seat=ANNA), Origin("p", "seat", "mail"))
    passed, turned = log_of(room, game_id)[-2:]
    assert (passed.actor, turned.actor) == ("seat", "rules")
    assert passed.private == sha256(room.evidence(game_id).private_records[passed.version]).hexdigest()
    assert turned.private is None
    assert turned.version not in room.evidence(game_id).private_records


def test_secret_events_have_a_salt_each_and_no_other_event_has_one() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    log = log_of(room, game_id)
    salts = [envelope.salt for envelope in log if envelope.data.secret]
    assert len(set(salts)) == len(salts) == 8
    assert {envelope.salt for envelope in log if not envelope.data.secret} == {None}


def test_no_secret_is_drawn_twice() -> None:
    """Seeds, seat secrets and salts all come from the one source, each afresh."""
    room, game_id = a_started_room()
    records = [orjson.loads(record)["salt"] for record in room.evidence(game_id).private_records.values()]
    with room.store.read() as reader:
        secrets = [seat.secret for seat in reader.seats(game_id)]
    assert len(set(records)) == len(records)
    assert len(set(secrets)) == len(secrets) == 4


# ---- time -------------------------------------------------------------------------------------------
def test_all_events_of_a_step_have_the_same_time() -> None:
    room, game_id = a_started_room()
    last_join = [envelope.type for envelope in log_of(room, game_id)].index("game_started")
    assert len({envelope.at for envelope in log_of(room, game_id)[last_join - 1 :]}) == 1


def test_time_stands_still_while_the_clock_has_jumped_back() -> None:
    room, game_id = a_started_room()
    before = log_of(room, game_id)[-1].at
    room.clock.now = EPOCH - timedelta(days=1)
    place_all(room, game_id)
    assert {envelope.at for envelope in log_of(room, game_id)[-5:]} == {before}
    room.clock.now = time_of(before)
    room.do(game_id, Pass(seat=ANNA))
    assert log_of(room, game_id)[-1].at > before
    assert audit(room.evidence(game_id)).sound


def test_time_never_runs_backwards_for_a_service_that_did_not_write_the_log() -> None:
    room, game_id = a_started_room()
    before = log_of(room, game_id)[-1].at
    room.clock.now = EPOCH - timedelta(days=1)
    room.service = Service(room.clock, SeededEntropy("later"))
    place_all(room, game_id)
    assert log_of(room, game_id)[-1].at == before


# ---- opening a table --------------------------------------------------------------------------------
def open_for(room: Room, seated: list[Player], command_id: str = "create") -> tuple[str, Outcome]:
    with room.store.write() as tx:
        return room.service.open_table(
            tx,
            seated,
            origin=Origin(command_id, "host", "desk"),
            table_name="T",
            ruleset="felicity-2017",
        )


def test_a_new_table_is_committed_to_a_seed_that_it_keeps() -> None:
    room = a_room()
    game_id = room.open(5)
    created = log_of(room, game_id)[0].data
    assert isinstance(created, GameCreated)
    with room.store.read() as reader:
        row = reader.game(game_id)
    assert row is not None
    assert row.seed is not None
    assert commit(game_id, row.seed) == created.commitment
    assert (row.kind, row.state, row.size) == ("played", "inviting", 6)


def test_a_new_table_knows_who_sits_where() -> None:
    room = a_room()
    game_id = room.open(3)
    with room.store.read() as reader:
        seats = [(seat.seat, seat.player_id, seat.name, seat.address) for seat in reader.seats(game_id)]
    assert seats == [
        (0, "anna-1", "Anna", "anna@players.test"),
        (1, "ben-1", "Ben", "ben@players.test"),
        (2, "cara-1", "Cara", "cara@players.test"),
    ]


def test_a_player_without_an_address_can_be_seated() -> None:
    room = a_room()
    game_id, outcome = open_for(room, [Player(f"p{seat}", "P") for seat in range(3)])
    assert outcome == Outcome(4, 4)
    with room.store.read() as reader:
        assert [seat.address for seat in reader.seats(game_id)] == [None] * 3


@pytest.mark.parametrize("size", [0, 2, 6])
def test_a_table_too_small_or_too_large_is_refused_and_leaves_nothing(size: int) -> None:
    room = a_room()
    _, outcome = open_for(room, [Player(f"p{seat}", "P", f"p{seat}@players.test") for seat in range(size)])
    assert outcome == Outcome(0, refusal=Refusal("table/size", {"players": size}))
    with room.store.read() as reader:
        assert (reader.games(), reader.logs(), reader.player_at("p0@players.test")) == ([], [], None)


def test_a_player_on_two_seats_is_refused_and_leaves_nothing() -> None:
    room = a_room()
    anna, ben, _ = players(3)
    _, outcome = open_for(room, [anna, ben, anna])
    assert outcome.refusal == Refusal("table/player_twice")
    with room.store.read() as reader:
        assert (reader.games(), reader.logs()) == ([], [])


def test_two_players_with_one_address_are_refused_and_leave_nothing() -> None:
    anna, ben, _ = players(3)
    room = a_room()
    with pytest.raises(StoreError, match="belongs to another player"):
        open_for(room, [anna, ben, Player("mallory", "Mallory", ben.address)])
    with room.store.read() as reader:
        assert (reader.games(), reader.logs()) == ([], [])


def test_a_game_id_that_is_taken_is_not_given_again() -> None:
    """Entropy that repeats itself once gives the same id twice, and the second one is passed over."""
    room = a_room()
    taken = room.open(command_id="one")
    room.service.entropy = SeededEntropy("room")
    other = room.open(command_id="two")
    assert other != taken


def test_a_game_id_is_easy_to_type() -> None:
    room = a_room()
    ids = [room.open(command_id=f"create-{number}") for number in range(40)]
    assert all(len(game_id) == 5 and set(game_id).isdisjoint("ilo01") for game_id in ids)
    assert len(set(ids)) == 40


def test_a_table_opened_again_by_the_same_command_is_the_same_table() -> None:
    room = a_room()
    game_id, first = open_for(room, players(3))
    assert open_for(room, players(3)) == (game_id, replace(first, repeated=True))
    with room.store.read() as reader:
        assert reader.logs() == [game_id]
