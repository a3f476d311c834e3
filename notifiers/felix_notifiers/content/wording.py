"""Which sentences felix's mails say, as plain text: the text part and the HTML part say the same words.

The sentences themselves are in `mails.toml` of the language. Cards have a true minus sign here, which is read
aloud as one; the text part writes `-8`, as it is typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.game.cards import ROUNDS, card_text
from felix_async.game.views import View
from felix_async.language.data import table
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import WORD_OF
from felix_async.text import Harmless
from felix_events.model import Card
from felix_notifiers.content import deadline, lobby
from felix_notifiers.content.ending import Ending
from felix_notifiers.content.harmless import NAMELESS
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.standing import is_in, over, waiting
from felix_notifiers.content.suggestions import asked_again

LANGUAGE: Final[str] = table("mails.toml")["language"]
"""The language of the mails, as programs name it (BCP 47)."""
ANSWERED: Final = phrase("mails.headings.answered")
HISTORY: Final = phrase("mails.headings.history")
NEXT_UP: Final = phrase("mails.headings.at_once")
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
LIMITS: Final = phrase("mails.early.limits")
VERDICTS: Final[Mapping[str, str]] = table("mails.toml")["verdicts"]
"""The verdicts on lines of a player's mail."""
INSTEAD: Final = phrase("mails.intro.instead")
ORDERS_NOW: Final = phrase("mails.headings.orders_now")
ORDERS_ELSE: Final = phrase("mails.headings.orders_else")
_TIMELY: Final[frozenset[str]] = frozenset({"timed_out", "absent", "vote", "paused", "resumed"})
TO_NOBODY: Final = phrase("mails.frame.host")
"""The greeting without a name, which is not known or not to be told."""
YES: Final = WORD_OF["YES"]
NO: Final = WORD_OF["NO"]


@dataclass(frozen=True, slots=True)
class Intro:
    """The lines over the answers: for those who type, for those who tap, and a note for both."""

    write: str = ""
    tap: str = ""
    note: str = ""


CONFIRM_INTRO: Final = Intro(phrase("mails.intro.write_this"), phrase("mails.intro.tap_this"))
WRITE_ALL: Final = phrase("mails.intro.write_all")
TAP_ALL: Final = phrase("mails.intro.tap_this")
_FOR_GOOD: Final = frozenset({phrase("people.sure.resign"), phrase("people.sure.forget")})


# ---- what a mail is about ---------------------------------------------------------------------------


def opening(occasion: Occasion) -> list[str]:
    """The paragraphs that a mail begins with."""
    game = occasion.game
    timely, rest = deadline.opening(occasion), _opening(occasion)
    if timely and not occasion.kinds - _TIMELY:
        rest = [turn(game)] if "resumed" in occasion.kinds and game.is_asked else []
    return [*timely, *rest]


def _opening(occasion: Occasion) -> list[str]:
    game = occasion.game
    occasions = occasion.kinds
    if "result" in occasions:
        other = lobby.is_other_edition(game.table)
        rules = [phrase("mails.opening.played_by", edition=lobby.edition(game.table))] if other else []
        return [over(game), *rules, phrase("mails.opening.thanks")]
    if "cancelled" in occasions:
        return [lobby.cancelled(game), *_instead(occasion)]
    if "withdrawn" in occasions:
        return [lobby.withdrawn(game), *_instead(occasion)]
    if "lobby" in occasions:
        return lobby.answers(occasion)
    reminded = "reminder" in occasions and not occasions & {"turn", "invitation"}
    if occasions & {"turn", "invitation", "reminder"}:
        lost = deadline.reminder(occasion) if reminded else []
        if game.table.phase == "inviting":
            return [*lost, *lobby.invitation(occasion)]
        if not game.is_asked:
            return [waiting(game)]
        # The headline says what is asked already, unless something else is more pressing.
        is_headline = "turn" in occasions or "timed_out" not in occasions
        return lost if is_headline else [*lost, turn(game)]
    if occasions & {"answer", "newcomer", "turned_down"} or ("early" in occasions and game.is_early):
        return []
    if "news" in occasions and game.table.is_over:
        return [phrase("mails.opening.said")]
    return [phrase("mails.opening.news") if "news" in occasions else phrase("mails.opening.not_your_turn")]


def _instead(occasion: Occasion) -> list[str]:
    """Say what to play instead of a game without a result."""
    game = occasion.game
    if is_renewed(occasion):
        return [phrase("mails.opening.again", names=[game.names[seat] for seat in lobby.left_over(game)])]
    others = [game.names[seat] for seat in asked_again(game.table, game.seat, game.unasked)[1:]]
    if others:
        return [phrase("mails.opening.try_again", names=others)]
    is_host = game.table.host == game.seat
    return [phrase("mails.opening.again_unlike") if is_host else phrase("mails.opening.own_table")]


def is_renewed(occasion: Occasion) -> bool:
    """Return True if the host of a game that never began is offered a NEW for those who are left.

    The rematch of a game is asked for again by REMATCH.
    """
    game = occasion.game
    is_called_off = "cancelled" in occasion.kinds and game.sequel is None
    return is_called_off and bool(lobby.new_game(game))


def greeting(name: str) -> str:
    """The first line of a mail."""
    return phrase("mails.frame.greeting", name=name)


def after_the_end(occasion: Occasion) -> list[str]:
    """Say how to play another game, with these players or with others."""
    game = occasion.game
    return [_again(game, asked_again(game.table, game.seat, game.unasked))]


def file_of(ending: Ending) -> str:
    """Say where to find the file that proves the game."""
    return phrase("mails.opening.not_attached") if ending.export is None else phrase("mails.opening.attached")


def is_for_good(question: str) -> bool:
    """Return True if what is asked about cannot be taken back."""
    return question in _FOR_GOOD


def _again(game: Snapshot, asked: Sequence[int]) -> str:
    """Say how these players play another game, and who of them is not asked."""
    if not asked:
        return phrase("mails.opening.no_rematch")
    missing = [game.names[seat] for seat in game.table.players if seat not in asked]
    if not missing:
        return phrase("mails.opening.rematch")
    some = phrase("mails.opening.rematch_of_some", names=[game.names[seat] for seat in asked[1:]])
    return f"{some} {phrase('mails.opening.not_asked', names=missing, count=len(missing))}"


def turn(game: Snapshot) -> str:
    """Say what is asked of the reader now."""
    step = "placing" if game.table.phase == "placing" else "bidding"
    return phrase(f"mails.opening.turn_{step}", round=game.table.round, rounds=ROUNDS)


def intro(game: Snapshot, answers: int, yes_no: int = 0) -> Intro:
    """Return how to answer, by the number of answers on offer."""
    is_one = answers + yes_no == 1
    write = phrase("mails.intro.write_this") if is_one else phrase("mails.intro.write_one")
    if answers and not yes_no and lobby.is_for_host_alone(game):
        return Intro(phrase("mails.intro.write_as_host"), phrase("mails.intro.tap_as_host"))
    if answers and not yes_no and game.table.phase == "inviting" and game.is_asked:
        return Intro(phrase("mails.intro.own_join"), phrase("mails.intro.tap_join"))
    if answers and not yes_no and game.is_early:
        return _early_intro(game)
    if answers and not yes_no and game.own.choices.plays:
        card = card_text(_example(game.own.choices.plays))
        write, tap = phrase("mails.intro.own_card", card=card), phrase("mails.intro.tap_card", card=card)
        return Intro(write, tap, phrase("mails.intro.exchange"))
    if answers and not yes_no and game.own.choices.may_pass:
        if game.own.choices.bids is None:
            return Intro(phrase("mails.intro.own_pass"), phrase("mails.intro.tap_pass"))
        bid = str(game.own.choices.bids[0])
        return Intro(phrase("mails.intro.own_bid", bid=bid), phrase("mails.intro.tap_bid", bid=bid))
    return Intro(write, phrase("mails.intro.tap_this") if is_one else phrase("mails.intro.tap"))


def _early_intro(game: Snapshot) -> Intro:
    """Return how to answer before it is the reader's turn, and how a limit goes."""
    bids = game.table.in_advance().bids
    if bids is None:
        return Intro(phrase("mails.intro.own_pass"), phrase("mails.intro.tap_pass"))
    limit = bids[1] if bids[0] == bids[1] else bids[0] + 1
    write, tap = (phrase(f"mails.early.how.{how}", limit=limit) for how in ("write", "tap"))
    return Intro(write, tap, phrase("mails.early.note", order=str(Order("UPTO", limit=limit)), limit=limit))


def _example(cards: Sequence[Card]) -> Card:
    """One of these cards, a cat that is worth something if there is any."""
    return next((card for card in cards if isinstance(card, int) and card > 0), cards[0])


def _has_left(table: View) -> bool:
    """Return True if the reader has left for good."""
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
