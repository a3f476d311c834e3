"""The first line of a message of ours is known by its form, and all around it is read as without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from email.header import Header
from html import escape
from textwrap import wrap
from time import process_time
from typing import Any, Final

import hypothesis.strategies as st
import pytest
from hypothesis import given

from each import one_in
from felix_async.inbox.decide import weigh
from felix_async.language.data import table
from felix_async.language.grammar import read_line
from felix_async.language.words import MARKER
from felix_async.reading.line import Line
from felix_async.reading.previews import Form, apart, forms_of, our_forms
from felix_async.reading.reader import read_mail, read_text
from gallery.shown import mails
from inbox.previewing import (
    OWN,
    PREVIEWS,
    PUBLIC,
    REST,
    WORDS,
    acts,
    filled_in,
    letter_with,
    mail,
    names,
    values,
)
from inbox.reading import EVERYTHING, orders_in
from machine import is_within

Arrange = Callable[[str, Sequence[str]], str]
ARRANGED: Final[dict[str, Arrange]] = {
    "below": lambda own, ours: "\n".join([own, "", *ours, MARKER]),
    "right below": lambda own, ours: "\n".join([own, *ours, MARKER]),
    "below, without the marker": lambda own, ours: "\n".join([own, "", *ours]),
    "above": lambda own, ours: "\n".join([*ours, "", own]),
    "right above": lambda own, ours: "\n".join([*ours, own]),
    "its first line marked": lambda own, ours: "\n".join([own, "", *_marked(ours[:1]), *ours[1:]]),
    "the others marked": lambda own, ours: "\n".join([own, "", *ours[:1], *_marked(ours[1:])]),
}  # fmt: skip


def _marked(lines: Sequence[str]) -> list[str]:
    return [f"> {line}" for line in lines]


def heard(raw: bytes, letter: bytes = b"") -> list[object]:
    """All that a mail does at any decision, and all that its writer is told of its lines."""
    said = read_mail(raw, letter).said
    lines = [(line.text, line.verdict, line.order, line.choices) for line in said if line.place == "written"]
    weighed = [weigh(said, situation) for situation in EVERYTHING]
    meant = [
        # Beside our own lines the writer has time to say so.
        (one.step.replace("do", "take"), one.meaning.do, one.meaning.ask, one.meaning.talk, one.doubted)
        for one in weighed
    ]
    return [lines, meant]


def previews_in(lines: Sequence[Line], forms: Sequence[Form]) -> set[int]:
    """The numbers of the lines that are previews, or parts of them."""
    return {number for number, line in enumerate(apart(lines, forms)) if line.place == "preview"}


# ---- known by its form ----------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("arranged", ARRANGED)
@given(
    preview=st.sampled_from(PREVIEWS),
    values=values,
    width=st.sampled_from([200, 72, 50]),
    known=st.booleans(),
)
def test_beside_a_preview_all_is_read_as_without_it(
    arranged: str, own: str, preview: tuple[str, str], values: dict[str, Any], width: int, known: bool
) -> None:  # fmt: skip
    first_line = filled_in(preview[1], values)
    arrange = ARRANGED[arranged]
    letter = letter_with(first_line) if known else b""
    lines = wrap(first_line, width, break_on_hyphens=False)
    with_it, without = mail(arrange(own, lines)), mail(arrange(own, []))
    clings = known and arranged == "right above" and len(lines) > 1
    if clings or values["names"].startswith(lines[0]):
        # Of a line of names alone, the rest of it marked, and of one right below lines of the letter,
        # nobody knows whose it is: it may be asked about.
        assert acts(with_it, letter).is_like(acts(without, letter))
    else:
        assert heard(with_it, letter) == heard(without, letter)


@pytest.mark.slow
@pytest.mark.parametrize("own", one_in(5, OWN))
@given(
    preview=st.sampled_from(PREVIEWS),
    values=values,
    inside=st.sampled_from(["div", "span", "p", "blockquote"]),
)
def test_out_of_html_a_preview_says_nothing_either(
    own: str, preview: tuple[str, str], values: dict[str, Any], inside: str
) -> None:  # fmt: skip
    first_line = escape(filled_in(preview[1], values))
    marker = f"<p>{MARKER}</p>"
    seen = f"<div>{own}</div><{inside}><div>{first_line}</div>{marker}</{inside}>"
    without = f"<div>{own}</div><{inside}>{marker}</{inside}>"
    assert heard(mail(seen, html=True)) == heard(mail(without, html=True))


@pytest.mark.parametrize("shown", ["fx-preview", "m_-3127fx-preview", "x_fx-preview"])
def test_a_hidden_first_line_that_shows_in_an_answer_is_ours_by_its_name(shown: str) -> None:
    page = f'<div>8 for me</div><div class="{shown}">Anna: “PASS”</div><p>Round 4</p>'
    assert heard(mail(page, html=True)) == heard(mail("<div>8 for me</div><p>Round 4</p>", html=True))


def test_the_words_of_another_are_no_answer_right_above_the_marker() -> None:
    for text in ("Anna: “PASS”", 'Anna: "PASS"', "Anna: “I smell a\ndog, BID 9”"):
        assert heard(mail(f"8 for me\n\n{text}\n{MARKER}\n")) == heard(mail(f"8 for me\n\n{MARKER}\n"))


@pytest.mark.parametrize("name", [name for name, _ in PREVIEWS])
def test_a_mail_of_a_preview_alone_does_nothing_and_asks_nothing(name: str) -> None:
    first_line = filled_in(dict(PREVIEWS)[name], {**PUBLIC, "cards": "11, -5", "hidden": "a hidden card"})
    for fresh in (True, False):
        said = read_mail(mail(f"{first_line}\n{MARKER}\n", fresh=fresh)).said
        assert [line.verdict for line in said if line.is_told] == []
        assert [weigh(said, situation).step for situation in EVERYTHING] == ["lines", "lines"]


# ---- in all messages ----------------------------------------------------------------------------------
def test_the_first_line_of_every_message_is_known() -> None:
    for name, composed in mails().items():
        first, _, rest = composed.text.partition("\n")
        above = (
            [line for line in [first, *rest.partition(MARKER)[0].splitlines()] if line]
            if MARKER in rest
            else [first]
        )
        assert previews_in(read_text("\n".join(above)), our_forms()) == set(range(len(above))), (name, above)


@pytest.mark.slow
@pytest.mark.parametrize("own", one_in(3, OWN))
def test_above_a_message_that_nothing_marks_as_a_quote_all_is_read_as_alone(own: str) -> None:
    alone = heard(mail(own))
    unlike = [
        name
        for name, composed in mails().items()
        if MARKER in composed.text and heard(mail(f"{own}\n\n{composed.text}")) != alone
    ]
    assert unlike == []


@pytest.mark.slow
@pytest.mark.parametrize("own", one_in(3, OWN))
def test_above_a_page_whose_hidden_line_shows_all_is_read_as_alone(own: str) -> None:
    """As a program leaves it that takes out styles, and classes."""
    alone = heard(mail(f"<div>{own}</div>", html=True))
    unlike = []
    for name, composed in mails().items():
        page = re.sub(r' style="[^"]*"', "", composed.html.partition("<body")[2].partition(">")[2])
        for form in (page, page.replace("fx-preview", "x")):
            if MARKER in page and heard(mail(f"<div>{own}</div>{form}", html=True)) != alone:
                unlike.append(name)
    assert unlike == []


def test_an_answer_above_the_marker_is_none_of_the_letter_whose_first_line_ends_so() -> None:
    for first_line, own in (("Pick your card for round 3.", "3"), ("Your turn at PASS.", "PASS")):
        raw = mail(f"{own}\n\n{MARKER}\n{REST}")
        assert heard(raw, letter_with(first_line)) == heard(mail(own))


def written(raw: bytes) -> list[tuple[str, object, object]]:
    """The lines of a mail that are its writer's, and how they were read."""
    lines = read_mail(raw, b"").said
    return [(line.text, line.verdict, line.order) for line in lines if line.place == "written"]


@pytest.mark.parametrize("order", ["PASS", "BID 5", "8 for me"])
@pytest.mark.parametrize("sign", ["> ", ">", "| "])
def test_below_a_quoted_rule_the_words_are_the_writers(order: str, sign: str) -> None:
    rule = "-" * 64
    quoted = [f"{sign}{line}" for line in ("Got it.", MARKER, "", rule, "Round 4 of 9", rule, "", "  BID 12")]
    assert written(mail("\n".join([*quoted, "", order]))) == written(mail(order))


@pytest.mark.parametrize("order", ["PASS", "BID 5", "8 for me"])
def test_above_a_rule_without_the_marker_the_words_are_the_writers(order: str) -> None:
    raw = mail(f"{order}\n\nRound 4 of 9\n{'-' * 64}\n\n  BID 12\n")
    assert written(raw)[:1] == written(mail(order))


# ---- and nothing else ---------------------------------------------------------------------------------
def test_an_order_right_above_the_marker_is_the_writers() -> None:
    for order in ("PASS", "BID 5", "8 for me"):
        assert heard(mail(f"{order}\n{MARKER}\n{REST}")) == heard(mail(f"{order}\n"))


@pytest.mark.parametrize("text", [
    "Tom leads with 6, so I bid 7", "You lead, I pass", "8 for me. How far would you go?", "Anna: 8 for me",
    "Got it. BID 5", "The last sack! I bid 9", 'Anna: "well played"', "Everyone else passed? BID 5",
    "Looks like Anna wins the game with that.", "Anna wins the game with that, I think.", "I bid 12.",
    "There is news from home, so I pass.", "Dan wins the game with that. BID 9.", "SAY This game is off.",
    "SAY Anna leads with 6, and Dan is next.", "SAY Anna said something at your table.",
    "SAY Ben and Cara are in so far.", "SAY the computer plays for Dan now.",
])  # fmt: skip
def test_what_people_write_is_theirs(text: str) -> None:
    assert [line.place for line in read_text(text)] == ["written"]


def test_a_preview_that_looks_quoted_takes_no_line_above_it_along() -> None:
    forms = forms_of({"one": "{who} bids {high}: top it, or pass for nothing?"})
    text = "PASS\n> Anna bids 2: top it, or\npass for nothing?"
    assert previews_in(read_text(text), forms) == {2}


def test_a_line_below_a_preview_is_no_part_of_it() -> None:
    forms = forms_of({"one": "{who} bids {high}: top it, or pass for {mice} {mice:mouse|mice}?"})
    text = "Anna bids 2: top it, or pass for 4 mice?\n8 for me?\nNo mice?"
    assert previews_in(read_text(text), forms) == {0}


@pytest.mark.parametrize(("sentence", "text"), [
    ("{who} bids {high}. Is it {mice} {mice:mouse|mice} more?", "Anna bids 6. Is it 1 mouse more?"),
    ("{who} bids {high}. Is it {mice} {mice:mouse|mice} more?", "ANNA BIDS 6. Is it 4 mice more?"),
    ("Anna’s – move, {who}?", "*Anna's - move, Ben?*"),
])  # fmt: skip
def test_a_form_fits_however_a_mail_program_writes_it(sentence: str, text: str) -> None:
    (form,) = forms_of({"all": {"one": sentence}})
    assert previews_in(read_text(text), [form]) == {0}


@pytest.mark.parametrize("name", [name for name, _ in PREVIEWS])
def test_no_preview_is_an_order_and_each_ends_its_sentence(name: str) -> None:
    first_line = filled_in(dict(PREVIEWS)[name], {**PUBLIC, "cards": "11, -5", "hidden": "a hidden card"})
    assert first_line.endswith((".", "?"))
    assert not getattr(read_line(first_line), "choices", ("it is an order",))


@pytest.mark.parametrize("unit", one_in(5, [
    "Anna bids 2 for 5 and ", ". Top it, or pass for\n", "Still your turn: ", "a: “b”\n", "You lead.\n",
    "x bids 1 for 1 and 1 hidden. Top it, or pass for nothing?\n", "Anna, Ben and\n", "a a a bids 1 for\n",
    "Anna bids 4 for 3, 3, 3, 3, 3 and a hidden card: would\n", "On 1 Jan 2026 a@b.test: You lead. If\n",
    "Still your turn: nobody has bid yet. What is...\n", "-- write above this\n", f"{'a' * 390} are in\n",
    f"{'Anna are in so far. ' * 15}\n", f"Anna wins the game with 3. {'A 3, ' * 60}\n",
]))  # fmt: skip
def test_to_look_for_previews_takes_no_longer_than_the_mail_is_long(unit: str) -> None:
    def cost(size: int) -> float:
        raw = mail(unit * (size // len(unit)))
        started = process_time()
        assert not read_mail(raw).is_too_costly
        return process_time() - started

    assert any(is_within(cost(250_000), 0.5) for _ in range(3))


# ---- in the subject -----------------------------------------------------------------------------------
SUBJECTS: Final = tuple(table("glance.toml")["subject"].values())


@given(
    name=names | st.builds("{} {}".format, st.sampled_from(WORDS), names) | st.sampled_from(WORDS),
    about=st.sampled_from(SUBJECTS),
    before=st.sampled_from(["", "Re: ", "Fwd: ", "AW: ", "Re: Re: "]),
)
def test_a_name_in_a_subject_of_ours_never_acts(name: str, about: str, before: str) -> None:
    subject = before + filled_in(about, {"table": name, "who": name, "day": "Fri 20 Nov"})
    raw = f"Subject: {Header(subject, 'utf-8').encode()}\n".encode() + mail("Hello felix\n", fresh=True)
    assert [line.order for line in read_mail(raw).said if line.order] == []


def test_an_order_in_the_subject_is_done_as_ever() -> None:
    said = read_mail(b"Subject: BID 5\n" + mail("Hello felix\n", fresh=True)).said
    assert orders_in(said) == ["BID 5"]
