"""The table and the pictures beside it: who is to move, how far orders went, how far a game goes."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Final

import pytest

from felix_async.game.moments import best
from felix_async.game.scoring import ranked
from games import NAMES, Played, a_game_played
from page.browsing import ON, PLAIN, Browsing, Opened, a_page, page_of, told
from page.forging import golden, with_orders

pytestmark = pytest.mark.slow

ABANDONED: Final = "time-deserted.jsonl"
"""A game that ended in its first rounds."""
NEVER_BEGAN: Final = "declined.jsonl"
LONG: Final = "time-hurried.jsonl"
"""A game of several weeks."""
PHONE: Final = 360


def page_of_golden(name: str) -> bytes:
    evidence = golden()[name]
    return page_of(evidence, "all", NAMES[: len(Played("", evidence).game().seats)])


# ---- who is to move -----------------------------------------------------------------------------------
def test_who_is_to_move_and_who_leads_are_marked_apart(browsing: Browsing) -> None:
    with browsing.open(a_page(4), "#v1") as opened:
        both = 0
        for state in opened.walk(ON, a_game_played(4).size - 1):
            states = [place["state"] for place in state["row"]]
            assert sum(one.endswith("to move") for one in states) <= 1
            both += any(one.startswith("bids") and one.endswith("to move") for one in states)
        assert both


def test_the_frames_of_the_mover_and_of_the_buyer_are_seen_around_any_card(browsing: Browsing) -> None:
    bids = [beat.last for beat in told(4).beats if beat.kind == "bids"]
    sale = next(beat.last for beat in told(4).beats if beat.kind == "sale")
    with browsing.open(a_page(4)) as opened:
        colours = []
        for version, mark in ((bids[0], "moves"), (sale, "won")):
            opened.go(version or 0)
            colours.append(
                opened.page.evaluate(
                    "(mark) => getComputedStyle(document.querySelector(`.${mark} .card`)).outlineColor", mark
                )
            )
        assert colours == ["rgb(245, 243, 236)", "rgb(240, 189, 60)"]


# ---- orders in advance --------------------------------------------------------------------------------
def test_a_ghost_is_named_beside_the_auction_and_in_its_label(browsing: Browsing) -> None:
    with browsing.open(page_of(with_orders(7), "all", NAMES[:4]), "#v1") as opened:
        found = opened.page.evaluate(
            """() => {
              for (let step = 0; step < 400; step++) {
                document.body.dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, key: "ArrowRight"}));
                const ghosts = [...document.querySelectorAll(".ghost text")].map((one) => one.textContent);
                if (ghosts.length) return [ghosts, document.getElementById("ghosts").innerText,
                  document.querySelector("#staircase svg").getAttribute("aria-label")];
              }
            }"""
        )
        ghosts, said, label = found
        assert said.startswith("Dashed: ")
        for limit in ghosts:
            assert f"would have gone to {limit}" in said
            assert f"would have gone to {limit}" in label


def test_what_a_round_brought_is_written_in_one_way(browsing: Browsing) -> None:
    with browsing.open(a_page(4, at_end=True)) as opened:
        row = opened.page.locator("#row .won .state").inner_text()
        for one in opened.page.locator("#strip button").all():
            shown = one.locator("span").first.inner_text()
            assert re.fullmatch(r"[+−][1-9][0-9]*|0", shown)
            assert str(one.get_attribute("title")).removesuffix(", a best moment").endswith(f", net {shown}")
        assert row.translate(PLAIN).split()[-1] == shown


# ---- where one is, and the days -----------------------------------------------------------------------
def test_the_step_that_is_shown_has_its_number(browsing: Browsing) -> None:
    with browsing.open(a_page(4), "#v101") as opened:
        assert opened.page.inner_text("#step") == f"step 101 of {a_game_played(4).size}"


def test_each_line_of_the_chart_has_its_name_with_room_for_it(browsing: Browsing) -> None:
    with browsing.open(a_page(5)) as opened:
        for _ in range(10):
            opened.press("]")
            drawn = opened.page.evaluate(
                """() => [...document.querySelectorAll("#chart g text")]
                  .map((one) => [one.textContent, Number(one.getAttribute("y"))])"""
            )
            assert [name.translate(PLAIN) for name, _ in drawn] == list(NAMES[:5])
            places = sorted(y for _, y in drawn)
            assert 8 <= places[0] <= places[-1] <= 140
            assert min(after - before for before, after in pairwise(places)) >= 11.8


def test_days_have_the_same_names_in_every_zone(browsing: Browsing) -> None:
    found = []
    for zone in ("UTC", "America/Los_Angeles", "Pacific/Auckland"):
        with browsing.open(page_of_golden(LONG), timezone_id=zone) as opened:
            opened.press("End")
            opened.verdict()
            found.append(opened.page.locator("#days .axis").all_text_contents())
    assert found[0]
    assert all(re.fullmatch(r"[1-9][0-9]? [A-Z][a-z]{2}", day) for day in found[0])
    assert found == [found[0]] * 3


def test_nothing_says_who_was_waited_for_if_it_was_one_alone(browsing: Browsing) -> None:
    evidence = a_game_played(4).evidence
    bodies = [re.sub(rb'"at":"[^"]*"', b'"at":"2026-10-02T08:00:00.000000Z"', one) for one in evidence.bodies]
    slow = next(place for place, one in enumerate(bodies) if b'"bid_placed"' in one)
    bodies[slow:] = [one.replace(b"T08:", b"T09:") for one in bodies[slow:]]
    for changed, is_shown in ((evidence, True), (replace(evidence, bodies=bodies), False)):
        with browsing.open(page_of(changed)) as opened:
            opened.press("End")
            opened.verdict()
            assert opened.page.locator("#days-panel").is_visible() == is_shown


# ---- the end ------------------------------------------------------------------------------------------
def test_at_the_end_the_points_are_in_the_order_of_the_result(browsing: Browsing) -> None:
    scores = told(4).game.scores
    with browsing.open(a_page(4, at_end=True)) as opened:
        purses = opened.page.locator("#purses > li").all()
        names = [purse.locator(".who").inner_text().translate(PLAIN) for purse in purses]
        assert names == [NAMES[seat] for seat in ranked(scores)]
        won = [name for name, purse in zip(names, purses, strict=True) if "won" in purse.inner_text()]
        assert won == [NAMES[seat] for seat in told(4).game.winners]
        assert opened.errors == []


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_three_best_moments_have_a_star_once_they_were_seen(browsing: Browsing, seats: int) -> None:
    starred = "#strip button:has-text('★')"
    with browsing.open(a_page(seats)) as opened:
        assert opened.page.locator(starred).count() == 0
        opened.press("End")
        found = [one.get_attribute("data-goal") for one in opened.page.locator(starred).all()]
        assert found == [f"r{one.round}" for one in best(told(seats).moments)]


def test_a_game_that_was_abandoned_leaves_no_price_of_passing(browsing: Browsing) -> None:
    with browsing.open(page_of_golden(ABANDONED)) as opened:
        opened.press("End")
        assert (opened.shown()["row"], opened.page.inner_text("#bank")) == ([], "")


def test_a_game_that_never_began_has_no_points(browsing: Browsing) -> None:
    with browsing.open(page_of_golden(NEVER_BEGAN)) as opened:
        opened.press("End")
        assert not opened.page.locator("#points").is_visible()


# ---- how far a game goes ------------------------------------------------------------------------------
def rounds_that_open(opened: Opened) -> list[str | None]:
    return [one.get_attribute("data-goal") for one in opened.page.locator("#strip button:enabled").all()]


def test_nothing_says_which_rounds_never_came_until_the_end_was_seen(browsing: Browsing) -> None:
    with browsing.open(page_of_golden(ABANDONED), width=PHONE) as opened:
        assert rounds_that_open(opened) == [f"r{round_}" for round_ in range(1, 10)]
        opened.page.click("[data-goal=r9]")
        assert opened.shown()["said"] == "There is no such round."
        opened.press("End")
        assert 0 < len(rounds_that_open(opened)) < 9
