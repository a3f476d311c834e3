"""Invitations, results, cancellations and answers, and several of them in one mail."""

from __future__ import annotations

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.game.commands import Play
from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_async.language.words import HELP
from felix_events.model import GameAbandoned, GameEnded, PlayerDeclined, Score, SeedRevealed
from games import NAMES, a_game_played
from notifiers.sheets import Html, an_answer, mail, offered
from table import ANNA, BEN, CARA, SEED, a_game, an_invitation, by_all, for_every_table


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
@for_every_table
def test_an_invitation_says_who_plays_and_how_to_answer(seats: int) -> None:
    composed = mail(fold(an_invitation(seats)), BEN, {"invitation"})
    text = " ".join(composed.text.split())
    assert composed.subject == "[Thursday club k7m2p] You are invited to a game of Felix"
    assert all(name in text for name in NAMES[:seats])
    assert "The table is called Thursday club." in text
    assert offered(composed) == ["JOIN", "DECLINE"]
    assert [link.body for link in Html(composed.html).links] == ["JOIN", "DECLINE"]


def test_an_invitation_to_a_table_without_a_name() -> None:
    composed = mail(fold(an_invitation(3)), BEN, {"invitation"}, table_name="")
    assert composed.subject.startswith("[felix k7m2p] ")
    assert "The table is called" not in composed.text


def test_an_invitation_shows_no_cards_and_no_mice() -> None:
    text = mail(fold(an_invitation(4)), BEN, {"invitation"}).text
    assert "Your hand" not in text
    assert "You have" not in text


def test_the_reminder_of_an_invitation_says_that_it_is_one() -> None:
    composed = mail(fold(an_invitation(4)), BEN, {"reminder"})
    assert composed.subject.endswith("Reminder: your invitation")
    assert "This is a reminder, in case the first mail got lost." in composed.text
    assert offered(composed) == ["JOIN", "DECLINE"]


def test_a_first_invitation_is_no_reminder() -> None:
    assert "This is a reminder" not in mail(fold(an_invitation(4)), BEN, {"invitation", "reminder"}).text


# ---- result and cancellation ------------------------------------------------------------------------
@for_every_table
def test_a_result_holds_every_score(seats: int) -> None:
    played = a_game_played(seats)
    game = played.game()
    composed = mail(game, BEN, {"result"})
    words = Html(composed.html).words.split()
    for seat, score in enumerate(by_all(game.scores)):
        name = "You" if seat == BEN else NAMES[seat]
        line = next(line.split() for line in composed.text.splitlines() if line[8:].startswith(f"{name} "))
        assert line[1:] == [name, str(score.cats), str(score.mice), str(score.total)]
        assert name in words


def test_a_result_offers_another_game_and_nothing_else() -> None:
    composed = mail(a_game_played(4).game(), BEN, {"result"})
    assert offered(composed) == ["REMATCH"]
    assert [link.body for link in Html(composed.html).links] == ["REMATCH"]
    assert "HELP" not in composed.text


def test_the_winners_come_first_and_then_by_total() -> None:
    game = ended((10, 5), (30, 2), (-3, 20), (1, 1), winners=[1])
    lines = mail(game, ANNA, {"result"}).text.splitlines()
    start = lines.index("  Rank  Player   Cats   Mice  Total")
    assert [line.split()[1] for line in lines[start + 1 : start + 5]] == ["Ben", "Cara", "You", "Dan"]
    assert "  2.    Cara       -3     20     17" in lines


def test_those_who_share_the_win_share_the_rank() -> None:
    game = ended((10, 5), (10, 5), (-3, 17), (-3, 17), winners=[0, 1])
    lines = mail(game, ANNA, {"result"}).text.splitlines()
    start = lines.index("  Rank  Player   Cats   Mice  Total")
    assert [line.split()[0] for line in lines[start + 1 : start + 5]] == ["1.", "1.", "3.", "3."]


@pytest.mark.parametrize(
    ("seat", "winners", "sentence"),
    [
        (ANNA, [BEN], "The game is over, and Ben won."),
        (BEN, [BEN], "The game is over, and you won."),
        (ANNA, [BEN, CARA], "The game is over, and Ben and Cara share the win."),
        (CARA, [BEN, CARA], "The game is over, and you and Ben share the win."),
    ],
)
def test_the_result_names_the_winner(seat: int, winners: list[int], sentence: str) -> None:
    game = ended((0, 1), (10, 5), (10, 5), (0, 2), winners=winners)
    assert sentence in mail(game, seat, {"result"}).text


def test_a_tie_that_the_cats_decided_is_explained() -> None:
    game = ended((0, 1), (10, 5), (9, 6), (0, 2), winners=[1])
    assert (
        "The highest total was reached more than once, so the cats decided."
        in mail(game, ANNA, {"result"}).text
    )


def test_a_shared_win_is_explained() -> None:
    game = ended((0, 1), (10, 5), (10, 5), (0, 2), winners=[1, 2])
    assert "Their totals are the same, and so are their cats." in mail(game, ANNA, {"result"}).text


def test_a_clear_win_needs_no_explanation() -> None:
    text = mail(ended((0, 1), (10, 5), (9, 5), (0, 2), winners=[1]), ANNA, {"result"}).text
    assert "total was" not in text
    assert "totals are" not in text


@for_every_table
def test_a_cancellation_says_who_declined(seats: int) -> None:
    composed = mail(declined(seats), ANNA, {"cancelled"})
    assert composed.subject == "[Thursday club k7m2p] The game will not happen"
    assert "Ben declined, so the game will not happen." in composed.text
    assert offered(composed) == (["REMATCH"] if seats > 3 else [])


def test_a_game_abandoned_without_a_decliner_is_told_in_short() -> None:
    game = fold([*an_invitation(4), GameAbandoned(reason="declined")])
    text = mail(game, ANNA, {"cancelled"}).text
    assert "Too few players are left, so the game will not happen." in text


def test_who_declined_is_told_so_with_you() -> None:
    composed = mail(declined(), BEN, {"answer"}, answer=an_answer(("STATUS", "done", "."), show=["status"]))
    assert "You declined, so the game will not happen." in composed.text


# ---- answers ----------------------------------------------------------------------------------------

BAD = an_answer(
    ("BID 3", "refused", "A bid of 3 is too low."),
    ("BDI 6", "not understood", "I did not understand this line."),
    ("play dog", "ambiguous", "Which dog do you mean?"),
    ("blah", "ignored", ""),
    ("HAND", "done", "Your hand is below."),
)


def test_every_line_is_echoed_with_its_verdict_and_why() -> None:
    composed = mail(a_game(), BEN, {"answer"}, answer=BAD)
    for line in (
        '- "BID 3": Not done. A bid of 3 is too low.\n',
        '- "BDI 6": Not understood. I did not understand this line.\n',
        '- "play dog": Not clear. Which dog do you mean?\n',
        '- "blah": Left aside.\n',
        '- "HAND": Done. Your hand is below.\n',
    ):
        assert line in composed.text
    assert "BID 3 Not done. A bid of 3 is too low." in Html(composed.html).words


def test_a_verdict_about_the_whole_mail_quotes_nothing() -> None:
    whole = an_answer(("", "not understood", "I found no order in your mail."))
    composed = mail(a_game(), BEN, {"answer"}, answer=whole)
    assert "- I found no order in your mail.\n" in composed.text
    assert '""' not in composed.text
    assert "I found no order in your mail." in Html(composed.html).words


def test_an_answer_says_who_is_waited_for() -> None:
    table = a_game()
    game = table.after(*[placing(table.game, seat) for seat in (BEN, CARA)]).game
    text = mail(game, BEN, {"answer"}, answer=an_answer(("PLAY 3", "done", "Your card lies face down."))).text
    assert "Now waiting for Anna and Dan to place a card." in text


def test_an_answer_to_an_early_bird_says_who_has_not_joined() -> None:
    game = fold(an_invitation(4, [ANNA, BEN]))
    text = mail(game, BEN, {"answer"}, answer=an_answer(("JOIN", "done", "You are in."))).text
    assert "Now waiting for Cara and Dan to answer the invitation." in text


def test_after_a_refusal_the_moves_are_offered_again() -> None:
    table = a_game(start=ANNA).in_auction()
    composed = mail(table, ANNA, {"answer"}, answer=BAD)
    assert "It is your turn: bid or pass." in composed.text
    assert offered(composed) == ["BID 1", "BID 2", "BID 3", "BID 5", "PASS"]


def test_an_answer_alone_shows_neither_table_nor_hand() -> None:
    text = mail(a_game(start=ANNA).in_auction(), ANNA, {"answer"}, answer=BAD).text
    assert "the row left to right" not in text
    assert "Your hand:" not in text


def test_hand_shows_the_hand_and_not_the_table() -> None:
    text = mail(a_game(), BEN, {"answer"}, answer=an_answer(show=["hand"])).text
    assert "Your hand: " in text
    assert "You have 15 mice." in text
    assert "Bank" not in text


def test_status_shows_the_table_and_not_the_hand() -> None:
    text = mail(a_game(start=ANNA).in_auction(), BEN, {"answer"}, answer=an_answer(show=["status"])).text
    assert "Round 1, the row left to right:" in text
    assert "Anna  to move\n" in text
    assert "Now waiting for Anna to bid or pass." in text
    assert "Your hand" not in text


def test_status_before_the_start_shows_who_has_answered() -> None:
    game = fold(an_invitation(4, [ANNA]))
    text = mail(game, BEN, {"answer"}, answer=an_answer(show=["status"])).text
    assert "- Anna joined.\n- You have not answered yet.\n- Cara has not answered yet.\n" in text


def test_status_after_the_end_shows_the_scores() -> None:
    game = ended((0, 1), (10, 5), (9, 5), (0, 2), winners=[1])
    text = mail(game, ANNA, {"answer"}, answer=an_answer(show=["status"])).text
    assert "- The game is over, and Ben won.\n" in text
    assert "  1.    Ben        10      5     15\n" in text


def test_hand_before_the_start_says_when_there_will_be_one() -> None:
    text = mail(fold(an_invitation(4)), BEN, {"answer"}, answer=an_answer(show=["hand"])).text
    assert "The cards are dealt when the game starts." in text
    assert "mice" not in text


def test_help_lists_every_order() -> None:
    composed = mail(a_game(), BEN, {"answer"}, answer=an_answer(show=["help"]))
    words = " ".join(composed.text.split())
    lines = [line.split("  ") for line in HELP.splitlines() if line.startswith("  ")]
    assert all(" ".join(part.split()) in words for line in lines for part in line)
    assert all(
        line.split()[0] in Html(composed.html).words for line in HELP.splitlines() if line.startswith("  ")
    )


def test_an_answer_keeps_the_subject_that_it_answers() -> None:
    theirs = "Re: [Thursday club k7m2p] Your turn: round 1, place a card"
    answer = an_answer(("HELP", "done", "."), subject=theirs)
    assert mail(a_game(), BEN, {"answer"}, answer=answer).subject == theirs


def test_an_answer_does_not_repeat_a_strangers_subject() -> None:
    composed = mail(a_game(), BEN, {"answer"}, answer=an_answer(("HELP", "done", "."), subject="BID 5"))
    assert composed.subject == "[Thursday club k7m2p] Answer to your mail"


# ---- several in one ---------------------------------------------------------------------------------
def test_an_answer_and_the_next_turn_fold_into_one_mail() -> None:
    table = a_game(start=ANNA).in_auction()
    answer = an_answer(("PLAY 3", "done", "Your card lies face down."), subject="Re: something")
    composed = mail(table, ANNA, {"answer", "turn"}, answer=answer)
    assert composed.subject.endswith("Your turn: round 1, bid or pass")
    assert '- "PLAY 3": Done. Your card lies face down.' in composed.text
    assert "Your turn: round 1 of 9, bid or pass." in composed.text
    assert "Now waiting for" not in composed.text
    assert offered(composed)[-1] == "PASS"


def test_an_answer_and_the_result_fold_into_one_mail() -> None:
    game = ended((0, 1), (10, 5), (9, 5), (0, 2), winners=[1])
    answer = an_answer(("PASS", "done", "You are out of this round's auction."))
    composed = mail(game, ANNA, {"answer", "result"}, answer=answer)
    assert composed.subject.endswith("The game is over")
    assert '- "PASS": Done.' in composed.text
    assert "Ben won." in composed.text


def test_an_answer_and_the_invitation_fold_into_one_mail() -> None:
    composed = mail(fold(an_invitation(4)), BEN, {"answer", "invitation"}, answer=an_answer(show=["help"]))
    assert "You are invited to a game of Felix" in composed.text
    assert "All other orders:" in composed.text
    assert offered(composed) == ["JOIN", "DECLINE"]


def test_answers_to_several_mails_become_one() -> None:
    first = an_answer(("HAND", "done", "."), show=["hand"], subject="a", in_reply_to="<1@x>")
    second = an_answer(
        ("HAND", "done", "."), ("HELP", "done", "."), show=["hand", "help"], in_reply_to="<2@x>"
    )
    folded = Answer.folded([first, second])
    assert [line.text for line in folded.lines] == ["HAND", "HAND", "HELP"]
    assert folded.show == ["hand", "help"]
    assert folded.in_reply_to == "<2@x>"


def test_an_answer_survives_the_payload() -> None:
    answer = an_answer(
        ("BID 5", "refused", "Too low: “5”."), show=["status"], subject="s", in_reply_to="<1@x>"
    )
    assert Answer.from_json(answer.to_json()) == answer
