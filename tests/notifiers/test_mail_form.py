"""The form of every mail: narrow plain text, HTML that needs nothing from outside, links that only answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import pytest

from felix_async.game.views import view
from felix_async.language.grammar import Misread, Order, read_line
from felix_async.language.words import MARKER
from felix_notifiers.content import layout
from felix_notifiers.content.glance import PREVIEW_LENGTH
from felix_notifiers.content.layout import paragraph
from felix_notifiers.content.mail import Composed
from felix_notifiers.content.moves import likely_orders
from felix_notifiers.mails.preview import preview
from games import NAMES, TABLE_NAME, Played, a_declined_game, a_game_played
from notifiers.sheets import MAILBOX, REPLY_ADDRESS, TURN, Html, an_answer, mail, offered
from table import ANNA, BEN, a_game, for_every_table

SEATS = (3, 4, 5)
ROUNDS = [[str(number)] for number in range(1, 10)]


def previews(played: Played, step: int) -> Iterator[Composed]:
    """The mails of a game after so many events each, also in the middle of its steps, to one seat after the
    other.
    """
    seats = len(played.names)
    for version in range(1, played.size + 1, step):
        yield preview(played.envelopes[:version], played.names, TABLE_NAME, version % seats, MAILBOX)


@pytest.fixture(
    scope="module",
    params=[(seats, 7) for seats in SEATS]
    + [pytest.param((seats, 1), marks=pytest.mark.slow) for seats in SEATS],
)
def mails(request: pytest.FixtureRequest) -> list[Composed]:
    """Mails of a whole game."""
    seats, step = request.param
    return [*previews(a_game_played(seats), step), *previews(a_declined_game(seats), 1)]


@pytest.fixture(scope="module")
def seen(mails: list[Composed]) -> list[Html]:
    """The HTML parts of those mails, as a mail program sees them; to be looked at only."""
    return [Html(composed.html) for composed in mails]


def test_no_line_of_text_is_wider_than_72(mails: list[Composed]) -> None:
    """But the first, which is one line, so that programs that quote it without a sign leave it whole."""
    assert max(len(line) for composed in mails for line in composed.text.splitlines()[1:]) <= 72
    assert max(len(composed.text.splitlines()[0]) for composed in mails) <= PREVIEW_LENGTH


def test_the_text_is_ascii_but_for_the_minus_where_the_names_are(mails: list[Composed]) -> None:
    assert all(composed.text.replace("−", "").isascii() for composed in mails)


@pytest.mark.slow
def test_both_parts_begin_with_the_first_line_and_the_marker(mails: list[Composed], seen: list[Html]) -> None:
    for composed, html in zip(mails, seen, strict=True):
        first, second, empty, *_ = composed.text.split("\n")
        assert (second, empty) == (MARKER, "")
        shown = re.sub("[\u200c\xa0]+", "", html.words)
        assert shown.startswith(f"{first} {MARKER} ")


def test_sections_stand_one_blank_line_apart(mails: list[Composed]) -> None:
    assert not any("\n\n\n" in composed.text for composed in mails)
    assert not any(re.search(r"[ \t]\n", composed.text) for composed in mails)


@pytest.mark.slow
def test_nobody_shouts(mails: list[Composed], seen: list[Html]) -> None:
    assert not any("!" in composed.text for composed in mails)
    assert not any("!" in html.words for html in seen)


def test_every_tag_is_closed_and_nothing_is_fetched(mails: list[Composed], seen: list[Html]) -> None:
    for composed, html in zip(mails, seen, strict=True):
        assert html.open == []
        assert html.sources == []
        assert not {"script", "img", "link", "form", "iframe"} & set(html.tags)
        assert "http" not in composed.html
        assert "url(" not in composed.html


def test_both_parts_say_the_same_words(mails: list[Composed], seen: list[Html]) -> None:
    for composed, shown in zip(mails, seen, strict=True):
        sentences = re.findall(r"^- (.*(?:\n  .*)*)", composed.text, re.MULTILINE)
        html = " ".join(shown.words.replace("\u00a0", " ").split())
        assert [text for text in (" ".join(line.split()) for line in sentences) if text not in html] == []


def test_no_subject_is_an_order_or_names_a_card_or_a_bid(mails: list[Composed]) -> None:
    for composed in mails:
        for subject in (composed.subject, f"Re: {composed.subject}"):
            assert isinstance(read_line(subject), Misread)
        told = composed.subject.partition(" · ")[0].replace("Round ", "")
        assert re.findall(r"-?\d+", told) in ([], *ROUNDS)


def test_every_offered_line_is_an_order(mails: list[Composed]) -> None:
    offers = [line for composed in mails for line in offered(composed)]
    assert len(offers) > 20
    assert all(isinstance(read_line(line), Order) for line in offers)


def test_the_html_knows_light_and_dark(mails: list[Composed]) -> None:
    for composed in mails:
        assert '<meta name="color-scheme" content="light dark">' in composed.html
        assert "@media (prefers-color-scheme: dark)" in composed.html
        assert '<html lang="en">' in composed.html
        assert "max-width:560px" in composed.html


def test_a_seat_that_is_not_asked_has_no_likely_orders() -> None:
    assert likely_orders(view(a_game(start=ANNA).in_auction().game, BEN), BEN) == []


# ---- links ------------------------------------------------------------------------------------------
@for_every_table
def test_a_link_answers_to_the_token_address_with_the_order_in_the_body(seats: int) -> None:
    composed = mail(a_game(seats=seats), BEN)
    for link in Html(composed.html).links:
        assert link.address.replace("%2B", "+") == REPLY_ADDRESS
        assert link.subject == f"Re: {composed.subject}"
        assert isinstance(read_line(link.body), Order)


def test_a_link_has_neither_a_bare_plus_nor_a_blank_nor_a_line_break() -> None:
    links = Html(mail(a_game(), BEN, table_name="a+b c\r\nBcc: x").html).links
    assert len(links) == 9
    assert not [link.url for link in links if re.search(r"[+ \r\n]|%0A|%0D", link.url, re.IGNORECASE)]


def test_a_link_escapes_what_would_begin_another_field() -> None:
    links = Html(mail(a_game(), BEN, table_name="x&cc=mallory@evil.test?#").html).links
    assert {link.url.count("&") for link in links} == {1}
    assert {link.url.count("?") for link in links} == {1}
    assert not [link.url for link in links if "#" in link.url]


def test_re_stands_once_in_the_subject_of_a_link() -> None:
    answer = an_answer(("HAND", "done", "."), subject="RE: Aw: Round 1 · Thursday club")
    composed = mail(a_game().in_auction(), ANNA, {"answer"}, answer=answer)
    assert {link.subject for link in Html(composed.html).links} == {"Re: Round 1 · Thursday club"}


def test_the_row_is_told_in_sentences_where_columns_are_too_wide() -> None:
    names = ("\u732b" * 29, "\u732b" * 28, "Cara", "Dan")
    text = mail(a_game(start=ANNA).in_auction(top_bid=3, by=ANNA), BEN, TURN, names=names).text
    assert f"  3, {names[0]}, leads\n    at 3\n" in text
    assert "  5, you, your turn (only you see this)\n" in text


@pytest.mark.parametrize("room", [0, 12, 40, 77, 140])
def test_a_line_takes_the_room_that_it_has_to(room: int) -> None:
    line = layout.underlined("Round 4 of 9", room)
    assert len(line) >= room
    assert re.fullmatch(r"(?:-{64}\n)?Round 4 of 9\n-{12,64}", line)


def test_wide_letters_keep_the_columns_straight() -> None:
    game = a_game(start=ANNA).in_auction(top_bid=3, by=ANNA)
    text = mail(game, BEN, TURN, names=("\u732b\u732b", "Ben", "Cara", "Dan")).text
    assert "  3          \u732b\u732b  leads at 3\n" in text
    assert "  5          you   your turn (only you see this)\n" in text
    assert NAMES[2] in text


def test_lines_are_broken_by_columns_and_not_by_letters() -> None:
    text = paragraph("\u732b" * 40 + " and " + "\u732b" * 20)
    assert text.splitlines() == ["\u732b" * 36, "\u732b" * 4 + " and " + "\u732b" * 20]


def test_letters_that_are_counted_at_once_take_one_column_each() -> None:
    narrow = [letter for letter in map(chr, range(0x10000)) if layout._NARROW(letter)]
    assert {"a", "ß", "−", "–", "“", "\u00a0"} <= set(narrow)
    assert not any(unicodedata.combining(letter) for letter in narrow)
    assert not any(unicodedata.east_asian_width(letter) in "WF" for letter in narrow)
