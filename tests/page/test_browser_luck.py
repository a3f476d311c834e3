"""Luck and skill on a page in a browser: with the result, and not before."""

from __future__ import annotations

import pytest

from page.browsing import Browsing, a_page

pytestmark = pytest.mark.slow

PANELS = ("#luck", "#figures")


def test_luck_and_skill_are_shown_with_the_result_alone(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        luck = opened.page.locator("#luck")
        assert not luck.is_visible()
        opened.press("End")
        assert luck.is_visible()
        shown, figures = (opened.page.locator(f"{one} :is(th, td)").all_text_contents() for one in PANELS)
        assert shown == figures != []


def test_what_was_seen_once_stays(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.press("End", "Home")
        assert opened.page.locator("#luck").is_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_they_fit_on_a_phone(browsing: Browsing, scripts: bool) -> None:
    with browsing.open(a_page(5, at_end=True), width=360, java_script_enabled=scripts) as opened:
        if not scripts:
            opened.page.locator("#result summary").click()
        table = opened.page.locator("#luck table" if scripts else "#figures table").bounding_box()
        assert table is not None
        assert table["x"] + table["width"] <= 360
