"""Which sentences felix's messages say, as plain text: the text part and the HTML part say the same words.

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
from felix_async.language.order import Order
from felix_async.language.phrases import phrase
from felix_async.language.proposed import proposed
from felix_async.language.words import WORD_OF
from felix_async.text import Harmless
from felix_events.model import Card
from felix_notifiers.content import deadline, lobby
from felix_notifiers.content.ending import Ending
from felix_notifiers.content.harmless import NAMELESS
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.standing import FIRST_ROUNDS, is_in, waiting
from felix_notifiers.content.suggestions import asked_again, is_welcome

LANGUAGE: Final[str] = table("mails.toml")["language"]
"""The language of the mails, as programs name it (BCP 47)."""
ANSWERED: Final = phrase("mails.headings.answered")
HISTORY: Final = phrase("mails.headings.history")
NEXT_UP: Final = phrase("mails.headings.at_once")
NEWS: Final = phrase("mails.headings.news")
SAID: Final = phrase("mails.headings.said")
SO_FAR: Final = phrase("mails.headings.so_far")
SACKS: Final = phrase("result.over.sacks")
MOMENTS: Final = phrase("result.share.heading")
HAND: Final = phrase("mails.headings.hand")
SCORE_HEADS: Final = (
    phrase("result.columns.cats"),
    phrase("result.columns.mice"),
    phrase("result.columns.total"),
)
HOLDING_HEADS: Final = (SCORE_HEADS[1], SCORE_HEADS[0], SCORE_HEADS[2])
ORDERS: Final = phrase("mails.headings.orders")
FORWARD: Final = phrase("lobby.forward.heading")
HIDDEN: Final = phrase("table.row.hidden")
MISSING: Final = phrase("table.row.missing")
VERDICTS: Final[Mapping[str, str]] = table("mails.toml")["verdicts"]
"""The verdicts on lines of a player's mail."""
INSTEAD: Final = phrase("table.intro.instead")
ORDERS_NOW: Final = phrase("mails.headings.orders_now")
ORDERS_ELSE: Final = phrase("mails.headings.orders_else")
_TIMELY: Final[frozenset[str]] = frozenset({"timed_out", "absent", "vote", "paused", "resumed"})
YES: Final = WORD_OF["YES"]
NO: Final = WORD_OF["NO"]
_PASS: Final = Order("PASS")


@dataclass(frozen=True, slots=True)
class Intro:
    """How to answer: by typing and by tapping, a note for both, which `other` bids there are, and what
    `limits` do.
    """

    write: str = ""
    tap: str = ""
    note: str = ""
    other: str = ""
    limits: str = ""


CONFIRM_INTRO: Final = Intro(phrase("table.intro.write_this"), phrase("table.intro.tap_this"))
WRITE_ALL: Final = phrase("table.intro.write_all")
TAP_ALL: Final = phrase("table.intro.tap_this")
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
        return []
    if "cancelled" in occasions:
        return [lobby.cancelled(game), *_instead(occasion), *_to_look_at(game)]
    if "withdrawn" in occasions:
        return [lobby.withdrawn(game), *_instead(occasion)]
    if "lobby" in occasions:
        return lobby.answers(occasion)
    if occasions & {"turn", "invitation", "reminder"}:
        if game.table.phase == "inviting":
            return []
        if not game.is_asked:
            return [waiting(game)]
        # The headline says what is asked already, unless something else is more pressing.
        is_headline = "turn" in occasions or "timed_out" not in occasions
        return [] if is_headline else [turn(game)]
    aside = {"answer", "newcomer", "turned_down", "disputed", "settled"}
    if occasions & aside or ("early" in occasions and game.is_early):
        return []
    return [] if occasions & {"news", "talk"} else [phrase("mails.opening.not_your_turn")]


def _instead(occasion: Occasion) -> list[str]:
    """Say what to play instead of a game without a result."""
    game = occasion.game
    if is_renewed(occasion):
        return [phrase("lobby.again.new", names=[game.names[seat] for seat in lobby.left_over(game)])]
    others = [game.names[seat] for seat in asked_again(game.table, game.seat, game.unasked)[1:]]
    if others:
        return [phrase("lobby.again.rematch", names=others)]
    is_host = game.table.host == game.seat
    return [phrase("lobby.again.unlike") if is_host else phrase("lobby.again.own_table")]


def is_renewed(occasion: Occasion) -> bool:
    """Return True if the host of a game that never began is offered a NEW for those who are left.

    The rematch of a game is asked for again by REMATCH.
    """
    game = occasion.game
    is_called_off = "cancelled" in occasion.kinds and game.sequel is None
    return is_called_off and bool(lobby.new_game(game))


def after_the_end(occasion: Occasion) -> list[str]:
    """Say how to play another game, with these players or with others."""
    game = occasion.game
    again = _again(game, asked_again(game.table, game.seat, game.unasked))
    return [again, *_to_look_at(game)]


def _to_look_at(game: Snapshot) -> list[str]:
    """Say how to get the whole game, if there is one."""
    return [phrase("result.after.replay")] if is_welcome(game.table, game.seat, Order("REPLAY")) else []


def file_of(ending: Ending) -> str:
    """Say where to find the file that proves the game."""
    return phrase("result.over.not_attached") if ending.export is None else phrase("result.over.attached")


def is_for_good(question: str) -> bool:
    """Return True if what is asked about cannot be taken back."""
    return question in _FOR_GOOD


def _again(game: Snapshot, asked: Sequence[int]) -> str:
    """Say how these players play another game, and who of them is not asked."""
    if not asked:
        return phrase("result.after.no_rematch")
    missing = [game.names[seat] for seat in game.table.players if seat not in asked]
    if not missing:
        return phrase("result.after.rematch")
    some = phrase("result.after.rematch_of_some", names=[game.names[seat] for seat in asked[1:]])
    return f"{some} {phrase('result.after.not_asked', names=missing, count=len(missing))}"


def turn(game: Snapshot) -> str:
    """Say what is asked of the reader now."""
    step = "placing" if game.table.phase == "placing" else "bidding"
    return phrase(f"mails.opening.turn_{step}", round=game.table.round, rounds=ROUNDS)


def intro(game: Snapshot, answers: int, words: int = 0) -> Intro:
    """Return how to answer, by the number of moves on offer, and of words beside them."""
    is_one = answers + words == 1
    write = phrase("table.intro.write_this") if is_one else phrase("table.intro.write_one")
    tap = phrase("table.intro.tap_this") if is_one else phrase("table.intro.tap")
    if answers and lobby.is_for_host_alone(game):
        return Intro(phrase("table.intro.write_as_host"), phrase("table.intro.tap_as_host"))
    if answers and game.table.phase == "inviting" and game.is_asked:
        return Intro(phrase("lobby.invitation.write"), phrase("lobby.invitation.tap"))
    if answers and game.is_early:
        return _early_intro(game)
    if answers and game.own.choices.plays:
        said = _said(Order("PLAY", card=_example(game.own.choices.plays)))
        tap = phrase("table.intro.tap_card", said=said)
        if is_known(game.table):
            return Intro(phrase("table.intro.write_known"), tap)
        return Intro(phrase("table.intro.own", said=said), tap, phrase("table.intro.exchange"))
    if answers and game.own.choices.may_pass:
        if game.own.choices.bids is None:
            return Intro(write, tap) if words else _pass_intro()
        least, most = game.own.choices.bids
        said = _said(Order("BID", amount=least), _PASS)
        if least == most:
            how = (
                phrase("table.intro.write_known")
                if is_known(game.table)
                else phrase("table.intro.own", said=said)
            )
            return Intro(how, phrase("table.intro.tap_all_in", said=said))
        other = phrase("table.intro.other_bids", most=most)
        tap = phrase("table.intro.tap_bid", least=least, most=most)
        if is_known(game.table):
            return Intro(phrase("table.intro.write_known"), tap, other=other)
        limits = phrase("table.early.limits")
        return Intro(phrase("table.intro.own", said=said), tap, other=other, limits=limits)
    return Intro(write, tap)


def is_known(table: View) -> bool:
    """Return True if the game goes on for so long that its reader knows how to answer."""
    return table.round > FIRST_ROUNDS


def _early_intro(game: Snapshot) -> Intro:
    """Return how to answer before it is the reader's turn, and how a limit goes."""
    bids = game.table.in_advance().bids
    if bids is None:
        return _pass_intro()
    limit = bids[1] if bids[0] == bids[1] else bids[0] + 1
    said = _said(Order("UPTO", limit=limit), _PASS)
    more = "_known" if is_known(game.table) else ""
    write, tap = (phrase(f"table.early.how.{how}{more}", said=said) for how in ("write", "tap"))
    return Intro(write, tap, limits="" if is_known(game.table) else phrase("table.early.limits"))


def _pass_intro() -> Intro:
    """Return how to pass, where nothing else is left."""
    said = _said(_PASS)
    return Intro(phrase("table.intro.own_pass", said=said), phrase("table.intro.tap_pass", said=said))


def _said(*orders: Order) -> str:
    """Return words for these orders that are as good as they are."""
    return ", ".join(f'"{proposed(order)}"' for order in orders)


def _example(cards: Sequence[Card]) -> Card:
    """One of these cards, a cat that is worth something if there is any."""
    return next((card for card in cards if isinstance(card, int) and card > 0), cards[0])


def _has_left(table: View) -> bool:
    """Return True if the reader has left for good."""
    return isinstance(table.viewer, int) and table.seats[table.viewer].gone


def _is_invited(table: View) -> bool:
    """Return True if the reader is to join: the mail offers what there is to ask."""
    return table.phase == "inviting" and table.viewer in table.asked


def footer(label: Harmless, table: View | None = None) -> str:
    """Which game this is, and what else its reader may ask of this table."""
    # A table without a name is called felix already, and needs no other felix before that.
    first, _, game_id = label.partition(" ")
    if first == NAMELESS and " " not in game_id:
        about = phrase("mails.frame.about_nameless", game_id=game_id)
    else:
        about = phrase("mails.frame.about", label=label)
    if table is None or table.is_over or not is_in(table) or _has_left(table) or _is_invited(table):
        return about
    if table.phase == "inviting":
        return f"{about} {phrase('mails.frame.footer_inviting')}"
    # The table's name stands at the top.
    game_id = label.rpartition(" ")[2]
    if is_known(table):
        return phrase("mails.frame.footer_known", game_id=game_id)
    return f"{phrase('mails.frame.about_nameless', game_id=game_id)} {phrase('mails.frame.footer_playing')}"
