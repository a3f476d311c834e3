"""The looks of a page: on every width, in light and dark, on paper, and without scripts."""

from __future__ import annotations

import re
from typing import Final

import pytest

from felix_async.language.data import table
from felix_async.replay.page.facts import moments_of
from games import a_game_played
from page.browsing import PLAIN, Browsing, Opened, a_page, page_of, told

pytestmark = pytest.mark.slow

WIDTHS: Final = (360, 768, 1280)
LONG: Final = (
    "W" * 24,
    "\u05e9\u05dc\u05d5\u05dd " * 4 + "abcd",
    "Maximiliane-Friederike v",
    "\u738b" * 24,
    "Eve",
)
PAPER: Final = 703
"""Pixels between the margins of A4."""
LEAST_HEIGHT: Final = 44
LEAST_WIDTH: Final = 32
"""What a thumb finds: nine rounds and seven keys stand beside each other on a phone."""
CONTRAST: Final = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const over = (top, below) => {
    const [r, g, b, a = 1] = numbers(top);
    return [r, g, b].map((one, place) => one * a + below[place] * (1 - a));
  };
  const behind = (where) => {
    const above = [];
    for (let one = where; one; one = one.parentElement) above.unshift(getComputedStyle(one).backgroundColor);
    return above.reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const light = (rgb) => {
    const linear = (one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map((one) => linear(one / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const where = text.parentElement;
    if (!text.data.trim() || !where.checkVisibility()) continue;
    if (where.closest(":disabled, [aria-hidden=true]")) continue;
    const style = getComputedStyle(where), svg = where.closest("svg");
    const card = svg?.matches(".card") && svg.querySelector("rect");
    const paper = card ? over(getComputedStyle(card).fill, behind(svg)) : behind(svg ?? where);
    let clear = 1;
    for (let one = where; one; one = one.parentElement) clear *= getComputedStyle(one).opacity;
    const full = over(svg ? style.fill : style.color, paper);
    const ink = full.map((one, place) => one * clear + paper[place] * (1 - clear));
    const [most, least] = [light(ink), light(paper)].sort((a, b) => b - a);
    const contrast = (most + 0.05) / (least + 0.05);
    if (contrast < 4.5) found.push(`${text.data.trim().slice(0, 30)}: ${contrast.toFixed(2)}`);
  }
  return [...new Set(found)];
}"""
"""All visible texts whose contrast is less than WCAG 2 asks for (AA)."""


ORDER: Final = """
  window.order = [];
  const look = ({version, verdict} = document.documentElement.dataset) => {
    if (version && !order.length) order.push("shown") && requestAnimationFrame(() => order.push("drawn"));
    if (verdict && order.at(-1) !== "checked") order.push("checked");
  };
  new MutationObserver(() => look()).observe(document, {attributes: true, childList: true, subtree: true});
"""
"""Notes what comes first: the game is shown, a frame of it is drawn, its log is checked."""


def long_page() -> bytes:
    return page_of(a_game_played(5).evidence, "all", LONG, table="W" * 40)


def situations() -> list[int]:
    """Versions of the deal, a placing, an auction, a sale, and the end."""
    kinds = {}
    for beat in told(5).beats:
        if beat.round in (0, 3, 9) and beat.last is not None:
            kinds[beat.kind] = beat.last
    return sorted(kinds[kind] for kind in ("deal", "placing", "bids", "pass", "sale", "result"))


# ---- widths -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(browsing: Browsing, width: int) -> None:
    with browsing.open(long_page(), width=width) as opened:
        for version in situations():
            opened.go(version)
            wide = opened.page.evaluate(
                "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
            )
            assert wide <= width, version


def test_without_scripts_nothing_is_wider_than_a_phone(browsing: Browsing) -> None:
    with browsing.open(long_page(), width=360, java_script_enabled=False) as opened:
        opened.page.locator("#result summary").click()
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_on_a_phone_the_table_its_words_and_the_buttons_are_seen_at_once(browsing: Browsing) -> None:
    with browsing.open(a_page(5), "#v60", width=360) as opened:
        for found in ("#row", "#say", ".keys"):
            box = opened.page.locator(found).first.bounding_box()
            assert box is not None
            assert 0 <= box["y"] <= box["y"] + box["height"] <= 640, found


def test_on_a_phone_that_lies_on_its_side_the_cards_and_the_words_are_seen_above_the_buttons(
    browsing: Browsing,
) -> None:
    with browsing.open(a_page(5), "#v60", width=740) as opened:
        opened.page.set_viewport_size({"width": 740, "height": 360})
        said, keys = (opened.page.locator(one).first.bounding_box() for one in ("#say", ".keys"))
        assert said is not None
        assert keys is not None
        assert said["y"] + said["height"] <= keys["y"] < keys["y"] + keys["height"] <= 360


def test_on_a_phone_all_buttons_are_large_enough(browsing: Browsing) -> None:
    with browsing.open(a_page(5), "#v60", width=360) as opened:
        boxes = opened.page.evaluate(
            """() => [...document.querySelectorAll("button, select")].filter((one) => one.checkVisibility())
              .map((one) => [one.ariaLabel ?? one.innerText, one.offsetWidth, one.offsetHeight])"""
        )
        assert len(boxes) > 20
        assert [one for one in boxes if one[1] < LEAST_WIDTH or one[2] < LEAST_HEIGHT] == []


# ---- the first view ---------------------------------------------------------------------------------
def test_the_log_is_checked_after_the_first_frame(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.page.add_init_script(ORDER)
        opened.page.reload()
        opened.verdict()
        assert opened.page.evaluate("order") == ["shown", "drawn", "checked"]


# ---- colours and motion -----------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(browsing: Browsing, scheme: str) -> None:
    with browsing.open(a_page(5), color_scheme=scheme) as opened:
        for version in situations():
            opened.go(version)
            opened.page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            assert opened.page.evaluate(CONTRAST) == [], version


def test_dark_is_dark(browsing: Browsing) -> None:
    papers = []
    for scheme in ("light", "dark"):
        with browsing.open(a_page(3), color_scheme=scheme) as opened:
            papers.append(opened.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert papers == ["rgb(239, 237, 230)", "rgb(20, 24, 26)"]


@pytest.mark.parametrize(("motion", "name"), [("no-preference", "won"), ("reduce", "none")])
def test_a_card_that_was_won_moves_only_where_that_is_wanted(
    browsing: Browsing, motion: str, name: str
) -> None:
    sale = next(beat.last for beat in told(4).beats if beat.kind == "sale")
    with browsing.open(a_page(4), f"#v{sale}", reduced_motion=motion) as opened:
        moved = "getComputedStyle(document.querySelector('.won .card')).animationName"
        assert opened.page.evaluate(moved) == name


# ---- without scripts, and on paper --------------------------------------------------------------------
def test_without_scripts_the_story_is_there_and_the_result_closed(browsing: Browsing) -> None:
    replay = told(4)
    result = replay.beats[-1].text.translate(PLAIN)
    with browsing.open(a_page(4), java_script_enabled=False) as opened:
        assert [one for one in ("#stage", "#purses", "#proof") if opened.page.locator(one).is_visible()] == []
        assert table("page.toml")["frame"]["unscripted"] in opened.seen()
        assert opened.page.locator("#story details").count() == 10
        assert result not in opened.seen()
        opened.page.locator("[data-round='4'] summary").click()
        beats = [beat.text.translate(PLAIN) for beat in replay.beats if beat.round == 4]
        assert [beat for beat in beats if beat not in opened.seen()] == []
        opened.page.locator("#result summary").click()
        assert result in opened.seen()


def test_without_scripts_a_link_to_a_round_opens_it(browsing: Browsing) -> None:
    with browsing.open(a_page(4), "#r5", java_script_enabled=False) as opened:
        (part,) = opened.page.locator("details[open]").all()
        assert part.get_attribute("data-round") == "5"


def test_a_browser_that_cannot_unpack_the_script_shows_the_story(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.page.add_init_script("delete self.DecompressionStream")
        opened.page.reload()
        opened.page.wait_for_selector("#story summary")
        assert opened.root("version") is None


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("scripts", [True, False])
def test_it_prints_on_two_pages_at_most(browsing: Browsing, seats: int, scripts: bool) -> None:
    with browsing.open(a_page(seats), java_script_enabled=scripts) as opened:
        assert 1 <= pages_of(opened) <= 2


def test_no_table_is_wider_than_the_paper(browsing: Browsing) -> None:
    with browsing.open(a_page(5), width=PAPER) as opened:
        opened.page.emulate_media(media="print")
        opened.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        for table_ in opened.page.locator("#story table").all():
            box = table_.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= PAPER


def test_all_of_the_story_is_printed(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.page.emulate_media(media="print")
        opened.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        texts = [*(beat.text for beat in told(4).beats), *(text for _, text in moments_of(told(4)))]
        seen = opened.seen()
        assert [text for text in texts if text.translate(PLAIN) not in seen] == []


def pages_of(opened: Opened) -> int:
    """How many pages come out of a printer."""
    return len(re.findall(rb"/Type\s*/Page\b", opened.page.pdf(prefer_css_page_size=True)))
