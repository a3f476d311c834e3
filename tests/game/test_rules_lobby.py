"""Before the game: who comes, who may begin it, and what happens where somebody does not come."""

from __future__ import annotations

from felix_async.game.commands import Cancel, Close, Decline, Expire, Leave, NameHost, Start, Uninvite
from felix_events import model as m
from table import (
    ANNA,
    BEN,
    CARA,
    DAN,
    EVE,
    a_hosted_invitation,
    all_shown,
    an_invitation,
    creation,
    given,
    joining,
)


def test_a_table_with_a_host_names_the_host_before_anybody_is_invited() -> None:
    create = creation(3).model_copy(update={"host": BEN})
    assert given([]).when(create).happened[1:3] == [m.HostNamed(seat=BEN), m.PlayerInvited(seat=ANNA)]


def test_a_hosted_game_begins_by_itself_when_all_have_joined() -> None:
    kinds = given(a_hosted_invitation(3, joined=[ANNA, BEN])).when(joining(CARA)).kinds
    assert kinds[:2] == ["player_joined", "game_started"]


def test_one_who_declines_does_not_end_a_hosted_game_for_four() -> None:
    given(a_hosted_invitation(4)).when(Decline(seat=DAN)).then(m.PlayerDeclined(seat=DAN))


def test_a_hosted_game_ends_when_three_can_no_longer_be_found() -> None:
    given(a_hosted_invitation(3)).when(Decline(seat=BEN)).then(
        m.PlayerDeclined(seat=BEN), m.GameAbandoned(reason="declined"), *all_shown(3)
    )


def test_without_a_host_one_who_declines_ends_the_game() -> None:
    given(an_invitation(5)).when(Decline(seat=BEN)).then(
        m.PlayerDeclined(seat=BEN), m.GameAbandoned(reason="declined"), *all_shown(5)
    )


def test_who_has_declined_may_still_join_while_the_table_waits() -> None:
    game = given(a_hosted_invitation(4)).after(Decline(seat=DAN), joining(DAN))
    assert game.answered("joined") == [DAN]


def test_who_has_joined_may_still_decline_before_the_start() -> None:
    game = given(a_hosted_invitation(4, joined=[BEN])).after(Decline(seat=BEN))
    assert game.answered("declined") == [BEN]


def test_when_one_has_declined_the_game_waits_for_the_host_to_start_it() -> None:
    game = given(a_hosted_invitation(4)).after(Decline(seat=DAN), *map(joining, (ANNA, BEN, CARA)))
    assert game.phase == "inviting"


def test_the_host_starts_with_those_who_have_joined() -> None:
    game = given(a_hosted_invitation(5, joined=[ANNA, CARA, EVE])).after(Start(seat=ANNA))
    assert game.players == [ANNA, CARA, EVE]


def test_who_has_not_answered_at_the_start_is_no_longer_invited() -> None:
    game = given(a_hosted_invitation(4, joined=[ANNA, BEN, CARA])).after(Start(seat=ANNA))
    assert game.seats[DAN].answer == "uninvited"


def test_a_start_is_the_first_event_of_its_step() -> None:
    happened = given(a_hosted_invitation(4, joined=[ANNA, BEN, CARA])).when(Start(seat=ANNA)).happened
    assert isinstance(happened[0], m.GameStarted)


def test_three_of_four_play_with_the_material_for_three() -> None:
    """Mouse cards 3 and 6, 21 mice in the bank, and a dummy."""
    game = given(a_hosted_invitation(4, joined=[ANNA, BEN, DAN])).after(Start(seat=ANNA))
    assert (game.mice_on_cards, game.bank + sum(game.mice_on_cards), len(game.dummy)) == ([3, 6], 21, 9)


def test_a_seat_that_does_not_play_is_dealt_nothing() -> None:
    game = given(a_hosted_invitation(4, joined=[ANNA, BEN, DAN])).after(Start(seat=ANNA))
    assert (game.seats[CARA].hand, game.seats[CARA].turn) == ([], 0)


def test_the_start_player_is_one_of_those_who_play() -> None:
    game = given(a_hosted_invitation(5, joined=[ANNA, CARA, EVE])).after(Start(seat=ANNA))
    assert game.start_seat in (ANNA, CARA, EVE)


def test_a_named_start_player_who_does_not_play_gives_way_to_the_next_clockwise() -> None:
    create = creation(4, start=CARA).model_copy(update={"host": ANNA})
    game = given([]).after(create, *map(joining, (ANNA, BEN, DAN)), Start(seat=ANNA))
    assert game.start_seat == DAN


def test_the_host_takes_an_invitation_back() -> None:
    given(a_hosted_invitation(4)).when(Uninvite(seat=ANNA, whom=DAN)).then(m.PlayerUninvited(seat=DAN))


def test_the_host_may_take_a_seat_back_that_was_taken() -> None:
    game = given(a_hosted_invitation(4, joined=[DAN])).after(Uninvite(seat=ANNA, whom=DAN))
    assert game.answered("joined") == []


def test_taking_back_too_many_invitations_ends_the_game() -> None:
    kinds = given(a_hosted_invitation(3)).when(Uninvite(seat=ANNA, whom=BEN)).kinds
    assert kinds == ["player_uninvited", "game_abandoned", "seat_logs_closed", "seed_revealed"]


def test_an_invitation_expires() -> None:
    given(a_hosted_invitation(4)).when(Expire(seat=BEN)).then(m.InvitationExpired(seat=BEN))


def test_a_game_that_ends_because_nobody_answered_says_so() -> None:
    game = given(a_hosted_invitation(4)).when(Expire(seat=BEN), Expire(seat=CARA))
    assert game.happened[1] == m.GameAbandoned(reason="expired")


def test_the_host_calls_the_game_off() -> None:
    given(a_hosted_invitation(4)).when(Cancel(seat=ANNA)).then(
        m.GameAbandoned(reason="cancelled"), *all_shown()
    )


def test_a_table_that_nobody_starts_is_closed() -> None:
    given(a_hosted_invitation(4)).when(Close()).then(m.GameAbandoned(reason="expired"), *all_shown())


def test_a_running_game_at_which_somebody_sits_is_never_closed_by_time() -> None:
    running = given(a_hosted_invitation(3, joined=[ANNA, BEN])).after(joining(CARA))
    given(running).when(Close()).refused("table/not_deserted")


def test_the_host_hands_hosting_over() -> None:
    given(a_hosted_invitation(4, joined=[BEN])).when(NameHost(seat=ANNA, to=BEN)).then(m.HostNamed(seat=BEN))


def test_a_host_who_is_host_already_stays_it() -> None:
    given(a_hosted_invitation(4, joined=[ANNA])).when(NameHost(seat=ANNA, to=ANNA)).nothing_happens()


def test_a_host_who_wants_no_more_mail_leaves_the_table_to_the_next_who_has_joined() -> None:
    given(a_hosted_invitation(4, joined=[ANNA, CARA])).when(Leave(seat=ANNA, for_good=False)).then(
        m.PlayerDeclined(seat=ANNA), m.HostNamed(seat=CARA)
    )


def test_a_host_who_leaves_before_anybody_has_joined_takes_the_game_along() -> None:
    given(a_hosted_invitation(4, joined=[ANNA])).when(Leave(seat=ANNA, for_good=False)).then(
        m.PlayerDeclined(seat=ANNA), m.GameAbandoned(reason="cancelled"), *all_shown()
    )


def test_declining_twice_is_declining_once() -> None:
    declined = given(a_hosted_invitation(5)).after(Decline(seat=DAN))
    given(declined).when(Decline(seat=DAN)).nothing_happens()


def test_a_host_who_does_not_answer_in_time_loses_hosting_to_the_next_who_has_joined() -> None:
    given(a_hosted_invitation(5, joined=[DAN])).when(Expire(seat=ANNA)).then(
        m.InvitationExpired(seat=ANNA), m.HostNamed(seat=DAN)
    )


def test_where_nobody_answers_the_game_ends_with_the_hosts_invitation() -> None:
    given(a_hosted_invitation(5)).when(Expire(seat=ANNA)).then(
        m.InvitationExpired(seat=ANNA), m.GameAbandoned(reason="expired"), *all_shown(5)
    )


def test_without_a_host_one_who_does_not_answer_in_time_ends_the_game() -> None:
    given(an_invitation(5, joined=[ANNA, BEN, CARA])).when(Expire(seat=EVE)).then(
        m.InvitationExpired(seat=EVE), m.GameAbandoned(reason="expired"), *all_shown(5)
    )


def test_a_seat_that_does_not_play_owns_nothing_and_is_asked_nothing() -> None:
    game = given(a_hosted_invitation(5, joined=[ANNA, BEN, DAN])).after(Start(seat=ANNA))
    for seat in (CARA, EVE):
        state = game.seats[seat]
        assert (state.mice, state.hand, state.boxed, state.turn) == (0, [], None, 0)
    assert game.asked == [ANNA, BEN, DAN]


def test_three_of_five_play_with_the_material_of_three() -> None:
    game = given(a_hosted_invitation(5, joined=[ANNA, BEN, DAN])).after(Start(seat=ANNA))
    assert (game.bank, game.mice_on_cards, game.row_size, len(game.dummy)) == (12, [3, 6], 4, 9)
