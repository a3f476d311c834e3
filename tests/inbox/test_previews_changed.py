"""First lines of our messages, changed by mail programs: an answer acts as without, or is asked about."""

from __future__ import annotations

import quopri
from collections.abc import Callable, Sequence
from html import escape
from textwrap import wrap
from typing import Final

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from each import each
from felix_async.language.words import MARKER
from felix_async.reading.reader import read_text
from inbox.previewing import PREVIEWS, PUBLIC, REST, acts, filled_in, letter_with, mail, players, values
from inbox.quoting import broken

OWN: Final = ("8 for me", "the 3", "PASS", "BID 5", "I'm out", "")
WIDTHS: Final = (40, 60, 72, 76)
DOTS: Final = ("...", "…", " ...", " […]")
ATTRIBUTIONS: Final = (
    "On Mon, 23 Nov 2026 at 10:00, Felix · Friday cats <felix+abc@play.test> wrote:",
    "On Mon, Felix wrote:",
    "Felix wrote:",
    "Am Mo., 23. Nov. 2026 um 10:00 Uhr schrieb Felix <felix+abc@play.test>:",
    "Am Montag schrieb Felix:",
    "Le lun. 23 nov. 2026 à 10:00, Felix <felix+abc@play.test> a écrit :",
    "El lun, 23 nov 2026 a las 10:00, Felix (<felix+abc@play.test>) escribió:",
    "Op ma 23 nov 2026 om 10:00 schreef Felix <felix+abc@play.test>:",
    "Il giorno lun 23 nov 2026 alle ore 10:00 Felix <felix+abc@play.test> ha scritto:",
    "2026年11月23日(月) 10:00 Felix <felix+abc@play.test>:",
    "пн, 23 нояб. 2026 г. в 10:00, Felix <felix+abc@play.test>:",
)
sentences = st.builds(
    lambda preview, values: filled_in(preview[1], values), st.sampled_from(PREVIEWS), values
)
Arrange = Callable[[str, Sequence[str]], str]
LETTER: Final = [f"> {line}" for line in [MARKER, *REST.split("\n")]]
AROUND: Final[dict[str, Arrange]] = {
    "below": lambda own, ours: "\n".join([own, "", *ours]),
    "right below": lambda own, ours: "\n".join([own, *ours]),
    "below, all of the letter": lambda own, ours: "\n".join([own, "", *ours, MARKER, REST]),
    "below, the rest marked": lambda own, ours: "\n".join([own, "", *ours, *LETTER]),
    "above": lambda own, ours: "\n".join([*ours, "", own]),
    "right above": lambda own, ours: "\n".join([*ours, own]),
    "on both sides": lambda own, ours: "\n".join([own, "", *ours, "", own]),
}  # fmt: skip


def marked(lines: Sequence[str]) -> list[str]:
    return [f"> {line}" for line in lines]


# ---- cut off ----------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("around", AROUND)
@settings(max_examples=20)
@given(own=st.sampled_from(OWN), whole=sentences, data=st.data())
def test_beside_a_preview_that_is_cut_off_nothing_else_is_done(
    around: str, own: str, whole: str, data: st.DataObject
) -> None:
    """Shorter ones than these are words that anybody writes."""
    cut = whole[: data.draw(st.integers(min(20, len(whole)), len(whole)))]
    dots = data.draw(st.sampled_from((*DOTS, "")))
    lines = wrap(cut + dots, data.draw(st.sampled_from((*WIDTHS, 200))), break_on_hyphens=False)
    letter = data.draw(st.sampled_from([b"", letter_with(whole)]))
    arrange = AROUND[around]
    assert acts(mail(arrange(own, lines)), letter).is_like(acts(mail(arrange(own, [])), letter))


@settings(max_examples=50)
@given(own=st.sampled_from(OWN), whole=sentences, data=st.data())
def test_dots_say_that_a_preview_is_cut_off(own: str, whole: str, data: st.DataObject) -> None:
    cut = " ".join(whole.split()[: data.draw(st.integers(5, 30))])
    text = f"{cut}{data.draw(st.sampled_from(DOTS))}\n\n{own}\n"
    assert acts(mail(text)) == acts(mail(f"{own}\n"))


@each("text", [
    "Ben bids 4 mice, with -8, -8, -8 open: would you top ",
    "Everyone else passed. Would you take the sack",
    "Ben bids 11 mice, with 5, 3,", "Still your turn. Ben bids 10 mice: would",
    "Ben would like a pause. 11 more",
])  # fmt: skip
def test_what_is_cut_off_without_dots_may_be_anybodys(text: str) -> None:
    assert {line.place for line in read_text(text)} == {"doubtful"}


@each("text", [
    "Everyone else passed", "Everyone else passed!", "Nobody has bid yet", "You start the bidding", "8",
    "You lead", "Got it", "Dan leads with 6", "Dan bids 5", "The last sack", "All right, I leave",
    "Everyone else passed, so I bid 5", "Still your turn, Dan", "Your time ran out. Sorry, Dan!",
])  # fmt: skip
def test_what_people_begin_as_we_do_is_theirs(text: str) -> None:
    assert [line.place for line in read_text(text)] == ["written"]


# ---- wrapped ----------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("signs", ["all", "first", "others", "none"])
@settings(max_examples=30)
@given(
    own=st.sampled_from(OWN),
    whole=sentences,
    width=st.sampled_from(WIDTHS),
    known=st.booleans(),
    above=st.booleans(),
)
def test_beside_a_preview_that_is_wrapped_nothing_else_is_done(
    signs: str, own: str, whole: str, width: int, known: bool, above: bool
) -> None:
    lines = wrap(whole, width, break_on_hyphens=False)
    first, others = lines[:1], [*lines[1:], MARKER]
    seen = {
        "all": marked([*first, *others]), "first": [*marked(first), *others],
        "others": [*first, *marked(others)], "none": [*first, *others],
    }[signs]  # fmt: skip
    seen = [*seen[:-1], "", own] if above else [own, "", *seen]
    letter = letter_with(whole) if known else b""
    assert acts(mail("\n".join(seen)), letter).is_like(acts(mail(f"{own}\n"), letter))


@settings(max_examples=50)
@given(
    own=st.sampled_from(OWN),
    whole=sentences,
    width=st.sampled_from(WIDTHS),
    counted=st.sampled_from(["letters", "bytes"]),
)
def test_broken_behind_its_sign_a_preview_does_nothing(
    own: str, whole: str, width: int, counted: str
) -> None:
    quote = broken(f"{whole}\n{MARKER}\n{REST}", width, counted=counted)
    assert acts(mail(f"{own}\n\n{quote}")).is_like(acts(mail(f"{own}\n")))


@settings(max_examples=50)
@given(
    own=st.sampled_from(OWN),
    whole=sentences,
    width=st.sampled_from(WIDTHS),
    sign=st.sampled_from(["", ">", "> "]),
)
def test_flowed_a_preview_does_nothing(own: str, whole: str, width: int, sign: str) -> None:
    flowed = [f"{sign}{line} " for line in wrap(whole, width, break_on_hyphens=False)]
    text = "\n".join([own, "", *flowed[:-1], flowed[-1].rstrip(), f"{sign}{MARKER}"])
    assert acts(mail(text, flowed=True)) == acts(mail(f"{own}\n", flowed=True))


@settings(max_examples=50)
@given(own=st.sampled_from(OWN), whole=sentences, html=st.booleans())
def test_in_quoted_printable_a_preview_does_nothing(own: str, whole: str, html: bool) -> None:
    def encoded(text: str) -> bytes:
        head, _, body = mail(text, html=html).partition(b"\n\n")
        return head + b"\nContent-Transfer-Encoding: quoted-printable\n\n" + quopri.encodestring(body)

    page = f"<div>{own}</div><div>{escape(whole)}</div><div>{MARKER}</div>"
    text = page if html else f"{own}\n\n{whole}\n{MARKER}\n"
    assert acts(encoded(text)) == acts(encoded(own))


@each("line", ["Anna, Mary-Lou and Bo von Ohm,", "Anna, Mary-Lou and", "Anna,"])
def test_names_alone_above_the_rest_of_a_preview_belong_to_it(line: str) -> None:
    for sign in ("> ", ""):
        text = f"8 for me\n\n{line}\n{sign}Cara are in so far."
        assert acts(mail(text)) == acts(mail("8 for me\n"))


def test_an_order_above_names_is_the_writers() -> None:
    for own in ("PASS", "PASS,", "BID 5"):
        assert acts(mail(f"{own}\nAnna and Ben are in so far.\n")) == acts(mail(f"{own}\n"))


# ---- seen though it is hidden -----------------------------------------------------------------------
@given(
    own=st.sampled_from(OWN), whole=sentences, width=st.sampled_from((*WIDTHS, 400)), pairs=st.integers(0, 70)
)
def test_a_hidden_line_that_shows_with_its_padding_does_nothing(
    own: str, whole: str, width: int, pairs: int
) -> None:
    padded = wrap(whole + " \u200c\u00a0" * pairs, width, break_on_hyphens=False)
    text = "\n".join([own, "", *padded, MARKER, REST])
    assert acts(mail(text)).is_like(acts(mail(f"{own}\n")))


@settings(max_examples=50)
@given(own=st.sampled_from(OWN), who=players, words=st.text("abI bid9 PASS…,.", max_size=200), data=st.data())
def test_the_words_of_another_above_the_marker_do_nothing(
    own: str, who: str, words: str, data: st.DataObject
) -> None:
    told = f"{who}: “{words.strip()}”"
    if data.draw(st.booleans()):
        told = f"{told[: data.draw(st.integers(len(who) + 4, 100))]}…"
    lines = wrap(told, data.draw(st.sampled_from((*WIDTHS, 400))), break_on_hyphens=False)
    text = "\n".join([own, "", *lines, MARKER, REST])
    assert acts(mail(text)).is_like(acts(mail(f"{own}\n")))


# ---- run together -----------------------------------------------------------------------------------
@given(
    own=st.sampled_from(OWN), whole=sentences, width=st.sampled_from((*WIDTHS, 400)),
    between=st.sampled_from([" ", "", " \u200c\u00a0\u200c ", " | "]), first=st.sampled_from(["", "> "]),
)  # fmt: skip
def test_run_together_with_the_marker_a_preview_does_nothing(
    own: str, whole: str, width: int, between: str, first: str
) -> None:
    lines = wrap(f"{whole}{between}{MARKER}", width, break_on_hyphens=False)
    text = "\n".join([own, "", f"{first}{lines[0]}", *lines[1:], REST])
    assert acts(mail(text)).is_like(acts(mail(f"{own}\n")))


@pytest.mark.slow
@pytest.mark.parametrize("around", AROUND)
@settings(max_examples=20)
@given(
    own=st.sampled_from(OWN),
    whole=sentences,
    who=st.sampled_from(ATTRIBUTIONS),
    width=st.sampled_from((*WIDTHS, 400)),
    order=st.sampled_from(["{who} {whole}", "{who}\n{whole}", "{whole} {who}", "{who} {whole} {marker}"]),
    data=st.data(),
)  # fmt: skip
def test_run_together_with_who_wrote_it_a_preview_does_nothing(
    around: str, own: str, whole: str, who: str, width: int, order: str, data: st.DataObject
) -> None:
    def lines(first_line: str) -> list[str]:
        text = order.format(who=who, whole=first_line, marker=MARKER)
        return [line for one in text.splitlines() for line in wrap(one, width, break_on_hyphens=False)]

    letter = data.draw(st.sampled_from([b"", letter_with(whole)]))
    arrange = AROUND[around]
    with_it = acts(mail(arrange(own, lines(whole))), letter)
    others = [[], lines(""), [*lines(""), f"> {whole}"], [who, MARKER]]
    assert any(with_it.is_like(acts(mail(arrange(own, other)), letter)) for other in others)


@each("who", ATTRIBUTIONS)
def test_above_a_line_that_says_who_wrote_a_preview_an_order_is_done(who: str) -> None:
    whole = filled_in(dict(PREVIEWS)["bid_top"], {**PUBLIC, "cards": "11, -5", "hidden": "a hidden card"})
    for blank in ("", "\n"):
        assert acts(mail(f"BID 5\n{blank}{who} {whole}\n{MARKER}\n{REST}")).done == acts(mail("BID 5\n")).done


# ---- of another letter ------------------------------------------------------------------------------
@given(own=st.sampled_from(OWN), whole=sentences, answered=sentences, width=st.sampled_from((*WIDTHS, 400)))
def test_the_preview_of_an_older_letter_does_nothing(own: str, whole: str, answered: str, width: int) -> None:
    letter = letter_with(answered)
    lines = wrap(whole, width, break_on_hyphens=False)
    text = "\n".join([own, "", *wrap(answered, width, break_on_hyphens=False), MARKER, "", *lines, MARKER])
    below = "\n".join([own, "", *lines])
    for seen in (text, below):
        assert acts(mail(seen), letter).is_like(acts(mail(f"{own}\n"), letter))
