"""Players who leave, come back, or say something while the game runs."""

from __future__ import annotations

from dataclasses import replace

from felix_async.game.commands import Leave, NameHost, Restore, Return, Say
from felix_events.model import GameAbandoned, HostNamed, PlayerSaid, SeatHandedOver, ServerRestored
from table import ANNA, BEN, CARA, WORDS, a_game, a_hosted_invitation, given, joining

HOSTED = given(a_hosted_invitation(3, joined=[ANNA, BEN])).after(joining(CARA))


def test_a_player_who_leaves_hands_the_seat_to_the_computer() -> None:
    given(a_game()).when(Leave(seat=BEN, for_good=False)).then(
        SeatHandedOver(seat=BEN, to="computer", for_good=False)
    )


def test_leaving_twice_is_leaving_once() -> None:
    left = given(a_game()).after(Leave(seat=BEN, for_good=False))
    given(left).when(Leave(seat=BEN, for_good=False)).nothing_happens()


def test_a_player_who_left_comes_back() -> None:
    left = given(a_game()).after(Leave(seat=BEN, for_good=False))
    given(left).when(Return(seat=BEN)).then(SeatHandedOver(seat=BEN, to="player", for_good=False))


def test_a_player_who_is_there_does_not_come_back() -> None:
    given(a_game()).when(Return(seat=BEN)).nothing_happens()


def test_who_has_left_may_still_resign() -> None:
    left = given(a_game()).after(Leave(seat=BEN, for_good=False))
    game = given(left).after(Leave(seat=BEN, for_good=True))
    assert game.seats[BEN].gone


def test_a_hand_stays_where_it_is_when_its_player_leaves() -> None:
    before = a_game().game
    after = given(before).after(Leave(seat=BEN, for_good=True))
    assert after.seats[BEN].hand == before.seats[BEN].hand


def test_when_all_have_resigned_the_game_ends_without_a_result() -> None:
    last = [Leave(seat=seat, for_good=True) for seat in range(4)]
    assert given(a_game()).when(*last).happened[1] == GameAbandoned(reason="left")


def test_when_all_have_left_for_a_while_the_game_goes_on() -> None:
    away = [Leave(seat=seat, for_good=False) for seat in range(4)]
    assert given(a_game()).after(*away).phase == "placing"


def test_hosting_goes_to_the_next_player_at_the_table_when_the_host_leaves() -> None:
    left = given(HOSTED).after(Leave(seat=BEN, for_good=False))
    assert given(left).when(Leave(seat=ANNA, for_good=False)).happened[1] == HostNamed(seat=CARA)


def test_a_host_who_handed_over_may_resign() -> None:
    game = given(HOSTED).after(NameHost(seat=ANNA, to=BEN), Leave(seat=ANNA, for_good=True))
    assert game.seats[ANNA].gone


def test_a_host_alone_with_the_computer_may_resign() -> None:
    left = [Leave(seat=seat, for_good=False) for seat in (BEN, CARA)]
    game = given(HOSTED).after(*left, Leave(seat=ANNA, for_good=True))
    assert game.seats[ANNA].gone


def test_words_change_nothing_but_the_log() -> None:
    before = a_game().game
    after = given(before).after(Say(seat=BEN, text_hash=WORDS[0]))
    assert (after.version, after.asked, after.seats) == (before.version + 1, before.asked, before.seats)


def test_words_are_in_the_log_as_a_hash() -> None:
    given(a_game()).when(Say(seat=BEN, text_hash=WORDS[0])).then(PlayerSaid(seat=BEN, text_hash=WORDS[0]))


def test_a_server_that_was_set_back_is_noted_as_often_as_it_was() -> None:
    for before in (given(a_hosted_invitation(3)).game, a_game().game):
        noted = given(before).when(Restore()).then(ServerRestored()).when(Restore()).then(ServerRestored())
        assert noted.game == replace(before, version=before.version + 2)


def test_who_comes_back_to_a_table_whose_host_has_left_hosts_it() -> None:
    """Nobody else was there to take over when the host left."""
    away = [Leave(seat=seat, for_good=False) for seat in (BEN, CARA)]
    left = given(HOSTED).after(*away, Leave(seat=ANNA, for_good=True))
    given(left).when(Return(seat=CARA)).then(
        SeatHandedOver(seat=CARA, to="player", for_good=False), HostNamed(seat=CARA)
    )


def test_who_comes_back_to_a_table_with_a_host_is_a_guest() -> None:
    left = given(HOSTED).after(Leave(seat=BEN, for_good=False))
    given(left).when(Return(seat=BEN)).then(SeatHandedOver(seat=BEN, to="player", for_good=False))


def test_a_host_who_was_the_last_to_leave_comes_back_as_the_host() -> None:
    away = [Leave(seat=seat, for_good=False) for seat in (BEN, CARA, ANNA)]
    left = given(HOSTED).after(*away)
    given(left).when(Return(seat=ANNA)).then(SeatHandedOver(seat=ANNA, to="player", for_good=False))


def test_a_table_without_a_host_stays_without_one() -> None:
    left = given(a_game()).after(Leave(seat=BEN, for_good=False))
    assert given(left).after(Return(seat=BEN)).host is None
