"""felix's letters meet servers that send them away first, that are down, or that do not know the player."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from functools import partial
from typing import Final

import pytest

from felix_async.clock import time_of
from felix_async.settings import read_settings
from felix_cli.server import Server
from real.daemons import free_port, until
from real.far_servers import FarServer
from real.town import Felix, Town

pytestmark = pytest.mark.slow

NAMES: Final = ("anna", "ben", "cara")


class MovedClock:
    """The time of this machine, and what a test has put on top of it."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def far(town: Town) -> Iterator[FarServer]:
    """The server where this town's players have their mail, up, and known to Postfix."""
    with FarServer().listening() as server:
        town.postfix.routes.transports[town.players_domain] = server.route
        yield server


def arrived(far: FarServer) -> Counter[str]:
    """How many mails each player got."""
    return Counter(mail.recipient for mail in far.taken)


def one_each(town: Town) -> dict[str, int]:
    return {town.address(name): 1 for name in NAMES}


# ---- Postfix between felix and the players ----------------------------------------------------------------
def test_letters_that_are_greylisted_are_delivered_once(town: Town, far: FarServer) -> None:
    far.greylists = True
    felix = town.felix()
    felix.new(*NAMES)
    with felix.serving():
        until(lambda: len(far.taken) == 3, "the second try")
        town.postfix.until_empty()
    assert arrived(far) == one_each(town)
    assert set(far.tries.values()) == {2}


def test_letters_to_a_server_that_is_down_are_delivered_once_when_it_is_up_again(town: Town) -> None:
    far = FarServer(port=free_port())
    town.postfix.routes.transports[town.players_domain] = far.route
    felix = town.felix()
    felix.new(*NAMES)
    with felix.serving():
        until(lambda: len(waiting(town)) == 3, "the letters to wait at Postfix")
        with far.listening():
            until(lambda: len(far.taken) == 3, "the next try")
            town.postfix.until_empty()
    assert arrived(far) == one_each(town)


def waiting(town: Town) -> list[str]:
    """The ids of the mails whose first try has failed."""
    return [mail["queue_id"] for mail in town.postfix.queue() if mail["queue_name"] == "deferred"]


def test_a_player_whose_address_is_refused_keeps_no_letter_from_the_others(
    town: Town, far: FarServer
) -> None:
    far.strangers = frozenset({town.address("ben")})
    felix = town.felix()
    felix.new(*NAMES)
    with felix.serving():
        until(felix.at_rest, "felix to have sent all it owes")
        town.postfix.until_empty()
    assert arrived(far) == {town.address("anna"): 1, town.address("cara"): 1}
    assert far.tries[town.address("ben")] == 1, "no is no"


def test_a_bounce_goes_to_the_address_that_the_letter_was_sent_from(town: Town, far: FarServer) -> None:
    """With all that the address says about the letter (VERP): the part behind the plus comes back too."""
    stranger = town.address("ben")
    far.strangers = frozenset({stranger})
    town.postfix.routes.transports[town.felix_domain] = town.dovecot.route
    from_address = f"felix+aeaaaaaamnqte3lis7id2fszgn26wye5@{town.felix_domain}"
    with town.dovecot.inbox(town.mailbox) as inbox:
        letter = (
            f"From: felix <{town.mailbox}>\r\nTo: {stranger}\r\nMessage-ID: <1@felix.test>\r\n\r\nHello.\r\n"
        )
        town.postfix.send(from_address, stranger, letter.encode())
        bounce = inbox.next().message
    assert bounce["Delivered-To"] == from_address
    assert bounce["Return-Path"] == "<>"
    assert bounce.get_content_type() == "multipart/report"
    assert bounce.get_param("report-type") == "delivery-status"
    _, report, returned = bounce.iter_parts()
    _, failure = report.iter_parts()
    assert failure["Final-Recipient"] == f"rfc822; {stranger}"
    assert (failure["Action"], failure["Status"]) == ("failed", "5.1.1")
    assert "Message-ID: <1@felix.test>" in returned.as_string()


def test_felix_takes_the_bounces_of_its_own_letters(town: Town, far: FarServer) -> None:
    far.strangers = frozenset({town.address("ben")})
    felix = town.felix()
    felix.new(*NAMES)
    with felix.serving():
        until(felix.at_rest, "felix to have sent all it owes")
        town.postfix.until_empty()
        until(felix.at_rest, "felix to have read the bounce")
    (bounce,) = felix.mails()
    assert bounce.sender in ("", "<>")
    assert message_from_bytes(bounce.raw).get_content_type() == "multipart/report"
    assert bounce.note == "a lasting failure, 2.0 of 3"


# ---- felix and the far server alone, by the scheduler's own back-off --------------------------------------
def served(felix: Felix, clock: MovedClock) -> Server:
    """The server in this process, where a test can move its clock."""
    return Server(read_settings(felix.config), clock=clock)


def were_tried(felix: Felix, times: int) -> bool:
    """Return True if all three letters were tried so often."""
    return [letter.tries for letter in felix.letters()] == [times] * 3


def one_was_tried(felix: Felix, times: int) -> bool:
    """Return True after so many tries; while a server is down, one letter is enough to find that out."""
    return sum(letter.tries for letter in felix.letters()) >= times


def test_felix_tries_a_greylisted_letter_again_after_a_minute_and_sends_the_same_bytes(
    town: Town, far: FarServer, clock: MovedClock
) -> None:
    far.greylists = True
    felix = town.felix(send_port=far.port)
    felix.new(*NAMES)
    with served(felix, clock) as server:
        until(partial(were_tried, felix, 1), "the first try")
        assert far.taken == []
        for letter in felix.letters():
            assert time_of(letter.next_at) - time_of(letter.created_at) >= timedelta(minutes=1)
            assert "451" in letter.note
        clock.ahead += timedelta(minutes=2)
        server.wake_post()
        until(felix.at_rest, "the second try")
    assert arrived(far) == one_each(town)
    assert {mail.raw for mail in far.taken} == {letter.raw for letter in felix.letters()}
    assert set(far.tries.values()) == {2}


def test_felix_goes_on_trying_a_server_that_is_down_and_delivers_once(town: Town, clock: MovedClock) -> None:
    far = FarServer(port=free_port())
    felix = town.felix(send_port=far.port)
    felix.new(*NAMES)
    with served(felix, clock) as server:
        for tries in (1, 2, 3, 4):
            until(partial(one_was_tried, felix, tries), "the next try")
            clock.ahead += timedelta(hours=2)
            server.wake_post()

        def some_hours_on() -> bool:
            """A try that was under way when the server came up has put its letter off once more."""
            clock.ahead += timedelta(hours=1)
            server.wake_post()
            return felix.at_rest()

        with far.listening():
            until(some_hours_on, "the letters to be delivered")
    assert arrived(far) == one_each(town)
