"""Pages of replays in a browser: opened from a file, stepped through, and read as they stand there."""

from __future__ import annotations

import re
from base64 import b85decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import MAX_WBITS, decompress

from felix_async.audit.evidence import Evidence
from felix_async.game.names import Names
from felix_async.game.views import Viewer
from felix_async.replay.page.facts import isolated_names
from felix_async.replay.page.page import page_of as made_page
from felix_async.replay.replay import Replay
from games import NAMES, TABLE_NAME, a_game_played

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

_DIGITS: Final = bytes.maketrans(b",.:", b"<>&")
READ: Final = """() => {
  const of = (where, selector) => [...where.querySelectorAll(selector)];
  const plain = (found) => found.replace(/[\\u2068\\u2069]/g, "").replace(/\\u00a0/g, " ").trim();
  const text = (one) => one ? plain(one.textContent) : null;
  const root = document.documentElement;
  return {
    version: Number(root.dataset.version),
    viewer: root.dataset.viewer,
    round: text(document.querySelector("#round")),
    said: text(document.querySelector("#say")),
    row: of(document, "#row > li").map((place) => ({
      card: place.querySelector(".card").getAttribute("aria-label"),
      who: text(place.querySelector(".who")),
      state: text(place.querySelector(".state")),
      chased: Boolean(place.querySelector(".struck")),
    })),
    mice: of(document, "#bank .mice:not(.bank)")
      .map((one) => [Number(text(one)), one.classList.contains("taken")]),
    bank: text(document.querySelector("#bank .bank")),
    purses: of(document, "#purses > li").map((line) => ({
      who: text(line.querySelector(".who")),
      sum: text(line.querySelector(".sum")),
      hand: of(line, ".chip").map(text),
    })),
  };
}"""
"""What the page shows, as JSON."""
WALK: Final = f"""([key, times]) => {{
  const read = {READ};
  const press = new KeyboardEvent("keydown", {{bubbles: true, ...key}});
  return Array.from({{length: times}}, () => {{
    document.body.dispatchEvent(press);
    return read();
  }});
}}"""
ON: Final = {"key": "ArrowRight", "shiftKey": True}
BACK: Final = {"key": "ArrowLeft", "shiftKey": True}
"""The keys that go one event on and back."""


_OPENED: Final = datetime(2026, 1, 1, tzinfo=UTC)
_PATIENCE: Final = 120_000
"""Milliseconds that a busy machine may take for what is waited for."""
PLAIN: Final = str.maketrans({"\u2068": None, "\u2069": None, "\u00a0": " "})
"""Takes from a text what isolates names in it and holds its words together, as `READ` does."""


@dataclass(frozen=True)
class Opened:
    """A page in a browser, and what it would have loaded or complained of."""

    page: Page
    asked: list[str]
    errors: list[str]

    def refuse(self, dialog: Dialog) -> None:
        """Close a box that the page should never have opened."""
        self.errors.append(dialog.message)
        dialog.dismiss()

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def go(self, version: int) -> None:
        """Follow a link within the page to a version."""
        self.page.evaluate(
            "(goal) => { history.replaceState(null, '', '#'); location.hash = goal; }", f"v{version}"
        )
        self.page.wait_for_selector(f"html[data-version='{version}']", state="attached")

    def walk(self, key: dict[str, Any], times: int) -> list[dict[str, Any]]:
        """Press a key so often, and return what the page showed after each time."""
        found: list[dict[str, Any]] = self.page.evaluate(WALK, [key, times])
        return found

    def shown(self) -> dict[str, Any]:
        """What the page shows now."""
        found: dict[str, Any] = self.page.evaluate(READ)
        return found

    def root(self, name: str) -> str | None:
        """What the page says of itself: its version, viewer or verdict."""
        return self.page.locator("html").get_attribute(f"data-{name}")

    @property
    def version(self) -> int:
        """The version that is shown."""
        return int(self.root("version") or 0)

    def verdict(self) -> str:
        """What the page says of its log once it has looked."""
        self.page.wait_for_selector("html[data-verdict]", state="attached")
        return self.root("verdict") or ""

    def seen(self) -> str:
        """All text that is on the page for eyes."""
        return self.page.inner_text("body").translate(PLAIN)


@dataclass(frozen=True)
class Browsing:
    """A running browser, and the folder from which it opens pages."""

    browser: Browser
    folder: Path

    @contextmanager
    def open(
        self, made: bytes, fragment: str = "", width: int = 768, *, has_clock: bool = False, **context: Any
    ) -> Iterator[Opened]:
        """Open a page from a file, in a window of its own; with a clock that stands still after that."""
        file = self.folder / f"{sha256(made).hexdigest()[:16]}.html"
        file.write_bytes(made)
        with self.browser.new_context(viewport={"width": width, "height": 800}, **context) as window:
            tab = window.new_page()
            tab.set_default_timeout(_PATIENCE)
            opened = Opened(tab, [], [])
            tab.on("request", lambda request: opened.asked.append(request.url))
            tab.on("console", lambda message: opened.errors.append(message.text))
            tab.on("pageerror", lambda error: opened.errors.append(str(error)))
            tab.on("dialog", lambda dialog: opened.refuse(dialog))
            if has_clock:
                tab.clock.install(time=_OPENED)
            tab.goto(file.as_uri() + fragment)
            if context.get("java_script_enabled", True):
                tab.wait_for_selector("html[data-version]", state="attached")
            if has_clock:
                tab.clock.pause_at(_OPENED + timedelta(days=1))
            yield opened


def unpacked(made: bytes, held: str) -> bytes:
    """Return what an element of a page holds packed."""
    found = re.search(rf'id="{held}">([^<]*)<'.encode(), made)
    assert found is not None
    return decompress(b85decode(found[1].translate(_DIGITS)), -MAX_WBITS)


@cache
def told(seats: int, viewer: Viewer = "all") -> Replay:
    """A game of so many, told to a viewer."""
    played = a_game_played(seats)
    names = isolated_names(Names(played.names))
    return Replay(played.evidence, played.envelopes, viewer, names, table=TABLE_NAME)


@cache
def a_page(seats: int, viewer: Viewer = "all", *, at_end: bool = False) -> bytes:
    """The page of a game of so many for a viewer."""
    return page_of(a_game_played(seats).evidence, viewer, NAMES[:seats], at_end=at_end)


def page_of(
    evidence: Evidence,
    viewer: Viewer = "all",
    names: Sequence[str] = NAMES,
    *,
    table: str = TABLE_NAME,
    former: Sequence[tuple[int, int, str]] = (),
    at_end: bool = False,
) -> bytes:
    """The page of a game for a viewer, as `felix replay --html` writes it."""
    return made_page(evidence, names, table, former, viewer, at_end=at_end)[1]
