"""One mail about several games: a part for each, the most urgent first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from felix_async.language.phrases import phrase
from felix_async.time.times import day_text
from felix_notifiers.content.harmless import NAMELESS, table_label
from felix_notifiers.content.sheet import Block, Sheet
from felix_notifiers.content.subjects import subject_of
from felix_notifiers.pages.page import Page, page_of

_NO_HURRY: Final = "9999"
"""Sorts behind every time."""
MOST_GAMES: Final = 6
"""Games of one digest: webmail cuts off what is longer."""


def digest_of(
    sheets: Sequence[Sheet], now: str, others: Sequence[str] = (), number: int = 1, count: int = 1
) -> Page:
    """The page of a digest, the `number`th of `count` on that day; `others` are lines about other tables.

    The answer to it is about the game of the first sheet.
    """
    pages = [page_of(sheet) for sheet in sheets]
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
    return Page(
        subject=subject_of(NAMELESS, topic),
        headline=topic,
        greeting=pages[0].greeting,
        opening=[f"{phrase('mails.digest.tables', tables=len(sheets))} {_turns(turns)}", reply],
        footer=phrase("mails.frame.about_several"),
        blocks=[Block(phrase("mails.digest.others"), lines=others)] if others else [],
        games=[
            _block(page, sheet, is_first=place == 0)
            for place, (page, sheet) in enumerate(zip(pages, sheets, strict=True))
        ],
    )


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


def _bare(page: Page) -> Page:
    """The page without drawings, which weigh more than all the words."""
    return replace(
        page,
        row=[replace(place, face=replace(place.face, bare=True)) for place in page.row],
        hand=[replace(face, bare=True) for face in page.hand],
        mouse_cards=[replace(card, picture=None) for card in page.mouse_cards],
        options=[
            option if option.face is None else replace(option, face=replace(option.face, bare=True))
            for option in page.options
        ],
    )


def _block(page: Page, sheet: Sheet, *, is_first: bool) -> Page:
    """A mail as a part of another: who types an answer must know where to send it."""
    address = sheet.reply_address
    if is_first:
        write = phrase("mails.digest.write_here", address=address)
    else:
        write = phrase("mails.digest.write_to", address=address)
    return replace(
        _bare(page),
        title=phrase(
            "mails.digest.title", label=table_label(sheet.table_name, sheet.game_id), topic=page.headline
        ),
        greeting="",
        footer="",
        marker="",
        intro=replace(page.intro, write=write) if page.options or page.yes_no else page.intro,
    )
