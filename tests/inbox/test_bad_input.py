"""Everything that should not have come: nothing is done, nothing breaks, the next mail is dealt with.

Each case is a mail to the address of Anna's seat, from Anna, unless it says otherwise.
"""

from __future__ import annotations

import base64
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from felix_async.follow_up.answer import Answer
from inbox.postbag import Postbag, a_first_round, a_mail

ANNA, MALLORY = "anna@players.test", "mallory@evil.test"


@pytest.fixture
def bag() -> Postbag:
    return a_first_round()


def a_card(bag: Postbag) -> str:
    """An order that would be legal now."""
    card = next(card for card in bag.game.seats[0].hand if isinstance(card, int))
    return f"PLAY {card}"


def take(bag: Postbag, raw: bytes, *, recipient: str = "", sender: str = ANNA) -> tuple[str, Answer | None]:
    """What becomes of these bytes, and the answer that is owed; the game must not change."""
    size = bag.size
    mail = bag.take(raw, recipient or bag.address(0), sender)
    assert bag.size == size, "something was done"
    goes_on = bag.send(1, "HAND")
    assert goes_on.lines[0].verdict == "done", "the next mail is dealt with"
    return bag.mail(mail).state, bag.answer_to(mail)


def a_message(bag: Postbag, **headers: str) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    for name, value in {
        "From": ANNA,
        "To": bag.address(0),
        "Message-ID": "<x@players.test>",
        **headers,
    }.items():
        message[name.replace("_", "-")] = value
    return message


# ---- who is it --------------------------------------------------------------------------------------------


def test_a_forwarded_token_is_worth_nothing_to_others(bag: Postbag) -> None:
    assert take(bag, a_mail(a_card(bag), sender=MALLORY), sender=MALLORY) == ("quarantined", None)
    assert [notice.kind for notice in bag.owed(0, "question")] == ["question"]


# ---- names and subjects -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "subject",
    [
        "hello\x1b[2J\x1b]0;owned\x07",
        "=?utf-8?b?" + base64.b64encode("\u202eDIB\r\nBcc: all".encode()).decode() + "?=",
        "<script>alert(1)</script>",
        "=?utf-8?q?x=0D=0ABcc:_mallory=40evil.test?=",
        "x" * 60_000,
        "=?no-such-charset?q?x?=",
        "=?utf-8?b?!!!?=",
    ],
)
def test_a_hostile_subject_is_answered_harmlessly(bag: Postbag, subject: str) -> None:
    state, answer = take(bag, a_mail("HELP", subject=subject))
    assert (state, answer is not None) == ("done", True)
    assert answer is not None
    assert not any(ord(char) < 32 or char == "\u202e" for char in answer.subject)


def test_a_hostile_name_is_no_more_than_a_name(bag: Postbag) -> None:
    raw = a_mail("HELP", sender=f'"<b>\\"\u202e, Ben" <{ANNA}>')
    state, answer = take(bag, raw)
    assert (state, answer is None) in (("done", False), ("quarantined", True))


# ---- no mail at all, or hardly ----------------------------------------------------------------------------
@pytest.mark.parametrize("raw", [b"", b"\r\n", b"\n\n\n", b"\x00", b"From", b"\xff" * 1000, b"PLAY 5"])
def test_what_is_no_mail_is_put_aside(bag: Postbag, raw: bytes) -> None:
    assert take(bag, raw) == ("quarantined", None)


def test_a_mail_that_says_nothing_is_told_so(bag: Postbag) -> None:
    state, answer = take(bag, a_mail(""))
    assert (state, answer is not None) == ("done", True)
    assert answer is not None
    assert "no order" in answer.lines[0].why


# ---- charsets and encodings -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "headers",
    [
        ["Content-Type: text/plain; charset=klingon"],
        ["Content-Type: text/plain; charset=utf-7"],
        ["Content-Type: text/plain; charset=idna"],
        ["Content-Type: text/plain; charset=rot13"],
        ["Content-Type: text/plain; charset=\x00"],
        ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64"],
        ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: x-uuencode"],
        ["Content-Type: text/plain; charset*0*=utf-8''%; charset*1*=x"],
        ["Content-Type: text/plain; charset=utf-16"],
    ],
)
def test_odd_encodings_break_nothing(bag: Postbag, headers: list[str]) -> None:
    state, answer = take(bag, a_mail("hello, how are you", headers=headers))
    assert (state, answer is not None) == ("done", True)


# ---- what is not the writer's own text --------------------------------------------------------------------


def test_a_forwarded_turn_mail_is_not_an_order(bag: Postbag) -> None:
    """What Mallory is forwarded, and what Anna forwards by mistake, holds orders that nobody gave."""
    inner = a_message(bag)
    inner.set_content(f"-- write above this line --\n\n{a_card(bag)}\n")
    message = a_message(bag, Subject="Fwd: Your turn")
    message.set_content("look what felix wrote")
    message.add_attachment(inner)
    assert take(bag, message.as_bytes())[0] == "done"


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        (["Auto-Submitted: auto-replied"], "an automatic answer"),
        (["Subject: Automatic reply: Your turn"], "an out-of-office"),
        (["Precedence: bulk"], "bulk mail"),
        (["List-Id: <club.example.org>"], "a list's mail"),
        (
            ["Content-Type: multipart/report; report-type=disposition-notification; boundary=b"],
            "a read receipt",
        ),
        (["Content-Type: multipart/report; report-type=delivery-status; boundary=b"], "a bounce"),
        (["X-Felix-Loop: felix@felix.test"], "our own mail"),
    ],
)
def test_what_a_machine_wrote_is_neither_done_nor_answered(
    bag: Postbag, headers: list[str], kind: str
) -> None:
    raw = "\r\n".join([f"From: {ANNA}", "Message-ID: <m@x.test>", *headers, "", a_card(bag), ""]).encode()
    assert take(bag, raw) == ("ignored", None), kind
