"""Pictures of HTML files, as Chromium draws them at a width and in a colour scheme.

A headless window is never narrower than some 500 px, so a phone is not a window of 360 px: it is emulated,
and so is what `prefers-color-scheme` says. Chromium is steered through a pair of pipes
(`--remote-debugging-pipe`, its file descriptors 3 and 4), with one JSON message of the DevTools protocol
after the other, each ended by a NUL.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal

Scheme = Literal["light", "dark"]
PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PHONE: Final = 480
"""Up to this width a page is shown as a phone shows it."""
_WINDOW_HEIGHT: Final = 800
_BOXES: Final = """(selector) => [...document.querySelectorAll(selector)].map((found) => {
  const {top, bottom, left, right} = found.getBoundingClientRect();
  const range = document.createRange();
  range.selectNodeContents(found);
  const inner = range.getBoundingClientRect();
  const beside = Math.min(inner.left - left, right - inner.right);
  return {top: top + scrollY, bottom: bottom + scrollY, left, right, beside, words: found.innerText};
})"""
_VERDICT: Final = """new Promise((found) => {
  const look = () => {
    const {verdict} = document.documentElement.dataset;
    if (verdict) found(verdict); else setTimeout(look, 20);
  };
  setTimeout(found, 20000, "none after 20 seconds");
  look();
})"""
_TO_PIPES: Final = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1'


@dataclass(frozen=True)
class Place:
    """The place of something on a page, in pixels from its top and its left, and the words in it.

    `beside` the words so much is free in it, on the side where that is less.
    """

    top: float
    bottom: float
    left: float
    right: float
    beside: float
    words: str


class ChromiumTrouble(RuntimeError):
    """Chromium went away, or could not do what it was asked."""


@dataclass
class Chromium:
    """A running Chromium with one page."""

    say: IO[bytes]
    hear: IO[bytes]
    asked: int = 0
    session: dict[str, str] = field(default_factory=dict)

    def picture(
        self, page: Path, *, width: int, scheme: Scheme, has_styles: bool = True, webp: int | None = None
    ) -> bytes:
        """Draw a page at that width, as a PNG, or as a WebP of that quality, up to 100.

        Without styles nothing breaks a long name, so that a page may be wider. Replays in its frames are
        drawn when they have looked through their logs.
        """
        self.open(page, width=width, scheme=scheme)
        if "childFrames" in self.ask("Page.getFrameTree")["frameTree"]:
            self.verdicts()
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        if size["width"] != width and has_styles:
            raise ChromiumTrouble(f"{page.name} is {size['width']} px wide where {width} px are there")
        clip = {"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1}
        form = {"format": "png"} if webp is None else {"format": "webp", "quality": webp}
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip, **form)
        return b64decode(shot["data"])

    def places(self, page: Path, selector: str, *, width: int) -> list[Place]:
        """Return where all elements lie that CSS finds, at that width."""
        self.open(page, width=width, scheme="light")
        asked = f"({_BOXES})({json.dumps(selector)})"
        found = self.ask("Runtime.evaluate", expression=asked, returnByValue=True)["result"]["value"]
        return [Place(**one) for one in found]

    def verdicts(self) -> list[str]:
        """Return what each replay that is shown says of its log: the page, or those in its frames."""
        tree = self.ask("Page.getFrameTree")["frameTree"]
        found = []
        for one in tree.get("childFrames", [tree]):
            world = self.ask("Page.createIsolatedWorld", frameId=one["frame"]["id"])["executionContextId"]
            answer = self.ask("Runtime.evaluate", expression=_VERDICT, contextId=world, awaitPromise=True)
            found.append(answer["result"]["value"])
        return found

    def open(self, page: Path, *, width: int, scheme: Scheme) -> None:
        """Show a page as a screen of that width shows it."""
        screen = {"width": width, "height": _WINDOW_HEIGHT, "deviceScaleFactor": 1, "mobile": width <= PHONE}
        self.ask("Emulation.setDeviceMetricsOverride", **screen)
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media="screen", features=media)
        self.ask("Page.navigate", url=page.resolve().as_uri())
        self.wait_for("Page.loadEventFired")

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """The result of a command."""
        self.asked += 1
        message = {"id": self.asked, "method": method, "params": params, **self.session}
        self.say.write(json.dumps(message).encode() + b"\0")
        self.say.flush()
        while (answer := self.next_message()).get("id") != self.asked:
            pass
        if "error" in answer:
            raise ChromiumTrouble(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def wait_for(self, event: str) -> None:
        """Returns when this has happened."""
        while self.next_message().get("method") != event:
            pass

    def next_message(self) -> dict[str, Any]:
        """The next answer or event."""
        data = bytearray()
        while (char := self.hear.read(1)) != b"\0":
            if not char:
                raise ChromiumTrouble("Chromium went away")
            data += char
        message: dict[str, Any] = json.loads(data)
        return message


def find_chromium() -> str | None:
    """The program, where this machine has it."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


@contextmanager
def chromium(program: str) -> Iterator[Chromium]:
    """A Chromium with a profile of its own, ended afterwards."""
    with tempfile.TemporaryDirectory(prefix="felix-gallery-", ignore_cleanup_errors=True) as profile:
        options = [
            "--headless=new",
            "--remote-debugging-pipe",
            "--hide-scrollbars",
            "--disable-gpu",
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
            f"--user-data-dir={profile}",
        ]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium refuses to make a sandbox as root
        process = subprocess.Popen(
            ["/bin/sh", "-c", _TO_PIPES, program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            browser = Chromium(process.stdin, process.stdout)
            target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
            attached = browser.ask("Target.attachToTarget", targetId=target, flatten=True)
            browser.session = {"sessionId": attached["sessionId"]}
            browser.ask("Page.enable")
            yield browser
        finally:
            process.terminate()
            process.wait(20)
            process.stdin.close()
            process.stdout.close()
