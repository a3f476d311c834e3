"""SUBSTITUTE that comes to nothing: a sentence that says what to write instead, and nothing changed."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Absent, Leave
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_async.orders.quotas import A_DAY
from felix_events.store.rows import AddressRow, Stopped
from inbox.substituting import ANNA, BEN, CARA, DORA, OFFER, Succession, a_succession
from notifiers.sheets import part

NEXT_YEAR = "2026-01-05T12:00:00.000000Z"


def refusal(succession: Succession, text: str, by: int = ANNA) -> str:
    """The code of the refusal; no letter goes to anybody but the host, and nothing was asked."""
    before = succession.bag.size, len(succession.questions())
    answer = succession.bag.send(by, text)
    (line,) = [line for line in answer.lines if line.verdict == "refused"]
    assert (succession.bag.size, len(succession.questions())) == before
    (letter,) = succession.deliver()
    assert str(succession.bag.seat(by).address) in str(letter["To"])
    return line.code


def stopped(succession: Succession, why: Stopped) -> None:
    """Dora is known from elsewhere, and gets no mail."""
    with succession.bag.room.store.write() as tx:
        tx.add_player("p-00000000000d", DORA)
        tx.note_address(AddressRow(DORA, "p-00000000000d", stopped=why))


@pytest.mark.parametrize(
    ("order", "code"),
    [
        ("SUBSTITUTE Cara dora@example.org", "substitute/is_there"),
        ("SUBSTITUTE Anna: Dora dora@example.org", "substitute/is_there"),
        ("SUBSTITUTE Zoe dora@example.org", "name/unknown"),
        ("SUBSTITUTE dora@example.org", "name/unknown"),
        ("SUBSTITUTE Ben anna@players.test", "substitute/sits_here"),
        ("SUBSTITUTE Ben Cara", "substitute/sits_here"),
        ("SUBSTITUTE Ben Anna", "substitute/sits_here"),
        ("SUBSTITUTE Ben felix@felix.test", "substitute/felix"),
        ("SUBSTITUTE Ben felix+abc@felix.test", "substitute/felix"),
        ("SUBSTITUTE Ben Zoe", "substitute/unknown"),
        ("SUBSTITUTE Ben", "substitute/no_address"),
        ("SUBSTITUTE Ben: dora@", "substitute/no_address"),
        ("SUBSTITUTE Ben: a@b.org c@d.org", "substitute/no_address"),
    ],
)
def test_an_order_that_names_nobody_who_can_have_the_seat(order: str, code: str) -> None:
    assert refusal(a_succession(), order) == code


@pytest.mark.parametrize(
    ("why", "code"), [("asked", "substitute/wants_no_mail"), ("bounces", "substitute/unreachable")]
)
def test_somebody_who_cannot_be_written_to(why: Stopped, code: str) -> None:
    succession = a_succession()
    stopped(succession, why)
    assert refusal(succession, OFFER) == code


def unseen(succession: Succession, address: str, order: str) -> None:
    """The writer is told what they would be told of a stranger; who is there already hears of it."""
    stranger = a_succession()
    asked = [line.why for line in stranger.bag.send(ANNA, OFFER).lines]
    size = succession.bag.size
    told = [line.why for line in succession.bag.send(ANNA, order).lines]
    assert [why.replace("Cara", "Ben") for why in told] == asked
    (letter,) = [mail for mail in succession.deliver() if address in str(mail["To"])]
    text = " ".join(part(letter, "plain").split())
    assert phrase("lobby.seat_closed.sits_here") in text
    assert (letter["Reply-To"], succession.bag.size) == (None, size)
    assert [question.state for question in succession.questions()][-1] == "dropped"


def test_whether_an_address_is_a_co_players_nobody_finds_out() -> None:
    unseen(a_succession(), "cara@players.test", "SUBSTITUTE Ben: Dora cara@players.test")


def test_whether_a_player_writes_from_an_address_nobody_finds_out() -> None:
    succession = a_succession()
    with succession.bag.room.store.write() as tx:
        tx.adopt(succession.bag.seat(CARA).player_id, DORA)
    unseen(succession, DORA, OFFER)


def test_whether_an_address_is_of_who_lost_a_seat_here_nobody_finds_out() -> None:
    succession = a_succession()
    succession.taken()
    succession.bag.room.do(succession.bag.game_id, Leave(seat=CARA, for_good=True))
    succession.deliver()
    order = "SUBSTITUTE Cara: Dora ben@players.test"
    assert [line.verdict for line in succession.bag.send(ANNA, order).lines] == ["done"]
    (letter,) = [mail for mail in succession.deliver() if "ben@players.test" in str(mail["To"])]
    assert phrase("lobby.seat_closed.sits_here") in " ".join(part(letter, "plain").split())


def test_whom_the_writer_has_played_with_they_may_name_and_be_told() -> None:
    succession = a_succession()
    succession.taken()
    succession.bag.room.do(succession.bag.game_id, Leave(seat=CARA, for_good=True))
    succession.deliver()
    assert refusal(succession, "SUBSTITUTE Cara: Ben") == "substitute/sat_here"


def test_guesses_at_addresses_are_counted() -> None:
    succession = a_succession()
    for _ in range(A_DAY["offers"]):
        succession.bag.send(ANNA, "SUBSTITUTE Ben: Dora cara@players.test")
    succession.deliver()
    assert refusal(succession, "SUBSTITUTE Ben: Dora cara@players.test") == "substitute/too_often"


def test_who_is_not_the_host_offers_no_seat() -> None:
    assert refusal(a_succession(), OFFER, by=CARA) == "host/only"


def test_no_seat_is_offered_before_the_game_begins() -> None:
    succession = a_succession()
    game_id = succession.bag.room.open(3, host=ANNA, command_id="another")
    succession.bag.game_id = game_id
    succession.deliver()
    assert refusal(succession, OFFER) == "substitute/not_started"


def test_no_seat_is_offered_after_the_game() -> None:
    succession = a_succession()
    for seat in (BEN, CARA, 3, ANNA):
        succession.bag.room.do(succession.bag.game_id, Leave(seat=seat, for_good=True))
    succession.deliver()
    assert refusal(succession, OFFER) == "game/over"


def test_a_player_who_has_said_when_they_are_back_keeps_the_seat() -> None:
    succession = a_succession(leaves=False)
    away = Absent(seat=BEN, start="2026-01-01T12:00:00.000000Z", back=NEXT_YEAR, computer=True)
    assert succession.bag.room.do(succession.bag.game_id, away).events
    answer = succession.bag.send(ANNA, OFFER)
    assert [line.code for line in answer.lines] == ["substitute/will_be_back"]


def test_the_limit_is_for_all_tables_of_one_player() -> None:
    succession = a_succession()
    for number in range(A_DAY["offers"]):
        succession.offered_to(f"{number}@example.org")
    assert refusal(succession, OFFER) == "substitute/too_often"
    room = succession.bag.room
    succession.bag.game_id = room.open(4, host=ANNA, command_id="another")
    room.join_all(succession.bag.game_id)
    room.do(succession.bag.game_id, Leave(seat=BEN, for_good=False))
    succession.deliver()
    assert refusal(succession, OFFER) == "substitute/too_often"


def test_every_refusal_says_what_to_write_instead() -> None:
    sentences = [text for code, text in REFUSALS.items() if code.startswith("substitute/")]
    assert sentences
    assert [text for text in sentences if not any(word in text for word in ("Write ", "STATUS"))] == []


def test_without_more_behind_it_the_order_is_explained() -> None:
    answer = a_succession().bag.send(ANNA, "SUBSTITUTE")
    assert "for example SUBSTITUTE Ben: Dora dora@example.org" in answer.lines[-1].why
