"""What only time asks: invitations that expire, tables that nobody starts, and who is reminded."""

from __future__ import annotations

from async_.owing import a_hosted_room, due, notices, pass_days
from felix_async.follow_up.notices import Hours
from felix_async.game.commands import (
    Decline,
)
from games import a_room
from table import ANNA, BEN, CARA, DAN


def test_who_never_wrote_a_mail_is_not_reminded_again() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN, CARA))
    pass_days(room, 6.2)
    assert [one.seat for one in notices(room, game_id) if one.kind == "reminder"] == [DAN]


def test_there_is_no_last_call_where_an_invitation_lasts_two_days() -> None:
    room = a_room()
    room.service.hours = Hours(expire_after=2 * 24 * 3600)
    game_id = room.open(4, host=ANNA)
    assert {row.kind for row in due(room, game_id)} == {"reminder", "expiry", "closing"}


def test_a_host_who_could_begin_is_reminded_of_it() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN, CARA))
    room.do(game_id, Decline(seat=DAN))
    before = [one.seat for one in notices(room, game_id) if one.kind == "lobby"]
    pass_days(room, 1.1)
    after = [one.seat for one in notices(room, game_id) if one.kind == "lobby"]
    assert after == [*before, ANNA]


def test_who_has_not_answered_is_reminded_again_the_day_before_it_is_too_late() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN, CARA))
    with room.store.write() as tx:
        mail_id = tx.keep_mail("2026", "felix@felix.test", "dan@players.test", b"RULES")
        tx.attribute_mail(mail_id, tx.seats(game_id)[DAN].player_id)
        tx.settle_mail(mail_id, "done")
    pass_days(room, 5.9)
    assert [one.seat for one in notices(room, game_id) if one.kind == "reminder"] == [DAN]
    pass_days(room, 0.2)
    assert [one.seat for one in notices(room, game_id) if one.kind == "reminder"] == [DAN, DAN]
