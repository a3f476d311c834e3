"""Players whose provider does not sign, behind a mail server that vouches for senders: one YES is enough."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from felix_async.clock import DAY, later
from felix_async.inbox.doubts import MAX_NOTES, MAX_OWN_QUESTIONS, MAX_SENDER_QUESTIONS
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import DOUBTED_AGAIN, OWN_NOW, REFUSALS
from felix_async.reading.authentication import LOCAL, UNKNOWN, provider_text, providers
from felix_events.store.rows import Belief
from inbox.postbag import MAILBOX, Postbag, a_first_round, verdicts

ANNA, PHONE = "anna@players.test", "anna@phone.test"
OURS = "mx.felix.test"
HOME, AWAY = "192.0.2", "198.51.100"
VOUCHED = f"Authentication-Results: {OURS}; dmarc=pass header.from=players.test"


def came_from(network: str, host: int = 7) -> str:
    """What our own Postfix writes into a mail that came from there."""
    return f"Received: from x.test (x.test [{network}.{host}]) by {OURS} (Postfix) with ESMTPS id 4F2Bq; now"


class Strict(Postbag):
    """A table whose server obeys only mail that is vouched for."""

    def unsigned(
        self, text: str, by: str | None = HOME, *, sender: str = ANNA, host: int = 7, more: Sequence[str] = ()
    ) -> int:
        """A mail to Anna's seat that nobody vouches for, dealt with; its id."""
        headers = [*([] if by is None else [came_from(by, host)]), *more]
        return self.bring(text, "", sender, headers=headers)

    def say(
        self, text: str, number: int | None = None, *, sender: str = ANNA, more: Sequence[str] = ()
    ) -> int:
        """An answer to a question, the newest if no other is named; it is unsigned, too."""
        to = self.question_address(0, number or self.asked(kind="sender")[-1].number)
        return self.bring(text, to, sender, headers=[came_from(HOME), *more])

    def believed(self) -> list[Belief]:
        """From where unsigned mail is Anna's."""
        player_id = self.seat(0).player_id
        with self.room.store.read() as reader:
            return reader.beliefs(player_id)

    def notes(self) -> list[str]:
        """What Anna was told about mails in doubt."""
        told = [notice for notice in self.owed(0, "answer") if notice.about.endswith("in doubt")]
        return [orjson.loads(notice.payload)["lines"][0]["why"] for notice in told]


@pytest.fixture
def bag() -> Strict:
    played = a_first_round()
    return Strict(played.room, played.game_id, Processor(played.room.service, MAILBOX, authserv_id=OURS))


def card(bag: Postbag, number: int = 0) -> str:
    return str(Order("PLAY", card=bag.game.seats[0].hand[number]))


# ---- a YES is remembered ---------------------------------------------------------------------------------
def test_after_one_yes_a_player_whose_provider_does_not_sign_plays_on_without_questions(bag: Strict) -> None:
    first = bag.unsigned(card(bag))
    bag.say("YES")
    assert bag.mail(first).state == "done"
    for number in range(10):
        mail = bag.unsigned(card(bag, number % 2), host=number + 1)
        assert bag.mail(mail).state == "done"
    assert len(bag.asked(kind="sender")) == 1


def test_what_is_remembered_is_the_address_and_the_provider(bag: Strict) -> None:
    bag.unsigned("STATUS")
    bag.say("YES")
    (belief,) = bag.believed()
    assert (belief.address, belief.provider) == (ANNA, f"net {HOME}.0/24")


def test_the_answer_to_the_yes_tells_what_it_means_and_how_to_end_it(bag: Strict) -> None:
    bag.unsigned("STATUS")
    answer = bag.answered(bag.say("YES"))
    assert answer.lines[0].why == OWN_NOW.format(address=ANNA)


def test_a_mail_by_another_provider_is_asked_about_all_the_same(bag: Strict) -> None:
    """The stranger knows the address of the seat, and writes Anna's own into From."""
    bag.unsigned("STATUS")
    bag.say("YES")
    stranger = bag.unsigned(card(bag), AWAY)
    assert bag.mail(stranger).state == "quarantined"
    assert bag.game.seats[0].placed is None


@pytest.mark.parametrize(
    "forged",
    [
        pytest.param([came_from(HOME)], id="a Received of ours, as it were, below the real one"),
        pytest.param(
            [f"Authentication-Results: evil.test; dkim=pass header.d={HOME}"], id="another's verdict"
        ),
        pytest.param([f"Received: by {OURS}; now", came_from(HOME)], id="two of them"),
    ],
)
def test_no_header_that_a_stranger_brings_makes_them_come_from_there(bag: Strict, forged: list[str]) -> None:
    bag.unsigned("STATUS")
    bag.say("YES")
    assert bag.mail(bag.unsigned("BID 7", AWAY, more=forged)).state == "quarantined"


def test_a_stranger_with_another_from_by_that_provider_is_nobody(bag: Strict) -> None:
    bag.unsigned("STATUS")
    bag.say("YES")
    assert bag.mail(bag.unsigned(card(bag), sender="mallory@evil.test")).state == "quarantined"


def test_a_yes_does_not_do_what_a_stranger_sent_meanwhile_by_another_provider(bag: Strict) -> None:
    hers = bag.unsigned("STATUS")
    strangers = bag.unsigned("RESIGN", AWAY)
    bag.say("YES", number=1)
    assert [bag.mail(mail).state for mail in (hers, strangers)] == ["done", "quarantined"]


def test_a_mail_of_which_nobody_knows_from_where_it_came_is_asked_about_each_time(bag: Strict) -> None:
    for number in range(1, 2 * MAX_OWN_QUESTIONS):
        mail = bag.unsigned("STATUS", None, more=["Received: from somewhere by someone; now"])
        bag.say("YES", number=number)
        assert bag.mail(mail).state == "done"
    assert bag.believed() == []


def test_another_address_of_the_player_is_believed_in_the_same_way(bag: Strict) -> None:
    bag.unsigned("STATUS", sender=PHONE)
    bag.say("YES", more=[VOUCHED])
    assert [one.address for one in bag.believed()] == [PHONE]
    assert bag.mail(bag.unsigned("HAND", sender=PHONE)).state == "done"
    assert bag.mail(bag.unsigned("HAND", AWAY, sender=PHONE)).state == "quarantined"


def test_an_unsigned_yes_for_another_address_is_asked_about_itself(bag: Strict) -> None:
    """Whoever got the question forwarded, and writes Anna's address into From, lets nobody in."""
    first = bag.unsigned("STATUS", sender=PHONE)
    yes = bag.say("YES")
    assert (bag.mail(yes).state, PHONE in bag.seat(0).addresses) == ("quarantined", False)
    bag.say("YES", number=2)
    assert [bag.mail(mail).state for mail in (first, yes)] == ["done", "done"]
    assert PHONE in bag.seat(0).addresses


def test_a_mail_that_is_vouched_for_teaches_nothing_about_providers(bag: Strict) -> None:
    bag.unsigned(card(bag), more=[VOUCHED])
    assert (bag.believed(), bag.asked(kind="sender")) == ([], [])


# ---- and taken back --------------------------------------------------------------------------------------
def test_no_to_the_same_question_takes_it_back(bag: Strict) -> None:
    bag.unsigned("STATUS")
    bag.say("YES")
    answer = bag.answered(bag.say("NO"))
    assert answer.lines[0].why == DOUBTED_AGAIN.format(address=ANNA)
    assert bag.believed() == []
    assert bag.mail(bag.unsigned("HAND")).state == "quarantined"


def test_a_second_no_is_too_late_as_ever(bag: Strict) -> None:
    bag.unsigned("STATUS")
    for text in ("YES", "NO"):
        bag.say(text)
    answer = bag.answered(bag.say("NO"))
    assert answer.lines[0].why == REFUSALS["question/closed"]


def test_address_off_takes_all_of_it_back(bag: Strict) -> None:
    for number, by in enumerate((HOME, AWAY), 1):
        bag.unsigned("STATUS", by)
        bag.say("YES", number=number)
    answer = bag.answered(bag.unsigned("ADDRESS OFF"))
    assert (verdicts(answer), answer.lines[0].why) == (["done"], phrase("people.beliefs.off"))
    assert bag.believed() == []


def test_address_off_says_so_if_there_is_nothing_to_take_back(bag: Strict) -> None:
    answer = bag.answered(bag.unsigned("ADDRESS OFF", more=[VOUCHED]))
    assert answer.lines[0].why == phrase("people.beliefs.off_already")


def test_status_tells_from_where_unsigned_mail_is_the_players(bag: Strict) -> None:
    before = bag.answer_to(bag.unsigned("STATUS", more=[VOUCHED]))
    bag.unsigned("HAND")
    bag.say("YES")
    after = bag.answer_to(bag.unsigned("STATUS"))
    assert before is not None
    assert after is not None
    assert HOME not in before.lines[0].why
    assert f"{ANNA} by the network {HOME}.0/24" in after.lines[0].why


# ---- questions are counted for each sender ---------------------------------------------------------------
def test_three_strangers_use_up_no_question_of_the_players(bag: Strict) -> None:
    for number in range(5):
        bag.unsigned("PASS", f"203.0.{number}", sender=f"mallory{number}@evil.test")
    assert len(bag.asked(kind="sender")) == MAX_SENDER_QUESTIONS
    mail = bag.unsigned("STATUS")
    assert bag.asked(kind="sender")[-1].text == ANNA
    bag.say("YES")
    assert bag.mail(mail).state == "done"


def test_a_stranger_with_the_players_address_uses_up_none_either(bag: Strict) -> None:
    for _ in range(10):
        bag.unsigned("PASS", AWAY)
    mail = bag.unsigned("STATUS")
    bag.say("YES")
    assert bag.mail(mail).state == "done"


def test_whatever_strangers_do_the_player_gets_so_many_mails_a_day_and_no_more(bag: Strict) -> None:
    for number in range(20):
        bag.unsigned("PASS", f"203.0.{number}")
        bag.unsigned("PASS", f"203.0.{number}", sender=f"mallory{number}@evil.test")
        bag.unsigned("PASS", f"203.0.{number}", sender=f"mallory{number}@evil.test")
    assert len(bag.owed(0, "question")) <= MAX_OWN_QUESTIONS + MAX_SENDER_QUESTIONS
    assert len(bag.notes()) <= MAX_NOTES


def test_after_a_no_the_same_provider_is_asked_about_on_another_day_only(bag: Strict) -> None:
    bag.unsigned("PASS", AWAY)
    bag.say("NO")
    bag.unsigned("PASS", AWAY)
    assert len(bag.asked(kind="sender")) == 1
    bag.room.clock.now += timedelta(days=1)
    bag.unsigned("PASS", AWAY)
    assert len(bag.asked(kind="sender")) == 2


def test_the_last_question_for_a_while_says_until_when(bag: Strict) -> None:
    for number in range(MAX_OWN_QUESTIONS):
        bag.unsigned("PASS", f"203.0.{number}")
    payloads = [orjson.loads(notice.payload) for notice in bag.owed(0, "question")]
    assert ["until" in payload for payload in payloads] == [False] * (MAX_OWN_QUESTIONS - 1) + [True]
    assert payloads[-1]["until"] == later(bag.asked(kind="sender")[0].asked_at, DAY)
    bag.room.clock.now += timedelta(days=1)
    bag.unsigned("STATUS")
    assert len(bag.asked(kind="sender")) == MAX_OWN_QUESTIONS + 1


# ---- a second mail while a question is open --------------------------------------------------------------
def test_a_second_mail_is_answered_and_done_with_the_first(bag: Strict) -> None:
    first, second = bag.unsigned(card(bag)), bag.unsigned(card(bag, 1))
    assert bag.notes() == [phrase("people.doubt.with_the_first", address=ANNA)]
    bag.say("YES")
    assert [bag.mail(mail).state for mail in (first, second)] == ["done", "done"]


def test_a_second_mail_from_a_new_address_is_answered_at_the_known_one(bag: Strict) -> None:
    for _ in range(2):
        bag.unsigned("STATUS", sender=PHONE, more=["Authentication-Results: x; none"])
    assert bag.notes() == [phrase("people.doubt.with_the_first", address=PHONE)]
    assert bag.seat(0).address == ANNA


def test_a_second_mail_that_a_yes_would_not_do_is_told_to_come_again(bag: Strict) -> None:
    bag.unsigned("STATUS", sender=PHONE)
    bag.unsigned("STATUS", AWAY, sender=PHONE)
    assert bag.notes() == [phrase("people.doubt.after_the_first", address=PHONE)]


def test_an_answer_to_the_question_from_elsewhere_is_told_that_it_does_not_count(bag: Strict) -> None:
    bag.unsigned("STATUS")
    bag.say("YES", sender=PHONE)
    assert bag.notes() == [phrase("people.doubt.elsewhere", address=PHONE)]
    assert bag.asked(kind="sender")[0].state == "open"


def test_notes_come_so_often_a_day_and_the_last_says_so(bag: Strict) -> None:
    for _ in range(3 * MAX_NOTES):
        bag.unsigned("STATUS")
    notes = bag.notes()
    assert len(notes) == MAX_NOTES
    assert [phrase("people.doubt.last") in note for note in notes] == [False] * (MAX_NOTES - 1) + [True]


def test_who_was_turned_down_gets_nothing_more_said(bag: Strict) -> None:
    bag.unsigned("STATUS", sender="mallory@evil.test")
    bag.say("NO", more=[VOUCHED])
    bag.unsigned("STATUS", sender="mallory@evil.test")
    assert bag.notes() == []


# ---- by whom a mail came ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("received", "provider"),
    [
        ([], LOCAL),
        (["from a (a [192.0.2.7]) by mx.felix.test (Postfix); now"], "net 192.0.2.0/24"),
        (["from a (unknown [IPv6:2001:db8:1:2::7]) by MX.felix.test; now"], "net 2001:db8:1::/48"),
        (["from a ([198.51.100.7] helo=b) by mx.felix.test with esmtp (Exim); now"], "net 198.51.100.0/24"),
        (["from a (a [192.0.2.7]) (using TLSv1.3 (256/256 bits)) by mx.felix.test; now"], "net 192.0.2.0/24"),
        (["from [192.0.2.7] (b [198.51.100.7]) by mx.felix.test; now"], "net 198.51.100.0/24"),
        (
            ["from c (c [127.0.0.1]) by mx.felix.test; now", "from a (a [192.0.2.7]) by mx.felix.test; now"],
            "net 192.0.2.0/24",
        ),
        (
            ["by 2002:a05:1 with SMTP; now", "from a (a [192.0.2.7]) by mx.felix.test; now"],
            "net 192.0.2.0/24",
        ),
        (["from b by b with LMTP; now", "from a (a [192.0.2.7]) by mx.felix.test; now"], "net 192.0.2.0/24"),
        (["from a (a [192.0.2.7]) by elsewhere.test; now"], UNKNOWN),
        (["from b (HELO mx.felix.test) (192.0.2.7) by mx.felix.test; now"], UNKNOWN),
        (["nonsense", "from a (a [192.0.2.7]) by mx.felix.test; now"], UNKNOWN),
        (["from c (c [172.17.0.1]) by mx.felix.test; now"], UNKNOWN),
        (["from c (c [IPv6:::ffff:172.17.0.1]) by mx.felix.test; now"], UNKNOWN),
        (["from c (c [fd00::1]) by mx.felix.test; now"], UNKNOWN),
        (
            ["from c (c [172.17.0.1]) by mx.felix.test; now", "from a (a [192.0.2.7]) by mx.felix.test; now"],
            UNKNOWN,
        ),
        (["from a (a [IPv6:::ffff:192.0.2.7]) by mx.felix.test; now"], "net 192.0.2.0/24"),
        (["from a (a [999.0.2.7]) by mx.felix.test; now"], UNKNOWN),
        (["from a (<unknown> [192.0.2.7]) by mx.felix.test (OpenSMTPD) with ESMTP; now"], "net 192.0.2.0/24"),
        (["from a (a [192.0.2.7] (may be forged)) by mx.felix.test (8.17/8.17); now"], "net 192.0.2.0/24"),
        (["from a ([192.0.2.7] helo=[10.0.0.2]) by mx.felix.test with esmtpsa; now"], "net 192.0.2.0/24"),
    ],
)
def test_the_network_is_that_from_which_our_own_server_took_the_mail(
    received: list[str], provider: str
) -> None:
    assert providers((), received, OURS) == (provider,)


def test_a_name_that_a_sender_gives_is_no_address_of_a_connection() -> None:
    """Servers write the HELO in ways of their own, and some write whatever it is."""
    trusted = ("x ([192.0.2.9])", "x (x.test [192.0.2.9])", "x ([192.0.2.9] helo=a)", f"{OURS} ([127.0.0.1])")
    helos = (
        *("[192.0.2.9]", "[IPv6:2001:db8:9::9]", "192.0.2.9", f"{OURS} by {OURS} with LMTP", *trusted),
        *(f"{one} by {OURS}{more}" for one in trusted for more in ("", ";", "; now", " ", " (", " (x")),
    )
    connections = ("(unknown [6.6.6.6])", "(6.6.6.6)", "(x@6.6.6.6)", "([IPv6:2001:db8::6])", "(2001:db8::6)")
    ways = [
        *("from unknown (HELO {}) {}", "from unknown (EHLO {}) {}", "from x (LHLO {}) {}"),
        *("from x (helo={}) {}", "from x (helo {}) {}", "from x (x@{} {})", "from {} {}", "from {1} ({0})"),
    ]
    written = [way.format(helo, by) for way in ways for helo in helos for by in connections]
    below = f"from a (a [192.0.2.9]) by {OURS}; now"
    for end in (f" by {OURS} with SMTP; now", f" by {OURS}"):
        found = {providers((), [one + end, below], OURS) for one in written}
        assert found <= {(UNKNOWN,), ("net 6.6.6.0/24",), ("net 2001:db8::/48",)}


def test_a_name_that_a_sender_gives_gets_no_order_done(bag: Strict) -> None:
    bag.unsigned("STATUS")
    bag.say("YES")
    for helo in (f"HELO [{HOME}.9]", f"EHLO [{HOME}.7]"):
        forged = [f"Received: from unknown ({helo}) (6.6.6.6) by {OURS} with SMTP; now"]
        assert bag.mail(bag.unsigned(card(bag), None, more=forged)).state == "quarantined"


def test_a_domain_that_signed_or_may_send_says_more_than_a_network() -> None:
    signed = "dkim=pass header.d=isp.test; spf=pass smtp.mailfrom=out.isp.test; dkim=fail header.d=x.test"
    received = ["from a (a [192.0.2.7]) by mx.felix.test; now"]
    found = providers([f"{OURS}; {signed}"], received, OURS)
    assert found == ("dkim isp.test", "spf out.isp.test", "net 192.0.2.0/24")


def test_another_servers_word_for_a_domain_counts_for_nothing() -> None:
    assert providers(["evil.test; dkim=pass header.d=isp.test"], [], OURS) == (LOCAL,)


def test_each_provider_has_a_name_for_people() -> None:
    named = [provider_text(one) for one in ("dkim isp.test", "net 192.0.2.0/24", LOCAL, UNKNOWN)]
    assert named == [
        "isp.test",
        "the network 192.0.2.0/24",
        phrase("people.providers.local"),
        phrase("people.providers.unknown"),
    ]


@given(st.lists(st.text(max_size=80), max_size=4), st.lists(st.text(max_size=80), max_size=4))
def test_no_header_raises_and_each_mail_has_a_provider(verdicts: list[str], received: list[str]) -> None:
    shaped = [f"from a (b [{one}]) by {OURS}" for one in received]
    for values in (received, shaped):
        assert providers([*verdicts, *(f"{OURS}; {one}" for one in verdicts)], values, OURS)
