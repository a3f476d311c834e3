"""Another game with the same players: who is asked, what they are told, and what if it came to nothing."""

from __future__ import annotations

from email.message import EmailMessage

from felix_async.game.commands import Leave
from inbox.hosting import game_at, opened
from inbox.postbag import a_first_round
from notifiers.friends import ANNA, BEN, CARA, Friends, friends
from notifiers.sheets import part


def played(*leaving: int) -> tuple[Friends, dict[str, EmailMessage]]:
    """Four have played, some of whom left for good; the mails with the result."""
    bag = a_first_round()
    for seat in leaving:
        bag.room.do(bag.game_id, Leave(seat=seat, for_good=True))
    bag.room.play(bag.game_id)
    circle = friends(bag)
    return circle, {who: circle.newest(who) for who in circle.got}


def test_a_rematch_says_so_outside_and_explains_felix_to_nobody_who_played() -> None:
    circle, results = played()
    circle.tap(CARA, "REMATCH", results[CARA])
    assert circle.text(CARA).startswith("The rematch is open, and your friends are invited.")
    assert circle.text(ANNA).startswith("Cara asks for a rematch. One tap and you are in.")
    assert {circle.newest(who)["Subject"] for who in (ANNA, CARA)} == {"Rematch · Thursday club"}
    circle.tap(ANNA, "REMATCH", results[ANNA])
    assert "You are in." in circle.text(ANNA)
    assert "I have invited you" not in circle.text(CARA) + circle.text(ANNA)


def test_after_one_that_was_called_off_another_is_opened_from_either_mail() -> None:
    circle, results = played()
    circle.tap(CARA, "REMATCH", results[CARA])
    circle.tap(ANNA, "JOIN")
    circle.write(CARA, "CANCEL")
    assert "To try again with Ben, Cara and Dan, answer REMATCH." in circle.text(ANNA)
    circle.tap(ANNA, "REMATCH")
    circle.tap(BEN, "REMATCH", results[BEN])
    first, second = opened(circle.bag)
    assert game_at(circle.bag, first).phase == "abandoned"
    assert game_at(circle.bag, second).answered("joined") == [0, 1]


def test_a_rematch_of_a_table_that_never_began_is_explained_to_those_who_never_played() -> None:
    circle = friends()
    circle.write(ANNA, "NEW Cats\nBen\nZoe <zoe@friends.test>")
    circle.write(ANNA, "CANCEL")
    circle.tap("ben@players.test", "REMATCH")
    text = " ".join(part(circle.newest("zoe@friends.test"), "plain").split())
    assert "Nine rounds: everyone slips a cat" in text
    assert "the same seat" not in text


def test_an_invitation_to_another_game_says_so_and_does_not_explain_felix() -> None:
    circle, results = played(3)
    circle.tap(CARA, "REMATCH", results[CARA])
    text = circle.text(ANNA)
    assert "With Cara and Ben." in text
    assert "It is the next game of Thursday club, everybody in the same seat." in text
    assert "Not asked this time: Dan." in text
    assert "Nine rounds" not in text
    assert "nothing to install" not in text


def test_who_is_invited_stands_in_the_list_alone() -> None:
    circle, results = played()
    circle.write(ANNA, "NOTIFY ALL")
    circle.tap(CARA, "REMATCH", results[CARA])
    assert "No answer yet: you, Ben and Dan." in circle.text(ANNA)
    assert "invited" not in circle.text(ANNA)
