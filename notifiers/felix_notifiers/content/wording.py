"""Which sentences felix's mails say, as plain text: the text part and the HTML part say the same words.

The sentences themselves are in `mails.toml` of the language. Cards have a true minus sign here, which is read
aloud as one; the text part writes `-8`, as it is typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.game.cards import ROUNDS
from felix_async.game.views import View
from felix_async.language.data import table
from felix_async.language.phrases import phrase
from felix_async.language.words import WORD_OF
from felix_async.text import Harmless
from felix_notifiers.content import deadline, lobby
from felix_notifiers.content.ending import Ending
from felix_notifiers.content.harmless import NAMELESS
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Sheet
from felix_notifiers.content.standing import is_in, over, waiting
from felix_notifiers.content.suggestions import asked_again

LANGUAGE: Final[str] = table("mails.toml")["language"]
"""What programs call the language of the mails (BCP 47)."""
ANSWERED: Final = phrase("mails.headings.answered")
HISTORY: Final = phrase("mails.headings.history")
NEWS: Final = phrase("mails.headings.news")
SAID: Final = phrase("mails.headings.said")
SO_FAR: Final = phrase("mails.headings.so_far")
SACKS: Final = phrase("mails.headings.sacks")
HANDS: Final = phrase("mails.headings.hands")
HAND: Final = phrase("mails.headings.hand")
BOXED: Final = phrase("mails.ending.boxed")
SCORES: Final = phrase("mails.headings.scores")
SCORE_HEADS: Final = (
    phrase("mails.columns.rank"),
    phrase("mails.columns.player"),
    phrase("mails.columns.cats"),
    phrase("mails.columns.mice"),
    phrase("mails.columns.total"),
)
MOUSE_CARDS: Final = phrase("mails.money.mouse_cards")
TAKEN: Final = phrase("mails.money.taken")
ORDERS: Final = phrase("mails.headings.orders")
FORWARD: Final = phrase("mails.headings.forward")
HIDDEN: Final = phrase("mails.row.hidden")
MISSING: Final = phrase("mails.row.missing")
VERDICTS: Final[Mapping[str, str]] = table("mails.toml")["verdicts"]
"""How a line of the player's mail went."""
INSTEAD: Final = phrase("mails.intro.instead")
ORDERS_NOW: Final = phrase("mails.headings.orders_now")
ORDERS_ELSE: Final = phrase("mails.headings.orders_else")
_TIMELY: Final[frozenset[str]] = frozenset({"timed_out", "absent", "vote", "paused", "resumed"})
TO_NOBODY: Final = phrase("mails.frame.host")
"""The greeting to somebody whose name is not known, or nobody's business."""
YES: Final = WORD_OF["YES"]
NO: Final = WORD_OF["NO"]


@dataclass(frozen=True, slots=True)
class Intro:
    """What stands over the answers: for those who type, for those who tap, and a note for both."""

    write: str = ""
    tap: str = ""
    note: str = ""


CONFIRM_INTRO: Final = Intro(phrase("mails.intro.write_this"), phrase("mails.intro.tap_this"))
WRITE_ALL: Final = phrase("mails.intro.write_all")
TAP: Final = phrase("mails.intro.tap")
TAP_ALL: Final = phrase("mails.intro.tap_this")
_FOR_GOOD: Final = frozenset({phrase("people.sure.resign"), phrase("people.sure.forget")})


# ---- what a mail is about ---------------------------------------------------------------------------


def opening(scene: Scene, sheet: Sheet) -> list[str]:
    """The paragraphs that a mail begins with."""
    timely, rest = deadline.opening(scene, sheet), _opening(scene, sheet)
    if timely and not sheet.occasions - _TIMELY:
        rest = [turn(scene)] if "resumed" in sheet.occasions and scene.is_asked else []
    return [*timely, *rest]


def _opening(scene: Scene, sheet: Sheet) -> list[str]:
    occasions = sheet.occasions
    if "result" in occasions:
        other = lobby.is_other_edition(scene.table)
        rules = [phrase("mails.opening.played_by", edition=lobby.edition(scene.table))] if other else []
        return [over(scene), *rules, phrase("mails.opening.thanks")]
    if "cancelled" in occasions:
        return [lobby.cancelled(scene), *_instead(scene, sheet)]
    if "withdrawn" in occasions:
        return [lobby.withdrawn(scene), *_instead(scene, sheet)]
    if "lobby" in occasions:
        return lobby.answers(scene, sheet)
    reminded = "reminder" in occasions and not occasions & {"turn", "invitation"}
    if occasions & {"turn", "invitation", "reminder"}:
        lost = deadline.reminder(scene, sheet) if reminded else []
        if scene.table.phase == "inviting":
            return [*lost, *lobby.invitation(scene, sheet)]
        if not scene.is_asked:
            return [waiting(scene, sheet.since)]
        # What is asked stands over the mail already, unless something else is more pressing.
        is_headline = "turn" in occasions or "timed_out" not in occasions
        return lost if is_headline else [*lost, turn(scene)]
    if "answer" in occasions or occasions & {"newcomer", "turned_down"}:
        return []
    if "news" in occasions and scene.table.is_over:
        return [phrase("mails.opening.said")]
    return [phrase("mails.opening.news") if "news" in occasions else phrase("mails.opening.not_your_turn")]


def _instead(scene: Scene, sheet: Sheet) -> list[str]:
    """What to play where a game came to nothing, or has no result."""
    if is_renewed(scene, sheet):
        return [phrase("mails.opening.again", names=[scene.names[seat] for seat in lobby.left_over(scene)])]
    others = [scene.names[seat] for seat in asked_again(scene.table, scene.seat, sheet.unasked)[1:]]
    if others:
        return [phrase("mails.opening.try_again", names=others)]
    is_host = scene.table.host == scene.seat
    return [phrase("mails.opening.again_unlike") if is_host else phrase("mails.opening.own_table")]


def is_renewed(scene: Scene, sheet: Sheet) -> bool:
    """Whether the host of a game that came to nothing is offered a NEW for those who are left.

    The rematch of a game is asked for again by REMATCH.
    """
    is_called_off = "cancelled" in sheet.occasions and sheet.sequel is None
    return is_called_off and bool(lobby.new_game(scene, "", sheet.names))


def greeting(name: str) -> str:
    """The first line of a mail."""
    return phrase("mails.frame.greeting", name=name)


def after_the_end(scene: Scene, sheet: Sheet) -> list[str]:
    """What comes next: another game, of these players or of others."""
    return [_again(scene, asked_again(scene.table, scene.seat, sheet.unasked))]


def file_of(ending: Ending) -> str:
    """Where the file is that proves the game."""
    return phrase("mails.opening.attached") if ending.is_attached else phrase("mails.opening.not_attached")


def is_for_good(question: str) -> bool:
    """Whether what is asked about cannot be taken back."""
    return question in _FOR_GOOD


def _again(scene: Scene, asked: Sequence[int]) -> str:
    """How these players play another game, and who of them is not asked."""
    if not asked:
        return phrase("mails.opening.no_rematch")
    missing = [scene.names[seat] for seat in scene.table.players if seat not in asked]
    if not missing:
        return phrase("mails.opening.rematch")
    some = phrase("mails.opening.rematch_of_some", names=[scene.names[seat] for seat in asked[1:]])
    return f"{some} {phrase('mails.opening.not_asked', names=missing, count=len(missing))}"


def turn(scene: Scene) -> str:
    """What is asked of the reader now."""
    step = "placing" if scene.table.phase == "placing" else "bidding"
    return phrase(f"mails.opening.turn_{step}", round=scene.table.round, rounds=ROUNDS)


def intro(scene: Scene, answers: int, yes_no: int = 0) -> Intro:
    """How to answer, where so many answers are offered."""
    is_one = answers + yes_no == 1
    write = phrase("mails.intro.write_this") if is_one else phrase("mails.intro.write_one")
    if answers and not yes_no and lobby.is_for_host_alone(scene):
        return Intro(phrase("mails.intro.write_as_host"), phrase("mails.intro.tap_as_host"))
    if scene.table.phase == "placing" and answers:
        return Intro(write, phrase("mails.intro.tap_card"), phrase("mails.intro.exchange"))
    return Intro(write, phrase("mails.intro.tap_this") if is_one else phrase("mails.intro.tap"))


def _has_left(table: View) -> bool:
    """Whether the reader has left for good."""
    return isinstance(table.viewer, int) and table.seats[table.viewer].gone


def footer(label: Harmless, table: View | None = None) -> str:
    """Which game this is, and what else its reader may ask of this table."""
    # A table without a name is called felix already, and needs no other felix before that.
    first, _, game_id = label.partition(" ")
    if first == NAMELESS and " " not in game_id:
        about = phrase("mails.frame.about_nameless", game_id=game_id)
    else:
        about = phrase("mails.frame.about", label=label)
    if table is None or table.is_over or not is_in(table) or _has_left(table):
        return about
    step = "inviting" if table.phase == "inviting" else "playing"
    return f"{about} {phrase(f'mails.frame.footer_{step}')}"
