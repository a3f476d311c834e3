"""One mail about several games: a part for each, the most urgent first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from felix_async.language.phrases import phrase
from felix_async.time.times import day_text
from felix_notifiers.content.answers import Answers, Question
from felix_notifiers.content.block import Block
from felix_notifiers.content.harmless import NAMELESS, table_label
from felix_notifiers.content.mail import Mail, Section
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.content.sheet import Sheet
from felix_notifiers.content.subjects import subject_of
from felix_notifiers.content.table import Hand, Table
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.plain import NO_GAME

_NO_HURRY: Final = "9999"
"""Sorts behind every time."""
MOST_GAMES: Final = 6
"""Games of one digest: webmail cuts off what is longer."""


def digest_of(
    sheets: Sequence[Sheet], now: str, others: Sequence[str] = (), number: int = 1, count: int = 1
) -> Mail:
    """The sections of several mails, the `number`th digest of `count` on that day; `others` are lines about
    other tables.

    The answer to it is about the game of the first sheet.
    """
    turns = sum(_is_turn(sheet) for sheet in sheets)
    label = table_label(sheets[0].table_name, sheets[0].game_id)
    day = day_text(now, sheets[0].zone)
    if count > 1:
        topic = phrase("mails.digest.numbered", day=day, number=number, count=count)
    else:
        topic = phrase("mails.digest.subject", day=day)
    reply = (
        phrase("mails.digest.reply", label=label) if turns else phrase("mails.digest.reply_done", label=label)
    )
    mails = [mail_of(sheet) for sheet in sheets]
    greeting = next(section.greeting for section in mails[0].sections if isinstance(section, Head))
    sections: list[Section] = [
        Head(topic, greeting),
        Opening([f"{phrase('mails.digest.tables', tables=len(sheets))} {_turns(turns)}", reply]),
        *([Block(phrase("mails.digest.others"), lines=others)] if others else []),
        *NO_GAME,
        Answers(),
    ]
    for mail, sheet in zip(mails, sheets, strict=True):
        sections += [_as_part(section, sheet, is_first=sheet is sheets[0]) for section in mail.sections]
    return Mail(subject_of(NAMELESS, topic), sections, phrase("mails.frame.about_several"))


def turn_first(sheets: Sequence[Sheet]) -> list[int]:
    """The places of the sheets: where it is the reader's turn first, by when its time is up."""
    return sorted(range(len(sheets)), key=lambda place: (not _is_turn(sheets[place]), _due_at(sheets[place])))


def _due_at(sheet: Sheet) -> str:
    """Until when the reader has time without touching a reserve that is not running yet."""
    seat = sheet.table.viewer
    deadline = sheet.table.seats[seat].time.deadline if isinstance(seat, int) else None
    if deadline is None or sheet.table.paused_until:
        return _NO_HURRY
    return deadline.reserve_from if sheet.now < deadline.reserve_from else deadline.at


def _is_turn(sheet: Sheet) -> bool:
    return sheet.table.viewer in sheet.table.asked


def _turns(turns: int) -> str:
    if not turns:
        return phrase("mails.digest.no_turn")
    return phrase("mails.digest.one_turn") if turns == 1 else phrase("mails.digest.turns", turns=turns)


def _as_part(section: Section, sheet: Sheet, *, is_first: bool) -> Section:
    """A section below the title of its game, without drawings; it says where to send a typed answer."""
    write = phrase(f"mails.digest.write_{'here' if is_first else 'to'}", address=sheet.reply_address)
    match section:
        case Head():
            label = table_label(sheet.table_name, sheet.game_id)
            title = phrase("mails.digest.title", label=label, topic=section.headline)
            return replace(section, title=title, greeting="", marker="")
        case Question():
            return replace(section, intro=replace(section.intro, write=write))
        case Answers():
            return replace(section.bare(), intro=replace(section.intro, write=write))
        case Table() | Hand():
            return section.bare()
        case _:
            return section
