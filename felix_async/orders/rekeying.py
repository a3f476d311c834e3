"""New addresses for a seat: all that its mails carried so far are void, and its player is written to anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from felix_async.clock import text_of
from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.service import Service
from felix_events.store.base import Tx
from felix_events.store.rows import Notice, NoticeKind, SeatRow

_WAITING: Final = 1000
"""Letters of one game that may wait to be sent while its addresses are made void."""


def rekey(tx: Tx, service: Service, player: SeatRow, words: str) -> bool:
    """Give a seat a new secret, and owe it a mail with new addresses that says these words; False where there
    is nobody to write to. Without words nothing is owed but what waited to be sent.
    """
    tx.rotate_secret(player.game_id, player.seat, service.entropy(32))
    about = f"revoked-{_count(tx, player) + 1}"
    owed = bool(words) and owe_again(tx, service, player, about, words)
    _drop_ready(tx, player, about)
    return owed


def owe_again(tx: Tx, service: Service, player: SeatRow, about: str, words: str) -> bool:
    """Owe a seat the mail that fits how the game stands; whether there is one, and somebody to get it.

    With `words` there always is one, which says them.
    """
    row = tx.game(player.game_id)
    (now,) = [seat for seat in tx.seats(player.game_id) if seat.seat == player.seat]
    if row is None or row.kind != "played" or now.address is None:
        return False
    game = service.load(tx, player.game_id)
    at = text_of(service.clock())
    asked = not game.is_over and player.seat in game.asked
    turn = game.seats[player.seat].turn
    if asked:
        kind: NoticeKind = "invitation" if game.phase == "inviting" else "turn"
        tx.owe(Notice(player.game_id, game.version, player.seat, kind, at, turn, about))
    if words:
        line = AnsweredLine(text="", verdict="done", why=words)
        answer = Answer(lines=[line], show=[] if asked else ["status"])
        tx.owe(Notice(player.game_id, game.version, player.seat, "answer", at, turn, about, answer.to_json()))
    return asked or bool(words)


def _drop_ready(tx: Tx, player: SeatRow, about: str) -> None:
    """Letters that wait to be sent carry void addresses, too: what they tell is owed anew, in new ones."""
    for line in tx.letter_lines(_WAITING, "ready", None, player.game_id):
        if line.seat == player.seat:
            for notice in tx.notices_in(line.letter_id):
                tx.owe(replace(notice, about=f"{about}/{notice.notice_id}", notice_id=0))
            tx.end_letter(line.letter_id, "dropped", "its addresses were revoked")


def _count(tx: Tx, player: SeatRow) -> int:
    """How often this seat was given new addresses."""
    notices = tx.notices(player.game_id)
    return len({n.about for n in notices if n.seat == player.seat and n.about.startswith("revoked-")})
