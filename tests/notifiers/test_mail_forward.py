"""The answer to NEW: who is invited, and a text that its reader may send on."""

from __future__ import annotations

from felix_async.address import without_tokens
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from inbox.hosting import FRIENDS, opened, seats_at, write_new
from inbox.postbag import MAILBOX, Postbag, a_table
from notifiers.office import claim_owed
from notifiers.sheets import Html, an_answer, mail, part, read
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
    forwarded = text.partition("For your friends")[2]
    assert without_tokens(forwarded) == forwarded
    assert "@friends.test" not in forwarded
    secrets = [seat.address for seat in seats_at(bag, opened(bag)[0]) if seat.seat]
    assert all(
        secret is not None and secret not in html.partition("For your friends")[2] for secret in secrets
    )


def test_names_in_it_are_harmless() -> None:
    answer = an_answer(("NEW", "done", "Open."), show=["forward"])
    names = ["<b>Anna</b>\r\nBcc: x", "Ben", "Cara", "Dan"]
    composed = mail(
        given(an_invitation()).game, ANNA, {"answer"}, answer=answer, names=names, table_name="<i>x</i>\r\ny"
    )
    assert not {"b", "i"} & set(Html(composed.html).tags)
    assert "\r" not in composed.subject + composed.text
