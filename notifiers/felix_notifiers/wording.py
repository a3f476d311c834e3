"""Every sentence of felix's mails, as plain text: the text part and the HTML part say the same words.

Cards have a true minus sign here, which is read aloud as one; the text part writes `-8`, as it is typed.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from felix_async.game.cards import ROUNDS, cat_points
from felix_async.game.view import SeatView, View
from felix_async.replay import card_list, mice_text
from felix_async.words import HELP
from felix_events.store.rows import NoticeKind
from felix_notifiers.scene import Scene, first_capital, joined

ANSWERED: Final = "What you wrote, and what came of it"
HISTORY: Final = "Since your last move"
HAND: Final = "Your hand"
SCORES: Final = "The result"
SCORE_HEADS: Final = ("Player", "Cats", "Mice", "Total")
ROW_HEADS: Final = ("Card", "Whose", "Auction")
ORDERS: Final = "All orders"
HIDDEN: Final = "face down"
MISSING: Final = "no card yet"
VERDICTS: Final = {
    "done": "Done.",
    "refused": "Not done.",
    "asked": "Not done yet.",
    "not understood": "Not understood.",
    "ambiguous": "Not clear.",
    "ignored": "Left aside.",
}
"""How a line of the player's mail went."""
YES: Final = "YES"
NO: Final = "NO"


@dataclass(frozen=True, slots=True)
class Intro:
    """What stands over the answers: for those who type, for those who tap, and a note for both."""

    write: str = ""
    tap: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Help:
    """The orders, each with what it does, and what stands before and after them."""

    before: str
    groups: list[list[tuple[str, str]]]
    after: str

    @property
    def orders(self) -> list[tuple[str, str]]:
        """All of them, without the gaps between what belongs together."""
        return [order for group in self.groups for order in group]


ASK_INTRO: Final = Intro(
    "If it was you, answer this mail with this line:",
    "If it was you, tap YES, then send the mail that opens. Or answer this mail with that one word.",
)


def _help() -> Help:
    before, *groups, after = HELP.strip().split("\n\n")
    return Help(before, [_orders(group) for group in groups], after)


def _orders(group: str) -> list[tuple[str, str]]:
    pairs = [line.strip().partition("  ") for line in group.splitlines()]
    return [(order, meaning.strip()) for order, _, meaning in pairs]


HELP_LINES: Final = _help()


# ---- what a mail is about ---------------------------------------------------------------------------


def opening(scene: Scene, table_name: str, occasions: Set[NoticeKind]) -> list[str]:
    """The paragraphs that a mail begins with."""
    if "result" in occasions:
        return [f"The game is over, and {winners(scene)}", "Thank you for playing."]
    if "cancelled" in occasions:
        return [cancelled(scene)]
    reminded = "reminder" in occasions and not occasions & {"turn", "invitation"}
    if occasions & {"turn", "invitation", "reminder"}:
        lost = ["This is a reminder, in case the first mail got lost."] if reminded else []
        if scene.table.phase == "inviting":
            return [*lost, *invitation(scene, table_name)]
        return [*lost, turn(scene)] if scene.is_asked else [waiting(scene)]
    if "answer" in occasions:
        return []
    return ["It is not your turn just now."]


def invitation(scene: Scene, table_name: str) -> list[str]:
    """Who plays, what Felix is, and what an answer means."""
    called = f" The table is called {table_name}." if table_name else ""
    return [
        f"You are invited to a game of Felix: The Cat in the Sack, with {joined(scene.others)}.{called}",
        "There are nine rounds. In each of them everybody puts one card face down into the row: a good"
        " cat, a bad cat, a rabbit or a dog. The cards are turned over one at a time, while you bid mice"
        " for all of them together, or pass and take a few mice instead. In the end cats and mice count,"
        " and the most points win.",
        "You play by mail: whenever it is your turn you get a mail, and answer it with one line. There is"
        " no hurry and nothing to install.",
        "The game starts when everybody has joined, and does not take place if anybody declines. After"
        " JOIN you may add a few words of your own: they are mixed into the draw of the cards.",
        f"My own part in that draw is sealed as {scene.table.commitment}. After the game it is opened; keep"
        " this mail if you would like to check it then.",
    ]


def was_that_you(address: str, *, is_theirs: bool) -> list[str]:
    """A mail for the reader's seat came from somewhere else, or nobody vouches for where it came from."""
    if is_theirs:
        return [
            f"A mail for your seat at this table came under your address {address}, but my mail server could"
            " not confirm that it really came from there. So nothing was done.",
            "If you wrote it, answer YES: then I do what it says.",
            "If you did not, you need not do anything. Without a YES from you nothing will happen.",
        ]
    return [
        f"A mail for your seat at this table came from {address}, and I do not know that address as yours."
        " So nothing was done.",
        "If you wrote it, answer YES from an address that I know: then I do what it says, and you may write"
        " from there from now on.",
        "If you did not, you need not do anything. Without a YES from you nothing will happen.",
    ]


def turn(scene: Scene) -> str:
    """What is asked of the reader now."""
    table = scene.table
    asked = (
        "choose a card for the row, face down" if table.phase == "placing" else "bid for the sack, or pass"
    )
    return f"It is your turn in round {table.round} of {ROUNDS}: {asked}."


def cancelled(scene: Scene) -> str:
    """Why there is no game; who declined is no secret."""
    decliners = [seat.seat for seat in scene.table.seats if seat.answer == "declined"]
    if not decliners:
        return "The game does not take place."
    return f"{first_capital(scene.everyone(decliners))} declined, so the game does not take place."


def winners(scene: Scene) -> str:
    """`Ben won.`, within a sentence."""
    who = scene.everyone(scene.table.winners)
    return f"{who} share the win." if len(scene.table.winners) > 1 else f"{who} won."


def tie(scene: Scene) -> str:
    """How a tie was decided, where there was one."""
    totals = [score.total for score in scene.table.scores if score is not None]
    if not totals or totals.count(max(totals)) == 1:
        return ""
    if totals.count(max(totals)) == len(scene.table.winners):
        return "Their totals are the same, and so are their cats."
    return "The highest total was reached more than once, so the cats decided."


def waiting(scene: Scene) -> str:
    """Who is waited for; empty where nobody is."""
    asked = scene.table.asked
    if not asked:
        return ""
    whom = scene.everyone(asked)
    if scene.table.phase == "inviting":
        return f"Now waiting for {whom} to answer the invitation."
    if scene.table.phase == "placing":
        return f"Now waiting for {whom} to place a card."
    return f"Now waiting for {whom} to bid or pass."


# ---- the table --------------------------------------------------------------------------------------


def row_title(number: int) -> str:
    """What stands over the row."""
    return f"Round {number}, the row left to right"


def facts(scene: Scene) -> list[str]:
    """What everybody sees of the table, beside the row."""
    match scene.table.phase:
        case "new" | "inviting":
            return guests(scene)
        case "abandoned":
            return [cancelled(scene)]
        case "ended":
            return [f"The game is over, and {winners(scene)}"]
        case _:
            return money(scene)


def guests(scene: Scene) -> list[str]:
    """Who has answered the invitation, one line for each seat."""
    texts = {
        "joined": "joined",
        "declined": "declined",
        "invited": "has not answered yet",
        "": "is not invited yet",
    }
    own = texts | {"invited": "have not answered yet", "": "are not invited yet"}
    return [
        f"{first_capital(scene.who(seat.seat))} {(own if seat.seat == scene.seat else texts)[seat.answer]}."
        for seat in scene.table.seats
    ]


def money(scene: Scene) -> list[str]:
    """The bids and the mice that everybody sees."""
    table = scene.table
    lines = []
    if table.phase == "bidding":
        bidder = table.high_bidder
        lines.append(
            "Nobody has bid yet."
            if bidder is None
            else f"The highest bid is {mice_text(table.high_bid)}, by {scene.who(bidder)}."
        )
    lines += _mouse_cards(scene)
    lines.append(f"The bank holds {mice_text(table.bank)}.")
    return lines


def _mouse_cards(scene: Scene) -> list[str]:
    cards = scene.table.mouse_cards
    left = [card.mice for card in cards if not card.taken]
    if not cards:
        return []
    if not any(card.mice for card in cards):
        return ["The mouse cards are empty in this round: whoever passes takes no mice."]
    if not left:
        return ["No mouse card is left."]
    if len(left) == 1:
        return [f"One mouse card is left, for the next who passes: {mice_text(left[0])}."]
    still = " left" if len(left) < len(cards) else ""
    return [
        f"Mouse cards{still} for those who pass, in this order: {joined([str(mice) for mice in left])} mice."
    ]


def in_auction(scene: Scene, seat: SeatView) -> str:
    """Where a seat stands in the auction."""
    if scene.table.phase != "bidding":
        return ""
    if seat.passed:
        return "passed"
    notes = [f"bid {seat.bid}"] if seat.bid else []
    if seat.bid and seat.bid == scene.table.high_bid:
        notes.append("the highest")
    if seat.seat == scene.table.to_move:
        notes.append("your turn" if seat.seat == scene.seat else "to move")
    return ", ".join(notes) or "no bid yet"


# ---- what is the reader's own -----------------------------------------------------------------------


def belongings(scene: Scene) -> list[str]:
    """The reader's mice, card in the row, and won cards."""
    own = scene.own
    if scene.table.phase in ("new", "inviting"):
        return ["The cards are dealt when everybody has joined."]
    lines = [f"You have {mice_text(own.mice)}."]
    if own.placed is not None:
        lines.append(f"Your card in the row: {card_list([own.placed])}.{_last_card(scene)}")
    if own.won:
        worth = cat_points(own.won)
        unit = "point" if worth in (1, -1) else "points"
        lines.append(f"Won so far: {card_list(own.won)}, worth {points(worth)} {unit}.")
    return lines


def _last_card(scene: Scene) -> str:
    return " It was your last one, so it was placed for you." if scene.table.round == ROUNDS else ""


def advice(scene: Scene) -> list[str]:
    """What the reader should know before answering: what may be bid, what passing brings."""
    choices = scene.own.choices
    if not scene.is_asked or not choices.may_pass:
        return []
    if scene.is_last_bidder:
        offer = "Everybody else has passed, and nobody has bid."
        refill = "" if scene.table.round == ROUNDS else ", and the mouse cards stay empty in the next round"
        leave = f"If you pass, the sack goes to the box{refill}."
        if choices.bids is None:
            return [f"{offer} The sack would be yours for 1 mouse, but you have none. {leave}"]
        return [f"{offer} The whole sack is yours for exactly 1 mouse. {leave}"]
    mice = mice_text(scene.next_mice) if scene.next_mice else "no mice"
    passing = f"If you pass now, you take {mice} and are out of this round."
    if choices.bids is None:
        return [f"{_too_poor(scene)} So PASS is your only answer this time. {passing}"]
    least, most = choices.bids
    if least == most:
        return [f"You may bid {least}, which is all that you have. {passing}"]
    return [f"You may bid any number from {least} to {most}: your whole bid, not a raise. {passing}"]


def _too_poor(scene: Scene) -> str:
    mice = scene.own.mice
    if not mice:
        return "You have no mice, so you cannot bid."
    return f"A new bid must be {scene.table.high_bid + 1} or more, and you have {mice_text(mice)}."


def intro(scene: Scene, answers: int, yes_no: int = 0) -> Intro:
    """How to answer, where so many answers are offered."""
    write = f"Answer this mail with {'this line' if answers + yes_no == 1 else 'one of these lines'}:"
    if scene.table.phase == "placing" and answers:
        tap = "Tap a card, then send the mail that opens. Or answer this mail with the line below the card."
        return Intro(write, tap, "You may exchange your card until the last one is in.")
    tap = "Tap your answer, then send the mail that opens. Or answer this mail with that one line."
    return Intro(write, tap, "")


def footer(label: str, table: View) -> str:
    """Which game this is, and what else may be asked."""
    if table.is_over:
        return f"Felix, {label}."
    if table.phase == "inviting":
        return f"Felix, {label}. Answer HELP for all orders, STATUS to see who has joined."
    return f"Felix, {label}. Answer HELP for all orders, STATUS for the table, HAND for your cards."


def points(number: int) -> str:
    """`12`, `−3`."""
    return f"−{-number}" if number < 0 else str(number)
