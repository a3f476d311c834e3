"""Strangers' words in mails: names, table names and echoed lines can neither break out nor pretend."""

from __future__ import annotations

import pytest

from felix_async.game.story import Story
from felix_async.language.words import MARKER
from felix_notifiers.content.glance import SUBJECT_LENGTH
from felix_notifiers.content.harmless import NAME_LIMIT, one_line, seat_names, table_label, table_name
from felix_notifiers.content.history import since_last_move
from games import a_game_played
from notifiers.sheets import Html, an_answer, mail
from table import ANNA, BEN, a_game

HOSTILE = [
    "Anna\r\nBcc: mallory@evil.test",
    "\x1b[2J\x1b[31mAnna",
    "<script>alert(1)</script>",
    '"><img src=http://evil.test/x>',
    "Anna\u202egnp.exe",
    "\u2066Anna\u2069",
    "a\u200bb\u200db\ufeff",
    "A\x00nna\x07\x7f\x9b31m",
    "{{ 7 * 7 }}{% raw %}",
    "%0d%0aBcc: x",
    "A" * 500,
    "e" + "\u0301" * 40,
    "Anna\u2028Ben\u2029Cara",
    "\ud800lone",
]
STEERING = [
    chr(code) for code in (*range(32), 127, 0x9B, 0x202E, 0x2066, 0x2069, 0x200B, 0xFEFF, 0x2028, 0xD800)
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_steers_nothing(name: str) -> None:
    composed = mail(a_game(start=ANNA).in_auction(top_bid=2, by=ANNA), BEN, names=(name, "Ben", "C", "D"))
    for text in (composed.subject, composed.text, composed.html):
        assert not [char for char in STEERING if char in text.replace("\n", "")]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_adds_no_tag(name: str) -> None:
    table = a_game(start=ANNA).in_auction(top_bid=2, by=ANNA)
    tame = Html(mail(table, BEN, names=("Anna", "Ben", "C", "D")).html)
    html = Html(mail(table, BEN, names=(name, "Ben", "C", "D"), table_name=name).html)
    assert html.tags == tame.tags
    assert len(html.links) == len(tame.links)
    assert html.sources == []


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_table_name_leaves_the_subject_on_one_line(name: str) -> None:
    subject = mail(a_game(), BEN, table_name=name).subject
    assert len(subject.splitlines()) == 1
    assert subject.startswith("Round 1 · ")
    assert len(subject) <= SUBJECT_LENGTH


@pytest.mark.parametrize("line", HOSTILE)
def test_a_hostile_line_is_echoed_without_harm(line: str) -> None:
    table = a_game()
    tame = mail(table, BEN, {"answer"}, answer=an_answer(("x", "not understood", "why")))
    composed = mail(table, BEN, {"answer"}, answer=an_answer((line, "not understood", line), subject=line))
    assert Html(composed.html).tags == Html(tame.html).tags
    for text in (composed.subject, composed.text, composed.html):
        assert not [char for char in STEERING if char in text.replace("\n", "")]
    assert max(map(len, composed.text.splitlines())) <= 72


def test_markup_in_a_name_is_shown_as_it_was_written() -> None:
    html = mail(
        a_game(start=ANNA).in_auction(top_bid=2, by=ANNA), BEN, names=("<b>Anna</b>", "B", "C", "D")
    ).html
    assert "&lt;b&gt;Anna&lt;/b&gt;" in html
    assert "<b>" not in html


def test_the_history_names_players_without_harm() -> None:
    played = a_game_played(4)
    names = ["\x1b[31m<b>Anna</b>\r\n", *played.names[1:]]
    told = (
        [str(line) for line in since_last_move(Story.of(played.envelopes[:version]), names, 1)]
        for version in played.step_ends()
        if played.game(version).round > 1
    )
    lines = next(lines for lines in told if any("Anna" in line for line in lines))
    assert any("<b>Anna</b>" in line for line in lines)
    assert not any(char in line for char in "\x1b\r\n" for line in lines)


def test_the_first_marker_is_ours() -> None:
    text = mail(a_game(), BEN, names=(MARKER, MARKER, MARKER, MARKER), table_name=MARKER).text
    assert text.splitlines()[1] == MARKER
    assert text.splitlines().count(MARKER) == 1


# ---- names ------------------------------------------------------------------------------------------
def test_names_are_cut() -> None:
    assert len(one_line("A" * 500, NAME_LIMIT)) == NAME_LIMIT


@pytest.mark.parametrize("name", ["   ", "\u200b\u202e", "\u3164\u115f\u2800", "\u0301\u0302", "\x1b\x07"])
def test_an_invisible_name_becomes_the_seat(name: str) -> None:
    assert seat_names(["Anna", name]) == ["Anna", "Seat 2"]


@pytest.mark.parametrize("name", ["you", "YOU", "felix", "the dummy", "Dummy", "Nobody", "the host"])
def test_a_name_that_felix_uses_is_marked(name: str) -> None:
    assert seat_names(["Anna", name]) == ["Anna", f"{name} (seat 2)"]


def test_equal_names_are_told_apart() -> None:
    assert seat_names(["Anna", "anna", "ANNA\u200b"]) == ["Anna (seat 1)", "anna (seat 2)", "ANNA (seat 3)"]


def test_accents_do_not_pile_up() -> None:
    assert one_line("e" + "\u0323" * 40) == "\u1eb9\u0323\u0323"


def test_accents_that_belong_there_stay() -> None:
    assert one_line("Zoe\u0308 Ngu\u1ec5n") == "Zo\u00eb Ngu\u1ec5n"


def test_the_brackets_of_a_subject_are_ours() -> None:
    assert table_name("x] Your turn [") == "x) Your turn ("
    assert table_label("", "k7m2p") == "felix k7m2p"
