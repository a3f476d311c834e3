"""What felix asks back: mails from another account, orders in doubt, and what YES and NO do then."""

from __future__ import annotations

from datetime import timedelta

import orjson
import pytest

from felix_async.inbox.doubts import MAX_SENDER_QUESTIONS
from felix_async.inbox.process import Processor
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_events.store.rows import AddressRow
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, an_auction, verdicts

ANNA, PHONE = "anna@players.test", "anna.phone@elsewhere.test"


def from_phone(bag: Postbag, text: str = "JOIN", *, number: int = 1, sender: str = PHONE) -> int:
    """A mail for Anna's seat from an address that is not hers yet, dealt with; its id."""
    return bag.take(a_mail(text, sender=sender, message_id=f"<p{number}@x.test>"), bag.address(0), sender)


def to_question(bag: Postbag, text: str, *, sender: str = ANNA, question: int = 1) -> int:
    """An answer to a question of felix, dealt with; its id."""
    return bag.bring(text, bag.question_address(0, question), sender)


def addresses(bag: Postbag) -> tuple[str, ...]:
    return bag.seat(0).addresses


# ---- a mail from another account ------------------------------------------------------------------------
def test_the_player_is_told_what_the_mail_asks_for_by_its_words_alone() -> None:
    """Whoever reads the question may be somebody else: they learn no card and no bid."""
    bag = an_auction()
    from_phone(bag, "BID 7\nHAND")
    (notice,) = bag.owed(0, "question")
    assert orjson.loads(notice.payload)["orders"] == ["BID", "HAND"]


def test_what_was_not_hers_is_not_obeyed_after_a_later_yes_either(bag: Postbag) -> None:
    first = from_phone(bag, "DECLINE")
    to_question(bag, "NO")
    bag.room.clock.now += timedelta(days=1, minutes=5)
    second = from_phone(bag, "JOIN", number=2)
    to_question(bag, "YES", question=2)
    assert [bag.mail(mail).state for mail in (first, second)] == ["quarantined", "done"]
    assert bag.game.seats[0].answer == "joined"


def test_yes_from_the_very_address_in_question_is_nobodys(bag: Postbag) -> None:
    """A player may have forwarded the question, to ask whether that was them."""
    from_phone(bag)
    to_question(bag, "YES", sender=PHONE)
    assert (bag.game.seats[0].answer, addresses(bag)) == ("invited", (ANNA,))


def test_an_adopted_address_is_not_who_the_player_is(bag: Postbag) -> None:
    """Ben may claim that Zoe's address is his, but whoever is invited there gets a seat of their own."""
    from_phone(bag, "HAND")
    to_question(bag, "YES")
    assert bag.look(lambda reader: reader.player_at(PHONE)) is None


def test_no_letter_goes_to_an_adopted_address(bag: Postbag) -> None:
    from_phone(bag, "HAND")
    to_question(bag, "YES")
    stopped = AddressRow(ANNA, bag.seat(0).player_id, 6.0, "2026-01-01T00:00:00.000000Z", "bounces")
    bag.do(lambda tx: tx.note_address(stopped))
    assert bag.seat(0).address is None


@pytest.mark.parametrize("ours", [MAILBOX, "felix+abc@felix.test"])
def test_nobody_is_asked_about_felixs_own_address(bag: Postbag, ours: str) -> None:
    from_phone(bag, sender=ours)
    assert bag.asked() == []


def test_yes_from_a_third_address_is_nobodys(bag: Postbag) -> None:
    from_phone(bag)
    mail = to_question(bag, "YES", sender="mallory@evil.test")
    assert (bag.mail(mail).state, addresses(bag)) == ("quarantined", (ANNA,))
    assert len(bag.asked()) == 1


def test_yes_to_the_address_of_a_turn_does_not_add_an_address(bag: Postbag) -> None:
    """Who was forwarded a turn mail knows that address, and must not let themselves in."""
    from_phone(bag)
    bag.send(0, "YES")
    assert addresses(bag) == (ANNA,)


def test_yes_in_one_game_is_yes_in_the_players_other_games(bag: Postbag) -> None:
    other = Postbag(bag.room, bag.room.open(command_id="create-2"), bag.processor)
    from_phone(bag, number=1)
    from_phone(other, number=2)
    to_question(bag, "YES")
    assert [table.game.seats[0].answer for table in (bag, other)] == ["joined", "joined"]
    assert [question.state for question in other.asked()] == ["dropped"]


def test_the_address_of_such_a_question_takes_no_orders(bag: Postbag) -> None:
    from_phone(bag)
    answer = bag.answered(to_question(bag, "JOIN"))
    assert answer.lines[0].why == REFUSALS["question/yes_or_no"]
    assert bag.game.seats[0].answer == "invited"


def test_a_mail_that_waited_too_long_is_stale_like_any_other() -> None:
    bag = a_first_round()
    other = bag.game.seats[0].hand[1]
    mail = from_phone(bag, f"PLAY {other}")
    bag.place_all()
    to_question(bag, "YES")
    answer = bag.answered(mail)
    assert verdicts(answer) == ["refused"]
    assert other in bag.game.seats[0].hand


def test_a_seat_is_asked_about_a_few_addresses_a_day_and_no_more(bag: Postbag) -> None:
    for number in range(10):
        from_phone(bag, number=number, sender=f"m{number}@evil.test")
    assert len(bag.owed(0, "question")) == MAX_SENDER_QUESTIONS


def test_nobody_is_asked_about_another_players_address(bag: Postbag) -> None:
    """Ben got Anna's mail forwarded, and answers it: that can never become Anna's address."""
    from_phone(bag, sender="ben@players.test")
    assert (bag.asked(), bag.game.seats[0].answer) == ([], "invited")


def test_an_address_that_became_another_players_meanwhile_is_refused(bag: Postbag) -> None:
    from_phone(bag)
    bag.do(lambda tx: tx.add_player("p-somebody", PHONE))
    answer = bag.answered(to_question(bag, "YES"))
    assert "belongs to another player" in answer.lines[0].why


def test_an_answer_that_was_not_understood_leaves_the_question_open_and_says_so(bag: Postbag) -> None:
    from_phone(bag)
    answer = bag.answered(to_question(bag, "I think so"))
    assert PHONE in answer.lines[-1].why
    assert bag.asked()[0].state == "open"


# ---- a mail that our server does not vouch for ------------------------------------------------------------

VOUCHED = "Authentication-Results: mx.felix.test; dmarc=pass header.from=players.test"


@pytest.fixture
def strict(bag: Postbag) -> Postbag:
    """A server that believes its own mail server only."""
    bag.processor = Processor(bag.room.service, MAILBOX, authserv_id="mx.felix.test")
    return bag


def test_with_an_authserv_id_a_vouched_mail_is_obeyed(strict: Postbag) -> None:
    strict.take(a_mail("JOIN", headers=[VOUCHED]), strict.address(0))
    assert strict.game.seats[0].answer == "joined"


# ---- an order in doubt ------------------------------------------------------------------------------------
def bidding() -> Postbag:
    """A table in its first auction, where Anna is to bid."""
    bag = an_auction(5)
    assert bag.game.to_move == 0
    return bag


def test_a_newer_question_takes_the_place_of_the_older() -> None:
    bag = bidding()
    bag.send(0, "I pass this time")
    bag.send(0, "I bid 2 this time")
    answer = bag.answered(to_question(bag, "YES", question=1))
    assert answer.lines[0].why == REFUSALS["question/closed"]
    bag.send(0, "YES")
    assert bag.game.high_bid == 2


def test_another_seats_yes_answers_nothing_of_this_seat() -> None:
    bag = bidding()
    bag.send(0, "I pass this time")
    answer = bag.send(1, "YES")
    assert not answer.changed
    assert "there is nothing I need from you" in answer.lines[0].why
    assert not bag.game.seats[0].passed


def test_yes_to_an_invitation_joins(bag: Postbag) -> None:
    assert verdicts(bag.send(0, "Yes")) == ["done"]
    assert bag.game.seats[0].answer == "joined"


def test_no_to_an_invitation_asks_whether_that_is_a_decline(bag: Postbag) -> None:
    answer = bag.send(0, "No")
    assert (verdicts(answer), answer.asks, bag.game.seats[0].answer) == (["asked"], 1, "invited")
    bag.send(0, "Yes")
    assert bag.game.seats[0].answer == "declined"


# ---- no more mail, and back again -------------------------------------------------------------------------
def test_words_of_thanks_do_not_bring_them_back(bag: Postbag) -> None:
    bag.send(0, "STOP")
    bag.send(0, "That was quick")
    assert bag.seat(0).address is None


def test_an_order_settles_the_question_that_was_open() -> None:
    bag = a_first_round()
    one, two = [f"PLAY {card}" for card in bag.game.seats[0].hand if isinstance(card, int)][:2]
    bag.send(0, f"{one} cheers")
    assert len(bag.asked()) == 1
    bag.send(0, two)
    answer = bag.send(0, "YES")
    assert not answer.changed
    assert answer.lines[0].why == phrase("people.stands.still", order=two)
    assert f"PLAY {bag.game.seats[0].placed}" == two


def test_a_second_yes_is_too_late() -> None:
    bag = bidding()
    bag.send(0, "Sent from my phone\n\nI bid 2 this time")
    to_question(bag, "YES")
    size = bag.size
    assert bag.answered(to_question(bag, "YES")).lines[0].why == REFUSALS["question/closed"]
    assert bag.size == size


def test_stop_stops_mail_to_every_address_of_the_player(bag: Postbag) -> None:
    player = bag.seat(0).player_id
    bag.do(lambda tx: tx.add_player(player, PHONE))
    bag.send(0, "STOP")
    assert bag.seat(0).address is None


def test_an_address_that_bounces_stays_stopped_when_its_player_comes_back(bag: Postbag) -> None:
    player = bag.seat(0).player_id
    bounced = AddressRow(ANNA, player, 6.0, "2026-01-01T00:00:00.000000Z", "bounces")
    bag.do(lambda tx: tx.add_player(player, PHONE))
    bag.do(lambda tx: tx.note_address(bounced))
    from_phone(bag, "STOP")
    from_phone(bag, "HAND", number=2)
    assert bag.seat(0).address == PHONE


def test_of_several_orders_in_doubt_none_is_asked_about() -> None:
    bag = bidding()
    answer = bag.send(0, "I pass this time\nI bid 4 this time")
    assert (verdicts(answer), answer.asks, bag.asked()) == (["asked"], 0, [])
    assert {"PASS", "BID 4"} <= {*answer.offers}
