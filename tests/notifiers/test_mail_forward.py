"""The answer to NEW: who is invited, and a text that its reader may send on."""

from __future__ import annotations

from email.message import EmailMessage

from felix_async.address import without_tokens
from felix_async.language.grammar import Order, read_line
from felix_notifiers.content.offers import offers_in
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from inbox.hosting import FRIENDS, opened, seats_at, write_new
from inbox.postbag import MAILBOX, Postbag, a_table
from notifiers.office import claim_owed
from notifiers.sheets import Html, Link, an_answer, mail, part, read
from table import ANNA, an_invitation, given


def answered(bag: Postbag) -> tuple[str, str, str]:
    """Subject, text and HTML of the letter that answers Anna's NEW."""
    claim_owed(bag.do, Outbox(bag.room.clock, Letters(MAILBOX, bytes(range(32)))))
    (game_id,) = opened(bag)
    with bag.room.store.read() as reader:
        (letter,) = [one for one in reader.letters() if (one.game_id, one.seat) == (game_id, 0)]
    message = read(letter.raw)
    assert message["In-Reply-To"] == "<new-1@players.test>"
    return str(message["Subject"]), part(message, "plain"), part(message, "html")


def a_new_table() -> Postbag:
    bag = a_table()
    write_new(bag, f"NEW Friday club\n{FRIENDS}")
    return bag


def test_it_has_nobodys_token_and_nobodys_address_in_the_text_to_send_on() -> None:
    bag = a_new_table()
    _, text, html = answered(bag)
    forwarded = text.partition("To send to your friends")[2]
    assert without_tokens(forwarded) == forwarded
    assert "@friends.test" not in forwarded
    secrets = [str(seat.address) for seat in seats_at(bag, opened(bag)[0]) if seat.seat]
    below = html.partition("To send to your friends")[2]
    assert [secret for secret in secrets if secret in below] == []


def test_names_in_it_are_harmless() -> None:
    answer = an_answer(("NEW", "done", "Open."), show=["forward"])
    names = ["<b>Anna</b>\r\nBcc: x", "Ben", "Cara", "Dan"]
    composed = mail(
        given(an_invitation()).game, ANNA, {"answer"}, answer=answer, names=names, table_name="<i>x</i>\r\ny"
    )
    assert not {"b", "i"} & set(Html(composed.html).tags)
    assert "\r" not in composed.subject + composed.text


def share(html: str) -> Link:
    """The first thing to tap."""
    return Html(html).links[0]


def test_the_first_button_is_the_text_to_send_on_and_goes_to_nobody_yet() -> None:
    _, text, html = answered(a_new_table())
    link = share(html)
    assert (link.address, link.subject) == ("", "Play Felix with me?")
    told = " ".join(text.partition("To send to your friends:")[2].split())
    assert " ".join(link.body.split()) in told


def test_no_seats_address_is_in_that_link() -> None:
    bag = a_new_table()
    _, _, html = answered(bag)
    link = share(html)
    assert without_tokens(link.url) == link.url
    assert MAILBOX in link.body
    assert "@friends.test" not in link.body


def test_a_program_that_reads_the_mail_does_not_take_it_for_an_order() -> None:
    bag = a_new_table()
    _, _, html = answered(bag)
    message = EmailMessage()
    message.set_content(html, subtype="html")
    assert [offer.partition(" ")[0] for offer in offers_in(message)] == ["UNINVITE", "UNINVITE", "CANCEL"]


def test_nothing_in_it_is_an_order_where_it_comes_back_without_a_sign_of_a_quote() -> None:
    bag = a_new_table()
    _, _, html = answered(bag)
    assert [line for line in share(html).body.splitlines() if isinstance(read_line(line), Order)] == []
