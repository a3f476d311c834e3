"""Situations in which SUBSTITUTE and NEW come to nothing because of what happened elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from felix_async.game.commands import Absent, Leave
from felix_async.inbox.process import Processor
from felix_async.orders.quotas import A_DAY
from felix_async.orders.strangers import TO_ONE
from felix_async.service import Origin, Player
from felix_events.store.rows import AddressRow, Stopped
from games import Room, a_room, players
from inbox.clocked import a_clocked_table
from inbox.postbag import MAILBOX, Postbag
from notifiers.correspondence import Correspondence, corresponding
from notifiers.refused import Met, after, hosted, meet

DORA: Final = "dora@example.org"
OFFER: Final = f"SUBSTITUTE Ben: Dora {DORA}"


def called(name: str, situation: Callable[[], list[Met]]) -> Callable[[], list[Met]]:
    situation.__name__ = name
    return situation


def another_table(letters: Correspondence, seated: list[Player], number: int = 0) -> str:
    """One more table in the same room, which the first of these players hosts."""
    return hosted_by(letters.bag.room, seated, number)


def hosted_by(room: Room, seated: list[Player], number: int = 0) -> str:
    """A table of the desk's, which the first of these players hosts."""
    with room.store.write() as tx:
        game_id, outcome = room.service.open_table(
            tx,
            seated,
            origin=Origin(f"another/{number}", "host", "desk"),
            table_name="",
            ruleset="felicity-2017",
            host=0,
        )
    assert outcome.refusal is None
    return game_id


def dora_is(letters: Correspondence, why: Stopped) -> None:
    """Dora is known here, and gets no mail."""
    with letters.bag.room.store.write() as tx:
        tx.add_player("dora-1", DORA)
        tx.note_address(AddressRow(DORA, "dora-1", stopped=why))


def played_with(letters: Correspondence, *others: Player) -> None:
    """Anna and Ben have another table, with these players."""
    another_table(letters, [*players(2), *others])


WITHOUT_MAIL: Final = Player("fay-1", "Fay", None)


# ---- names ------------------------------------------------------------------------------------------
def a_host_names_two() -> list[Met]:
    letters = hosted()
    with letters.bag.room.store.write() as tx:
        tx.reseat(replace(tx.seats(letters.bag.game_id)[2], name="Bea", secret=bytes(32)), 1)
    return meet(letters, 0, "HOST B")


# ---- NEW --------------------------------------------------------------------------------------------
def new_with_too_many_strangers() -> list[Met]:
    letters = hosted()
    letters.bag.room.service.strangers_a_day = 0
    return meet(letters, 1, "NEW\nx@friends.test\ny@friends.test")


def new_by_who_was_only_invited() -> list[Met]:
    """Ben is known by a NEW of Anna's alone."""
    room = a_room("by mail alone")
    bag = Postbag(room, "", Processor(room.service, MAILBOX))
    at_desk = hosted_by(room, [players(1)[0], *(Player(f"{x}-1", x, f"{x}@friends.test") for x in "xy")])
    letters = corresponding(replace(bag, game_id=at_desk))
    letters.bag.send(0, "JOIN")
    letters.bag.post(letters.raw(0, "NEW\nben@players.test\ncara@players.test"), letters.bag.address(0))
    letters.bag.work()
    with room.store.read() as reader:
        (opened,) = (row.game_id for row in reader.games() if row.game_id != at_desk)
    return meet(corresponding(replace(bag, game_id=opened)), 1, "NEW\nv@friends.test\nw@friends.test")


# ---- SUBSTITUTE -------------------------------------------------------------------------------------
def a_seat_to_offer() -> Correspondence:
    """The computer plays for Ben, and Anna hosts."""
    return hosted(Leave(seat=1, for_good=False), joined=4)


def offered(line: str) -> Callable[[], list[Met]]:
    return called(f"offered with {line}", lambda: meet(a_seat_to_offer(), 0, line))


def offered_to_dora(why: Stopped) -> Callable[[], list[Met]]:
    def situation() -> list[Met]:
        letters = a_seat_to_offer()
        dora_is(letters, why)
        return meet(letters, 0, OFFER)

    return called(f"offered_to_dora, who is {why}", situation)


def offered_to_one_of_two() -> list[Met]:
    letters = a_seat_to_offer()
    played_with(letters, Player("fay-1", "Fay", "fay@one.test"))
    another_table(letters, [*players(2), Player("fay-2", "Fay", "fay@two.test")], 1)
    return meet(letters, 0, "SUBSTITUTE Ben: Fay")


def offered_to_somebody_without_mail() -> list[Met]:
    letters = a_seat_to_offer()
    played_with(letters, WITHOUT_MAIL)
    return meet(letters, 0, "SUBSTITUTE Ben: Fay")


def offered_before_the_start() -> list[Met]:
    return meet(hosted(), 0, OFFER)


def the_seat_of_nobody_is_offered() -> list[Met]:
    letters = hosted(joined=3)
    letters.write(0, "UNINVITE Dan")
    letters.write(0, "START")
    return meet(letters, 0, f"SUBSTITUTE Dan: {DORA}")


def offered_although_its_player_will_be_back() -> list[Met]:
    letters = corresponding(a_clocked_table())
    away = Absent(
        seat=1, start="2026-11-20T17:00:00.000000Z", back="2026-11-25T12:00:00.000000Z", computer=True
    )
    return meet(after(letters, away), 0, OFFER)


def offered_to_who_sat_there() -> list[Met]:
    letters = a_seat_to_offer()
    room = letters.bag.room
    with room.store.write() as tx:
        dora = Player("dora-1", "Dora", DORA)
        origin = Origin("taken", "seat", "mail")
        taken = room.service.seat_substitute(tx, letters.bag.game_id, 1, dora, address=DORA, origin=origin)
    assert taken.events
    after(letters, Leave(seat=2, for_good=True))
    return meet(letters, 0, "SUBSTITUTE Cara: Ben")


def offered_too_often() -> list[Met]:
    letters = a_seat_to_offer()
    for number in range(A_DAY["offers"]):
        letters.write(0, f"SUBSTITUTE Ben: {number}@example.org")
    return meet(letters, 0, OFFER)


def offered_to_who_was_written_to_enough() -> list[Met]:
    letters = a_seat_to_offer()
    for number in range(TO_ONE):
        letters.write(0, f"ADDRESS dora+{number}@example.org")
    return meet(letters, 0, "SUBSTITUTE Ben: Dora dora@example.org")


ELSEWHERE: Final[dict[Callable[[], list[Met]], str]] = {
    a_host_names_two: "name/ambiguous",
    new_with_too_many_strangers: "new/enough_strangers",
    new_by_who_was_only_invited: "new/not_joined",
    offered_before_the_start: "substitute/not_started",
    the_seat_of_nobody_is_offered: "substitute/no_player",
    offered(f"SUBSTITUTE Cara: {DORA}"): "substitute/is_there",
    offered_although_its_player_will_be_back: "substitute/will_be_back",
    offered("SUBSTITUTE Ben Cara"): "substitute/sits_here",
    offered_to_who_sat_there: "substitute/sat_here",
    offered("SUBSTITUTE Ben felix@felix.test"): "substitute/felix",
    offered("SUBSTITUTE Ben: dora@"): "substitute/no_address",
    offered("SUBSTITUTE Ben: Zoe"): "substitute/unknown",
    offered_to_one_of_two: "substitute/which_one",
    offered_to_somebody_without_mail: "substitute/without_mail",
    offered_to_dora("asked"): "substitute/wants_no_mail",
    offered_to_dora("bounces"): "substitute/unreachable",
    offered_too_often: "substitute/too_often",
    offered_to_who_was_written_to_enough: "elsewhere/enough",
}
