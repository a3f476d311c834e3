"""Strangers' words in a page run nothing and ask for nothing, and a log that was changed says where."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import pytest

from each import one_in
from felix_async.audit.evidence import Evidence
from felix_async.people import NAME_LENGTH, seat_names
from felix_async.text import one_line, plain
from games import NAMES, a_game_played
from page.browsing import ON, Browsing, a_page, page_of
from page.forging import spoken, with_orders

EVIL: Final = (
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "\u05e9\u05dc\u05d5\u05dd\u202e",
    '"><svg onload=alert(2)>',
)
EVIL_TABLE: Final = "</title></script><script>alert(3)</script><img src='http://x.test/y'>%3C"
EVIL_WORDS: Final = "</script><iframe src=javascript:alert(4)></iframe>&lt;img src=x onerror=alert(5)&gt;"


def an_evil_game() -> bytes:
    """A game in which everything that a stranger writes is meant to do harm."""
    evidence = spoken()
    said = {version: one.model_copy(update={"text": EVIL_WORDS}) for version, one in evidence.said.items()}
    former = [(40, 1, "<img src=x onerror=alert(6)>")]
    return page_of(replace(evidence, said=said), "all", EVIL, table=EVIL_TABLE, former=former)


def test_hostile_words_run_nothing_and_ask_for_nothing(browsing: Browsing) -> None:
    made = an_evil_game()
    with browsing.open(made, "#v1") as opened:
        opened.walk(ON, len(spoken().bodies))
        opened.verdict()
        opened.press("?")
        assert (
            opened.page.evaluate("document.querySelectorAll('img, iframe, svg[onload], [onerror]').length")
            == 0
        )
        assert len(opened.asked) == 1
        assert opened.asked[0].startswith("file://")
        assert opened.errors == []


@pytest.mark.slow
def test_hostile_words_are_shown_as_they_were_written(browsing: Browsing) -> None:
    with browsing.open(an_evil_game(), "#v1") as opened:
        said = [one["said"] for one in opened.walk(ON, len(spoken().bodies))]
        assert opened.page.inner_text("h1").strip("\u2068\u2069") == one_line(EVIL_TABLE, NAME_LENGTH)
        assert seat_names([plain(name) for name in EVIL], limit=NAME_LENGTH)[0] in [
            purse["who"] for purse in opened.shown()["purses"]
        ]
        assert any(EVIL_WORDS in one for one in said)


def test_without_scripts_hostile_words_do_nothing_either(browsing: Browsing) -> None:
    with browsing.open(an_evil_game(), java_script_enabled=False) as opened:
        assert len(opened.asked) == 1
        assert opened.page.locator("img, iframe").count() == 0
        assert opened.page.locator("#story details").count() == 10


@pytest.mark.slow
@pytest.mark.parametrize("seats", one_in(3, [3, 4, 5]))
def test_a_page_asks_for_nothing_but_itself(browsing: Browsing, seats: int) -> None:
    with browsing.open(a_page(seats)) as opened:
        opened.walk(ON, a_game_played(seats).size)
        assert len(opened.asked) == 1


def test_it_works_in_the_frame_of_a_mail_program(browsing: Browsing) -> None:
    """Such a frame has no origin and no address, and forbids forms."""
    with browsing.open(a_page(4)) as opened:
        opened.page.set_content('<iframe sandbox="allow-scripts" width="700" height="700"></iframe>')
        opened.page.eval_on_selector(
            "iframe", "(frame, page) => { frame.srcdoc = page; }", a_page(4).decode()
        )
        inside = opened.page.frame_locator("iframe")
        inside.locator("html[data-verdict=sound]").wait_for()
        inside.locator("[data-key='?']").first.click()
        inside.locator("#help button").click()
        assert not inside.locator("#help").is_visible()
        inside.locator("[data-key=end]").click()
        moment = inside.locator("#best li:not([hidden])").first
        version = moment.get_attribute("data-version")
        moment.locator("a").click()
        inside.locator(f"html[data-version='{version}']").wait_for()
        inside.locator("[data-key=g]").click()
        inside.locator("#goal").fill("r2")
        inside.locator("#goal").press("Enter")
        inside.locator("#round", has_text="Round 2").wait_for()


def test_a_sound_page_says_so(browsing: Browsing) -> None:
    with browsing.open(page_of(with_orders(7), "all", NAMES[:4])) as opened:
        assert opened.verdict() == "sound"
        text = opened.page.inner_text("#verdict")
        assert re.fullmatch(
            r"\d+ events, root [0-9a-f]{8}…, the deal redrawn from the seed and 4 players' words: correct",
            text,
        )


def test_the_page_of_one_seat_says_what_it_could_not_check(browsing: Browsing) -> None:
    with browsing.open(a_page(4, 0)) as opened:
        assert opened.verdict() == "sound"
        assert "redrawn" not in opened.page.inner_text("#verdict")


@pytest.mark.slow
@pytest.mark.parametrize("version", one_in(4, [90, 1, 17, 180]))
def test_a_changed_byte_says_which_version(browsing: Browsing, version: int) -> None:
    with browsing.open(damaged(a_page(4), version)) as opened:
        assert opened.verdict() == f"unsound:{version}"
        expected = f"Not sound: line {version + 1}: expected version {version} as it was exported"
        assert opened.page.inner_text("#verdict") == expected


@pytest.mark.slow
def test_words_that_were_never_said_are_found(browsing: Browsing) -> None:
    evidence = spoken()
    version = min(evidence.said)
    with browsing.open(page_of(put_in_mouth(evidence, version), "all", NAMES[:4])) as opened:
        assert opened.verdict() == f"unsound:{version}"


def put_in_mouth(evidence: Evidence, version: int) -> Evidence:
    """The same with other words at a version."""
    other = evidence.said[version].model_copy(update={"text": "Never said."})
    return replace(evidence, said={**evidence.said, version: other})


def damaged(made: bytes, version: int) -> bytes:
    """The page with another second in an event's time."""
    found = re.search(rb'"at":"[^"]*:(\d)\d\.\d+Z"[^\n]*"version":%d[,}]' % version, made)
    assert found is not None
    place = found.start(1)
    other = b"1" if made[place : place + 1] == b"0" else b"0"
    return made[:place] + other + made[place + 1 :]
