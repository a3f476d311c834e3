"""The way from a step of a game to the mail that made it, and to the line of that mail."""

from __future__ import annotations

from datetime import timedelta

import pytest

from felix_async.audit.evidence import evidence_of
from felix_async.game.names import Names
from felix_async.provenance import Found, Provenance, began_at, mail_of, provenances, public_part
from felix_events.envelope import Envelope, check_envelopes
from felix_events.model import BidPlaced, CardPlaced, PlayerPassed
from felix_events.store.base import Reader
from games import NAMES
from inbox.clocked import a_clocked_table
from inbox.postbag import MAILBOX, Postbag, a_table, an_auction
from inbox.taking import at_the_desk, wait


@pytest.fixture
def bag() -> Postbag:
    """Four in the auction of the first round."""
    return an_auction()


def log_of(bag: Postbag) -> list[Envelope]:
    """The events of the game."""
    with bag.room.store.read() as reader:
        return check_envelopes(reader.bodies(bag.game_id))


def made(bag: Postbag, version: int | None = None) -> tuple[Provenance, Found]:
    """What made the step of a version, or the last one, and its mail."""

    def look(reader: Reader) -> tuple[Provenance, Found]:
        evidence = evidence_of(reader, bag.game_id)
        assert evidence is not None
        envelopes = log_of(bag)
        began = began_at(envelopes, bag.size if version is None else version)
        found = provenances(evidence, envelopes, Names(NAMES[:4]))[began]
        return found, mail_of(reader, found, bag.game_id, MAILBOX)

    return bag.look(look)


def test_a_bid_leads_to_its_mail_its_line_and_who_it_was(bag: Postbag) -> None:
    seat = bag.to_move
    mail_id = bag.write(seat, "I can afford it\nBID 2, NEXT 8")
    bag.work()
    found, mail = made(bag)
    assert (found.channel, found.seat, found.name, found.line) == ("mail", seat, NAMES[seat], "BID 2, NEXT 8")
    assert (found.said.mail_sha256, found.message_id) == (
        bag.mail(mail_id).sha256,
        f"{bag.mails}@players.test",
    )
    assert (mail.mail, mail.missing, mail.asked_about) == (bag.mail(mail_id), "", None)
    assert public_part(log_of(bag)[found.version - 1].data) == "BID 2"


def test_what_follows_by_the_rules_leads_to_the_step_that_it_follows_from(bag: Postbag) -> None:
    turned = next(one for one in log_of(bag) if one.type == "cards_turned")
    found, mail = made(bag, turned.version)
    assert found.version < turned.version
    assert mail.mail is not None
    assert public_part(turned.data) == ""
    assert isinstance(log_of(bag)[found.version - 1].data, CardPlaced)


def test_a_move_by_an_order_leads_to_the_mail_that_gave_it(bag: Postbag) -> None:
    seat = bag.to_move
    later = (seat + 1) % 4
    given = bag.write(later, "UP TO 9")
    bag.work()
    bag.send(seat, "BID 2")
    (bid,) = [
        one.version for one in log_of(bag) if isinstance(one.data, BidPlaced) and one.data.seat == later
    ]
    found, mail = made(bag, bid)
    assert (found.channel, found.line, found.given, found.seat) == ("order", "UP TO 9", 1, later)
    assert mail.mail == bag.mail(given)
    assert found.until == found.version - 2


@pytest.mark.parametrize("at_question", [True, False])
def test_a_yes_leads_to_the_words_that_were_asked_about_too(bag: Postbag, at_question: bool) -> None:
    seat = bag.to_move
    asked = bag.write(seat, "I never bid 9!\nBID 3")
    bag.work()
    if at_question:
        bag.reply(seat)
    else:
        bag.send(seat, "YES")
    found, mail = made(bag)
    assert found.said.order == "BID 3"
    assert (mail.mail and mail.mail.mail_id, mail.asked_about) == (asked + 1, asked)


def test_a_move_that_was_taken_leads_to_its_words() -> None:
    bag = a_clocked_table()
    bag.place_all()
    bag.room.clock.step = timedelta()
    mail_id = bag.write(bag.to_move, "too rich for my blood")
    bag.work()
    wait(bag)
    envelopes = log_of(bag)
    passed = [one.version for one in envelopes if isinstance(one.data, PlayerPassed)]
    found, mail = made(bag, passed[-1])
    assert (found.line, found.said.order) == ("too rich for my blood", "PASS")
    assert (mail.mail and mail.mail.mail_id, mail.asked_about) == (mail_id, None)


def test_the_desk_has_no_mail_and_says_so(bag: Postbag) -> None:
    at_the_desk(bag, bag.to_move, "BID 4")
    found, mail = made(bag)
    assert (found.channel, found.actor, mail) == ("desk", "host", Found(None, "none"))
    assert (found.seat, found.name) == (None, "")


def test_a_dispute_that_the_host_lets_stand_is_the_hosts_deed() -> None:
    bag = a_table()
    bag.game_id = bag.room.open(host=0, command_id="hosted")
    bag.room.join_all(bag.game_id)
    bag.send(2, f"PLAY {bag.game.seats[2].hand[0]}")
    bag.send(2, "DISPUTE")
    mail_id = bag.write(0, "STANDS Cara")
    bag.work()
    found, mail = made(bag)
    assert (found.channel, found.actor, found.seat, found.name) == ("mail", "host", None, "")
    assert (mail.mail and mail.mail.mail_id, found.line, found.order) == (mail_id, None, "STANDS Cara")


def test_a_mail_that_is_gone_says_why(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "BID 2")
    mail = made(bag)[1].mail
    assert mail is not None
    bag.do(lambda tx: tx.drop_mail_bytes(mail.mail_id))
    assert made(bag)[1].missing == "pruned"
    bag.do(lambda tx: tx.forget(bag.seat(seat).player_id))
    assert made(bag)[1].missing == "erased"
    assert (made(bag)[0].line, public_part(log_of(bag)[-1].data)) == ("BID 2", "BID 2")
