"""Every kind of mail: what it holds, fetches and weighs, and how it reads in the light and in the dark."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from each import each
from felix_async.follow_up.kinds import KINDS
from felix_async.game.cards import PET_CARDS
from felix_async.language.data import table
from felix_async.language.words import MARKER
from felix_async.pictures.pictures import face_of, shown
from felix_events.model import Card
from felix_notifiers.content.answered import Answered
from felix_notifiers.content.answers import Answers, Question
from felix_notifiers.content.block import Block
from felix_notifiers.content.everybody import Everybody
from felix_notifiers.content.glance import PREVIEW_LENGTH, SUBJECT_LENGTH, Glance
from felix_notifiers.content.layout import finished, width
from felix_notifiers.content.mail import Mail
from felix_notifiers.content.opening import Head
from felix_notifiers.content.orders import Orders
from felix_notifiers.content.result import Moments, Scores
from felix_notifiers.content.table import Hand, Table
from felix_notifiers.mails import render
from felix_notifiers.mails.digest import MOST_GAMES, digest_of
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.render import rendered
from gallery.__main__ import contact_sheet, picture_name, slug, take_pictures
from gallery.chromium import Scheme, chromium, find_chromium
from gallery.looks import Colours, Looks
from gallery.seats import BY_ITSELF
from gallery.seen import MANNERS, as_shown
from gallery.shown import HOSTILE, mails, occasions, sections
from notifiers.sections import all_in
from notifiers.sheets import Html, changed, orders_in

UNTIL = "until Sun 4 Jan, 13:00"
GMAIL_CLIPS = 102_000
"""Gmail shows so many bytes of HTML, and a link to the rest."""
READABLE = 4.5
"""The least contrast of text (WCAG 2, AA)."""
DRAWINGS = [*(face_of(card).drawing for card in PET_CARDS), "hidden"]
DESTRUCTIVE = ("UNINVITE", "CANCEL", "ABANDON", "HAND OVER", "RESIGN")
FRAME = "border:2px solid #1f5fbf;border-radius:10px;"
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
SEEN = 1.9
"""The least contrast of a drawing, whose card is named in words below it."""

for_every_mail = each("name", mails)
in_light_and_dark = each("scheme", ["light", "dark"])
needs_chromium = pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium here")


@cache
def looks(name: str, scheme: Scheme = "light") -> Looks:
    """What eyes get of the mail of that name; to be looked at only."""
    return Looks(mails()[name].html, scheme)


def a_look(name: str) -> Any:
    """A colour or a measure, as the templates have it."""
    return getattr(render._templates().globals["look"], name)


def inverted(colour: str) -> str:
    """As a mail program shows it that turns light into dark by itself."""
    return "#" + bytes(255 - part for part in bytes.fromhex(colour[1:])).hex()


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
def test_a_card_that_its_owner_alone_sees_is_marked_for_eyes_and_for_ears(name: str) -> None:
    mail, composed = sections()[name], mails()[name]
    own = [place for table in all_in(mail, Table) for place in table.row if place.face.is_secret]
    assert all(place.owner == "you" for place in own)
    assert composed.html.count("border-width:2px;border-style:dashed;") == len(own)
    assert " ".join(composed.text.split()).count("(only you see this)") == len(own)


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
    beside += [one.share for one in all_in(mail, Moments)]
    limits = [limit for one in all_in(mail, Answers) for limit in one.limits]
    beside += [option for option in (*limits, *offered) if option.is_blank or option in limits]
    offered = [option for option in offered if not option.is_blank]
    tapped = [option.url for option in (*offered, *beside)]
    assert sorted(link.url for link in Html(composed.html).links) == sorted(tapped)
    told = [line.strip() for line in composed.text.splitlines()]
    lines = [*told, *(order for line in told for order in orders_in(line))]
    assert [line for option in offered for line in option.words.splitlines() if line not in lines] == []


@for_every_mail
def test_no_answer_is_coloured_as_advice(name: str) -> None:
    """Moves look alike; what destroys is the last, without a frame, and in grey."""
    framed = re.findall(r'class="fx-other" style="([^"]*)"', mails()[name].html)
    assert {look.replace("dashed", "solid") for look in framed} <= {FRAME}
    links = re.findall(r'<a href="([^"]*)"([^>]*)>', mails()[name].html)
    for url, look in links:
        body = unquote(url.rpartition("body=")[2])
        assert body.startswith(DESTRUCTIVE) == ("fx-quiet" in look)


def test_a_card_that_may_be_swapped_is_tapped_as_a_card() -> None:
    name = "answer: can a card be taken back"
    (links,) = [block.links for block in all_in(sections()[name], Block) if block.links]
    assert [link.face is not None for link in links] == [True] * 6
    assert mails()[name].html.count('aria-hidden="true"') == len(links)


def test_a_hash_goes_on_in_the_next_line_and_is_the_same_to_copy() -> None:
    invited = mails()["4 players: invitation"]
    (seal,) = re.findall("[0-9a-f]{64}", "".join(invited.text.split()))
    assert "<wbr>".join(re.findall(".{16}", seal)) in invited.html


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


@pytest.mark.parametrize("games", range(1, MOST_GAMES + 1))
def test_a_digest_draws_the_cards_of_its_first_tables_and_is_shown_whole(games: int) -> None:
    """All up to four tables, of five the first three, and of six the first two."""
    names = ["5 players: bid", "4 players: place a card", "time: a deadline"] * 2
    told = [occasions()[name] for name in names[:games]]
    html = rendered(digest_of(told, "2026-11-20T17:00:00.000000Z")).html
    assert len(html.encode()) < GMAIL_CLIPS * 0.82
    parts = html.split("fx-quiet fx-rule")[1:-1]
    drawn = ['aria-hidden="true"' in part for part in parts]
    assert drawn == [place < {5: 3, 6: 2}.get(games, games) for place in range(games)]


def test_each_part_of_a_digest_begins_as_a_letter_does() -> None:
    """The table and the round, and until when, in grey; below it the headline that asks."""
    told = [occasions()[name] for name in ("4 players: bid", "time: a deadline", "3 players: result")]
    parts = [*told, changed(told[2], table_name="")]
    digest = Html(rendered(digest_of(parts, "2026-11-20T17:00:00.000000Z")).html).words
    heads = [next(one for one in mail_of(part).sections if isinstance(one, Head)) for part in parts]
    assert [head.until != "" for head in heads] == [False, True, False, False]
    for head in heads:
        above = " ".join(filter(None, (head.place or "felix k7m2p", head.until)))
        assert f"{above} {head.headline}" in digest


# ---- how a mail reads -------------------------------------------------------------------------------
@pytest.mark.slow
@in_light_and_dark
@for_every_mail
def test_every_text_stands_out_from_what_is_behind_it(name: str, scheme: Scheme) -> None:
    texts = looks(name, scheme).texts
    assert len({colours for _, colours in texts}) > 1
    assert [(text, colours) for text, colours in texts if colours.contrast < READABLE] == []


@for_every_mail
def test_every_text_stands_out_in_inverted_colours(name: str) -> None:
    texts = looks(name).texts
    turned = [(text, Colours(inverted(seen.ink), inverted(seen.paper))) for text, seen in texts]
    assert [(text, seen) for text, seen in turned if seen.contrast < READABLE] == []


@pytest.mark.slow
@for_every_mail
def test_without_styles_every_word_and_every_drawing_is_there(name: str) -> None:
    html = mails()[name].html
    stripped = as_shown(html, "stripped")
    assert "style" not in stripped
    assert "class=" not in stripped
    assert Html(stripped).words == Html(html).words
    assert stripped.count("bgcolor=") == html.count("bgcolor=")


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
def test_every_number_of_a_table_has_a_head_above_it(name: str) -> None:
    """And a head beside it: whose it is."""
    heads: list[str] = []
    rows = 0
    for line in re.findall(r"<tr>(.*?)</tr>", mails()[name].html, re.DOTALL):
        heads = re.findall('scope="col"', line) or heads
        if 'scope="row"' in line:
            assert line.count('<td align="right"') == len(heads) > 0
            rows += 1
    holdings = [one for section in all_in(sections()[name], Everybody) for one in section.holdings]
    scores = [one for section in all_in(sections()[name], Scores) for one in section.lines]
    assert rows == len([*holdings, *scores])


@for_every_mail
def test_the_text_fits_a_terminal(name: str) -> None:
    shared = {line for section in all_in(sections()[name], Moments) for line in section.lines}
    told = [line for line in mails()[name].text.splitlines()[1:] if line.strip() not in shared]
    assert max(map(width, told)) <= 72


def test_hostile_names_are_shown_as_text() -> None:
    composed = mails()["hostile names"]
    assert "&gt;" in composed.html
    assert "<b onclick" not in composed.html
    assert "\u202e" not in composed.html + composed.text
    assert len(occasions()["hostile names"].game.kept_names) == len(HOSTILE)


# ---- before it is opened ----------------------------------------------------------------------------
@each("name", sections)
def test_both_parts_begin_with_the_first_line_and_then_the_marker(name: str) -> None:
    mail, composed = sections()[name], mails()[name]
    first, second, *_ = composed.text.split("\n")
    above = [MARKER] if mail.is_answered else []
    assert [first, *filter(None, [second])] == [finished(mail.glance.preview).strip(), *above]
    words = re.sub("[\u200c\xa0]+", "", Html(composed.html).words)
    assert words.startswith(" ".join([mail.glance.preheader, *above]))


@each("name", sections)
def test_a_phone_shows_the_whole_subject_and_the_first_line(name: str) -> None:
    glance = sections()[name].glance
    assert len(glance.subject) <= SUBJECT_LENGTH
    assert max(len(glance.preview), len(glance.preheader)) <= PREVIEW_LENGTH


@for_every_mail
def test_no_question_repeats_the_headline(name: str) -> None:
    mail = sections()[name]
    assert mail.glance.headline not in [one.asked for one in all_in(mail, Question)]


# ---- the place of the deadline ----------------------------------------------------------------------
def test_a_deadline_stands_before_everything_else() -> None:
    composed = mails()["time: a deadline"]
    assert composed.text.splitlines()[3] == f"Round 1 of 9, {UNTIL}"


def test_a_deadline_is_not_markup() -> None:
    mail = Mail(Glance("s", "p", "h", "p"), [Head("h", until="<i>soon</i>")], "f")
    assert "&lt;i&gt;soon&lt;/i&gt;" in rendered(mail).html


# ---- drawings ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", DRAWINGS)
def test_every_line_of_a_drawing_is_as_wide_as_the_drawing(name: str) -> None:
    drawn = shown(name)
    assert {sum(run.length for run in line.runs) for line in drawn.lines} == {drawn.width}


def test_every_card_has_a_drawing_of_its_own() -> None:
    pictures = [face_of(card).picture for card in PET_CARDS]
    assert None not in pictures
    assert len({picture.lines for picture in pictures if picture}) == len(PET_CARDS)


@each("card", PET_CARDS)
def test_an_animal_is_seen_in_the_light_in_the_dark_and_in_inverted_colours(card: Card) -> None:
    """Eyes and mouths are holes, so that the paper is what its ink has to differ from."""
    face = face_of(card)
    ink = shown(face.drawing).inks["x"]
    paper = f'<p class="fx-{face.look}" style="{a_look("cards")[face.look]}">x</p>'
    papers = [Looks(f"<style>{a_look('styles')}</style>{paper}", scheme) for scheme in SCHEMES]
    for ((_, colours),) in (looked.texts for looked in papers):
        for seen in (Colours(ink, colours.paper), Colours(inverted(ink), inverted(colours.paper))):
            assert seen.contrast >= SEEN


@each("name", lambda: DRAWINGS)
def test_every_ink_of_a_drawing_has_a_colour(name: str) -> None:
    used = {run.ink for line in shown(name).lines for run in line.runs if run.ink}
    assert used == set(shown(name).inks)


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
        assert sheet.count(f'<img src="{slug(name)}-') >= 8


def test_without_pictures_the_contact_sheet_asks_for_none() -> None:
    assert "<img" not in contact_sheet(mails(), pictures=False)


@needs_chromium
@pytest.mark.slow
def test_pictures_are_as_wide_as_they_say(tmp_path: Path) -> None:
    name = "hostile names"
    program = find_chromium()
    assert program is not None
    take_pictures(tmp_path, {name: mails()[name].html}, program)
    for wide in (360, 1024):
        pictures = [(tmp_path / picture_name(name, wide, manner)).read_bytes() for manner in MANNERS]
        assert {png_size(picture)[0] for picture in pictures} == {wide}
        assert len({png_size(picture) for picture in pictures[:3]}) == 1
        assert len(set(pictures)) == len(MANNERS)


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


@needs_chromium
@pytest.mark.slow
def test_without_styles_only_long_names_make_a_mail_wider_than_a_phone(tmp_path: Path) -> None:
    program = find_chromium()
    assert program is not None
    wide = set()
    with chromium(program) as browser:
        for name, composed in mails().items():
            file = tmp_path / f"{slug(name)}.html"
            file.write_text(as_shown(composed.html, "stripped"), encoding="utf-8")
            browser.open(file, width=360, scheme="light")
            wide |= {name} if browser.ask("Page.getLayoutMetrics")["cssContentSize"]["width"] > 360 else set()
    assert wide <= {"long names", "hostile names"}


def test_pieces_that_are_drawn_once_are_fewer_than_are_remembered() -> None:
    assert all(map(rendered, sections().values()))
    drawn = render._kept.cache_info()
    assert drawn.maxsize is not None
    assert 0 < drawn.currsize < drawn.maxsize / 2
