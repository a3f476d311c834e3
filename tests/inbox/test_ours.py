"""The lines of a letter come back unmarked, and are known again; the one beside them is the answer."""

from __future__ import annotations

import html as markup
from collections.abc import Callable, Iterable, Mapping
from textwrap import wrap
from time import process_time
from typing import Final

import pytest

from each import one_in
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import MARKER
from felix_async.reading.reader import Reading, open_bytes, read_mail
from felix_async.reading.reader import read as read_opened
from felix_async.reading.verdicts import Understood, settled
from felix_events.store.base import Damaged
from felix_events.store.rows import Letter as Frozen
from felix_notifiers.content.mail import Composed
from gallery.shown import mails
from games import NAMES
from inbox.postbag import Postbag, a_mail, an_auction
from inbox.reading import asked_in, orders_in
from machine import is_within

OPTIONS: Final = (
    "Your turn: round 6 of 9, bid or pass.\n\nAnswer this mail with one of these lines:\n\n"
    "  BID 11\n  BID 12\n  BID 13\n  PASS\n\nYour hand: -8, 8, large dog.\n"
)
HEAD: Final = "From: ben@players.test\nIn-Reply-To: <1@felix.test>\nContent-Type: text/{}; charset=utf-8\n\n"
NOW: Final = "2026-01-01T12:00:00.000000Z"
Form = Callable[[str], str]


def letter(text: str = OPTIONS, html: str = "") -> bytes:
    """A letter of ours."""
    if not html:
        return f"Content-Type: text/plain; charset=utf-8\n\n{text}".encode()
    parts = "".join(
        f"--b\nContent-Type: text/{kind}; charset=utf-8\n\n{part}\n"
        for kind, part in (("plain", text), ("html", html))
    )
    return f"Content-Type: multipart/alternative; boundary=b\n\n{parts}--b--\n".encode()


def read(text: str, ours: bytes, kind: str = "plain") -> Reading:
    return read_mail((HEAD.format(kind) + text).encode(), ours)


def said(text: str, ours: bytes | None = None, kind: str = "plain") -> list[Understood]:
    return settled(read(text, ours or letter(), kind).said)


def done(text: str, ours: bytes | None = None, kind: str = "plain") -> list[str]:
    return orders_in(said(text, ours, kind))


# ---- what is known again, and what is not --------------------------------------------------------------
@pytest.mark.parametrize("text", [
    f"BID 12\n\n{OPTIONS}", f"{OPTIONS}\nBID 12\n",
    "BID 12\n\n" + OPTIONS.replace("\n\n", "\n"),
    "BID 12\n\n" + OPTIONS.replace("  ", "* "), "BID 12\n\n" + OPTIONS.replace("  ", "1. "),
    "BID 12\n\n" + "\n".join(wrap(OPTIONS, 30)), "BID 12\n\n" + "\n".join(wrap(OPTIONS, 12)),
    "BID 12\n\n" + OPTIONS.replace("BID 11", "BID 11 <mailto:felix@felix.test?subject=x&body=BID%2011>"),
    f"{OPTIONS.replace('Your hand: -8, 8, large dog.', '')}\nBID 12\n", f"BID 12\n\n{MARKER}\n\n{OPTIONS}",
    f"{MARKER}\n\n{OPTIONS}\n\nBID 12\n",
])  # fmt: skip
def test_an_order_beside_the_lines_of_the_letter_is_done(text: str) -> None:
    ours = letter(f"{MARKER}\n\n{OPTIONS}")
    assert (done(text, ours), asked_in(said(text, ours))) == (["BID 12"], [])


@pytest.mark.parametrize("text", [
    OPTIONS, f"{MARKER}\n{OPTIONS}", "  BID 11\n  BID 12\n  BID 13\n  PASS\n",
    OPTIONS.replace("  PASS\n", ""),
])  # fmt: skip
def test_the_lines_of_the_letter_alone_do_nothing(text: str) -> None:
    assert done(text) == []


@pytest.mark.parametrize(("text", "asked"), [
    (OPTIONS.replace("  BID 11\n", "").replace("  BID 13\n  PASS\n", ""), ["BID 12"]),
    ("Answer this mail with one of these lines:\n\nBID 11\n", ["BID 11"]),
    (OPTIONS.replace("  BID 12\n", "  BID 12\nBID 12\n"), ["BID 12", "BID 12"]),
    ("> Answer this mail with one of these lines:\n>\n>   BID 12\nBID 13\n>   PASS\n", ["BID 13"]),
])  # fmt: skip
def test_what_may_be_either_is_asked_about(text: str, asked: list[str]) -> None:
    assert (done(text), asked_in(said(text))) == ([], asked)


def test_an_order_that_the_letter_does_not_offer_is_done_between_its_lines() -> None:
    assert done(OPTIONS.replace("  BID 11\n", "  BID 11\n\nBID 14\n\n")) == ["BID 14"]


def test_an_answer_of_many_lines_may_be_that_of_the_letter() -> None:
    lines = "NEW\ntable Friday cats\nAnna\nCara\n"
    ours = letter(f"Answer this mail with these lines:\n\n{lines}\nFelix\n")
    listed = [line.text for line in said(lines, ours)[0].below]
    assert (done(lines, ours), listed) == (["NEW"], ["table Friday cats", "Anna", "Cara"])
    assert done(f"Answer this mail with these lines:\n\n{lines}", ours) == []


def test_below_an_answer_and_the_marker_nothing_is_read() -> None:
    text = f"BID 12\n\n{MARKER}\n{OPTIONS}\n\nOn Monday I wrote this\n\nPLAY 8\n"
    assert (done(text, letter(f"{MARKER}\n{OPTIONS}")), asked_in(said(text))) == (["BID 12"], [])


def test_without_its_letter_a_mail_is_read_by_its_signs_alone() -> None:
    assert orders_in(settled(read_mail((HEAD.format("plain") + OPTIONS).encode()).said)) == []
    assert read("BID 12\n", b"").lines == read_mail((HEAD.format("plain") + "BID 12\n").encode()).lines


def test_html_without_a_sign_of_quoting_is_known_by_the_html_of_the_letter() -> None:
    rows = "".join(f"<tr><td>{order}</td></tr>" for order in ("BID 11", "BID 12", "PASS"))
    page = f"<p>Your turn</p><table>{rows}</table><p>Bye</p>"
    ours = letter("Something else.\n", page)
    assert done(f"<div>BID 12</div><div>{page}</div>", ours, "html") == ["BID 12"]
    assert done(f"<div>{page}</div><div>BID 12</div>", ours, "html") == ["BID 12"]
    assert done(page, ours, "html") == []


@pytest.mark.parametrize("unit", one_in(3, [
    "PASS\n", "the \n", "the " * 200 + "\n", "bid 11\nbid 12\n",
    "<mailto:" * 100 + "\n", "Ben 1. 1) - * > \n",
]))  # fmt: skip
def test_to_look_for_a_letter_takes_no_longer_than_the_mail_is_long(unit: str) -> None:
    composed = mails()["4 players: bid"]
    ours = letter(composed.text, composed.html)

    def cost(size: int) -> float:
        opened = open_bytes((HEAD.format("plain") + unit * (size // len(unit))).encode())
        return min(_seconds(lambda: read_opened(opened, ours)) for _ in range(3))

    large = cost(250_000)
    assert is_within(large, 0.5)
    assert large <= 15 * (cost(25_000) + 0.005)


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


# ---- in a game -----------------------------------------------------------------------------------------
def sent(bag: Postbag, seat: int, number: int = 1) -> str:
    """The Message-ID of a letter to this seat, which offers two bids."""
    message_id = f"<{number}@felix.test>"
    frozen = Frozen(bag.game_id, seat, "x@players.test", message_id, letter(), NOW, NOW)
    bag.do(lambda tx: tx.freeze(frozen))
    return message_id


def answered(bag: Postbag, seat: int, text: str, message_id: str) -> list[str]:
    """What comes of the lines of an answer to that letter."""
    raw = a_mail(text, sender=f"{NAMES[seat].lower()}@players.test", headers=[f"References: {message_id}"])
    mail_id = bag.take(raw, bag.address(seat))
    answer = bag.answer_to(mail_id)
    return [] if answer is None else [line.verdict for line in answer.lines if line.text]


def test_in_a_game_the_letter_is_found_by_its_message_id() -> None:
    bag = an_auction()
    first = bag.to_move
    assert answered(bag, first, f"{OPTIONS}\nBID 12\n", sent(bag, first)) == ["done"]
    assert bag.game.high_bid == 12


def test_a_letter_to_another_seat_tells_nobody_what_it_says() -> None:
    """Else one could find out by answering it which cards it offers."""
    bag = an_auction()
    first = bag.to_move
    verdicts = answered(bag, first, OPTIONS, sent(bag, (first + 1) % 4))
    assert (verdicts, bag.game.high_bid) == (["asked"], 0)


def test_an_erased_letter_is_no_letter() -> None:
    bag = an_auction()
    first = bag.to_move
    message_id = sent(bag, first)
    frozen = bag.look(lambda reader: reader.letter_with(message_id))
    assert frozen is not None
    bag.do(lambda tx: tx.drop_letter_bytes(frozen.letter_id))
    assert answered(bag, first, OPTIONS, message_id) == ["asked"]


def test_a_mail_is_read_even_if_its_letter_lies_on_a_damaged_page(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = an_auction()
    first = bag.to_move

    def damaged(*_: object) -> bytes:
        raise Damaged("felix.db is damaged; restore a backup.")

    monkeypatch.setattr("felix_async.inbox.waiting.letter_answered", damaged)
    assert answered(bag, first, "BID 12\n\nSee you on Sunday\n", sent(bag, first)) == ["done"]
    assert bag.game.high_bid == 12


# ---- all that felix sends ------------------------------------------------------------------------------
def beside(ours: str) -> dict[str, Form]:
    """Ways in which a mail program leaves a letter unmarked below or above an order."""
    bare = ours.replace(f"{MARKER}\n", "")
    return {
        "below": lambda order: f"{order}\n\n{ours}",
        "above": lambda order: f"{ours}\n\n{order}\n",
        "below, without the marker": lambda order: f"{order}\n\n{bare}",
        "above, without the marker": lambda order: f"{bare}\n\n{order}\n",
        # A word that is longer than a line, as a hash is, stays whole.
        "wrapped anew": lambda order: f"{order}\n\n" + "\n".join(wrap(bare, 50, break_long_words=False)),
        "without blank lines": lambda order: f"{order}\n" + "\n".join(filter(str.strip, bare.splitlines())),
    }


def offered(text: str) -> list[str]:
    """The orders that stand on lines of a letter, and one that does not."""
    read = (read_line(line) for line in text.splitlines())
    return [
        *dict.fromkeys(str(order) for order in read if isinstance(order, Order) and not order.text),
        "BID 99",
    ]


def wrong(letters: Mapping[str, Composed]) -> Iterable[str]:
    """What is done that was not meant, or left alone."""
    for name, composed in letters.items():
        ours = letter(composed.text, composed.html)
        for form, build in beside(composed.text).items():
            if done(build(""), ours):
                yield f"{name}, {form}: {done(build(''), ours)} without an order"
            for order in offered(composed.text)[-3:]:
                lines = said(build(order), ours)
                told = [line.text for line in lines if line.verdict in ("order", "asked", "ambiguous")]
                if set(orders_in(lines)) - {order} or not told:
                    yield f"{name}, {form}: {orders_in(lines)} for {order}, told {told}"
        page = f"<div>BID 99</div><div>{composed.html}</div>"
        if done(page, ours, "html") != ["BID 99"] or done(composed.html, ours, "html"):
            yield f"{name}, as a page: {done(page, ours, 'html')}"


@pytest.mark.slow
def test_of_a_letter_that_comes_back_unmarked_nothing_is_done() -> None:
    sample = {name: composed for name, composed in mails().items() if name.startswith("4 players")}
    assert list(wrong(sample)) == []


@pytest.mark.slow
def test_of_no_letter_that_comes_back_unmarked_anything_is_done() -> None:
    assert list(wrong(mails())) == []


def test_what_a_page_says_is_escaped_and_known_again() -> None:
    text = "Tom & Jerry <cats> said hello\nBID 11\nBID 12\nand nothing more"
    page = "".join(f"<p>{markup.escape(line)}</p>" for line in text.splitlines())
    assert done(f"<p>BID 12</p>{page}", letter("x", page), "html") == ["BID 12"]
