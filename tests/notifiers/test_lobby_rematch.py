"""Another game with the same players: who is asked, what they are told, and what if it came to nothing."""

from __future__ import annotations

from email.message import EmailMessage

from felix_async.game.commands import Leave
from inbox.hosting import game_at, opened
from inbox.postbag import a_first_round
from notifiers.friends import ANNA, BEN, CARA, DAN, Friends, friends
from notifiers.sheets import part


def played(*leaving: int) -> tuple[Friends, dict[str, EmailMessage]]:
    """Four have played, some of whom left for good; the mails with the result."""
    bag = a_first_round()
    for seat in leaving:
        bag.room.do(bag.game_id, Leave(seat=seat, for_good=True))
    bag.room.play(bag.game_id)
    circle = friends(bag)
    return circle, {who: circle.newest(who) for who in circle.got}


def test_the_result_says_who_is_asked_where_somebody_has_left() -> None:
    circle, _ = played(3)
    text = circle.text(ANNA)
    assert "For another game with Ben and Cara, each in the same seat, answer REMATCH." in text
    assert "Not asked: Dan, who has left or gets no mail from me." in text


def test_the_result_promises_the_same_players_where_all_are_there() -> None:
    circle, _ = played()
    assert "For another game with the same players, each in the same seat, answer REMATCH." in circle.text(
        ANNA
    )


def test_who_wants_no_mail_is_not_promised() -> None:
    bag = a_first_round()
    circle = friends(bag)
    circle.write(DAN, "STOP")
    bag.room.play(bag.game_id)
    circle.deliver()
    assert "For another game with Ben and Cara" in circle.text(ANNA)


def test_an_invitation_to_another_game_says_so_and_does_not_explain_felix() -> None:
    circle, results = played(3)
    circle.tap(CARA, "REMATCH", results[CARA])
    text = circle.text(ANNA)
    assert "Cara invites you to another game of Felix. Also invited: Ben." in text
    assert "It is the next game of Thursday club: everybody sits where they sat before." in text
    assert "Not asked this time: Dan." in text
    assert "nine rounds" not in text
    assert "nothing to install" not in text


def test_it_says_who_starts() -> None:
    circle, results = played()
    circle.tap(CARA, "REMATCH", results[CARA])
    game = game_at(circle.bag, opened(circle.bag)[0])
    start = game.options.start_seat
    starting = (ANNA, BEN, CARA, DAN)[start or 0]
    for who in {ANNA, BEN, DAN} - {starting}:
        name = starting.partition("@")[0].capitalize()
        assert f"sat before. {name} starts." in circle.text(who)
    if starting != CARA:
        assert "sat before. You start." in circle.text(starting)


def test_the_text_to_send_on_goes_to_who_opened_the_table_alone() -> None:
    circle, results = played()
    circle.tap(CARA, "REMATCH", results[CARA])
    assert "I have invited you to a game of Felix" in circle.text(CARA)
    circle.tap(ANNA, "REMATCH", results[ANNA])
    assert "You are in." in circle.text(ANNA)
    assert "I have invited you" not in circle.text(ANNA)


def test_who_opens_it_is_told_why_somebody_is_not_asked() -> None:
    circle, results = played(3)
    circle.tap(CARA, "REMATCH", results[CARA])
    assert "Not asked, because they have left the game for good: Dan." in circle.text(CARA)


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


def test_a_host_who_called_a_rematch_off_asks_for_it_by_the_same_word() -> None:
    circle, results = played()
    circle.tap(CARA, "REMATCH", results[CARA])
    circle.write(CARA, "CANCEL")
    assert circle.offers(CARA) == ["REMATCH"]


def test_a_rematch_of_a_table_that_never_began_is_explained_to_those_who_never_played() -> None:
    circle = friends()
    circle.write(ANNA, "NEW Cats\nBen\nZoe <zoe@friends.test>")
    circle.write(ANNA, "CANCEL")
    circle.tap("ben@players.test", "REMATCH")
    text = " ".join(part(circle.newest("zoe@friends.test"), "plain").split())
    assert "There are nine rounds." in text
    assert "sat before" not in text
