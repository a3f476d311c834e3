"""Hold the table that a kept letter shows against the one that a log gives.

That is the row and what it is worth, everybody's mice and cats, the price of a sack, and the scores.

Whole paragraphs are compared, and only those that felix alone can have written: a player's words and names
stand elsewhere. Who sits in a place is left out, as players may be called otherwise today, or be forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Final

from felix_async.address import Token
from felix_async.audit.evidence import veiled
from felix_async.audit.kept.letters import Letter
from felix_async.audit.kept.log import Log
from felix_async.audit.kept.witness import Says
from felix_async.game.cards import PET_CARDS, card_text
from felix_async.game.ledger import purses
from felix_async.game.story import Story
from felix_async.game.views import view
from felix_async.language.phrases import phrase
from felix_async.text import plain
from felix_events import model as m
from felix_notifiers.content import wording
from felix_notifiers.content.everybody import everybody_of
from felix_notifiers.content.result import scores_of
from felix_notifiers.content.sale import sale_of
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.table import table_of
from felix_notifiers.content.worth import sack_told

_CELLS: Final = re.compile(r" {2,}")
_PLACE: Final = re.compile(r"  \S")
_SCORE: Final = re.compile(r"  \d\.  .* (\S+) \+ +(\S+) = +(\S+)")
_HOLDING: Final = re.compile(r"  .* (\d+) +(\S+) +(\S+)")
_LONGEST: Final = 1000
"""Characters of a paragraph; felix writes none that is as long."""
_NUMBER: Final = r"[+−]?\d+"
Row = Sequence[tuple[str, str, str]]
"""The card in each place, whose it is if that has no name, and how its owner is doing."""


@dataclass(frozen=True)
class Retold:
    """Tells what a letter would show by this log; `Shown` of the witness."""

    log: Log
    _stories: dict[int, Story] = field(default_factory=dict, repr=False)

    def __call__(self, letter: Letter, token: Token, versions: list[int]) -> Iterable[Says]:
        """Return what a letter to the token's seat shows that the log shows at none of these versions."""
        *paragraphs, last = letter.paragraphs or [[]]
        if self.log.game_id not in " ".join(last):
            return  # about several tables: nobody knows which paragraph is about which
        paragraphs = [one for one in paragraphs if sum(map(len, one)) < _LONGEST]
        try:
            shown = [_Shown.of(self._story(version), token.seat) for version in versions]
        except (LookupError, ValueError, TypeError):
            return  # the audit says where the log cannot be followed
        changed = (m.PlayerPassed, m.SackSold)
        for told, by_log, made, titles in (
            (_rows(paragraphs), [one.row for one in shown], _ROW, ("", "", "")),
            (_worths(paragraphs), [one.worth for one in shown], _ROW, ()),
            (_scores(paragraphs), [one.scores for one in shown], (m.GameEnded,), ("cats", "mice", "total")),
            (_holdings(paragraphs), [one.holdings for one in shown], changed, ("mice", "cats", "total")),
            (_sales(paragraphs), [one.sale for one in shown], (m.SackSold,), ()),
        ):
            if told and not any(one in by_log for one in told):
                is_over = self.log.is_over
                theirs, ours = _sides(told[0], by_log[-1], titles if is_over else ())
                # While the game runs the row shows a card that lies face down.
                ours = veiled(ours or "nothing like it then", "something else", over=is_over)
                yield self._last(made, versions[-1]), theirs, ours

    def _last(self, made: tuple[type[m.Event], ...], version: int) -> int:
        """The last event until then that makes it look so; the one that differs may be an earlier one."""
        until = self.log.envelopes[:version]
        return max((one.version for one in until if isinstance(one.data, made)), default=version)

    def _story(self, version: int) -> Story:
        if version not in self._stories:
            self._stories[version] = Story.of(self.log.envelopes[:version])
        return self._stories[version]


Scores = Sequence[tuple[str, ...]]
Part = Row | Scores | str
_ROW: Final = (m.CardPlaced, m.CardsTurned, m.BidPlaced, m.PlayerPassed)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a letter to a seat shows at a version."""

    row: Row
    worth: str
    scores: Scores
    holdings: Scores
    sale: str

    @classmethod
    def of(cls, story: Story, seat: int) -> _Shown:
        names = [f"P{number}" for number in range(len(story.game.seats))]
        game = Snapshot(
            game_id="",
            table_name="",
            kept_names=names,
            table=view(story.game, seat),
            reply_address="",
            purses=purses((step.event for step in story.steps), story.game.players),
        )
        is_bidding = game.table.phase == "bidding"
        row = _row(table_of(game, []).text().split("\n")) if is_bidding else None
        worth = ""
        if is_bidding and seat in game.table.players:
            worth = f"{sack_told(game.table, seat)} {_own(game.own.mice)}"
        scores = (
            _scores([scores_of(game, None).text().split("\n\n")[0].split("\n")]) if game.table.scores else []
        )
        holdings = _holdings(_paragraphs(everybody_of(game).text()))
        sold = story.sale
        sale = (
            _sales(_paragraphs(sale_of(game, sold.event, sold.before).text()))
            if sold is not None and isinstance(sold.event, m.SackSold)
            else []
        )
        return cls(
            row or (),
            worth,
            scores[0] if scores else (),
            holdings[0] if holdings else (),
            sale[0] if sale else "",
        )


def _paragraphs(text: str) -> list[list[str]]:
    """A part of a letter as it would be kept."""
    return [block.split("\n") for block in text.replace("\N{NO-BREAK SPACE}", " ").split("\n\n")]


def _rows(paragraphs: Iterable[Sequence[str]]) -> list[Row]:
    """The rows of cards among paragraphs."""
    return [row for block in paragraphs if (row := _row(block)) is not None]


def _row(block: Sequence[str]) -> Row | None:
    """The row in a paragraph; None if it is none, or too wide for columns."""
    lines = [_CELLS.split(line.strip()) for line in block if _PLACE.match(line)]
    places = [(*line, "") for line in lines if len(line) in (2, 3) and line[0] in _faces()]
    if len(places) != len(block):
        return None
    nobody, you = phrase("table.row.nobody"), phrase("mails.names.you")
    return [(card, who if who in (nobody, you) else "", note) for card, who, note, *_ in places]


@cache
def _faces() -> frozenset[str]:
    return frozenset({*map(card_text, PET_CARDS), wording.HIDDEN, wording.MISSING})


def _worths(paragraphs: Sequence[Sequence[str]]) -> list[str]:
    """The lines below a row, up to the reader's own mice; the headline has others' words, and is left out."""
    found = (_worth().fullmatch(" ".join(map(str.strip, block))) for block in paragraphs[1:])
    return [one[1] for one in found if one is not None]


@cache
def _worth() -> re.Pattern[str]:
    opened = re.escape(phrase("table.worth.open", points="\0")).replace("\0", _NUMBER)
    own = "|".join(re.escape(_own(number)).replace(str(number), r"\d+") for number in (1, 7))
    return re.compile(rf"({opened}[ ,].*? (?:{own}))(?:\.|, .* \d+\.)")


def _own(mice: int) -> str:
    """Say how many mice the reader has, as far as both sentences say it alike."""
    return phrase("table.own.mice", mice=mice).removesuffix(".")


def _scores(paragraphs: Iterable[Sequence[str]]) -> list[Scores]:
    """The numbers in tables of points, line by line."""
    found = [[_SCORE.fullmatch(line) for line in block[1:]] for block in paragraphs]
    return [[one.groups() for one in lines if one] for lines in found if lines and all(lines)]


def _holdings(paragraphs: Sequence[Sequence[str]]) -> list[Scores]:
    """The numbers in tables of everybody's mice and cats, line by line: the reader first, and clockwise."""
    title = f"{phrase('mails.headings.everybody')}:"
    tables = (below for above, below in pairwise(paragraphs) if list(above) == [title])
    found = [[_HOLDING.fullmatch(line) for line in block[1:]] for block in tables]
    return [[one.groups() for one in lines if one] for lines in found if lines and all(lines)]


def _sales(paragraphs: Sequence[Sequence[str]]) -> list[str]:
    """Sales with their rounds; between a title of its own and what was paid stands the row."""
    found: list[str] = []
    for number, block in enumerate(paragraphs):
        title = _sold().fullmatch(" ".join(block))
        told = [" ".join(map(str.strip, lines)) for lines in paragraphs[number + 1 : number + 3]]
        paid = [one for text in told for pattern in _paid() if (one := pattern.fullmatch(text)) is not None]
        if title is not None and paid:
            found.append("round {}: {} mice for {}: {}".format(title[1], *paid[0].groups()))
    return found


@cache
def _sold() -> re.Pattern[str]:
    title = re.escape(phrase("table.sale.title.typed", round="\0"))
    return re.compile(title.replace("\0", r"(\d)") + ":")


@cache
def _paid() -> Sequence[re.Pattern[str]]:
    """How a sale ends; what dogs did, and a name, which may be any, stand before that."""
    ends = (
        re.escape(phrase("table.sale.paid.other", who="\0", mice=mice, cards="\1", points="\2"))
        .replace("\0", ".+")
        .replace(str(mice), r"(\d+)")
        .replace("\1", "([^:.]+)")
        .replace("\2", f"({_NUMBER})")
        for mice in (1, 7)
    )
    return [re.compile(end) for end in ends]


def _sides(one: Part, other: Part, titles: Sequence[str]) -> tuple[str, str]:
    """Two of a part of a letter; the lines that differ, under titles, if there are any of both."""
    if not titles or isinstance(one, str) or isinstance(other, str) or len(one) != len(other):
        return _told(one), _told(other)
    differing = [place for place, (line, by_log) in enumerate(zip(one, other, strict=True)) if line != by_log]
    what = "line" if any(titles) else "place"
    theirs, ours = (
        [f"{what} {place + 1}: {_titled(part[place], titles)}" for place in differing]
        for part in (one, other)
    )
    return plain("; ".join(theirs), 150), plain("; ".join(ours), 150)


def _titled(cells: Sequence[str], titles: Sequence[str]) -> str:
    named = (f"{title} {cell}".strip() for title, cell in zip(titles, cells, strict=True) if cell)
    return ", ".join(named)


def _told(part: Part) -> str:
    """A part of a letter in one line."""
    if isinstance(part, str):
        return plain(part)
    return plain("; ".join(" ".join(filter(None, line)) for line in part), 150)
