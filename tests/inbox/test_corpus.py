"""Real replies, with an order in them and decoys around it: the order is found, and no decoy ever.

The folder of replies is not a part of this tree; FELIX_REPLY_CORPUS says where it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from each import one_in
from felix_async.reading.reader import read_mail
from felix_async.reading.verdicts import Understood
from inbox.reading import moves_in

CORPUS: Final = os.environ.get("FELIX_REPLY_CORPUS", "")
ORDER: Final = "BID 5"
DECOY: Final = "PLAY 15"
SAID: Final = "I'll play the 15, thanks"
MAX_ALONE: Final = 40
"""About so many places of a long reply are tried, each with a decoy alone."""
FOUND: Final = 0.95
"""The share of orders that are found; the contract says nine in ten."""

# What may be somebody else's, by a way of its own that knows nothing of the rules under test.
FOREIGN: Final = re.compile(
    r"^[\s*]*(?:[>|]|[-_=—*#.]{2,}|\* \*|—|-\w)|@|\d.*:$|^[\s*]*\w[\w ]{1,16} ?:|"
    r"(?i:sent from|sent using|gesendet|envoyé|enviado|verzonden|trimis|küldve|lähetetty|wysłane|"
    r"outlook f|iphone|wrote|schrieb|écrit|escribió|escreveu|scritto|napisa|caution|"
    r"(?:regards|wishes|grüße|grüßen|cheers|sincerely|the best|cordialement|cumprimentos|saludos|thanks)"
    r"[,.! ]*$)"
)


@dataclass(frozen=True)
class Reply:
    """A reply whose first words were replaced by an order; `around` is what else there is."""

    before: list[str]
    after: list[str]

    def text(self, decoys: dict[int, str] | None = None) -> str:
        """The reply with decoys below these lines."""
        lines = [*self.before, ORDER, *self.after]
        return "\n".join(
            line if decoys is None or number not in decoys else f"{line}\n{decoys[number]}"
            for number, line in enumerate(lines)
        )

    def decoy_lines(self, decoy: str = DECOY) -> dict[int, str]:
        """A decoy for each line around the order, quoted as that line and the next one are."""
        lines = [*self.before, ORDER, *self.after, ""]
        at = len(self.before)
        decoys: dict[int, str] = {}
        for number, line in enumerate(lines[:-1]):
            quote = re.match(r"\s*(?:[>|]\s?)+", line)
            # Above the order only a quote is surely not the writer's.
            if number < at and quote is None:
                continue
            if number != at:
                decoys[number] = f"{quote.group() if quote else ''}{decoy}"
        return decoys


def replies() -> Iterator[tuple[str, Reply]]:
    """The replies of the corpus: whole ones, and ones of which the writer's other words stay."""
    for path in sorted(Path(CORPUS).rglob("*.txt")):
        lines = path.read_text("utf-8", "replace").splitlines()
        start = next((n for n, line in enumerate(lines) if line.strip() and not FOREIGN.search(line)), None)
        if start is None:
            continue
        end = next((n for n in range(start, len(lines)) if FOREIGN.search(lines[n])), len(lines))
        while end > start and not lines[end - 1].strip():
            end -= 1
        name = f"{path.parent.name}/{path.stem}"
        yield name, Reply(lines[:start], lines[end:])


ALL: Final = list(replies()) if CORPUS else []
needs_corpus = pytest.mark.skipif(not ALL, reason="FELIX_REPLY_CORPUS names no folder of replies")


@cache
def understood(text: str) -> list[Understood]:
    """What a plain mail with this text says."""
    head = "From: anna@players.test\r\nSubject: Re: your turn\r\nIn-Reply-To: <a@b>\r\n"
    return list(read_mail(f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{text}".encode()).said)


def orders(text: str) -> list[str]:
    """The orders that would be obeyed."""
    return [str(line.order) for line in understood(text) if line.verdict == "order"]


def variants(reply: Reply) -> Iterator[str]:
    """The reply with decoys: none, each alone, all of them."""
    decoys = reply.decoy_lines()
    yield reply.text()
    yield reply.text(decoys)
    yield reply.text(reply.decoy_lines(SAID))
    numbers = list(decoys)
    step = max(1, len(numbers) // MAX_ALONE)
    for number in {*numbers[::step], *numbers[-1:]}:
        yield reply.text({number: decoys[number]})


@needs_corpus
@pytest.mark.parametrize(("name", "reply"), one_in(4, ALL), ids=[name for name, _ in ALL])
def test_no_decoy_is_an_order(name: str, reply: Reply) -> None:
    for text in variants(reply):
        assert set(orders(text)) <= {ORDER}, text


@needs_corpus
@pytest.mark.parametrize(("name", "reply"), one_in(4, ALL), ids=[name for name, _ in ALL])
def test_no_decoy_is_what_the_mail_means(name: str, reply: Reply) -> None:
    for text in variants(reply):
        assert DECOY not in moves_in(understood(text)), text


@needs_corpus
def test_nearly_every_order_is_found() -> None:
    texts = [text for _, reply in ALL for text in variants(reply)]
    found = sum(ORDER in orders(text) for text in texts)
    assert found / len(texts) >= FOUND


@needs_corpus
def test_an_order_that_is_not_found_is_asked_about_or_told() -> None:
    for _, reply in ALL:
        for text in variants(reply):
            if ORDER not in orders(text):
                assert any(line.text == ORDER and line.is_told for line in understood(text)), text
