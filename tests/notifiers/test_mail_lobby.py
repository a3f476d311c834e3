"""Around a game that has not begun: who invites, what the host can do, and why nothing came of it."""

from __future__ import annotations

from typing import Any

import pytest

from felix_async.clock import text_of
from felix_async.game.commands import NameHost, Start
from felix_async.game.folding import fold
from felix_async.service import Origin
from felix_events.model import Event, GameAbandoned, PlayerDeclined
from felix_events.store.rows import Question
from games import NAMES, TABLE_NAME, joining, players
from notifiers.office import Post, owe
from notifiers.sheets import Html, an_answer, mail, part
from table import ANNA, BEN, CARA, DAN, a_hosted_invitation


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


# ---- the host ---------------------------------------------------------------------------------------
def test_a_host_who_has_not_joined_is_offered_no_start() -> None:
    composed = mail(fold(a_hosted_invitation(5, [BEN, CARA, DAN])), ANNA, {"lobby"})
    assert "you have not answered yet: JOIN comes first." in words(composed.text)
    assert [link.body for link in Html(composed.html).links] == ["JOIN", "RULES", "CANCEL", "UNINVITE Eve"]


def test_who_declined_is_not_told_who_is_waited_for() -> None:
    game = fold([*a_hosted_invitation(5, [ANNA]), PlayerDeclined(seat=BEN)])
    composed = mail(game, BEN, {"answer"}, answer=an_answer(("DECLINE", "done", ".")))
    assert "waiting for" not in composed.text
    assert "STATUS" not in composed.text


# ---- an invitation that came to nothing -------------------------------------------------------------
def test_without_whom_the_game_started_is_told(post: Post) -> None:
    game_id = hosted(post)
    post.move(game_id, joining(BEN), joining(CARA), Start(seat=ANNA))
    post.claim()
    assert "I had no answer from you, so this game started without you." in newest(post, "dan")
    assert "Your hand" not in newest(post, "dan")


# ---- why there is no game ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("declined", "Too few players are left, so the game is off."),
        ("cancelled", "Anna called the game off."),
        ("expired", "The game was not started in time, so it is off."),
        ("left", "Everybody left, so the game ended without a result."),
    ],
)
def test_each_reason_is_told(reason: Any, sentence: str) -> None:
    events: list[Event] = [*a_hosted_invitation(4, [ANNA]), GameAbandoned(reason=reason)]
    composed = mail(fold(events), BEN, {"cancelled"})
    assert sentence in words(composed.text)
    over = "Game over · Thursday club"
    assert composed.subject == (over if reason == "left" else "Thursday club is off")


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
    claimed(post)
    letter, message = post.letters()[-1], post.mails()[-1]
    assert letter.recipient == "new@else.test"
    assert str(message["To"]) == "new@else.test"
    assert str(message["Subject"]) == "Is this your address?"
    text = part(message, "plain")
    assert "reply YES" in text
    assert not [name for name in NAMES if name in text + part(message, "html")]
    assert "round" not in text.lower()
    assert "HAND" not in text


def test_status_offers_the_host_what_the_host_can_do() -> None:
    game = fold(a_hosted_invitation(5, [ANNA, BEN, CARA]))
    composed = mail(game, ANNA, {"answer"}, answer=an_answer(("STATUS", "done", "."), show=["status"]))
    assert [link.body for link in Html(composed.html).links] == [
        "START", "UNINVITE Dan", "UNINVITE Eve", "CANCEL"
    ]  # fmt: skip


def test_a_new_host_is_told(post: Post) -> None:
    game_id = hosted(post)
    post.move(game_id, joining(BEN), NameHost(seat=ANNA, to=BEN))
    post.claim()
    assert "Anna has made you the host of this table." in newest(post, "ben")
