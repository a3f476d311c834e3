"""Links with a name in them do what they say, whatever players call themselves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from each import one_in
from felix_async.game.commands import Cancel, Command, Decline, Leave, Start
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import first_capital
from felix_async.people import FORMER, name_of, seat_names
from felix_async.service import Origin
from felix_events.store.base import Tx
from felix_events.store.rows import SeatRow
from games import TABLE_NAME, a_room, joining
from games import players as seated
from inbox.postbag import MAILBOX, Postbag
from notifiers.correspondence import Correspondence, corresponding
from notifiers.nasty import NASTY
from notifiers.office import claim_owed
from notifiers.refused import after
from notifiers.sheets import Html, part, read


def a_table_with(name: str, *commands: Command, joined: int, seat: int = 1) -> Correspondence:
    """A table for four that Anna hosts, and somebody is called so; so many have joined."""
    room = a_room(f"named {name}")
    players = [
        replace(player, name=name_of(name)) if number == seat else player
        for number, player in enumerate(seated(4))
    ]
    origin = Origin("create", "host", "desk")
    with room.store.write() as tx:
        game_id, _ = room.service.open_table(
            tx, players, origin=origin, table_name=TABLE_NAME, ruleset="felicity-2017", host=0
        )
    letters = corresponding(Postbag(room, game_id, Processor(room.service, MAILBOX)))
    return after(letters, *(joining(seat) for seat in range(joined)), *commands)


def shown(letters: Correspondence, seat: int = 1) -> str:
    """What felix calls whoever sits there."""
    return seat_names([row.name for row in rows(letters)])[seat]


def rows(letters: Correspondence) -> list[SeatRow]:
    with letters.bag.room.store.read() as reader:
        return list(reader.seats(letters.bag.game_id))


def beginning(name: str) -> str:
    """The name as it begins a sentence: that of somebody who was forgotten gets a capital."""
    return first_capital(name) if name.startswith(FORMER) else name


@pytest.mark.parametrize("name", one_in(6, NASTY))
def test_a_host_hands_over_by_the_link(name: str) -> None:
    letters = a_table_with(name, joined=3)
    reply = letters.write(0, "DECLINE")
    link = next(link for link in reply.links if link.body == f"HOST {shown(letters)}")
    assert letters.tap(0, link).lines[0].why == f"{beginning(shown(letters))} is the host now."


@pytest.mark.parametrize("name", one_in(6, NASTY))
def test_a_host_uninvites_by_the_link(name: str) -> None:
    letters = a_table_with(name, joined=3, seat=3)
    reply = letters.write(0, "STATUS")
    (link,) = [link for link in reply.links if link.body.startswith("UNINVITE")]
    assert link.body == f"UNINVITE {shown(letters, 3)}"
    assert (
        letters.tap(0, link).lines[0].why.startswith(f"{beginning(shown(letters, 3))} is no longer invited.")
    )


@pytest.mark.parametrize("name", one_in(6, NASTY))
def test_a_refusal_names_players_so_that_they_can_be_written(name: str) -> None:
    letters = a_table_with(name, joined=3)
    why = letters.write(0, "HOST Zoltan").answer.lines[0].why
    assert shown(letters) in why
    assert letters.write(0, f"HOST {shown(letters)}").answer.lines[0].verdict == "done"


@pytest.mark.parametrize("name", one_in(6, NASTY))
def test_a_seat_is_offered_by_the_name_that_felix_uses(name: str) -> None:
    letters = a_table_with(name, Decline(seat=3), Start(seat=0), Leave(seat=1, for_good=True), joined=3)
    for between in (": ",) if ":" in name else (": ", " "):
        line = f"SUBSTITUTE {shown(letters)}{between}Fay <fay@players.test>"
        (told,) = letters.write(0, line).answer.lines
        assert told.why.startswith(f"I've asked Fay to take {shown(letters)}'s seat."), (
            line,
            told,
        )


@pytest.mark.parametrize("name", one_in(6, NASTY))
def test_a_host_opens_the_next_table_by_the_link(name: str) -> None:
    letters = a_table_with(name, joined=3)
    claim_owed(letters.bag.do, letters.outbox)
    after(letters, Cancel(seat=0))
    claim_owed(letters.bag.do, letters.outbox)
    with letters.bag.room.store.read() as reader:
        mails = [read(letter.raw) for letter in reader.letters() if letter.seat == 0]
    links = [link for mail in mails for link in Html(part(mail, "html")).links if link.body.startswith("NEW")]
    assert links or shown(letters) == f"{name} (seat 2)"
    for link in links:
        answer = letters.tap(0, link)
        assert [line.verdict for line in answer.lines] == ["done"], (link.body, answer)
        assert "and Cara" in answer.lines[0].why


def _forget(tx: Tx, player_id: str) -> None:
    tx.forget(player_id)


def forgotten(*seats: int) -> Correspondence:
    """A table of which these players were forgotten."""
    letters = a_table_with("Ben", joined=4)
    for seat in seats:
        letters.bag.do(partial(_forget, player_id=letters.bag.seat(seat).player_id))
    return letters


def test_players_who_were_forgotten_are_told_apart() -> None:
    names = seat_names([row.name for row in rows(forgotten(1, 3))])
    assert names == ["Anna", "a former player (seat 2)", "Cara", "a former player (seat 4)"]


def test_of_two_who_were_forgotten_none_is_meant_by_the_words_alone() -> None:
    letters = forgotten(1, 3)
    (told,) = letters.write(0, "SUBSTITUTE a former player: Fay <fay@players.test>").answer.lines
    assert told.code == "name/ambiguous"
    assert "a former player (seat 2) and a former player (seat 4)" in told.why


def test_every_name_here_can_be_a_players() -> None:
    """As it is written, or as what is left of it."""
    for name in NASTY:
        order = read_line(f"HOST {seat_names(['Anna', name])[1]}")
        assert isinstance(order, Order), name
