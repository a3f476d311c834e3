"""The orders that a message of felix offers as links: the way back from `mails.render`.

For programs that play: a computer player that is told nothing but its mail, a test, an example.
"""

from __future__ import annotations

from email.message import EmailMessage
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

from felix_async.language.grammar import Order, read_line
from felix_async.language.words import ANSWERS, MOVES, REPLIES


def offers_in(message: EmailMessage) -> list[str]:
    """The orders behind the `mailto:` links of a mail's HTML part, from top to bottom."""
    part = message.get_body(("html",))
    if part is None:
        return []
    links = _Links()
    links.feed(part.get_content())
    return links.orders


def decisions_in(message: EmailMessage) -> list[str]:
    """Those of them that answer what is asked of a player: an invitation, a move, a question of felix's.

    The others are ways out of a refusal, or for a host, or begin another game.
    """
    return [offer for offer in offers_in(message) if _decides(offer)]


def _decides(offer: str) -> bool:
    order = read_line(offer)
    if not isinstance(order, Order):
        return False
    return order.word in (*MOVES, *ANSWERS, *REPLIES) or order.limit is not None


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.orders: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href") or ""
        if tag != "a" or not href.startswith("mailto:"):
            return
        link = urlsplit(href)
        # A text to send on is written to nobody yet, and is no order of felix's.
        if link.path:
            self.orders += parse_qs(link.query).get("body", [])[:1]
