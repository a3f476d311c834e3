"""Invitations, results, cancellations and answers, and several of them in one mail."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Play
from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_events.model import GameAbandoned, GameEnded, PlayerDeclined, Score, SeedRevealed
from games import a_game_played
from notifiers.sheets import Html, an_answer, mail, offered
from table import ANNA, BEN, CARA, SEED, a_game, an_invitation


def ended(*scores: tuple[int, int], winners: list[int]) -> Game:
    """A game of four that ended with these cats and mice."""
    told: list[Score | None] = [Score(cats=cats, mice=mice, total=cats + mice) for cats, mice in scores]
    events = [
        *a_game().in_round(9).events,
        GameEnded(scores=told, winners=winners),
        SeedRevealed(seed=SEED.hex()),
    ]
    return fold(events)


def declined(seats: int = 4) -> Game:
    """Anna joined, Ben declined."""
    events = [*an_invitation(seats, [ANNA]), PlayerDeclined(seat=BEN), GameAbandoned(reason="declined")]
    return fold([*events, SeedRevealed(seed=SEED.hex())])


def placing(game: Game, seat: int) -> Play:
    """The seat places its first card."""
    return Play(seat=seat, card=game.seats[seat].hand[0])


# ---- invitation -------------------------------------------------------------------------------------
def test_a_first_invitation_is_no_reminder() -> None:
    assert "This is a reminder" not in mail(fold(an_invitation(4)), BEN, {"invitation", "reminder"}).text


# ---- result and cancellation ------------------------------------------------------------------------
def test_a_result_offers_another_game_and_to_look_at_this_one() -> None:
    composed = mail(a_game_played(4).game(), BEN, {"result"})
    assert offered(composed) == ["REMATCH", "REPLAY"]
    assert [link.body for link in Html(composed.html).links] == ["REMATCH", "REPLAY"]
    assert "HELP" not in composed.text


@pytest.mark.parametrize(
    ("seat", "winners", "sentence"),
    [
        (ANNA, [BEN], "The game is over, and Ben won."),
        (BEN, [BEN], "The game is over, and you won."),
        (ANNA, [BEN, CARA], "The game is over, and Ben and Cara share the win."),
        (CARA, [BEN, CARA], "The game is over, and you and Ben share the win."),
    ],
)
def test_status_names_the_winner(seat: int, winners: list[int], sentence: str) -> None:
    game = ended((0, 1), (10, 5), (10, 5), (0, 2), winners=winners)
    assert sentence in mail(game, seat, {"answer"}, answer=an_answer(show=["status"])).text


def test_a_game_abandoned_without_a_decliner_is_told_in_short() -> None:
    game = fold([*an_invitation(4), GameAbandoned(reason="declined")])
    text = mail(game, ANNA, {"cancelled"}).text
    assert "Too few players are left, so the game is off." in text


def test_who_declined_is_told_so_with_you() -> None:
    composed = mail(declined(), BEN, {"answer"}, answer=an_answer(("STATUS", "done", "."), show=["status"]))
    assert "You declined, so the game is off." in composed.text


# ---- answers ----------------------------------------------------------------------------------------

BAD = an_answer(
    ("BID 3", "refused", "A bid of 3 is too low."),
    ("BDI 6", "not understood", "I didn't understand this line."),
    ("play dog", "ambiguous", "Which dog do you mean?"),
    ("blah", "ignored", ""),
    ("HAND", "done", "Your hand is below."),
)


def test_hand_before_the_start_says_when_there_will_be_one() -> None:
    text = mail(fold(an_invitation(4)), BEN, {"answer"}, answer=an_answer(show=["hand"])).text
    assert "The cards are dealt when the game starts." in text
    assert "mice" not in text


@pytest.mark.parametrize("theirs", ["Re: Round 9 · Thursday club", "BID 5", ""])
def test_an_answer_has_the_subject_of_the_round_whatever_it_answers(theirs: str) -> None:
    answer = an_answer(("HELP", "done", "."), subject=theirs)
    assert mail(a_game(), BEN, {"answer"}, answer=answer).subject == "Round 1 · Thursday club"


def test_an_answer_and_the_invitation_fold_into_one_mail() -> None:
    composed = mail(fold(an_invitation(4)), BEN, {"answer", "invitation"}, answer=an_answer(show=["help"]))
    assert "Nine rounds: everyone slips a cat" in " ".join(composed.text.split())
    assert "Other orders:" in composed.text
    assert offered(composed) == ["JOIN", "DECLINE", "RULES"]


def test_status_after_the_end_shows_the_scores() -> None:
    game = ended((0, 1), (10, 5), (9, 5), (0, 2), winners=[1])
    text = mail(game, ANNA, {"answer"}, answer=an_answer(show=["status"])).text
    assert "The game is over, and Ben won.\n" in text
    assert "  1.  Ben     10 +    5 =    15\n" in text


def test_hand_shows_the_hand_and_not_the_table() -> None:
    text = mail(a_game(), BEN, {"answer"}, answer=an_answer(show=["hand"])).text
    assert "Your hand: " in text
    assert "You have 15 mice." in text
    assert "Bank" not in text
