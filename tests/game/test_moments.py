"""The best moments of a game: each kind by hand, and what holds of all of them in whole games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from anything import seeds
from each import each
from felix_async.game.auctions import auctions
from felix_async.game.moments import Kind, Moment, best, moments
from felix_async.game.sensible import sensible_player
from felix_async.game.state import Game
from felix_async.game.story import Story
from game.retold import a_round, blinded, retold
from games import NAMES, a_game_played, a_running_game
from golden.make_golden import BEFORE, FOLDER, kept_game
from table import ANNA, BEN, CARA, DAN

KEPT = sorted([*FOLDER.glob("*.jsonl"), *BEFORE.glob("*.jsonl")])
QUIET = a_round("A:3 B:5 C:0 D:0", "A1 B4 C- D- A-")
"""Ben buys 8 points for 4 mice, of which nobody talks."""


def told(story: Story, kind: Kind) -> list[str]:
    """The sentences of this kind."""
    return [moment.text(NAMES) for moment in moments(story) if moment.kind == kind]


def only(story: Story, kind: Kind) -> Moment:
    """The one moment of this kind."""
    (moment,) = [one for one in moments(story) if one.kind == kind]
    return moment


# ---- sacks ------------------------------------------------------------------------------------------


def test_a_sack_for_ten_mice_less_than_its_cats_is_a_steal() -> None:
    steal = only(retold(a_round("A:5 B:8 C:0 D:0", "A- B3 C- D-")), "steal")
    assert (steal.seats, steal.value, steal.version) == ((BEN,), 10, 6)
    assert steal.text(NAMES) == "Round 1: Ben got 13 points for 3 mice."
    assert not told(retold(a_round("A:5 B:8 C:0 D:0", "A- B4 C- D-")), "steal")


def test_a_sack_for_five_mice_more_than_its_cats_is_a_disaster() -> None:
    disaster = only(retold(a_round("A:5 B:-8 C:0 D:0", "A- B2 C- D-")), "disaster")
    assert (disaster.seats, disaster.value) == ((BEN,), 5)
    assert disaster.text(NAMES) == "Round 1: Ben paid 2 mice for −3 points."
    assert not told(retold(a_round("A:5 B:-8 C:0 D:0", "A- B1 C- D-")), "disaster")


def test_a_dog_that_takes_a_good_cat_is_told_of() -> None:
    dog = only(retold(a_round("A:5 B:11 C:large D:0", "A- B4 C- D-")), "dog")
    assert (dog.seats, dog.value) == ((BEN,), 11)
    assert dog.text(NAMES) == "Round 1: Ben paid 4 mice, and the large dog chased the 11."


def test_a_dog_that_takes_a_bad_cat_helps_the_buyer() -> None:
    dog = only(retold(a_round("A:5 B:-8 C:small D:0", "A- B4 C- D-")), "dog")
    assert dog.value == 8
    assert dog.text(NAMES) == "Round 1: the small dog chased the −8 for Ben."


def test_two_dogs_and_a_dog_without_a_cat_are_not_told_of() -> None:
    assert not told(retold(a_round("A:5 B:-8 C:small D:large", "A- B4 C- D-")), "dog")
    assert not told(retold(a_round("A:0 B:0 C:small D:0", "A- B4 C- D-")), "dog")


def test_a_dog_in_a_sack_that_nobody_bought_is_not_told_of() -> None:
    assert not moments(retold(a_round("A:5 B:15 C:large D:0", "A- B- C- D-"), phase="abandoned"))


def test_the_war_is_the_auction_with_the_most_bids_the_later_of_two() -> None:
    first = a_round("A:3 B:5 C:0 D:0", "A1 B2 C- D3 A- B4 D-")
    second = a_round("B:3 C:5 D:0 A:0", "B1 C2 D3 A- B- C5 D-")
    war = only(retold(first, second, QUIET), "war")
    assert (war.round, war.seats, war.value) == (2, (CARA, DAN, BEN), 4)
    assert war.text(NAMES) == "Round 2: Cara got the sack for 5 mice after 4 bids."


def test_where_nobody_outbids_another_there_is_no_war() -> None:
    assert not told(retold(a_round("A:3 B:5 C:0 D:0", "A1 B- C- D-")), "war")


# ---- what lay face down -----------------------------------------------------------------------------


def test_who_bids_with_what_spoils_the_sack_and_is_outbid_has_bluffed() -> None:
    bluff = only(retold(a_round("A:8 B:-8 C:3 D:0", "A5 B6 C7 D- A- B-")), "bluff")
    assert (bluff.seats, bluff.value) == ((BEN, CARA), 8)
    assert (
        bluff.text(NAMES)
        == "Round 1: Ben bid with their own −8 still face down; Cara paid 7 mice for 3 points."
    )


def test_a_dog_of_their_own_is_a_bluff_too() -> None:
    bluff = only(retold(a_round("A:8 B:large C:3 D:0", "A5 B6 C7 D- A- B-")), "bluff")
    assert (bluff.seats, bluff.value) == ((BEN, CARA), 8)


def test_it_is_no_bluff_with_an_open_card() -> None:
    assert not told(retold(a_round("B:-8 A:11 C:3 D:0", "A5 B6 C7 D- A- B-")), "bluff")


def test_it_is_no_bluff_if_the_buyer_had_seen_the_card_at_the_last_bid() -> None:
    assert not told(retold(a_round("A:8 B:-8 C:3 D:0", "A5 B6 D- C7 A- B-")), "bluff")


def test_it_is_no_bluff_to_pass_without_a_bid() -> None:
    assert not told(retold(a_round("A:8 B:-8 C:3 D:0", "A6 B- C7 D- A-")), "bluff")


def test_it_is_no_bluff_if_the_sack_was_too_dear_anyhow() -> None:
    assert not told(retold(a_round("A:8 B:-8 C:3 D:0", "A5 B6 C12 D- A- B-")), "bluff")


def test_it_is_no_bluff_if_the_sack_was_worth_its_price() -> None:
    assert not told(retold(a_round("A:8 B:-8 C:3 D:0", "A1 B2 C3 D- A- B-")), "bluff")


def test_who_spoils_their_own_sack_has_not_bluffed() -> None:
    assert not told(retold(a_round("A:8 B:3 C:-8 D:0", "A5 B6 C7 D- A- B-")), "bluff")


def test_a_good_card_that_lay_face_down_to_the_last_pass_was_a_secret() -> None:
    secret = only(retold(a_round("A:-5 B:3 C:0 D:11", "A1 B2 C- D3 A- B-")), "secret")
    assert (secret.seats, secret.value) == ((DAN,), 11)
    assert secret.text(NAMES) == "Round 1: only Dan knew about the 11, and got 9 points for 3 mice."


def test_a_card_that_was_open_when_the_last_one_passed_was_no_secret() -> None:
    assert not told(retold(a_round("A:-5 B:3 D:11 C:0", "A1 B2 C- D3 A- B-")), "secret")


def test_a_card_without_which_the_sack_was_worth_its_price_was_no_secret() -> None:
    assert not told(retold(a_round("A:5 B:3 C:0 D:11", "A1 B2 C- D3 A- B-")), "secret")


# ---- the whole game ---------------------------------------------------------------------------------


def test_who_has_more_than_the_leader_takes_the_lead() -> None:
    # Passing brings Ben 2, Cara 4 and Dan 6; Anna gets 11 for 1. Then Dan gets 15 for 1, and Anna 2.
    first, second = a_round("A:11 B:0 C:0 D:0", "A1 B- C- D-"), a_round("A:15 B:0 C:0 D:0", "A- B- C- D1")
    lead = only(retold(first, second), "lead")
    assert (lead.round, lead.seats, lead.value) == (2, (DAN, ANNA), 8)
    assert lead.text(NAMES) == "Round 2: Dan took the lead from Anna, with 35 points."


def test_a_shared_lead_is_no_change_of_it() -> None:
    # Anna has 25 after round 1; then Dan has 21 − 1 + 5 = 25 as well, but Anna's are cats; then Dan leads.
    first = a_round("A:11 B:0 C:0 D:0", "A1 B- C- D-")
    second = a_round("A:5 B:0 C:0 D:0", "B- C- A1 D- A-")
    assert not told(retold(first, second), "lead")


def test_the_last_pass_that_would_have_won_the_game_decided_it() -> None:
    # Anna wins with 15 − 3 + 20 = 32. Ben, who took 6 mice, has 21; for 4 mice he would have
    # had 15 − 4 + 20 = 31, and Anna 15 + 6 = 21.
    story = retold(a_round("A:15 B:5 C:0 D:0", "A1 C- D- B2 A3 B-"))
    decider = only(story, "decider")
    assert (decider.round, decider.version, decider.seats, decider.value) == (1, 7, (BEN,), 10)
    assert (
        decider.text(NAMES)
        == "Round 1: Ben let the sack go; for 4 mice, all else the same, it would have won Ben the game."
    )
    assert moments(story)[0] == decider


def test_the_mouse_for_a_sack_that_nobody_bought_may_have_decided_the_game() -> None:
    # Cara's 6 mice win; Dan, the last, leaves 20 points for 1 mouse.
    decider = only(retold(a_round("A:15 B:5 C:0 D:0", "A- B- C- D-")), "decider")
    assert (decider.seats, decider.value) == ((DAN,), 19)
    assert (
        decider.text(NAMES)
        == "Round 1: Dan let the sack go; for 1 mouse, all else the same, it would have won Dan the game."
    )


def test_no_pass_decided_a_game_that_its_seat_won() -> None:
    # Dan wins with 27 to Anna's 20; for 16 mice he would have won with 25.
    rich, dear = a_round("A:0 B:0 C:0 D:-5", "C- B- D- A-"), a_round("A:15 B:5 C:0 D:0", "A15 B- C- D-")
    assert retold(rich, dear).game.winners == [DAN]
    assert not told(retold(rich, dear), "decider")


def test_a_pass_that_would_not_have_won_decided_nothing() -> None:
    assert not told(retold(QUIET), "decider")


def test_a_seat_that_could_not_pay_decided_nothing() -> None:
    assert told(retold(a_round("A:15 B:15 C:15 D:0", "B14 C- D- A15 B-")), "decider") == []
    assert told(retold(a_round("A:15 B:15 C:15 D:0", "B13 C- D- A14 B-")), "decider") != []


def test_a_seat_that_could_not_have_paid_for_its_later_bids_decided_nothing() -> None:
    unsold, bought = (
        a_round("A:0 B:0 C:0 D:-5", "B- C- A- D-"),
        a_round("A:15 B:15 C:0 D:0", "A1 C- D- B2 A3 B-"),
    )
    # Ben has 23 mice then, and would have had 13, had he bought.
    low, high = (a_round("A:0 B:0 C:0 D:0", f"B{mice} C- D- A{mice + 1} B-") for mice in (13, 14))
    assert only(retold(unsold, bought, low), "decider").round == 2
    assert not told(retold(unsold, bought, high), "decider")


# ---- which of them ----------------------------------------------------------------------------------


def test_the_best_are_of_different_rounds_and_kinds_in_the_order_of_the_game() -> None:
    steal = a_round("A:15 B:8 C:0 D:0", "A- B3 C- D-")
    story = retold(steal, steal, a_round("A:3 B:0 C:0 D:-8", "A9 B- C- D10 A-"), QUIET)
    chosen = best(moments(story))
    assert len({moment.round for moment in chosen}) == len({moment.kind for moment in chosen}) == 3
    assert chosen == sorted(chosen, key=lambda moment: moment.version)
    assert best(moments(story), 1) == [moments(story)[0]]


def test_a_game_that_runs_has_none() -> None:
    steal = a_round("A:15 B:8 C:0 D:0", "A- B3 C- D-")
    assert moments(retold(steal, phase="bidding")) == []
    assert moments(Story.of(a_running_game().envelopes)) == []


def test_without_a_result_nobody_led_and_no_pass_decided() -> None:
    first, second = a_round("A:11 B:0 C:0 D:0", "A1 B- C- D-"), a_round("A:15 B:0 C:0 D:0", "A- B- C- D1")
    told_of = {moment.kind for moment in moments(retold(first, second, phase="abandoned"))}
    assert told_of == {"steal"}


def test_a_game_that_was_cut_short_has_those_of_its_sold_sacks() -> None:
    played = a_game_played(4, kinds=(sensible_player,))
    story = Story.of(played.until(played.versions("sack_sold")[4]).envelopes)
    cut = replace(story, game=_abandoned(story.game))
    assert {moment.round for moment in moments(cut)} <= {auction.round for auction in auctions(cut)}
    assert moments(cut)


def _abandoned(game: Game) -> Game:
    game = game.copy()
    game.phase = "abandoned"
    return game


# ---- in any game ------------------------------------------------------------------------------------


@given(st.sampled_from([3, 4, 5]), seeds(40, few=4))
def test_moments_are_of_their_rounds_and_told_with_names(seats: int, seed: int) -> None:
    story = Story.of(a_game_played(seats, seed=str(seed)).envelopes)
    ends = {auction.round: auction for auction in auctions(story)}
    names = [f"<{seat}>" for seat in range(seats)]
    for moment in moments(story):
        end = ends[moment.round]
        assert moment.value >= 0
        assert moment.version in (end.version, *(step.version for step, _ in end.passes))
        assert moment.text(names).startswith(f"Round {moment.round}: ")
        assert f"<{moment.seats[0]}>" in moment.text(names)


@given(st.sampled_from([3, 4, 5]), seeds(40, few=4))
def test_the_pass_that_decided_was_not_the_winners(seats: int, seed: int) -> None:
    story = Story.of(a_game_played(seats, seed=str(seed)).envelopes)
    for moment in moments(story):
        if moment.kind == "decider":
            assert moment.seats[0] not in story.game.winners


@each("path", KEPT)
def test_moments_need_nothing_that_a_spectator_could_not_see(path: Path) -> None:
    story = Story.of(kept_game(path).envelopes)
    blind = replace(story, steps=tuple(map(blinded, story.steps)))
    assert moments(blind) == moments(story)
