"""START, HOST, UNINVITE, CANCEL, JOIN and DECLINE by mail: what a host does with a table, and a guest."""

from __future__ import annotations

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.game.commands import Close, Expire
from felix_async.game.rules import Refusal
from felix_async.language.phrases import phrase
from felix_async.language.words import ALREADY_DONE, DONE, REFUSALS
from felix_async.service import Origin
from felix_events.envelope import check_envelopes
from inbox.hosting import an_open_table, kept
from inbox.postbag import Postbag, a_first_round, a_table, verdicts

ANNA, BEN, CARA, DAN = range(4)


def told(key: str, **values: str | list[str]) -> str:
    return phrase(f"answers.tables.{key}", **values)


def refused(bag: Postbag, seat: int, text: str) -> str:
    """Why an order of this seat is refused; it leaves no trace."""
    before = kept(bag)
    answer = bag.send(seat, text)
    assert kept(bag) == before
    assert verdicts(answer) == ["refused"]
    return answer.lines[0].why


def why(answer: Answer) -> str:
    assert verdicts(answer) == ["done"]
    return answer.lines[0].why


def actors(bag: Postbag, type_: str) -> list[str]:
    """Who is known to have caused events of this type."""
    with bag.room.store.read() as reader:
        envelopes = check_envelopes(reader.bodies(bag.game_id))
    return [envelope.actor for envelope in envelopes if envelope.type == type_]


# ---- START ----------------------------------------------------------------------------------------------
def test_start_begins_with_those_who_are_in() -> None:
    bag = an_open_table(BEN, CARA)
    said = why(bag.send(ANNA, "START"))
    assert (bag.game.phase, bag.game.players) == ("placing", [ANNA, BEN, CARA])
    assert said == f"{told('begun', names=['Anna', 'Ben', 'Cara'])} {told('without', names=['Dan'])}"
    assert actors(bag, "game_started") == ["host"]


def test_start_with_two() -> None:
    bag = an_open_table(BEN)
    assert refused(bag, ANNA, "START") == str(Refusal("start/too_few", {"players": 2}))


def test_start_by_a_guest() -> None:
    bag = an_open_table(BEN, CARA)
    assert refused(bag, BEN, "START") == REFUSALS["host/only"]


def test_start_of_a_running_game() -> None:
    bag = an_open_table(BEN, CARA, DAN)
    assert refused(bag, ANNA, "START") == REFUSALS["game/already_started"]


def test_start_at_a_table_without_a_host() -> None:
    assert refused(a_table(), ANNA, "START") == REFUSALS["host/only"]


# ---- HOST -----------------------------------------------------------------------------------------------
def test_host_hands_hosting_over_to_somebody_who_is_in() -> None:
    bag = an_open_table(BEN)
    assert why(bag.send(ANNA, "HOST ben")) == told("host_now", who="Ben")
    assert (bag.game.host, actors(bag, "host_named")[1:]) == (BEN, ["host"])


def test_host_works_while_the_game_runs() -> None:
    bag = an_open_table(BEN, CARA, DAN)
    bag.send(ANNA, "HOST Cara")
    assert bag.game.host == CARA


def test_host_to_somebody_who_is_not_in() -> None:
    assert refused(an_open_table(), ANNA, "HOST Ben") == REFUSALS["host/not_at_the_table"]


def test_the_host_is_the_host_already() -> None:
    bag = an_open_table()
    before = kept(bag)
    assert why(bag.send(ANNA, "HOST Anna")) == ALREADY_DONE
    assert kept(bag) == before


def test_a_host_who_declines_is_told_what_to_write_instead() -> None:
    assert refused(an_open_table(BEN), ANNA, "DECLINE") == REFUSALS["host/cancel_or_hand_over"]


# ---- UNINVITE and CANCEL --------------------------------------------------------------------------------
def test_uninvite_takes_an_invitation_back() -> None:
    bag = an_open_table(BEN)
    said = why(bag.send(ANNA, "UNINVITE Dan"))
    assert bag.game.seats[DAN].answer == "uninvited"
    assert said.split(". ") == " ".join(
        [
            told("uninvited", who="Dan"),
            told("in_now", names=["Anna", "Ben"]),
            told("waiting", names=["Cara"]),
        ]
    ).split(". ")
    assert actors(bag, "player_uninvited") == ["host"]


def test_uninvite_takes_a_seat_back_too() -> None:
    bag = an_open_table(BEN)
    bag.send(ANNA, "UNINVITE Ben")
    assert bag.game.seats[BEN].answer == "uninvited"


def test_with_fewer_than_three_the_game_is_called_off() -> None:
    bag = an_open_table()
    bag.send(ANNA, "UNINVITE Dan")
    assert why(bag.send(ANNA, "UNINVITE Cara")).endswith(told("called_off"))
    assert bag.game.phase == "abandoned"


def test_the_beginning_of_a_name_is_enough() -> None:
    bag = an_open_table()
    bag.send(ANNA, "UNINVITE c")
    assert bag.game.seats[CARA].answer == "uninvited"


def test_a_name_that_nobody_has() -> None:
    sentence = REFUSALS["name/unknown"].format(name="Zoe", names="Ben, Cara and Dan")
    assert refused(an_open_table(), ANNA, "UNINVITE Zoe") == sentence


def test_only_names_that_would_do_are_offered_instead() -> None:
    bag = an_open_table(BEN)
    bag.send(DAN, "DECLINE")
    sentence = REFUSALS["name/unknown"]
    assert refused(bag, ANNA, "UNINVITE Zoe") == sentence.format(name="Zoe", names="Ben and Cara")
    assert refused(bag, ANNA, "HOST Zoe") == sentence.format(name="Zoe", names="Ben")


def test_where_nobody_could_host_no_name_is_offered() -> None:
    assert refused(an_open_table(), ANNA, "HOST Zoe") == REFUSALS["host/not_at_the_table"]


@pytest.mark.parametrize("order", ["HOST Zoe", "UNINVITE Zoe"])
def test_a_guest_is_told_that_only_the_host_may_whatever_the_name(order: str) -> None:
    assert refused(an_open_table(BEN), BEN, order) == REFUSALS["host/only"]


def test_uninvite_in_a_running_game_is_not_about_names() -> None:
    bag = an_open_table(BEN, CARA, DAN)
    assert refused(bag, ANNA, "UNINVITE Zoe") == REFUSALS["game/already_started"]


@pytest.mark.parametrize("address", ["ben@players.test", "<Ben@Players.test>"])
def test_an_address_will_do_instead_of_a_name(address: str) -> None:
    bag = an_open_table()
    bag.send(ANNA, f"UNINVITE {address}")
    assert bag.game.seats[BEN].answer == "uninvited"


def test_a_name_that_two_may_mean() -> None:
    bag = a_table()
    bag.send(ANNA, "JOIN\nNEW\nBen <b1@x.test>\nBenno <b2@x.test>\nBea <b3@x.test>")
    with bag.room.store.read() as reader:
        bag.game_id = reader.games()[1].game_id
    sentence = REFUSALS["name/ambiguous"].format(name="be", names="Ben, Benno and Bea")
    assert refused(bag, ANNA, "UNINVITE be") == sentence
    bag.send(ANNA, "UNINVITE ben")
    assert [seat.answer for seat in bag.game.seats] == ["joined", "uninvited", "invited", "invited"]


def test_no_name_is_in_the_log() -> None:
    bag = an_open_table(BEN)
    bag.send(ANNA, "UNINVITE Dan\nHOST Ben")
    with bag.room.store.read() as reader:
        records = [row.private_record or b"" for row in reader.log(bag.game_id)]
    assert any(b"UNINVITE 3" in record for record in records)
    assert not any(name in record for record in records for name in (b"Dan", b"Ben"))


def test_cancel_calls_the_game_off() -> None:
    bag = an_open_table(BEN)
    assert why(bag.send(ANNA, "CANCEL")) == DONE["CANCEL"]
    assert bag.game.phase == "abandoned"


def test_cancel_of_a_running_game() -> None:
    bag = an_open_table(BEN, CARA, DAN)
    assert refused(bag, ANNA, "CANCEL") == REFUSALS["game/not_to_cancel"]


@pytest.mark.parametrize("order", ["HOST Ben", "UNINVITE Cara", "CANCEL"])
def test_a_guest_is_no_host(order: str) -> None:
    assert refused(an_open_table(BEN), BEN, order) == REFUSALS["host/only"]


@pytest.mark.parametrize(("line", "phase"), [("cancle", "abandoned"), ("let's start", "placing")])
def test_yes_to_a_slip_does_what_was_meant(line: str, phase: str) -> None:
    bag = an_open_table(BEN, CARA)
    assert verdicts(bag.send(ANNA, line)) == ["asked"]
    bag.send(ANNA, "YES")
    assert bag.game.phase == phase


@pytest.mark.parametrize("order", ["START", "NEW\nBen\nCara"])
def test_the_address_of_a_question_about_a_sender_takes_no_such_order(order: str) -> None:
    bag = an_open_table(BEN, CARA)
    bag.post(bag.mail(1).raw.replace(b"<new-1", b"<other").replace(b"anna@", b"phone@"), bag.address(ANNA))
    bag.work()
    before = kept(bag)
    raw = f"From: anna@players.test\r\nMessage-ID: <q@x>\r\n\r\n{order}\r\n".encode()
    mail = bag.post(raw, bag.question_address(ANNA, 1))
    bag.work()
    answer = bag.answer_to(mail)
    assert answer is not None
    assert answer.lines[0].why == REFUSALS["question/yes_or_no"]
    assert kept(bag) == before


# ---- JOIN and DECLINE -----------------------------------------------------------------------------------
def test_join_says_who_else_is_in_and_what_comes_next() -> None:
    bag = an_open_table(BEN)
    said = why(bag.send(CARA, "JOIN"))
    assert said.startswith(DONE["JOIN"])
    assert f"{told('others_in', names=['Anna', 'Ben'])} {told('at_start')}" in said


def test_the_last_one_who_joins_is_told_that_the_game_begins() -> None:
    bag = an_open_table(BEN, CARA)
    said = why(bag.send(DAN, "JOIN"))
    assert told("begun", names=["Anna", "Ben", "Cara", "Dan"]) in said
    assert told("at_start") not in said


def test_join_after_the_start() -> None:
    bag = an_open_table(BEN, CARA)
    bag.send(ANNA, "START")
    assert refused(bag, DAN, "JOIN") == REFUSALS["game/already_started"]


def test_join_after_the_invitation_has_expired() -> None:
    bag = an_open_table(BEN)
    bag.room.do(bag.game_id, Expire(seat=DAN), Origin("late", "clock", "clock"))
    assert refused(bag, DAN, "JOIN") == REFUSALS["invitation/expired"]


def test_join_after_the_invitation_was_taken_back() -> None:
    bag = an_open_table()
    bag.send(ANNA, "UNINVITE Dan")
    assert refused(bag, DAN, "JOIN") == REFUSALS["invitation/uninvited"]


def test_join_at_a_table_that_was_closed() -> None:
    bag = an_open_table()
    bag.room.do(bag.game_id, Close(), Origin("late", "clock", "clock"))
    assert refused(bag, DAN, "JOIN") == REFUSALS["game/never_began"]


def test_decline_after_join_gives_the_seat_back() -> None:
    bag = an_open_table(BEN)
    assert why(bag.send(BEN, "DECLINE")) == DONE["DECLINE"]
    assert (bag.game.phase, bag.game.seats[BEN].answer) == ("inviting", "declined")


def test_who_declined_may_still_join() -> None:
    bag = an_open_table()
    bag.send(BEN, "DECLINE")
    bag.send(BEN, "JOIN")
    assert bag.game.seats[BEN].answer == "joined"


def test_decline_after_the_start() -> None:
    assert refused(a_first_round(), BEN, "DECLINE") == REFUSALS["game/not_to_decline"]


# ---- a host who leaves ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("joined", "code"), [((BEN,), "host/cancel_or_hand_over"), ((BEN, CARA, DAN), "host/must_hand_over")]
)
def test_a_host_who_resigns_is_told_to_name_another_first(joined: tuple[int, ...], code: str) -> None:
    bag = an_open_table(*joined)
    size = bag.size
    answer = bag.send(ANNA, "RESIGN")
    if answer.asks:
        answer = bag.send(ANNA, "YES")
    assert (answer.lines[0].verdict, answer.lines[0].why) == ("refused", REFUSALS[code])
    assert (bag.size, bag.game.host) == (size, ANNA)
