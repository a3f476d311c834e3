"""New addresses for a seat: all that its messages carried so far are void, and its player gets new ones."""

from __future__ import annotations

from typing import Any, Final

from felix_async.clock import text_of
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.follow_up.decisions import Early, Turn
from felix_async.follow_up.kinds import Invitation, enqueue, load_all
from felix_async.follow_up.notices import is_asked_early
from felix_async.game.moment import coming, row_of
from felix_async.language.phrases import phrase
from felix_async.seat_logs import ahead_at
from felix_async.service import Service
from felix_events.store.base import Tx
from felix_events.store.rows import SeatRow

_WAITING: Final = 1000
"""Letters of one game that may wait to be sent while its addresses are made void."""


def rekey(tx: Tx, service: Service, player: SeatRow, words: str) -> bool:
    """Give a seat a new secret, and enqueue a mail with new addresses that says these words; return False if
    there is nobody to write to. Without words nothing is enqueued but what waited to be sent.

    What the seat has said in advance is forgotten: it may be somebody else who said it.
    """
    tx.rotate_secret(player.game_id, player.seat, service.entropy(32))
    if service.drop_orders(tx, player.game_id, player.seat, "rekeyed") and words:
        words = f"{words} {phrase('people.ahead.forgotten')}"
    why = f"revoked-{_count(tx, player) + 1}"
    is_told = bool(words) and enqueue_again(tx, service, player, why, words)
    _drop_ready(tx, player, why)
    return is_told


def enqueue_again(tx: Tx, service: Service, player: SeatRow, why: str, words: str) -> bool:
    """Tell a seat once more how the game stands; return False if there is nothing to tell, or nobody to.

    With `words` there always is a message, which says them; `why` names the reason.
    """
    row = tx.game(player.game_id)
    (now,) = [seat for seat in tx.seats(player.game_id) if seat.seat == player.seat]
    if row is None or row.kind != "played" or now.address is None:
        return False
    game = service.load(tx, player.game_id)
    asked = not game.is_over and player.seat in game.asked
    told: dict[str, Any] = {
        "game_id": player.game_id,
        "version": game.version,
        "seat": player.seat,
        "due_at": text_of(service.clock()),
        "turn": game.seats[player.seat].turn,
        "again": why,
    }
    ahead = ahead_at(tx, player.game_id, player.seat)
    early = is_asked_early(game, player.seat, tx.choice(now.player_id), ahead)
    if asked:
        enqueue(tx, (Invitation if game.phase == "inviting" else Turn)(**told))
    elif early:
        enqueue(tx, Early(**{**told, "turn": coming(game, player.seat)}, row=row_of(game)))
    if words:
        line = AnsweredLine(text="", verdict="done", why=words)
        answer = Answer(lines=[line], show=[] if asked or early else ["status"])
        enqueue(tx, kinds.Answer(**told, answer=answer))
    return asked or early or bool(words)


def _drop_ready(tx: Tx, player: SeatRow, why: str) -> None:
    """Drop letters that wait to be sent, as they carry void addresses; enqueue anew what they tell."""
    for line in tx.letter_lines(_WAITING, "ready", None, player.game_id):
        if line.seat == player.seat:
            for notice in load_all(tx.notices_in(line.letter_id)):
                enqueue(tx, notice.repeated(f"{why}/{notice.notice_id}"))
            tx.end_letter(line.letter_id, "dropped", "its addresses were revoked")


def _count(tx: Tx, player: SeatRow) -> int:
    """How often this seat was given new addresses."""
    told = {row.about for row in tx.notices(player.game_id) if row.seat == player.seat}
    return sum(about.startswith("revoked-") for about in told)
