"""The parts of a message about a game: those that the kinds of notices call for, and what was asked for."""

from __future__ import annotations

from collections.abc import Set
from typing import Final, Literal

from felix_notifiers.content import lobby
from felix_notifiers.content.answers import Question
from felix_notifiers.content.heard import is_about_hand
from felix_notifiers.content.moves import may_exchange
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot

Part = Literal["history", "table", "hand", "moves", "scores", "ending", "waiting", "help", "forward"]
TURN: Final[frozenset[Part]] = frozenset({"history", "table", "hand", "moves"})
"""The parts of a mail that asks for a move."""
_ASIDE: Final[frozenset[str]] = frozenset({"vote", "paused", "absent", "disputed", "settled"})


def parts_of(occasion: Occasion, heard: Question | None = None) -> set[Part]:
    """Return the parts that the kinds of notices call for, and those that were asked for.

    What felix `heard` in plain language has its own answers, and says what is waited for.
    """
    game = occasion.game
    occasions, answer, over = occasion.kinds, occasion.answer, game.table.is_over
    show: set[Part] = set()
    if "early" in occasions and game.is_early:
        show |= TURN
    if occasions & {"turn", "reminder"} and game.is_asked and game.table.phase != "inviting":
        show |= TURN
    if "result" in occasions:
        show |= {"history", "scores", "ending"}
    if "lobby" in occasions and not over:
        show |= {"table"}
    if occasions & {"resumed", "newcomer"} and game.is_asked and not over:
        show |= TURN
    if occasions & {"news", "timed_out", "newcomer"} and not over and not show >= TURN:
        show |= {"history", "table", "waiting"}
    if "timed_out" in occasions and may_exchange(game):
        show |= {"hand", "moves"}
    if occasions & {"absent", "vote", "resumed", "disputed", "settled"} and not over and not show >= TURN:
        show |= {"waiting"}
    if game.is_asked or is_the_end(occasion) or is_for_host(occasion):
        show |= {"moves"}
    if answer is not None:
        if occasion.is_behind and (game.is_asked or game.is_early):
            show |= TURN | {"moves"}
        show |= set() if show >= TURN else {"waiting"}
        if heard is not None and heard.options and not occasion.is_behind:
            show -= {"moves", "waiting"}
        elif heard is not None and not show >= TURN:
            show -= {"moves"}
        if game.table.seats[game.seat].gone and "status" not in answer.show:
            # Whoever has left for good need not be told what goes on there.
            show -= {"waiting"}
        show |= {"table"} if "status" in answer.show else set()
        show |= {"hand"} if "hand" in answer.show or is_about_hand(answer) else set()
        show |= {"help"} if "help" in answer.show else set()
        # HELP says what may be done now.
        show -= {"waiting"} if "help" in answer.show else set()
        if not show >= TURN and not occasions - {"answer"} and {"history", "rules"} & set(answer.show):
            # Below pages of what was asked for nobody looks for a move.
            show -= {"moves"}
        # The same friends know what felix is.
        is_new = game.table.phase == "inviting" and game.sequel is None
        show |= {"forward"} if "forward" in answer.show and is_new else set()
        if "resend" in answer.show and not occasions - {"answer"}:
            show |= _looks(game)
        if "resend" in answer.show and "lobby" in occasions and game.table.asked:
            show |= {"forward"}
    elif not occasions:
        show |= _looks(game)
    if over and "table" in show:
        show |= {"scores"}
    return show


def _looks(game: Snapshot) -> set[Part]:
    """Return the parts of a mail that nothing called for."""
    if game.table.phase == "inviting":
        return {"history", "table", "waiting"}
    return {"history", "table", "hand", "waiting"}


def is_the_end(occasion: Occasion) -> bool:
    """Return True if the mail tells the end of a game, or that it will not begin."""
    is_lost = "withdrawn" in occasion.kinds and occasion.game.table.phase == "abandoned"
    return bool(occasion.kinds & {"result", "cancelled"}) or is_lost


def is_aside(occasions: Set[str]) -> bool:
    """Return True if the mail is only about a vote, a pause or an absence: it tells no time of a move."""
    return bool(occasions) and occasions <= _ASIDE


def is_for_host(occasion: Occasion) -> bool:
    """Return True if the mail tells the host who has answered."""
    game = occasion.game
    is_status = occasion.answer is not None and "status" in occasion.answer.show
    return "lobby" in occasion.kinds or (is_status and bool(lobby.host_orders(game)))
