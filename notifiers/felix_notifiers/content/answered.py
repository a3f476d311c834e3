"""The result of each line of the reader's mail, and suggestions of what to write instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.follow_up.answer import CARD_TURNED, STILL_STOPPED, AnsweredLine
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, QUESTIONS, TOPIC_BELOW, TOPICS_BELOW
from felix_notifiers.content import layout, wording
from felix_notifiers.content.answers import Question
from felix_notifiers.content.harmless import LINE_LIMIT, one_line
from felix_notifiers.content.heard import took
from felix_notifiers.content.moves import Option, ReplyTo
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.suggestions import names_meant, ways_on, ways_out, zones_near

_WHY_LIMIT: Final = 2 * LINE_LIMIT
_SHOWN: Final = frozenset(
    {*(DONE[word] for word in (*QUESTIONS, "HISTORY", "RULES", "GAMES", "RESEND")), TOPIC_BELOW, TOPICS_BELOW}
)
"""Said of a question that the mail itself answers: it is there to be seen."""
_FEW: Final = 3
"""Suggestions that are shown below a line in any case."""


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the reader's mail, how it went, why, and what may be written instead."""

    line: str
    verdict: str
    why: str
    done: bool
    ways: list[Option] = field(default_factory=list)

    @property
    def typed(self) -> str:
        """The suggestions for the text part; '' if the reason names them all."""
        words = [way.words for way in self.ways]
        if all(word in self.why for word in words):
            return ""
        return phrase("table.intro.instead_typed", orders=", ".join(words))


@dataclass(frozen=True, slots=True)
class Answered:
    """The reader's lines, and what came of each."""

    lines: Sequence[Said]

    @property
    def is_done(self) -> bool:
        """True if all was done, and there is nothing to add."""
        return all(line.done and not line.ways for line in self.lines)

    def text(self) -> str:
        said = "\n".join(map(_said_text, self.lines))
        return layout.titled(wording.ANSWERED, said) if any(line.line for line in self.lines) else said


def _said_text(said: Said) -> str:
    told = f'"{said.line}": {said.verdict} {said.why}' if said.line else said.why
    return "\n".join(filter(None, [layout.bullet(told), layout.below(said.typed) if said.typed else ""]))


def said_of(
    occasion: Occasion, below: Sequence[Option], to: ReplyTo, heard: Question | None = None
) -> list[Said]:
    """The reader's lines but those that felix `heard`; each way out is offered once, below the first that it
    helps.

    A whole hand is not shown twice: if it is among the likely answers `below`, that is enough. If felix
    asks something, the answers to that are the way out of what was not clear.
    """
    offered: set[Order] = set()
    shown = {option.words for option in below}
    said: list[Said] = []
    if occasion.answer is None:
        return said
    has_open = any(one.seat == occasion.game.seat for one in occasion.game.table.disputes)
    for line in occasion.answer.lines:
        if (heard is not None and any(line is one for one in heard.lines)) or line.why in _SHOWN:
            continue
        ways = _ways(occasion, line, is_asking=heard is not None and bool(heard.options))
        if len(ways) > _FEW:
            ways = [way for way in ways if str(way) not in shown]
        ways = [way for way in ways if way not in offered]
        offered |= set(ways)
        instead = [line.instead] if line.instead else []
        said.append(
            Said(
                one_line(line.text),
                took(line) if line.verdict == "taken" else wording.VERDICTS[line.verdict],
                "" if line.why == occasion.answer.asks_text else _why(line, has_open=has_open),
                line.verdict == "done",
                [to.option(way) for way in [*instead, *map(str, ways)]],
            )
        )
    return said


def _why(line: AnsweredLine, *, has_open: bool) -> str:
    why, how_on = one_line(line.why, _WHY_LIMIT), one_line(line.while_open, _WHY_LIMIT)
    return f"{why} {how_on}".rstrip() if has_open else why


def _ways(occasion: Occasion, line: AnsweredLine, *, is_asking: bool) -> list[Order]:
    """Return orders that may be written instead of a line that was not done."""
    game = occasion.game
    if line.code == STILL_STOPPED:
        return [Order("STATUS")]
    if line.code == "zone/nearest":
        return zones_near(line.text)
    if line.code in ("name/unknown", "name/ambiguous"):
        read = read_line(line.text)
        if isinstance(read, Order) and read.word in ("HOST", "UNINVITE"):
            return names_meant(game.table, game.seat, game.names, read.word)
    if line.code == CARD_TURNED:
        return []
    if line.verdict == "refused":
        return ways_out(
            game.table, game.seat, game.names, line.code, has_next=game.has_next, unasked=game.unasked
        )
    is_unclear = line.verdict in ("not understood", "ambiguous") and not is_asking
    return ways_on(game.table, game.seat, line.text, game.names) if is_unclear else []
