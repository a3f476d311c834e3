"""The ways through a page: keys, buttons, a finger, links, and what is said to those who listen."""

from __future__ import annotations

from typing import Final

import pytest

from felix_async.language.phrases import phrase
from felix_async.replay.replay import Replay
from felix_events.model import BidPlaced
from games import NAMES, a_game_played
from page.browsing import PLAIN, Browsing, Opened, a_page, page_of, told
from page.forging import with_orders
from table import ANNA, BEN

pytestmark = pytest.mark.slow

FROM: Final = 60
"""The version from which keys are tried, in the middle of a beat or at its end."""
BUTTONS: Final = {
    "home": "Home",
    "[": "[",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "]": "]",
    "end": "End",
    "shift-left": "Shift+ArrowLeft",
    "shift-right": "Shift+ArrowRight",
}
"""Buttons, and the keys that do the same."""
PLAY_STEP: Final = 1800
"""Milliseconds between two beats that are played."""


def ends(replay: Replay) -> list[int]:
    """The versions at which beats end."""
    return [beat.last for beat in replay.beats if beat.last is not None]


def at_round(replay: Replay, round_: int) -> int:
    """The end of the first beat of a round."""
    return next(beat.last for beat in replay.beats if beat.round == round_ and beat.last is not None)


def the_next_bid() -> tuple[int, BidPlaced]:
    """A bid and its version."""
    bids = ((one.version, one.data) for one in told(4).envelopes[FROM:])
    return next((version, data) for version, data in bids if isinstance(data, BidPlaced))


# ---- keys -------------------------------------------------------------------------------------------
def test_arrows_go_by_beats(browsing: Browsing) -> None:
    stops = ends(told(4))
    with browsing.open(a_page(4)) as opened:
        start = stops.index(opened.version)
        seen = []
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
            opened.press(key)
            seen.append(opened.version)
        assert seen == [stops[start + step] for step in (1, 2, 3, 2)]


def test_arrows_with_shift_go_by_versions(browsing: Browsing) -> None:
    with browsing.open(a_page(4), f"#v{FROM}") as opened:
        opened.press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowLeft")
        assert opened.version == FROM + 1


def test_brackets_go_by_rounds(browsing: Browsing) -> None:
    replay = told(4)
    with browsing.open(a_page(4)) as opened:
        opened.press("]", "]", "]")
        assert opened.version == at_round(replay, 3)
        opened.press("[")
        assert opened.version == at_round(replay, 2)


def test_home_and_end_go_to_the_ends_and_r_back(browsing: Browsing) -> None:
    with browsing.open(a_page(4), f"#v{FROM}") as opened:
        opened.press("End")
        assert opened.version == a_game_played(4).size
        opened.press("r")
        assert opened.version == FROM
        opened.press("Home")
        assert opened.version == ends(told(4))[0]


def test_g_asks_where_to(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.press("g")
        opened.page.keyboard.type("r5")
        opened.press("Enter")
        assert opened.version == at_round(told(4), 5)
        assert not opened.page.locator("#goto").is_visible()


@pytest.mark.parametrize(("width", "height"), [(360, 640), (360, 740), (1280, 720)])
def test_the_field_that_asks_where_to_is_seen(browsing: Browsing, width: int, height: int) -> None:
    with browsing.open(a_page(5), f"#v{FROM}", width=width) as opened:
        opened.page.set_viewport_size({"width": width, "height": height})
        for _ in range(2):
            opened.press("g")
            assert opened.page.locator("#goal:focus").count() == 1
            box = opened.page.locator("#goto").bounding_box()
            assert box is not None
            assert 0 <= box["y"] <= round(box["y"] + box["height"]) <= height
            opened.press("Escape")


def test_a_place_that_is_not_there_is_refused_in_words(browsing: Browsing) -> None:
    with browsing.open(a_page(4), f"#v{FROM}") as opened:
        opened.press("g")
        opened.page.keyboard.type("999")
        opened.press("Enter")
        assert opened.version == FROM
        assert opened.shown()["said"] == "The game has 180 steps."


def test_a_mouse_leads_to_a_goal_that_is_typed(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        for _ in range(2):
            opened.page.click("[data-key=g]")
            opened.page.click("#goal", click_count=3)
            opened.page.keyboard.type("r5")
            opened.page.keyboard.press("Enter")
            assert opened.shown()["version"] == at_round(told(4), 5)
        assert opened.page.evaluate("document.activeElement.dataset.key") == "g"


def test_a_tap_on_what_leads_nowhere_does_nothing(browsing: Browsing) -> None:
    with browsing.open(a_page(4, at_end=True), width=360, has_touch=True) as opened:
        before = opened.shown()["version"]
        for found in ("#story details[data-round='2'] summary", "#proof h2"):
            opened.page.locator(found).scroll_into_view_if_needed()
            at = opened.page.evaluate("scrollY")
            opened.page.tap(found)
            assert (opened.shown()["version"], opened.page.evaluate("scrollY")) == (before, at), found
        assert opened.page.locator("#story details[data-round='2']").get_attribute("open") is not None


def test_the_reasons_of_the_computer_open(browsing: Browsing) -> None:
    with browsing.open(page_of(with_orders(7), "all", NAMES[:4])) as opened:
        for _ in range(20):
            opened.press("ArrowRight")
            if opened.page.locator("#quiz summary").count():
                break
        opened.page.click("#quiz summary")
        assert opened.page.locator("#quiz details[open]").count() == 1


def test_a_spectators_answer_is_compared_as_well(browsing: Browsing) -> None:
    version, _ = the_next_bid()
    with browsing.open(a_page(4), f"#v{version - 1}") as opened:
        opened.press("0")
        opened.page.click("#quiz .ask")
        opened.page.locator("#quiz .answers button").first.click()
        assert opened.page.locator("#quiz .answered li").count() >= 2
        assert opened.errors == []


@pytest.mark.parametrize("goal", ["hello", ""])
def test_a_goal_that_is_none_is_refused_in_words(browsing: Browsing, goal: str) -> None:
    with browsing.open(a_page(4), f"#v{FROM}") as opened:
        opened.press("g")
        opened.page.keyboard.type(goal)
        opened.press("Enter")
        assert opened.version == FROM
        assert opened.shown()["said"] == phrase("stepper.screen.no_goal")


def test_digits_and_a_change_the_eyes(browsing: Browsing) -> None:
    with browsing.open(a_page(4), f"#v{FROM}") as opened:
        seen = []
        for key in ("1", "4", "0", "a", "5"):
            opened.press(key)
            seen.append(opened.root("viewer"))
        assert seen == ["0", "3", "spectator", "all", "all"]
        assert opened.shown()["said"] == "There are 4 seats."


def test_w_looks_with_the_eyes_of_who_acts(browsing: Browsing) -> None:
    version, bid = the_next_bid()
    with browsing.open(a_page(4), f"#v{version - 1}") as opened:
        opened.press("w")
        assert opened.root("viewer") == str(bid.seat)


def test_a_seats_own_page_has_the_eyes_of_nobody_else(browsing: Browsing) -> None:
    with browsing.open(a_page(4, ANNA), f"#v{FROM}") as opened:
        for key in ("2", "a", "w"):
            opened.press(key)
            assert opened.root("viewer") == str(ANNA)
        opened.press("0")
        assert opened.root("viewer") == "spectator"
        assert opened.page.locator("#eyes option").all_inner_texts() == ["\u2068Anna\u2069", "no hands"]


def test_the_list_changes_the_eyes(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.page.select_option("#eyes", str(BEN))
        assert opened.root("viewer") == str(BEN)
        hands = [purse["who"] for purse in opened.shown()["purses"] if purse["hand"]]
        assert hands == [NAMES[BEN]]


def test_a_question_mark_lists_the_keys(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.press("?")
        assert "a player's eyes" in opened.page.locator("#help").inner_text().replace("\n", " ")
        opened.press("Escape")
        assert not opened.page.locator("#help").is_visible()


def test_space_plays_beat_by_beat_and_any_key_stops_it(browsing: Browsing) -> None:
    stops = ends(told(4))
    with browsing.open(a_page(4), has_clock=True) as opened:
        start = stops.index(opened.version)
        opened.press(" ")
        seen = []
        for _ in range(3):
            opened.page.clock.run_for(PLAY_STEP)
            seen.append(opened.version)
        assert seen == stops[start + 1 : start + 4]
        opened.press("ArrowLeft")
        opened.page.clock.run_for(3 * PLAY_STEP)
        assert opened.version == stops[start + 2]


# ---- buttons and a finger ---------------------------------------------------------------------------
def test_each_button_does_what_its_key_does(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        for button, key in BUTTONS.items():
            opened.go(FROM)
            opened.press(key)
            by_key = opened.version
            opened.go(FROM)
            opened.page.click(f"[data-key='{button}']")
            assert opened.version == by_key != FROM, button


def test_the_strip_leads_to_each_round(browsing: Browsing) -> None:
    replay = told(4)
    with browsing.open(a_page(4)) as opened:
        for round_ in (9, 2, 5):
            opened.page.click(f"[data-goal=r{round_}]")
            assert opened.version == at_round(replay, round_)


def test_a_line_of_the_story_and_a_moment_lead_there(browsing: Browsing) -> None:
    moment = min(one.version for one in told(4).moments[:8])
    with browsing.open(a_page(4, at_end=True)) as opened:
        opened.page.click(f"#best li[data-version='{moment}'] a")
        opened.page.wait_for_selector(f"html[data-version='{moment}']", state="attached")
        place = opened.page.locator("#story details[open] [data-kind]:not([aria-current])").first
        wanted = place.get_attribute("data-version")
        place.click()
        assert opened.root("version") == wanted


def test_the_table_comes_into_view_where_it_is_far_above(browsing: Browsing) -> None:
    with browsing.open(a_page(4, at_end=True), width=360) as opened:
        for found in ("#best a", "#story details[open] [data-kind]"):
            opened.page.locator(found).last.scroll_into_view_if_needed()
            assert opened.page.evaluate("document.getElementById('stage').getBoundingClientRect().top") < -100
            before = opened.version
            opened.page.locator(found).first.evaluate("(one) => one.click()")
            opened.page.wait_for_selector(f"html:not([data-version='{before}'])", state="attached")
            assert (
                abs(opened.page.evaluate("document.getElementById('stage').getBoundingClientRect().top")) < 2
            )


def test_a_link_opens_a_page_at_its_top(browsing: Browsing) -> None:
    with browsing.open(a_page(4), "#r5", width=360) as opened:
        opened.verdict()
        assert opened.page.evaluate("scrollY") == 0


@pytest.mark.parametrize(("way", "steps"), [(-120, 1), (120, -1), (-30, 0)])
def test_a_finger_that_swipes_goes_on_and_back(browsing: Browsing, way: int, steps: int) -> None:
    stops = ends(told(4))
    with browsing.open(a_page(4), width=360, has_touch=True) as opened:
        start = stops.index(opened.version)
        swipe(opened, way, 5)
        assert opened.version == stops[start + steps]


def test_a_finger_that_scrolls_goes_nowhere(browsing: Browsing) -> None:
    with browsing.open(a_page(4), width=360, has_touch=True) as opened:
        start = opened.version
        swipe(opened, -60, 200)
        assert opened.version == start


def test_a_finger_that_moves_a_long_auction_stays_at_its_version(browsing: Browsing) -> None:
    long = next(one.last for one in told(5).beats if one.round == 4 and one.kind == "sale")
    with browsing.open(a_page(5), f"#v{long}", width=360, has_touch=True) as opened:
        opened.page.locator("#staircase").scroll_into_view_if_needed()
        swipe(opened, 120, 5, on="#staircase")
        assert opened.version == long


def swipe(opened: Opened, x: int, y: int, on: str = "#say") -> None:
    """A finger goes over the table."""
    finger = opened.page.context.new_cdp_session(opened.page)
    box = opened.page.locator(on).bounding_box()
    assert box is not None
    start = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    end = {"x": start["x"] + x, "y": start["y"] + y}
    for kind, at in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})


# ---- links ------------------------------------------------------------------------------------------
def test_a_link_leads_to_a_version_or_a_round(browsing: Browsing) -> None:
    fifth = at_round(told(4), 5)
    for fragment, version in {"#v57": 57, "#r5": fifth, "#V57": 57, "#R5": fifth}.items():
        with browsing.open(a_page(4), fragment) as opened:
            assert opened.version == version


def test_a_link_to_nowhere_leads_to_the_deal(browsing: Browsing) -> None:
    with browsing.open(a_page(4), "#v9999") as opened:
        assert opened.version == next(beat.last for beat in told(4).beats if beat.kind == "deal")


def test_the_address_says_where_one_is(browsing: Browsing) -> None:
    with browsing.open(a_page(4), "#v57", has_clock=True) as opened:
        opened.press("Shift+ArrowRight")
        opened.page.clock.run_for(1000)
        assert opened.page.url.endswith("#v58")


def test_a_page_that_is_loaded_again_knows_how_far_it_was_seen(browsing: Browsing) -> None:
    with browsing.open(a_page(4), has_clock=True) as opened:
        opened.press("End", "Home")
        opened.page.clock.run_for(1000)
        opened.page.reload()
        opened.page.wait_for_selector("html[data-version]", state="attached")
        assert opened.version == ends(told(4))[0]
        assert opened.page.locator("#story [data-kind][hidden]").count() == 0


# ---- the quiz ---------------------------------------------------------------------------------------
def test_the_quiz_asks_with_the_eyes_of_the_seat_and_then_tells(browsing: Browsing) -> None:
    version, bid = the_next_bid()
    with browsing.open(a_page(4), f"#v{version - 1}") as opened:
        opened.page.click("#quiz .ask")
        assert opened.root("viewer") == str(bid.seat)
        assert opened.page.locator("#eyes").input_value() == str(bid.seat)
        assert [purse["who"] for purse in opened.shown()["purses"] if purse["hand"]] == [NAMES[bid.seat]]
        assert opened.page.locator("#quiz .answers button").first.inner_text() == "pass"
        opened.page.click("#quiz .answers button >> nth=0")
        assert opened.version == version
        assert opened.root("viewer") == "all"
        lines = opened.page.locator("#quiz .answered li").all_inner_texts()
        plain = [one.translate(PLAIN).replace("\n", " ") for one in lines]
        assert plain[0] == "You passed"
        assert plain[1] == f"{NAMES[bid.seat]} bid {bid.amount}"
        assert plain[2].startswith("The computer ")


def test_by_keyboard_the_answers_and_what_came_of_them_are_where_one_is(browsing: Browsing) -> None:
    version, bid = the_next_bid()
    with browsing.open(a_page(4), f"#v{version - 1}") as opened:
        opened.page.focus("#quiz .ask")
        opened.press("Enter")
        group = opened.page.locator("#quiz [role=group]:has(:focus)").get_attribute("aria-label") or ""
        assert group.translate(PLAIN) == f"{NAMES[bid.seat]} is to bid. What would you bid?"
        opened.press("Enter")
        assert opened.page.locator("#quiz .answered:focus").count() == 1
        opened.press("ArrowRight")
        assert opened.version > version


def test_the_next_step_ends_the_quiz(browsing: Browsing) -> None:
    version, _ = the_next_bid()
    with browsing.open(a_page(4), f"#v{version - 1}") as opened:
        opened.page.click("#quiz .ask")
        opened.press("ArrowRight")
        assert opened.page.locator("#quiz .answers").count() == 0
        assert opened.root("viewer") == "all"


# ---- what is there to be seen -------------------------------------------------------------------------
def test_an_auction_is_drawn_from_its_first_bid(browsing: Browsing) -> None:
    first = next(one.version for one in told(4).envelopes if isinstance(one.data, BidPlaced))
    with browsing.open(a_page(4), f"#v{first - 1}") as opened:
        assert not opened.page.locator("#auction").is_visible()
        opened.press("Shift+ArrowRight")
        assert opened.page.locator("#auction").is_visible()


def test_points_are_drawn_from_the_end_of_the_first_round(browsing: Browsing) -> None:
    sold = next(one.last or 0 for one in told(4).beats if one.kind == "sale")
    with browsing.open(a_page(4), f"#v{sold - 1}") as opened:
        assert not opened.page.locator("#chart-panel").is_visible()
        opened.press("ArrowRight")
        assert opened.page.locator("#chart-panel").is_visible()


def test_one_line_of_the_story_is_the_current_one(browsing: Browsing) -> None:
    with browsing.open(a_page(4), f"#v{FROM}") as opened:
        (line,) = opened.page.locator("#story [aria-current=true]").all()
        assert line.inner_text().translate(PLAIN) == next(
            one.text.translate(PLAIN) for one in told(4).beats if one.last is not None and one.last >= FROM
        )


# ---- those who listen, and those who have no mouse ---------------------------------------------------
def test_each_beat_is_said_aloud(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        say = opened.page.locator("#say")
        assert (say.get_attribute("aria-live"), say.get_attribute("aria-atomic")) == ("polite", "true")
        before = say.inner_text()
        opened.press("ArrowRight")
        assert say.inner_text() not in ("", before)


def test_all_that_can_be_pressed_has_a_name_and_shows_that_it_is_next(browsing: Browsing) -> None:
    with browsing.open(a_page(4), f"#v{FROM}") as opened:
        names = []
        for _ in range(26):
            opened.press("Tab")
            name, width, style = opened.page.evaluate(
                """() => {
                  const here = document.activeElement, {outlineWidth, outlineStyle} = getComputedStyle(here);
                  const label = here.getAttribute("aria-label") ?? here.labels?.[0]?.innerText;
                  return [(label ?? here.innerText).trim(), parseFloat(outlineWidth), outlineStyle];
                }"""
            )
            names.append(name)
            assert name
            assert width >= 2, name
            assert style == "solid", name
        assert "a round back" in names
        assert len(set(names)) > 20


def test_who_goes_by_keyboard_stays_on_the_button(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.page.focus("[data-key=right]")
        opened.press("Enter", "Enter")
        assert opened.page.evaluate("document.activeElement.dataset.key") == "right"
