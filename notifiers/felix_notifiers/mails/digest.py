"""One mail about several games: a part for each, the most urgent first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from felix_async.language.phrases import phrase
from felix_async.time.times import day_text
from felix_notifiers.content import wording
from felix_notifiers.content.answers import Answers, Question
from felix_notifiers.content.block import Block
from felix_notifiers.content.harmless import NAMELESS
from felix_notifiers.content.mail import Mail, Section
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.subjects import subject_of
from felix_notifiers.content.table import Hand, Table
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.plain import NO_GAME

_NO_HURRY: Final = "9999"
"""Sorts behind every time."""
MOST_GAMES: Final = 6
"""Games of one digest: webmail cuts off what is longer."""


def digest_of(
    occasions: Sequence[Occasion], now: str, others: Sequence[str] = (), number: int = 1, count: int = 1
) -> Mail:
    """The sections of several mails, the `number`th digest of `count` on that day.

    The answer to it is about the game of the first occasion; `others` are lines about other tables.
    """
    first = occasions[0].game
    turns = sum(_is_turn(occasion) for occasion in occasions)
    day = day_text(now, first.zone)
    if count > 1:
        topic = phrase("mails.digest.numbered", day=day, number=number, count=count)
    else:
        topic = phrase("mails.digest.subject", day=day)
    reply = phrase("mails.digest.reply", label=first.label)
    if not turns:
        reply = phrase("mails.digest.reply_done", label=first.label)
    told = [phrase("mails.digest.tables", tables=len(occasions)), *_turns(occasions)]
    sections: list[Section] = [
        Head(topic, wording.greeting(first.name)),
        Opening([" ".join(told), reply]),
        *([Block(phrase("mails.digest.others"), lines=others)] if others else []),
        *NO_GAME,
        Answers(),
    ]
    for occasion in occasions:
        game = occasion.game
        sections += [_as_part(one, game, is_first=game is first) for one in mail_of(occasion).sections]
    return Mail(subject_of(NAMELESS, topic), sections, phrase("mails.frame.about_several"))


def turn_first(occasion: Occasion) -> tuple[bool, bool, str]:
    """The key to sort by: games that wait for the reader, by when the time is up, then those that will."""
    return not _is_turn(occasion), not _is_early(occasion), _due_at(occasion.game)


def _due_at(game: Snapshot) -> str:
    """Until when the reader has time without touching a reserve that is not running yet."""
    deadline = game.table.seats[game.seat].time.deadline
    if deadline is None or game.table.paused_until:
        return _NO_HURRY
    return deadline.reserve_from if game.now < deadline.reserve_from else deadline.at


def _is_turn(occasion: Occasion) -> bool:
    return occasion.game.seat in occasion.game.table.asked


def _is_early(occasion: Occasion) -> bool:
    return "early" in occasion.kinds and occasion.game.is_early


def _turns(occasions: Sequence[Occasion]) -> Iterator[str]:
    turns, early = sum(map(_is_turn, occasions)), sum(map(_is_early, occasions))
    if turns > 1:
        yield phrase("mails.digest.turns", turns=turns)
    else:
        yield phrase("mails.digest.one_turn" if turns else "mails.digest.no_turn")
    if early:
        yield phrase("mails.digest.early", tables=early)


def _as_part(section: Section, game: Snapshot, *, is_first: bool) -> Section:
    """A section below the title of its game, without drawings, and with the address for typed answers."""
    write = phrase(f"mails.digest.write_{'here' if is_first else 'to'}", address=game.reply_address)
    match section:
        case Head():
            title = phrase("mails.digest.title", label=game.label, topic=section.headline)
            return replace(section, title=title, greeting="", marker="")
        case Question():
            return replace(section, intro=replace(section.intro, write=write))
        case Answers():
            return replace(section.bare(), intro=replace(section.intro, write=write))
        case Table() | Hand():
            return section.bare()
        case _:
            return section
