"""What the turn mails say, in every phase, for 3, 4 and 5 players."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Bid, Leave, Pass, Play
from felix_async.game.folding import fold
from felix_async.game.views import view
from felix_notifiers.content.sheet import Sheet
from games import NAMES
from notifiers.sheets import Html, an_answer, compose, mail, offered
from table import (
    ANNA,
    BEN,
    CARA,
    DAN,
    FULL_SET,
    MOUSE_CARDS,
    a_game,
    an_invitation,
    for_every_table,
)


# ---- placing a card ---------------------------------------------------------------------------------
def test_the_dummy_is_explained_to_three_players_in_the_first_round() -> None:
    told = "The dummy is nobody: with three players"
    assert told in " ".join(mail(a_game(seats=3), BEN).text.split())
    assert told not in " ".join(mail(a_game(seats=3).in_round(2), BEN).text.split())
    assert told not in " ".join(mail(a_game(), BEN).text.split())


def test_a_former_player_begins_a_sentence_with_a_capital() -> None:
    names = ["", *NAMES[1:]]
    status = an_answer(show=["status"])
    away = mail(a_game().after(Leave(seat=ANNA, for_good=False)), BEN, {"answer"}, answer=status, names=names)
    assert "The computer plays for a former player." in away.text
    lobby = mail(fold(an_invitation(4, [ANNA])), BEN, {"answer"}, answer=status, names=names)
    assert "- A former player joined.\n" in lobby.text


@for_every_table
def test_a_placing_mail_offers_each_card_of_the_hand(seats: int) -> None:
    table = a_game(seats=seats)
    hand = table.game.seats[BEN].hand
    composed = mail(table, BEN)
    assert len(hand) == 9
    assert len(offered(composed)) == 9
    assert [link.body for link in Html(composed.html).links] == offered(composed)


@for_every_table
def test_a_placing_mail_says_round_and_task(seats: int) -> None:
    composed = mail(a_game(seats=seats).in_round(3), BEN)
    assert composed.subject == "[Thursday club k7m2p] Your turn: round 3, place a card"
    assert "Your turn: round 3 of 9, place a card.\n" in composed.text


@for_every_table
def test_a_placing_mail_tells_bank_mouse_cards_and_own_mice(seats: int) -> None:
    table = a_game(seats=seats)
    on_cards = MOUSE_CARDS[seats]
    text = mail(table, BEN).text
    listed = ", ".join(map(str, on_cards))
    assert f"  Mouse cards  {listed}; who passes next takes {on_cards[0]} mice\n" in text
    assert f"  Bank         {table.game.bank} mice\n" in text
    assert "You have 15 mice." in text


def test_a_placing_mail_shows_who_has_placed() -> None:
    table = a_game(start=ANNA)
    table = table.after(Play(seat=CARA, card=table.game.seats[CARA].hand[0]))
    text = mail(table, BEN).text
    assert "  1.  no card yet  Anna\n  2.  no card yet  you\n  3.  face down    Cara\n" in text


def test_with_three_players_the_dummys_card_lies_first() -> None:
    text = mail(a_game(seats=3, start=BEN), ANNA).text
    assert "  1.  face down    the dummy\n  2.  no card yet  Ben\n" in text


def test_a_seat_that_has_placed_is_offered_nothing() -> None:
    table = a_game()
    table = table.after(Play(seat=BEN, card=table.game.seats[BEN].hand[0]))
    composed = mail(table, BEN, frozenset())
    assert offered(composed) == []
    assert Html(composed.html).links == []


def test_empty_mouse_cards_are_told() -> None:
    assert "whoever passes takes no mice" in mail(a_game().with_empty_mouse_cards(), BEN).text


def test_every_card_has_a_word_in_the_hand() -> None:
    table = a_game().with_hands({BEN: FULL_SET[:9]})
    composed = mail(table, BEN)
    assert "Your hand:" not in composed.text, "the answers are the hand"
    assert offered(composed)[:3] == ["PLAY -8", "PLAY -5", "PLAY RABBIT"]
    assert offered(composed)[-1] == "PLAY LARGE DOG"


def test_the_html_draws_a_card_with_a_true_minus_and_types_a_plain_one() -> None:
    html = Html(mail(a_game().with_hands({BEN: FULL_SET[:9]}), BEN).html)
    assert "−8 PLAY -8" in html.words


def test_won_cards_are_counted() -> None:
    table = a_game().in_round(2).with_won({BEN: (-8, 3, 0)})
    text = mail(table, BEN).text
    assert "Won so far: -8, rabbit and 3, worth -5 points." in text


def test_one_point_is_one_point() -> None:
    table = a_game().in_round(2).with_won({BEN: (-5, 3, 3)})
    assert "worth 1 point." in mail(table, BEN).text


def test_won_cards_of_others_are_not_counted() -> None:
    table = a_game().in_round(2).with_won({CARA: (15, 11)})
    assert "Won so far" not in mail(table, BEN).text


# ---- the auction ------------------------------------------------------------------------------------
@for_every_table
def test_the_starter_is_offered_the_least_bid_three_more_and_pass(seats: int) -> None:
    composed = mail(a_game(seats=seats, start=ANNA).in_auction(), ANNA)
    assert offered(composed) == ["BID 1", "BID 2", "BID 3", "BID 5", "PASS"]
    assert [link.body for link in Html(composed.html).links] == offered(composed)


@for_every_table
def test_an_auction_mail_says_round_and_task(seats: int) -> None:
    composed = mail(a_game(seats=seats, start=ANNA).in_auction(), ANNA)
    assert composed.subject == "[Thursday club k7m2p] Your turn: round 1, bid or pass"
    assert "Your turn: round 1 of 9, bid or pass.\n" in composed.text
    assert "  Highest bid  none yet\n" in composed.text


@for_every_table
def test_an_auction_mail_shows_the_row_with_its_owners(seats: int) -> None:
    game = a_game(seats=seats, start=ANNA).in_auction(top_bid=4, by=ANNA).game
    lines = [line.split() for line in mail(game, BEN).text.splitlines() if line[2:3].isdigit()]
    owners = ["dummy"] if seats == 3 else []
    owners += ["Anna", "you", *NAMES[2:seats]]
    assert len(lines) == len(owners)
    assert all(owner in line for owner, line in zip(owners, lines, strict=True))


def test_the_open_cards_are_shown_and_the_others_are_not() -> None:
    game = a_game(start=ANNA).with_row(11, -5, 0, "small_dog").after(Pass(seat=ANNA)).game
    text = mail(game, BEN).text
    assert "  1.  11         Anna  passed\n" in text
    assert "  2.  -5         you   your turn\n" in text
    assert "  3.  face down  Cara  no bid yet\n" in text


def test_the_highest_bid_and_its_owner_are_told() -> None:
    text = mail(
        a_game(start=ANNA).in_auction().after(Bid(seat=ANNA, amount=3), Bid(seat=BEN, amount=5)), CARA
    ).text
    assert "  Highest bid  5 mice, by Ben\n" in text
    assert "Anna  bid 3\n" in text
    assert "Ben   bid 5, the highest\n" in text


def test_the_own_card_in_the_row_is_told_to_its_owner() -> None:
    game = a_game(start=ANNA).with_row(11, -5, 0, "small_dog").game
    assert "Your card in the row: -5." in mail(game, BEN, frozenset()).text
    assert "-5" not in mail(game, ANNA).text.split("Your hand")[0]


def test_the_last_card_was_placed_by_the_rules() -> None:
    game = a_game(start=ANNA).in_round(9).game
    composed = mail(game, ANNA)
    assert "It was your last one, so it was placed for you." in " ".join(composed.text.split())
    assert "Your hand:" not in composed.text


def test_the_next_mouse_card_is_told() -> None:
    game = a_game(start=ANNA).in_auction().after(Pass(seat=ANNA)).game
    text = " ".join(mail(game, BEN).text.split())
    assert "Mouse cards 2 (taken), 4, 6; who passes next takes 4 mice" in text
    assert "If you pass now, you take 4 mice and are out of this round." in text


def test_a_mouse_card_that_is_taken_is_told() -> None:
    game = a_game(seats=3, start=ANNA).in_auction().after(Pass(seat=ANNA)).game
    assert "  Mouse cards  3 (taken), 6; who passes next takes 6 mice\n" in mail(game, BEN).text


def test_passing_for_nothing_is_said() -> None:
    table = a_game(start=ANNA).with_empty_mouse_cards().in_auction()
    assert "If you pass now, you take no mice" in " ".join(mail(table, ANNA).text.split())


def test_no_bid_above_the_own_mice_is_offered() -> None:
    table = a_game(start=ANNA).in_round(2).with_mice({BEN: 7}).in_auction(top_bid=4, by=ANNA)
    composed = mail(table, BEN)
    assert offered(composed) == ["BID 5", "BID 6", "BID 7", "PASS"]
    assert "You may bid any number from 5 to 7: your whole bid, not a raise." in " ".join(
        composed.text.split()
    )


def test_the_last_mouse_may_be_bid() -> None:
    table = a_game(start=ANNA).in_round(2).with_mice({BEN: 5}).in_auction(top_bid=4, by=ANNA)
    composed = mail(table, BEN)
    assert offered(composed) == ["BID 5", "PASS"]
    assert "You may bid 5, which is all that you have." in " ".join(composed.text.split())


@pytest.mark.parametrize(
    ("mice", "reason"),
    [
        (3, "A new bid must be 5 or more, and you have 3 mice."),
        (1, "A new bid must be 5 or more, and you have 1 mouse."),
        (0, "You have no mice, so you cannot bid."),
    ],
)
def test_a_seat_that_cannot_bid_is_offered_pass_alone_and_told_why(mice: int, reason: str) -> None:
    table = a_game(start=ANNA).in_round(2).with_mice({BEN: mice}).in_auction(top_bid=4, by=ANNA)
    composed = mail(table, BEN)
    text = " ".join(composed.text.split())
    assert offered(composed) == ["PASS"]
    assert [link.body for link in Html(composed.html).links] == ["PASS"]
    assert f"{reason} So PASS is your only answer this time." in text
    assert "Answer this mail with this line:" in text


def test_the_last_seat_of_an_unbid_auction_buys_for_one_or_passes() -> None:
    table = a_game(start=ANNA).in_auction().after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA))
    composed = mail(table, DAN)
    text = " ".join(composed.text.split())
    assert offered(composed) == ["BID 1", "PASS"]
    assert "The whole sack is yours for exactly 1 mouse." in text
    assert "the sack goes to the box, and the mouse cards stay empty in the next round." in text
    assert "Mouse cards 2 (taken), 4 (taken), 6 (taken) Bank" in text


def test_the_last_seat_without_a_mouse_can_only_pass() -> None:
    table = a_game(start=ANNA).in_round(2).with_mice({DAN: 0}).in_auction()
    composed = mail(table.after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA)), DAN)
    assert offered(composed) == ["PASS"]
    assert "would be yours for 1 mouse, but you have none." in " ".join(composed.text.split())


def test_after_round_nine_there_is_no_next_round_to_speak_of() -> None:
    table = a_game(start=ANNA).in_round(9)
    text = mail(table.after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA)), DAN).text
    assert "the sack goes to the box." in " ".join(text.split())


# ---- reminders, and mails to those who are not asked ------------------------------------------------
@for_every_table
def test_a_reminder_is_the_turn_mail_and_says_that_it_is_one(seats: int) -> None:
    table = a_game(seats=seats, start=ANNA).in_auction()
    turn, reminder = mail(table, ANNA), mail(table, ANNA, {"reminder"})
    assert reminder.subject == "[Thursday club k7m2p] Reminder: round 1, bid or pass"
    assert "This is a reminder, in case the first mail got lost." in reminder.text
    assert offered(reminder) == offered(turn)


def test_a_turn_mail_that_was_not_sent_yet_is_no_reminder() -> None:
    composed = mail(a_game(), BEN, {"turn", "reminder"})
    assert composed.subject.endswith("Your turn: round 1, place a card")
    assert "This is a reminder" not in composed.text


def test_the_placing_reminder_keeps_its_subject_line() -> None:
    assert mail(a_game(), BEN, {"reminder"}).subject.endswith("Reminder: round 1, place a card")


def test_a_turn_mail_for_a_seat_that_is_not_asked_says_who_is() -> None:
    composed = mail(a_game(start=ANNA).in_auction(), BEN)
    assert "Now waiting for Anna to bid or pass." in composed.text
    assert offered(composed) == []


def test_the_history_is_told_in_a_turn_mail() -> None:
    composed = mail(a_game(), BEN, history=["Cara placed a card.", "The −8 was turned over."])
    assert "Since your last move:\n\n- Cara placed a card.\n- The -8 was turned over.\n" in composed.text
    assert "The −8 was turned over." in Html(composed.html).words


def test_a_letter_is_for_a_seat() -> None:
    table = view(a_game().game, "spectator")
    sheet = Sheet("k7m2p", "", NAMES[:4], table, {"turn"}, None, (), "felix+x@play.test")
    with pytest.raises(ValueError, match="a letter is for a seat, not for 'spectator'"):
        compose(sheet)


def test_where_everybody_has_left_for_a_while_the_game_rests() -> None:
    away = a_game().after(*[Leave(seat=seat, for_good=False) for seat in range(4)])
    text = " ".join(mail(away, ANNA, {"answer"}, answer=an_answer(show=["status"])).text.split())
    assert "Nobody is at the table just now, so the game rests until somebody comes back." in text


def test_nobody_waits_for_a_seat_that_the_computer_plays() -> None:
    away = a_game().after(Leave(seat=CARA, for_good=False))
    text = " ".join(mail(away, ANNA, {"answer"}, answer=an_answer(show=["status"])).text.split())
    assert "You, Ben and Dan still have to place a card." in text
