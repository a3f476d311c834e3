"""NEW to felix's bare address: nobody needs a token to open a table, but it must be them who asks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_async.game.commands import Decline
from felix_async.language.words import WHICH_GAME
from inbox.hosting import ANNA, FRIENDS, answers, kept, names_at, opened, without_token
from inbox.postbag import MAILBOX, Postbag, a_mail, verdicts

NEW = f"NEW Friday club\n{FRIENDS}"
VOUCHED = ["Authentication-Results: mx.felix.test; dmarc=pass header.from=players.test"]
FORGED = ["Authentication-Results: mx.felix.test; dmarc=fail header.from=players.test"]


@pytest.fixture
def guarded(bag: Postbag) -> Postbag:
    """The same, behind a mail server that vouches for senders."""
    bag.processor = replace(bag.processor, authserv_id="mx.felix.test")
    return bag


def say_yes(bag: Postbag, number: int = 1, text: str = "YES") -> None:
    """Anna answers a question about a mail in her name."""
    raw = a_mail(text, message_id=f"<yes-{bag.mails}-{number}@players.test>")
    bag.take(raw, bag.question_address(0, number))


def test_where_the_mail_server_vouches_for_the_sender_the_table_is_opened(guarded: Postbag) -> None:
    mail = without_token(guarded, NEW, headers=VOUCHED)
    assert guarded.mail(mail).state == "done"
    assert names_at(guarded, opened(guarded)[0]) == ["Anna", "Dora", "Emil"]


@pytest.mark.parametrize("headers", [[], FORGED])
def test_where_it_does_not_the_player_is_asked(guarded: Postbag, headers: list[str]) -> None:
    mail = without_token(guarded, NEW, headers=headers)
    assert (opened(guarded), guarded.mail(mail).state) == ([], "quarantined")
    assert [ANNA in notice.payload for notice in guarded.owed(0, "question")] == [True]


def test_without_such_a_server_the_player_is_always_asked(bag: Postbag) -> None:
    without_token(bag, NEW, headers=VOUCHED)
    assert opened(bag) == []
    assert len(bag.owed(0, "question")) == 1


@pytest.mark.parametrize("fixture", ["bag", "guarded"])
def test_yes_opens_the_table(fixture: str, request: pytest.FixtureRequest) -> None:
    bag: Postbag = request.getfixturevalue(fixture)
    mail = without_token(bag, NEW)
    say_yes(bag)
    (game_id,) = opened(bag)
    assert names_at(bag, game_id) == ["Anna", "Dora", "Emil"]
    assert (bag.mail(mail).state, len(answers(bag, game_id))) == ("done", 1)


def test_no_opens_nothing(bag: Postbag) -> None:
    without_token(bag, NEW)
    say_yes(bag, text="NO")
    assert opened(bag) == []


def test_the_question_is_answered_at_its_own_address_and_by_its_player(bag: Postbag) -> None:
    without_token(bag, NEW)
    bag.send(1, "YES")
    mallory = a_mail("YES", sender="mallory@evil.test", message_id="<m@evil.test>")
    bag.take(mallory, bag.question_address(0, 1), "mallory@evil.test")
    assert opened(bag) == []


def test_a_second_one_before_the_yes_is_helped_and_opened_by_no_yes(bag: Postbag) -> None:
    """Anybody can put her address into From: nobody told her of this one, so her YES does not mean it."""
    without_token(bag, NEW)
    second = without_token(bag, "NEW\nBen\nCara")
    assert (bag.mail(second).state, len(bag.owed(0, "answer"))) == ("done", 1)
    say_yes(bag)
    assert [names_at(bag, game_id) for game_id in opened(bag)] == [["Anna", "Dora", "Emil"]]


def test_a_second_one_after_the_yes_is_asked_about_at_the_new_table(bag: Postbag) -> None:
    without_token(bag, NEW)
    say_yes(bag)
    second = without_token(bag, "NEW\nBen\nCara")
    assert (bag.mail(second).state, len(opened(bag))) == ("quarantined", 1)
    with bag.room.store.read() as reader:
        assert [n.seat for n in reader.notices(opened(bag)[0]) if n.kind == "question"] == [0]


def test_a_player_whose_games_are_all_over_may_open_a_table(guarded: Postbag) -> None:
    guarded.room.do(guarded.game_id, Decline(seat=1))
    assert guarded.game.is_over
    without_token(guarded, NEW, headers=VOUCHED)
    assert len(opened(guarded)) == 1


def test_new_in_the_subject_to_the_bare_address(guarded: Postbag) -> None:
    headers = [*VOUCHED, f"To: {MAILBOX}", "Cc: Ben <ben@players.test>, Cara <cara@players.test>"]
    without_token(guarded, "", subject="NEW Friday club", headers=headers)
    assert names_at(guarded, opened(guarded)[0]) == ["Anna", "Ben", "Cara"]


def test_other_orders_without_a_token_are_not_done(guarded: Postbag) -> None:
    without_token(guarded, f"JOIN\nSTOP\n{NEW}\nSTATUS", headers=VOUCHED)
    assert guarded.game.seats[0].answer == "invited"
    assert guarded.seat(0).address == ANNA
    (answer,) = answers(guarded, opened(guarded)[0])
    assert verdicts(answer) == ["done", "ignored", "ignored", "ignored"]
    assert {line.why for line in answer.lines[1:]} == {WHICH_GAME}


def test_a_refused_new_is_answered_too(guarded: Postbag) -> None:
    before = kept(guarded)
    mail = without_token(guarded, "NEW", headers=VOUCHED)
    answer = guarded.answered(mail)
    assert (verdicts(answer), kept(guarded)) == (["refused"], before)


@pytest.mark.parametrize("text", [NEW, "NEW"])
def test_a_stranger_gets_silence(guarded: Postbag, text: str) -> None:
    before = kept(guarded), guarded.notices()
    headers = [VOUCHED[0].replace("players.test", "evil.test")]
    mail = without_token(guarded, text, sender="mallory@evil.test", headers=headers)
    assert guarded.mail(mail).state == "quarantined"
    assert (kept(guarded), guarded.notices()) == before


def test_an_address_that_a_player_only_writes_from_opens_nothing(guarded: Postbag) -> None:
    """It may be somebody else's as well."""
    guarded.do(lambda tx: tx.adopt(guarded.seat(0).player_id, "office@players.test"))
    without_token(guarded, NEW, sender="office@players.test", headers=VOUCHED)
    assert opened(guarded) == []


def test_who_was_asked_and_did_not_answer_is_not_asked_again_and_again(bag: Postbag) -> None:
    for _ in range(5):
        without_token(bag, NEW)
    assert (len(bag.owed(0, "question")), opened(bag)) == (1, [])
