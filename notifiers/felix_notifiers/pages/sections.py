"""Which sections a mail shows: what its occasions call for, and what was asked for."""

from __future__ import annotations

from collections.abc import Set
from typing import Final, Literal

from felix_events.store.rows import NoticeKind
from felix_notifiers.content import lobby
from felix_notifiers.content.moves import may_exchange
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Sheet

Section = Literal["history", "table", "hand", "moves", "scores", "ending", "waiting", "help", "forward"]
_ASIDE: Final[frozenset[NoticeKind]] = frozenset({"vote", "paused", "absent"})
_TURN: Final[frozenset[Section]] = frozenset({"history", "table", "hand", "moves"})


def sections_of(sheet: Sheet, scene: Scene) -> set[Section]:
    """What this mail shows: what its occasions call for, and what was asked for."""
    occasions, answer, over = sheet.occasions, sheet.answer, scene.table.is_over
    show: set[Section] = set()
    if occasions & {"turn", "reminder"} and scene.is_asked and scene.table.phase != "inviting":
        show |= _TURN
    if "result" in occasions:
        show |= {"history", "scores", "ending"}
    if "lobby" in occasions and not over:
        show |= {"table"}
    if occasions & {"resumed", "newcomer"} and scene.is_asked and not over:
        show |= _TURN
    if occasions & {"news", "timed_out", "newcomer"} and not over and not show >= _TURN:
        show |= {"history", "table", "waiting"}
    if "timed_out" in occasions and may_exchange(scene):
        show |= {"hand", "moves"}
    if occasions & {"absent", "vote", "resumed"} and not over and not show >= _TURN:
        show |= {"waiting"}
    if (scene.is_asked and not is_aside(occasions)) or is_over(sheet) or is_for_host(sheet, scene):
        show |= {"moves"}
    if answer is not None:
        if scene.is_asked and any(line.code == "turn/stale" for line in answer.lines):
            # The answer was to an older table, so this mail shows how it is now.
            show |= _TURN
        show |= set() if show >= _TURN else {"waiting"}
        if scene.table.seats[scene.seat].gone and "status" not in answer.show:
            # Whoever has left for good need not be told what goes on there.
            show -= {"waiting"}
        show |= {"table"} if "status" in answer.show else set()
        show |= {"hand"} if "hand" in answer.show else set()
        show |= {"help"} if "help" in answer.show else set()
        show |= {"forward"} if "forward" in answer.show and scene.table.phase == "inviting" else set()
        if "resend" in answer.show and not occasions - {"answer"}:
            show |= _looks(scene)
        if "resend" in answer.show and "lobby" in occasions and scene.table.asked:
            show |= {"forward"}
    elif not occasions:
        show |= _looks(scene)
    if over and "table" in show:
        show |= {"scores"}
    return show


def _looks(scene: Scene) -> set[Section]:
    """What a mail shows that nothing called for."""
    if scene.table.phase == "inviting":
        return {"history", "table", "waiting"}
    return {"history", "table", "hand", "waiting"}


def is_over(sheet: Sheet) -> bool:
    """Whether the mail tells the end of a game, or that there is none to come."""
    is_lost = "withdrawn" in sheet.occasions and sheet.table.phase == "abandoned"
    return bool(sheet.occasions & {"result", "cancelled"}) or is_lost


def is_aside(occasions: Set[NoticeKind]) -> bool:
    """Whether the mail is about a vote, or for the host, and nothing else: moves have mails of their own."""
    return bool(occasions) and occasions <= _ASIDE


def is_for_host(sheet: Sheet, scene: Scene) -> bool:
    """Whether the mail tells the host who has answered: unasked, or asked for."""
    is_status = sheet.answer is not None and "status" in sheet.answer.show
    return "lobby" in sheet.occasions or (is_status and bool(lobby.host_orders(scene)))
