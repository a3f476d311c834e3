"""A Chromium for the tests of the page, steered with playwright."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gallery.chromium import find_chromium
from page.browsing import Browsing


@pytest.fixture(scope="module")
def browsing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browsing]:
    """A browser for the tests of one file: while it runs, no other event loop can in this thread."""
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed (apt: chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program)
        yield Browsing(browser, tmp_path_factory.mktemp("pages"))
        browser.close()
