"""What only time asks: invitations that expire, tables that nobody starts, and who is reminded."""

from __future__ import annotations

from async_.owing import a_hosted_room, by_the_clock, due, notices, pass_days
from felix_async.audit.audit import audit
from felix_async.follow_up.notices import Hours
from felix_async.game.commands import (
    Decline,
    Start,
)
from games import a_room, joining
from table import ANNA, BEN, CARA, DAN


def test_an_invitation_that_nobody_answers_expires_after_a_week() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN, CARA))
    pass_days(room, 6.9)
    assert by_the_clock(room, game_id) == []
    pass_days(room, 0.2)
    assert by_the_clock(room, game_id) == ["invitation_expired"]
    assert [row.kind for row in due(room, game_id)] == ["closing", "start"]
    assert audit(room.evidence(game_id)).sound


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


def test_a_host_who_has_begun_is_not_reminded_of_it() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN, CARA))
    room.do(game_id, Decline(seat=DAN))
    room.do(game_id, Start(seat=ANNA))
    assert "start" not in {row.kind for row in due(room, game_id)}


def test_a_table_that_nobody_starts_is_closed_after_two_weeks() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN, CARA))
    pass_days(room, 13.9)
    assert room.game(game_id).phase == "inviting"
    pass_days(room, 0.2)
    assert by_the_clock(room, game_id) == ["invitation_expired", "game_abandoned"]
    assert (room.game(game_id).phase, due(room, game_id)) == ("abandoned", [])
    assert audit(room.evidence(game_id)).sound


def test_a_game_that_was_started_is_closed_by_nobody() -> None:
    room, game_id = a_hosted_room(5, joined=(ANNA, BEN, CARA))
    room.do(game_id, Start(seat=ANNA))
    pass_days(room, 29)
    assert by_the_clock(room, game_id) == []
    assert room.game(game_id).phase == "placing"


def test_however_late_somebody_looks_each_thing_happens_once() -> None:
    room, game_id = a_hosted_room(5, joined=(ANNA, BEN, CARA))
    pass_days(room, 30)
    pass_days(room, 30)
    assert by_the_clock(room, game_id) == ["invitation_expired", "invitation_expired", "game_abandoned"]


def test_a_row_of_an_invitation_that_was_answered_meanwhile_comes_to_nothing() -> None:
    """As after a restore: the rows are a projection."""
    room, game_id = a_hosted_room(5)
    rows = due(room, game_id)
    room.do(game_id, joining(BEN))
    with room.store.write() as tx:
        tx.set_due(game_id, [row for row in rows if row.seat == BEN])
    pass_days(room, 8)
    assert (by_the_clock(room, game_id), due(room, game_id)) == ([], [])
