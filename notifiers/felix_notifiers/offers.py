"""The orders that a mail of felix offers as links: the way back from what `compose` writes.

For programs that play: a computer player that is told nothing but its mail, a test, an example.
"""

from __future__ import annotations

from email.message import EmailMessage
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit


def offers_in(message: EmailMessage) -> list[str]:
    """The orders behind the `mailto:` links of a mail's HTML part, in the order in which they stand there."""
    part = message.get_body(("html",))
    if part is None:
        return []
    links = _Links()
    links.feed(part.get_content())
    return links.orders


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.orders: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href") or ""
        if tag != "a" or not href.startswith("mailto:"):
            return
        self.orders += parse_qs(urlsplit(href).query).get("body", [])[:1]
