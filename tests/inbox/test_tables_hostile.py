"""Strangers' text in a NEW: whatever stands there, the table is harmless, or there is none."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from email.header import Header

import hypothesis.strategies as st
import pytest
from hypothesis import given

from felix_async.follow_up.answer import Answer
from felix_async.game.ahead import NOTHING
from felix_async.game.rules import Refusal
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import KEY_CHANGED
from felix_async.orders.hosting import seat_named
from felix_async.people import NAME_LENGTH, Name, distinct, is_address, matching, name_of, named, seat_names
from felix_async.seat_logs import ahead_at
from felix_async.text import Harmless
from inbox.hosting import FRIENDS, answers, kept, names_at, opened, seats_at, why_not, write_new
from inbox.postbag import MAILBOX, Postbag, a_mail, a_table, an_auction, verdicts

NASTY = [
    "Ben\r\nBcc: eve@evil.test",
    "<script>alert(1)</script>",
    "\u202eneB\u202c\u200b\ufeff",
    "\x1b[2J\x07Ben",
    "{0.__class__}%s{{7*7}}",
    '"; DROP TABLE seats; --',
    "B" * 10_000,
    "A\u0301" * 3000,
    "=?utf-8?q?=0D=0ABcc=3A_eve=40evil.test?=",
    "=?utf-8?b?////?=",
    "=?nonsense?q?Ben?=",
    "Ben (a comment (in one)) \\",
    "undisclosed-recipients:;",
]
TEXTS = st.text(max_size=60) | st.sampled_from(NASTY)
SPECIAL = st.text(alphabet="ab@.<>,;:\"'()[]\\ \t=?+-\u202e\u00e4", max_size=60)
NAMES = st.lists(st.text(alphabet="Bben 2ßSs.é", min_size=1, max_size=50), min_size=1, max_size=5)


def is_harmless(name: str) -> bool:
    """One visible line, short, without markup and without an address."""
    return (
        0 < len(name) <= NAME_LENGTH
        and not set(name) & set("<>@")
        and not any(unicodedata.category(char)[0] == "C" for char in name)
    )


def check(text: str, headers: list[str]) -> None:
    """Deal with a NEW of this text: a table with harmless names at good addresses, or nothing at all."""
    bag = a_table()
    before = kept(bag)
    mail = write_new(bag, text, headers=headers)
    assert bag.mail(mail).state == "done", bag.mail(mail).note
    if not opened(bag):
        assert kept(bag) == before
        answer = bag.answered(mail)
        check_answer(answer)
        return
    for game_id in opened(bag):
        names = names_at(bag, game_id)
        assert 3 <= len(names) <= 5
        assert len({name.casefold() for name in names}) == len(names)
        assert all(map(is_harmless, names))
        seats = seats_at(bag, game_id)
        assert len({seat.player_id for seat in seats}) == len(seats)
        for seat in seats:
            assert seat.address is not None
            assert is_address(seat.address)
            assert "bcc" not in seat.address
            assert not seat.address.startswith("felix")
        for answer in answers(bag, game_id):
            check_answer(answer)


def check_answer(answer: Answer) -> None:
    for line in answer.lines:
        assert not re.search(r"[\x00-\x1f\u202e\ufeff]", line.text + line.why)
        assert len(line.text) <= 200


@given(TEXTS | SPECIAL, TEXTS | SPECIAL)
def test_lines_below_new(first: str, second: str) -> None:
    check(f"NEW {first}\n{first}\n{second} <ben@friends.test>\ncara@friends.test", [])


@given(TEXTS | SPECIAL, TEXTS | SPECIAL)
def test_names_in_headers(first: str, second: str) -> None:
    one, two = (
        Header(name.encode("utf-8", "replace").decode("utf-8"), "utf-8").encode(linesep="\r\n")
        for name in (first, second)
    )
    bare = " ".join(second.split()).encode("ascii", "replace").decode()
    headers = [
        f"To: {one} <ben@friends.test>, {two} <cara@friends.test>",
        f"Cc: {bare} <dan@friends.test>, {MAILBOX}",
    ]
    check("NEW", headers)


def test_ten_kilobytes_of_recipients_open_nothing_and_cost_little() -> None:
    check("NEW", ["Cc: " + ", ".join(f"p{number}@friends.test" for number in range(600))])
    check("NEW", ['Cc: "' + "\\" * 3000 + "("])


def shown_to_guests(authserv_id: str = "") -> tuple[Postbag, str]:
    """Anna answers a mail with NEW and puts friends into Cc, who see what stands in To; and that address."""
    bag = a_table()
    bag.processor = replace(bag.processor, authserv_id=authserv_id)
    address = bag.address(0)
    vouched = "Authentication-Results: mx.felix.test; dmarc=pass header.from=players.test"
    headers = [f"To: felix <{address}>", "Cc: Ben <ben@players.test>, Eve <eve@evil.test>", vouched]
    write_new(bag, "NEW", headers=headers, recipient=address)
    assert len(opened(bag)) == 1
    return bag, address


def test_who_saw_the_address_of_a_mail_cannot_move_with_it() -> None:
    bag, address = shown_to_guests()
    forged = bag.take(a_mail("ADDRESS eve@evil.test", message_id="<forged@evil.test>"), address)
    assert (bag.mail(forged).state, bag.owed(0, "claim")) == ("done", [])
    assert bag.mail(forged).note == "without a token: its sender was helped"


def test_the_player_gets_a_new_address_and_is_told_why() -> None:
    bag, _ = shown_to_guests()
    (answer,) = answers(bag, bag.game_id)
    assert (answer.lines[0].why, answer.show) == (KEY_CHANGED, ["resend"])
    assert verdicts(bag.send(0, "JOIN")) == ["done"]


def test_what_was_said_in_advance_goes_with_the_address_that_guests_saw() -> None:
    bag = an_auction()
    seat = bag.game.clockwise(bag.game.start_seat)[2]
    bag.send(seat, "UP TO 7")
    headers = [f"To: felix <{bag.address(seat)}>", "Cc: Ben <ben@players.test>, Eve <eve@evil.test>"]
    write_new(bag, "NEW", headers=headers, seat=seat, sender=bag.seat(seat).address or "")
    ahead = bag.look(lambda reader: ahead_at(reader, bag.game_id, seat))
    assert ahead == NOTHING
    told = [line.why for line in answers(bag, bag.game_id, seat)[-1].lines]
    assert told == [f"{KEY_CHANGED} {phrase('people.ahead.forgotten')}"]


def test_the_same_mail_again_is_known_although_its_address_is_void() -> None:
    bag, address = shown_to_guests()
    first = bag.look(lambda reader: reader.mails())[-1]
    again = bag.take(first.raw, address)
    assert (bag.mail(again).state, len(opened(bag))) == ("duplicate", 1)


def test_where_a_mail_server_vouches_for_senders_the_address_stays() -> None:
    bag, address = shown_to_guests("mx.felix.test")
    assert bag.address(0) == address


@pytest.mark.parametrize("text", [".@[", "a@[", "@[", "a@[1.2", '"@[', "a@b.[c"])
def test_half_an_address_of_numbers_is_none(text: str) -> None:
    assert not is_address(text)
    assert "one e-mail address" in why_not(a_table(), f"NEW\n{FRIENDS}\nZoe <{text}>")


def test_comments_within_comments_are_no_guests() -> None:
    assert "one e-mail address" in why_not(a_table(), "NEW", headers=["Cc: " + "(" * 3900])


@given(TEXTS | SPECIAL)
def test_a_name_is_one_short_visible_line(text: str) -> None:
    name = name_of(text)
    assert not name or is_harmless(name.replace("@", "a"))


@given(SPECIAL)
def test_an_address_that_is_taken_is_one_that_mail_can_be_written_to(text: str) -> None:
    one = named(text)
    if one is not None and one.address:
        assert is_address(one.address)
        assert one.address in text.lower()


@given(NAMES)
def test_no_two_names_are_alike(names: list[str]) -> None:
    told = distinct([Name(Harmless(name)) for name in names])
    assert len({name.casefold() for name in told}) == len(names)
    assert told[0] == names[0]


@given(NAMES | st.lists(TEXTS, min_size=1, max_size=5))
def test_every_player_is_found_by_the_name_that_felix_uses(names: list[str]) -> None:
    shown = seat_names(names)
    assert [seat_called(name, names) for name in shown] == list(range(len(names)))


@given(NAMES)
def test_capitals_do_not_count(names: list[str]) -> None:
    told = [name.upper() for name in seat_names(names)]
    assert [seat_called(name, names) for name in told] == list(range(len(names)))


def seat_called(name: str, names: list[str]) -> int | Refusal:
    """The seat that a line with this name in it means."""
    order = read_line(f"HOST {name}")
    assert isinstance(order, Order), order
    return seat_named(order.text, names)


@given(NAMES, st.text(max_size=20))
def test_a_name_is_never_guessed(names: list[str], wanted: str) -> None:
    found = matching(wanted, names)
    assert (
        len(found) < 2
        or not any(name.casefold() == wanted.casefold() for name in names)
        or len({names[number].casefold() for number in found}) == 1
    )
