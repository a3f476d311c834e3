"""What a mail offers to answer, to type or to tap."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from felix_async.language.grammar import Order
from felix_async.language.words import WORD_OF
from felix_notifiers.content import deadline, lobby, wording
from felix_notifiers.content.harmless import table_name
from felix_notifiers.content.moves import exchanges, link_for, mailto, may_exchange, moves_of
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Sheet
from felix_notifiers.content.suggestions import asked_again
from felix_notifiers.content.wording import is_renewed
from felix_notifiers.pages.drawing import Face, face_of
from felix_notifiers.pages.sections import Section, is_for_host, is_over


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to type or to tap; `face` where it places a card.

    `is_aside` says that nobody waits for it, so that it is not the answer to tap before all others.
    """

    words: str
    url: str
    face: Face | None
    is_aside: bool = False


def options_of(sheet: Sheet, scene: Scene, show: Set[Section], subject: str) -> list[Option]:
    """What the reader may answer, the most likely first."""
    if "moves" not in show or is_for_good(sheet):
        return []
    address = sheet.reply_address
    moves = moves_of(scene.table, scene.seat, address, subject)
    if "timed_out" in sheet.occasions and may_exchange(scene):
        moves += [link_for(order, address, subject) for order in exchanges(scene)]
    if (
        is_over(sheet)
        and not is_renewed(scene, sheet)
        and asked_again(scene.table, scene.seat, sheet.unasked)
    ):
        moves.append(link_for(Order("REMATCH"), address, subject))
    if is_for_host(sheet, scene):
        moves += [link_for(order, address, subject) for order in lobby.host_orders(scene)]
    is_aside = lobby.is_for_host_alone(scene)
    options = [
        Option(move.words, move.url, None if move.card is None else face_of(move.card), is_aside)
        for move in moves
    ]
    if is_renewed(scene, sheet):
        again = lobby.new_game(scene, table_name(sheet.table_name), sheet.names)
        options.append(word_option(again, address, subject))
    return options


def words_of(sheet: Sheet, scene: Scene, subject: str) -> list[Option]:
    """YES and NO, where the answer to a mail asks something back; and what to write where players vote, where
    the game pauses, or where the computer plays for the reader.
    """
    words: list[str] = []
    if is_asking(sheet):
        words += [wording.NO, wording.YES] if is_for_good(sheet) else [wording.YES, wording.NO]
    if "vote" in sheet.occasions:
        words += [deadline.BALLOTS[vote.on] for vote in deadline.asked_of(scene)]
    if deadline.is_paused(scene) and not words:
        words.append(deadline.RESUME)
    if sheet.lapses and scene.table.seats[scene.seat].computer and not scene.table.is_over:
        words.append(WORD_OF["STATUS"])
    return [word_option(word, sheet.reply_address, subject) for word in words]


def is_asking(sheet: Sheet) -> bool:
    """Whether the answer to a mail asks something back."""
    return sheet.answer is not None and bool(sheet.answer.asks)


def is_for_good(sheet: Sheet) -> bool:
    """Whether it asks about something that cannot be taken back."""
    return sheet.answer is not None and is_asking(sheet) and wording.is_for_good(sheet.answer.asks_text)


def word_option(word: str, address: str, subject: str) -> Option:
    return Option(word, mailto(address, subject, word), None)


def intro_of(scene: Scene, options: list[Option], yes_no: list[Option]) -> wording.Intro:
    """How to answer; an answer of several lines is the only one."""
    intro = wording.intro(scene, len(options), len(yes_no))
    is_long = any("\n" in option.words for option in options)
    return replace(intro, write=wording.WRITE_ALL, tap=wording.TAP_ALL) if is_long else intro
