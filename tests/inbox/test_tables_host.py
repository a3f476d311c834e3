"""START, HOST, UNINVITE, CANCEL, JOIN and DECLINE by mail: what a host does with a table, and a guest."""

from __future__ import annotations

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.language.phrases import phrase
from felix_async.language.words import ALREADY_DONE, DONE, REFUSALS
from felix_events.envelope import check_envelopes
from inbox.hosting import an_open_table, kept
from inbox.postbag import Postbag, verdicts

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
    envelopes = check_envelopes(bag.look(lambda reader: reader.bodies(bag.game_id)))
    return [envelope.actor for envelope in envelopes if envelope.type == type_]


# ---- START ----------------------------------------------------------------------------------------------
def test_start_begins_with_those_who_are_in() -> None:
    bag = an_open_table(BEN, CARA)
    said = why(bag.send(ANNA, "START"))
    assert (bag.game.phase, bag.game.players) == ("placing", [ANNA, BEN, CARA])
    assert said == f"{told('begun', names=['Anna', 'Ben', 'Cara'])} {told('without', names=['Dan'])}"
    assert actors(bag, "game_started") == ["host"]


# ---- HOST -----------------------------------------------------------------------------------------------
def test_the_host_is_the_host_already() -> None:
    bag = an_open_table()
    before = kept(bag)
    assert why(bag.send(ANNA, "HOST Anna")) == ALREADY_DONE
    assert kept(bag) == before


# ---- UNINVITE and CANCEL --------------------------------------------------------------------------------
def test_with_fewer_than_three_the_game_is_called_off() -> None:
    bag = an_open_table()
    bag.send(ANNA, "UNINVITE Dan")
    assert why(bag.send(ANNA, "UNINVITE Cara")).endswith(told("called_off"))
    assert bag.game.phase == "abandoned"


def test_a_name_that_nobody_has() -> None:
    sentence = REFUSALS["name/unknown"].format(name="Zoe", names="Ben, Cara and Dan")
    assert refused(an_open_table(), ANNA, "UNINVITE Zoe") == sentence


def test_where_nobody_could_host_no_name_is_offered() -> None:
    assert refused(an_open_table(), ANNA, "HOST Zoe") == REFUSALS["host/not_at_the_table"]


@pytest.mark.parametrize("order", ["HOST Zoe", "UNINVITE Zoe"])
def test_a_guest_is_told_that_only_the_host_may_whatever_the_name(order: str) -> None:
    assert refused(an_open_table(BEN), BEN, order) == REFUSALS["host/only"]


@pytest.mark.parametrize("address", ["ben@players.test", "<Ben@Players.test>"])
def test_an_address_will_do_instead_of_a_name(address: str) -> None:
    bag = an_open_table()
    bag.send(ANNA, f"UNINVITE {address}")
    assert bag.game.seats[BEN].answer == "uninvited"


def test_no_name_is_in_the_log() -> None:
    bag = an_open_table(BEN)
    bag.send(ANNA, "UNINVITE Dan\nHOST Ben")
    records = [row.private_record or b"" for row in bag.look(lambda reader: reader.log(bag.game_id))]
    assert any(b"UNINVITE 3" in record for record in records)
    assert not any(name in record for record in records for name in (b"Dan", b"Ben"))


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


def test_uninvite_takes_an_invitation_back() -> None:
    bag = an_open_table(BEN)
    said = why(bag.send(ANNA, "UNINVITE Dan"))
    assert bag.game.seats[DAN].answer == "uninvited"
    assert said.split(". ") == " ".join(
        [told("uninvited", who="Dan"), told("in_now", names=["Anna", "Ben"]), told("waiting", names=["Cara"])]
    ).split(". ")
    assert actors(bag, "player_uninvited") == ["host"]
