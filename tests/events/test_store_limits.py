"""What a store says of people who never wrote, and of the games of the last day."""

from __future__ import annotations

from typing import get_args

from felix_events.store.base import Tx
from felix_events.store.rows import GameRow, MailState


def test_a_player_has_written_once_a_mail_was_dealt_with(tx: Tx) -> None:
    for state in get_args(MailState):
        mail_id = tx.keep_mail("2026", "felix", "x@y.test", b"raw")
        tx.attribute_mail(mail_id, state)
        if state != "new":
            tx.settle_mail(mail_id, state)
    assert [state for state in (*get_args(MailState), "nobody") if tx.has_written(state)] == ["done"]


def test_games_are_found_by_when_they_were_created(tx: Tx) -> None:
    for game_id, at in (("late", "2026-11-22"), ("old", "2026-11-20"), ("new", "2026-11-21")):
        tx.add_game(GameRow(game_id, "", "played", at, b"seed"))
    assert [game.game_id for game in tx.games("2026-11-20")] == ["new", "late"]
