"""Around a game that has not begun: who invites, what the host can do, and why nothing came of it."""

from __future__ import annotations

from typing import Any

import pytest

from felix_async.address import decode_token, token_in
from felix_async.clock import text_of
from felix_async.game.commands import Cancel, Close, Decline, Expire, NameHost, Start, Uninvite
from felix_async.game.folding import fold
from felix_async.language.grammar import Order, read_line
from felix_async.schedule.tick import tick
from felix_async.service import Origin
from felix_events.model import Event, GameAbandoned, PlayerDeclined, PlayerUninvited
from felix_events.store.rows import Question
from felix_notifiers.content.offers import offers_in
from games import NAMES, TABLE_NAME, joining, players
from notifiers.office import Post, owe
from notifiers.sheets import MAILBOX, Html, an_answer, mail, part
from table import ANNA, BEN, CARA, DAN, a_hosted_invitation, an_invitation


def words(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def hosted(post: Post, seats: int = 4) -> str:
    """A table that Anna hosts and has joined; the invitations are written."""

    def work(tx: Any) -> str:
        game_id, outcome = post.room.service.open_table(
            tx,
            players(seats),
            origin=Origin("create", "seat", "mail"),
            table_name=TABLE_NAME,
            ruleset="felicity-2017",
            host=ANNA,
        )
        assert outcome.refusal is None
        return game_id

    game_id = post.do(work)
    post.move(game_id, joining(ANNA))
    post.claim()
    return game_id


def newest(post: Post, name: str) -> str:
    """The text of the newest mail to this player, on one line."""
    mails = [one for one in post.mails() if f"{name}@players.test" in str(one["To"])]
    return words(part(mails[-1], "plain"))


# ---- invitations ------------------------------------------------------------------------------------
def test_an_invitation_says_who_invites_and_who_else_is_invited() -> None:
    text = words(mail(fold(a_hosted_invitation(4, [ANNA])), BEN, {"invitation"}).text)
    assert "Anna invites you to a game of Felix: The Cat in the Sack. Also invited: Cara and Dan." in text
    assert "by itself when everybody has joined; otherwise Anna starts it with those who are in." in text


def test_a_host_who_reads_an_invitation_is_told_what_the_host_can_do() -> None:
    text = words(mail(fold(a_hosted_invitation(4, [])), ANNA, {"invitation"}).text)
    assert "otherwise you start it with those who are in: answer START." in text


def test_who_declined_is_no_longer_named_as_invited() -> None:
    game = fold([*a_hosted_invitation(5, [ANNA]), PlayerDeclined(seat=CARA)])
    text = words(mail(game, BEN, {"invitation"}).text)
    assert "Also invited: Dan and Eve." in text


def test_the_seal_of_the_draw_is_small_print_behind_the_answers() -> None:
    composed = mail(fold(an_invitation(4)), BEN, {"invitation"})
    assert composed.text.index("  JOIN") < composed.text.index("my own part in that draw")
    assert composed.text.index("my own part in that draw") < composed.text.index("Felix, Thursday club")


def test_an_invitation_and_its_reminder_say_when_it_expires(post: Post) -> None:
    game_id = hosted(post)
    assert "The invitation expires on Thu 8 Jan, 12:00 UTC." in newest(post, "ben")
    post.wait(days=1, minutes=1)
    tick(post.do, post.room.service)
    post.claim()
    text = newest(post, "ben")
    assert "This is a reminder" in text
    assert "The invitation expires on Thu 8 Jan, 12:00 UTC." in text
    assert post.room.game(game_id).phase == "inviting"


# ---- the host ---------------------------------------------------------------------------------------
def test_the_host_hears_of_who_declines_and_what_can_be_done(post: Post) -> None:
    game_id = hosted(post, 5)
    post.move(game_id, joining(BEN), joining(CARA), Decline(seat=DAN))
    post.claim()
    text = newest(post, "anna")
    assert "You are the host of this game." in text
    assert "You can begin with those who are in: answer START." in text
    for line in ("You joined.", "Ben joined.", "Cara joined.", "Dan declined.", "Eve has not answered yet."):
        assert f"- {line}" in text
    offers = offers_in(post.mails()[-1])
    assert offers == ["START", "UNINVITE Eve", "CANCEL"]
    assert all(isinstance(read_line(offer), Order) for offer in offers)


def test_a_host_who_has_not_joined_is_offered_no_start() -> None:
    composed = mail(fold(a_hosted_invitation(5, [BEN, CARA, DAN])), ANNA, {"lobby"})
    assert "you have not answered yet: answer JOIN first." in words(composed.text)
    assert [link.body for link in Html(composed.html).links] == ["JOIN", "CANCEL", "UNINVITE Eve"]


def test_status_offers_the_host_what_the_host_can_do() -> None:
    game = fold(a_hosted_invitation(5, [ANNA, BEN, CARA]))
    composed = mail(game, ANNA, {"answer"}, answer=an_answer(("STATUS", "done", "."), show=["status"]))
    assert [link.body for link in Html(composed.html).links] == [
        "START", "UNINVITE Dan", "UNINVITE Eve", "CANCEL"
    ]  # fmt: skip


def test_before_the_game_can_begin_status_offers_the_host_what_else_there_is() -> None:
    game = fold(a_hosted_invitation(5, [ANNA, BEN]))
    composed = mail(game, ANNA, {"answer"}, answer=an_answer(("STATUS", "done", "."), show=["status"]))
    assert [link.body for link in Html(composed.html).links] == [
        "UNINVITE Cara", "UNINVITE Dan", "UNINVITE Eve", "CANCEL"
    ]  # fmt: skip
    assert "As the host you may answer with one of these lines:" in composed.text


def test_status_offers_a_guest_nothing() -> None:
    game = fold(a_hosted_invitation(5, [ANNA, BEN]))
    composed = mail(game, BEN, {"answer"}, answer=an_answer(("STATUS", "done", "."), show=["status"]))
    assert Html(composed.html).links == []


def test_who_declined_is_not_told_who_is_waited_for() -> None:
    game = fold([*a_hosted_invitation(5, [ANNA]), PlayerDeclined(seat=BEN)])
    composed = mail(game, BEN, {"answer"}, answer=an_answer(("DECLINE", "done", ".")))
    assert "waiting for" not in composed.text
    assert "STATUS" not in composed.text


def test_who_is_not_in_the_game_is_told_what_to_do_instead() -> None:
    game = fold([*a_hosted_invitation(5, [ANNA]), PlayerUninvited(seat=BEN)])
    text = words(mail(game, BEN, {"withdrawn"}).text)
    assert "You can open a table of your own: write NEW, and below it your friends" in text


def test_with_two_the_host_cannot_begin_yet(post: Post) -> None:
    game_id = hosted(post)
    post.move(game_id, joining(BEN), Decline(seat=CARA))
    post.claim()
    assert "Felix needs 3 players to begin; so far 2 are in." in newest(post, "anna")
    assert offers_in(post.mails()[-1]) == ["UNINVITE Dan", "CANCEL"]


def test_what_the_host_hears_is_dropped_once_the_game_has_begun(post: Post) -> None:
    game_id = hosted(post)
    post.move(game_id, joining(BEN), joining(CARA), Decline(seat=DAN), Start(seat=ANNA))
    post.claim()
    assert "round 1, place a card" in str(post.mails()[-3]["Subject"])
    assert not [one for one in post.mails() if "Who has answered" in str(one["Subject"])]


def test_a_new_host_is_told(post: Post) -> None:
    game_id = hosted(post)
    post.move(game_id, joining(BEN), NameHost(seat=ANNA, to=BEN))
    post.claim()
    assert "Anna has handed this table over to you: you are its host now." in newest(post, "ben")


# ---- an invitation that came to nothing -------------------------------------------------------------
def test_whose_invitation_was_taken_back_is_told(post: Post) -> None:
    game_id = hosted(post, 5)
    post.move(game_id, Uninvite(seat=ANNA, whom=DAN))
    post.claim()
    assert "Anna took your invitation to this game back." in newest(post, "dan")
    (subject,) = [str(one["Subject"]) for one in post.mails() if "not in this game" in str(one["Subject"])]
    assert subject == f"[{TABLE_NAME} {game_id}] You are not in this game"


def test_without_whom_the_game_started_is_told(post: Post) -> None:
    game_id = hosted(post)
    post.move(game_id, joining(BEN), joining(CARA), Start(seat=ANNA))
    post.claim()
    assert "This game has started without you, because I had no answer from you." in newest(post, "dan")
    assert "Your hand" not in newest(post, "dan")


def test_whose_invitation_expired_is_told(post: Post) -> None:
    game_id = hosted(post, 5)
    post.room.do(game_id, Expire(seat=DAN), Origin("x", "clock", "clock"))
    post.claim()
    assert "Your invitation was not answered in time" in newest(post, "dan")


def test_whose_missing_answer_ended_the_game_is_told_so(post: Post) -> None:
    game_id = post.room.open(3)
    post.room.do(game_id, Expire(seat=CARA), Origin("x", "clock", "clock"))
    post.claim()
    told = newest(post, "cara")
    assert "was not answered in time, and the game will not happen" in told
    assert "goes on" not in told


# ---- why there is no game ---------------------------------------------------------------------------
def test_the_host_is_offered_a_new_game_with_those_who_had_joined(post: Post) -> None:
    game_id = hosted(post)
    post.move(game_id, joining(BEN), joining(CARA), Cancel(seat=ANNA))
    post.claim()
    text = newest(post, "anna")
    assert "You called the game off." in text
    assert "To begin a new game with Ben and Cara" in text
    host = next(one for one in post.mails()[::-1] if "anna@" in str(one["To"]))
    lines = ["NEW", f"table {TABLE_NAME}", "Ben", "Cara", "no clock"]
    assert [body.splitlines() for body in offers_in(host)] == [lines]
    assert "\n  Ben\n  Cara\n  no clock\n" in part(host, "plain")
    assert "Anna called the game off." in newest(post, "dan")
    assert offers_in(post.mails()[-1]) == ["REMATCH"]


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("declined", "Too few players are left, so the game will not happen."),
        ("cancelled", "Anna called the game off."),
        ("expired", "The game was not started in time, so it will not happen."),
        ("left", "Everybody has left the game, so it ended without a result."),
    ],
)
def test_each_reason_is_told(reason: Any, sentence: str) -> None:
    events: list[Event] = [*a_hosted_invitation(4, [ANNA]), GameAbandoned(reason=reason)]
    composed = mail(fold(events), BEN, {"cancelled"})
    assert sentence in words(composed.text)
    topic = "ended without a result" if reason == "left" else "will not happen"
    assert topic in composed.subject


def test_a_table_that_nobody_started_is_closed_with_a_word_to_all(post: Post) -> None:
    game_id = hosted(post)
    post.room.do(game_id, Close(), Origin("x", "clock", "clock"))
    post.claim()
    assert "The game was not started in time" in newest(post, "cara")


# ---- is this your address? --------------------------------------------------------------------------
def claimed(post: Post) -> str:
    """Ben has named a new address, and it is asked."""
    game_id = post.started()
    post.claim()
    post.do(lambda tx: tx.keep_mail("", "", "", b""))
    now = text_of(post.room.clock.now)
    number = post.do(lambda tx: tx.ask(Question(game_id, BEN, "address", 1, 1, "new@else.test", now)))
    owe(
        post,
        game_id,
        BEN,
        "claim",
        about=str(number),
        payload=f'{{"address":"new@else.test","number":{number}}}',
    )
    post.claim()
    return game_id


def test_a_new_address_is_asked_and_told_nothing_of_the_game(post: Post) -> None:
    game_id = claimed(post)
    letter, message = post.letters()[-1], post.mails()[-1]
    assert letter.recipient == "new@else.test"
    assert str(message["To"]) == "new@else.test"
    assert str(message["Subject"]) == f"[{TABLE_NAME} {game_id}] Is this your address?"
    text = part(message, "plain")
    assert "answer YES" in text
    assert not [name for name in NAMES if name in text + part(message, "html")]
    assert "round" not in text.lower()
    assert "HAND" not in text


def test_a_new_address_gets_no_address_that_could_move(post: Post) -> None:
    claimed(post)
    message = post.mails()[-1]
    assert message["List-Unsubscribe"] is None
    assert message["References"] is None
    (link,) = Html(part(message, "html")).links
    for address in (str(message["Reply-To"]), link.address.replace("%2B", "+")):
        token = decode_token(token_in(address, MAILBOX) or "")
        assert token is not None
        assert (token.purpose, token.turn) == ("question", 1)
    assert link.body == "YES"


def test_an_address_that_was_settled_meanwhile_is_not_asked(post: Post) -> None:
    claimed(post)
    game_id = post.letters()[-1].game_id
    (question,) = post.do(lambda tx: tx.questions(game_id, BEN))
    post.do(lambda tx: tx.settle_question(question, "no"))
    post.wait(minutes=1)
    post.send()
    assert post.letters()[-1].state == "dropped"
