"""Every kind of mail: what it holds, fetches and weighs, and how it reads in the light and in the dark."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from each import each
from felix_async.follow_up.kinds import KINDS
from felix_async.language.data import table
from felix_notifiers.content.answered import Answered
from felix_notifiers.content.answers import Answers, Question
from felix_notifiers.content.block import Block
from felix_notifiers.content.layout import width
from felix_notifiers.content.mail import Mail
from felix_notifiers.content.opening import Head
from felix_notifiers.content.orders import Orders
from felix_notifiers.content.pictures import mice, shown
from felix_notifiers.content.table import Hand, Table
from felix_notifiers.mails import render
from felix_notifiers.mails.render import rendered
from gallery.__main__ import contact_sheet, picture_name, slug, take_pictures
from gallery.chromium import Scheme, chromium, find_chromium
from gallery.looks import Colours, Looks
from gallery.seats import BY_ITSELF, changing
from gallery.shown import HOSTILE, mails, occasions, sections
from gallery.timely import timely
from notifiers.sections import all_in
from notifiers.sheets import Html

DEADLINE = "You have until Sun 4 Jan, 13:00 CET (UTC+1)."
THEN = "Then I pass for you."
GMAIL_CLIPS = 102_000
"""Gmail shows so many bytes of HTML, and a link to the rest."""
READABLE = 4.5
"""The least contrast of text (WCAG 2, AA)."""
DRAWN_MICE = (2, 3, 4, 6)

for_every_mail = each("name", mails)
in_light_and_dark = each("scheme", ["light", "dark"])
needs_chromium = pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium here")


@cache
def looks(name: str, scheme: Scheme = "light") -> Looks:
    """What eyes get of the mail of that name; to be looked at only."""
    return Looks(mails()[name].html, scheme)


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


# ---- what a mail holds ------------------------------------------------------------------------------
@for_every_mail
def test_every_card_has_its_name_as_text(name: str) -> None:
    mail = sections()[name]
    words = [text for text, _ in looks(name).texts]
    faces = [option.face for one in all_in(mail, Answers) for option in one.options if option.face]
    faces += [face for hand in all_in(mail, Hand) if hand.is_drawn for face in hand.cards]
    faces += [place.face for table in all_in(mail, Table) for place in table.row]
    assert [face.text for face in faces if face.text not in words] == []
    assert sum(map(words.count, {face.text for face in faces})) >= len(faces)


@for_every_mail
def test_every_place_names_its_owner_and_where_he_stands(name: str) -> None:
    words = [text for text, _ in looks(name).texts]
    for place in (place for one in all_in(sections()[name], Table) for place in one.row):
        assert place.owner in words
        assert not place.note or place.note in words


@for_every_mail
def test_every_mouse_card_tells_its_mice_in_words(name: str) -> None:
    words = [text for text, _ in looks(name).texts]
    cards = [card for table in all_in(sections()[name], Table) for card in table.mouse_cards]
    assert [card.mice for card in cards if card.mice not in words] == []
    assert words.count("taken") == len([card for card in cards if card.taken])


@for_every_mail
def test_drawings_hold_no_text(name: str) -> None:
    assert looks(name).hidden_words == ""


@for_every_mail
def test_the_answers_are_links_and_lines(name: str) -> None:
    mail, composed = sections()[name], mails()[name]
    offered = [option for one in all_in(mail, Answers) for option in (*one.words, *one.options)]
    asked = all_in(mail, Question)
    offered += [option for one in asked if not one.is_aside for option in one.options]
    beside = [way for one in all_in(mail, Answered) for said in one.lines for way in said.ways]
    beside += [option for one in asked if one.is_aside for option in one.options]
    beside += [link for block in all_in(mail, Block) for link in block.links]
    beside += [link for orders in all_in(mail, Orders) for link in orders.more]
    beside += [card for hand in all_in(mail, Hand) for card in hand.next]
    limits = [limit for one in all_in(mail, Answers) for limit in one.limits]
    beside += [option for option in (*limits, *offered) if option.is_blank or option in limits]
    offered = [option for option in offered if not option.is_blank]
    tapped = [option.url for option in (*offered, *beside)]
    assert sorted(link.url for link in Html(composed.html).links) == sorted(tapped)
    lines = [line.strip() for line in composed.text.splitlines()]
    assert [line for option in offered for line in option.words.splitlines() if line not in lines] == []


# ---- what a mail fetches and weighs -----------------------------------------------------------------
@for_every_mail
def test_nothing_comes_from_outside(name: str) -> None:
    composed = mails()[name]
    attributes = looks(name).attributes
    assert "http" not in composed.html
    assert "url(" not in composed.html
    assert "@import" not in composed.html
    assert [each for each in attributes if each[1] in ("src", "background", "srcset", "poster")] == []
    links = [value for _, key, value in attributes if key == "href"]
    assert [link for link in links if not link.startswith("mailto:")] == []


@for_every_mail
def test_a_mail_is_short_enough_to_be_shown_whole(name: str) -> None:
    composed = mails()[name]
    assert len(composed.html.encode()) < GMAIL_CLIPS * 0.7
    assert len(composed.text.encode()) < 8_000


# ---- how a mail reads -------------------------------------------------------------------------------
@in_light_and_dark
@for_every_mail
def test_every_text_stands_out_from_what_is_behind_it(name: str, scheme: Scheme) -> None:
    texts = looks(name, scheme).texts
    assert len({colours for _, colours in texts}) > 1
    assert [(text, colours) for text, colours in texts if colours.contrast < READABLE] == []


def test_the_contrast_is_that_of_the_specification() -> None:
    assert Colours("#000000", "#ffffff").contrast == pytest.approx(21)
    assert Colours("#777777", "#ffffff").contrast == pytest.approx(4.48, abs=0.01)


def test_the_dark_colours_are_not_the_light_ones() -> None:
    light, dark = (looks("4 players: bid", scheme).texts for scheme in ("light", "dark"))
    assert [text for text, _ in light] == [text for text, _ in dark]
    assert [text for (text, one), (_, other) in zip(light, dark, strict=True) if one == other] == []


@for_every_mail
def test_one_title_and_then_sections(name: str) -> None:
    headings = looks(name).headings
    assert headings[:1] == [1]
    assert set(headings[1:]) <= {2, 3}
    assert all(level - before <= 1 for before, level in pairwise(headings))


@for_every_mail
def test_the_language_is_named(name: str) -> None:
    assert ("html", "lang", "en") in looks(name).attributes


@for_every_mail
def test_a_table_is_one_of_data_or_says_that_it_is_none(name: str) -> None:
    """Else a screen reader counts rows and columns of what only stands side by side."""
    composed = mails()[name]
    tables = re.findall(r"<table([^>]*)>(.*?)(?=<table|</table>)", composed.html, re.DOTALL)
    assert [inside for head, inside in tables if "presentation" not in head and "<t" not in inside] == []
    assert [inside for head, inside in tables if "presentation" in head and "<th" in inside] == []


@for_every_mail
def test_the_text_fits_a_terminal(name: str) -> None:
    composed = mails()[name]
    assert max(map(width, composed.text.splitlines())) <= 72


def test_hostile_names_are_shown_as_text() -> None:
    composed = mails()["hostile names"]
    assert "&lt;b onclick=" in composed.html
    assert "<b onclick" not in composed.html
    assert "\u202e" not in composed.html + composed.text
    assert len(occasions()["hostile names"].game.kept_names) == len(HOSTILE)


# ---- the place of the deadline ----------------------------------------------------------------------
def test_a_deadline_stands_before_everything_else() -> None:
    composed = mails()["time: a deadline"]
    assert f"Hello Ben,\n\n{DEADLINE} {THEN}\n\n" in composed.text
    words = Html(composed.html).words
    assert words.index(DEADLINE) < words.index("Hello Ben,")
    assert composed.html.count('class="fx-deadline"') == 1


def test_without_a_deadline_its_place_is_not_there() -> None:
    timed = {name for name, composed in mails().items() if 'class="fx-deadline"' in composed.html}
    assert timed < {*timely(), *changing()}
    assert "time is up: passed" not in timed
    assert "vote: an end" not in timed


def test_a_deadline_is_not_markup() -> None:
    mail = Mail("s", [Head("h", "g", deadline="<i>soon</i>")], "f")
    assert "&lt;i&gt;soon&lt;/i&gt;" in rendered(mail).html


# ---- drawings ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("look", ["good", "bad", "rabbit", "dog", "hidden", "mouse"])
def test_every_line_of_a_drawing_is_as_wide_as_the_drawing(look: str) -> None:
    drawn = shown(look)
    assert {sum(run.length for run in line) for line in drawn.lines} == {drawn.width}


@pytest.mark.parametrize("number", DRAWN_MICE)
def test_so_many_mice_are_drawn(number: int) -> None:
    def cells(lines: object) -> int:
        assert isinstance(lines, tuple)
        return sum(run.length for line in lines for run in line if run.ink)

    assert cells(mice(number).lines) == number * cells(shown("mouse").lines)


# ---- what the gallery shows --------------------------------------------------------------------------
def test_every_kind_of_notice_has_a_mail() -> None:
    shown = {kind for occasion in occasions().values() for kind in occasion.kinds}
    assert shown | set(BY_ITSELF) == set(KINDS)
    assert set(BY_ITSELF.values()) <= set(mails())


def test_every_answer_is_one_that_felix_gives() -> None:
    """No reason is typed by hand: a sentence that is changed is changed in the gallery, too."""
    tables = [table(name) for name in ("answers.toml", "orders.toml", "people.toml")]
    words = json.dumps(tables, ensure_ascii=False)
    words = words.replace('\\"', '"')
    # A preview is put together out of several sentences.
    answers = [one.answer for one in occasions().values() if one.answer and "DROP" not in one.answer.offers]
    told = {line.why for answer in answers for line in answer.lines}
    assert [
        why
        for why in told
        if not all(part in words for part in re.split(r"BID \d+|\d+|PASS|Zoe", why) if part)
    ] == []


# ---- the gallery itself -----------------------------------------------------------------------------
def test_no_two_mails_have_the_same_file() -> None:
    assert len({slug(name) for name in mails()}) == len(mails())


def test_the_contact_sheet_shows_every_mail_and_its_pictures() -> None:
    sheet = contact_sheet(mails(), pictures=True)
    for name in mails():
        assert f'id="{slug(name)}"' in sheet
        assert sheet.count(f'<img src="{slug(name)}-') >= 4


def test_without_pictures_the_contact_sheet_asks_for_none() -> None:
    assert "<img" not in contact_sheet(mails(), pictures=False)


@needs_chromium
@pytest.mark.slow
def test_pictures_are_as_wide_as_they_say(tmp_path: Path) -> None:
    name = "hostile names"
    (tmp_path / f"{slug(name)}.html").write_text(mails()[name].html, encoding="utf-8")
    program = find_chromium()
    assert program is not None
    take_pictures(tmp_path, [name], program)
    for wide in (360, 1024):
        light, dark = (
            (tmp_path / picture_name(name, wide, scheme)).read_bytes() for scheme in ("light", "dark")
        )
        assert png_size(light) == png_size(dark)
        assert png_size(light)[0] == wide
        assert light != dark


@needs_chromium
@pytest.mark.slow
def test_no_mail_is_wider_than_a_narrow_phone(tmp_path: Path) -> None:
    """Taking the picture of a page that would have to be moved sideways is an error."""
    program = find_chromium()
    assert program is not None
    with chromium(program) as browser:
        for name, composed in mails().items():
            file = tmp_path / f"{slug(name)}.html"
            file.write_text(composed.html, encoding="utf-8")
            assert png_size(browser.picture(file, width=320, scheme="light"))[0] == 320


def test_pieces_that_are_drawn_once_are_fewer_than_are_remembered() -> None:
    for mail in sections().values():
        rendered(mail)
    drawn = render._kept.cache_info()
    assert drawn.maxsize is not None
    assert 0 < drawn.currsize < drawn.maxsize / 2
