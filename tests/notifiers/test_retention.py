"""Mail of games that are long over loses its bytes, and nothing else; all other mail is left alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from felix_async.address import Token, address_of, encode_token
from felix_async.clock import text_of
from felix_async.schedule.retention import Retention, Step, drop
from felix_async.settings import Keep
from felix_cli.prune import Pruner
from felix_events.store.base import Tx
from felix_events.store.rows import Letter, Mail, NoticeRow, Trouble
from notifiers.office import Post, owe
from notifiers.sheets import MAILBOX

pytestmark = pytest.mark.slow

KEEP = Keep(letters_days=100, inbox_days=60)
OLD = b"From: ben@players.test\n\nPLAY 8\n"


@pytest.fixture
def over(post: Post) -> str:
    """A game that is over, a year ago, and all its letters are sent."""
    game_id = post.started(3)
    post.room.play(game_id)
    post.send()
    post.wait(days=365)
    return game_id


def prune(post: Post, keep: Keep = KEEP) -> list[Step]:
    """One walk through all mail."""
    retention = Retention(keep, MAILBOX, post.room.clock)
    retention.begin()
    steps = []
    while (step := post.do(retention.find)) is not None:
        steps.append(step)
        post.do(partial(drop, table=step.table, ids=step.ids))
    return steps


def token_for(game_id: str, seat: int = 1) -> str:
    """An address of a seat."""
    return address_of(MAILBOX, encode_token(Token(game_id, seat, "move", 1), bytes(32)))


def came(post: Post, recipient: str, state: Any = "done", **changes: Any) -> Mail:
    """A mail that came at this moment, and what became of it."""

    def keep(tx: Tx) -> int:
        mail_id = tx.keep_mail(text_of(post.room.clock()), recipient, "ben@players.test", OLD)
        if state != "new":
            tx.settle_mail(mail_id, state, key="the key", note="a note")
        if "player" in changes:
            tx.attribute_mail(mail_id, changes["player"])
        return mail_id

    mail_id = post.do(keep)
    return the_mail(post, mail_id)


def the_mail(post: Post, mail_id: int) -> Mail:
    """A mail as it is now."""
    with post.room.store.read() as reader:
        mail = reader.mail(mail_id)
    assert mail is not None
    return mail


def kept(post: Post) -> list[Letter]:
    """The letters that have their bytes."""
    return [letter for letter in post.letters() if letter.raw]


def test_letters_of_a_game_that_is_long_over_lose_their_bytes_and_nothing_else(post: Post, over: str) -> None:
    before = post.letters()
    steps = prune(post)
    assert post.letters() == [replace(letter, raw=b"") for letter in before]
    assert sum(step.size for step in steps) == sum(len(letter.raw) for letter in before)


def test_without_the_setting_nothing_goes(post: Post, over: str) -> None:
    mail = came(post, token_for(over))
    post.wait(days=1000)
    assert [step.ids for step in prune(post, Keep())] == [[]]
    assert kept(post) == post.letters()
    assert the_mail(post, mail.mail_id).raw == OLD


def test_the_days_count_from_the_end_of_the_game(post: Post) -> None:
    game_id = post.started(3)
    post.send()
    post.wait(days=300)
    post.room.play(game_id)
    post.wait(days=99)
    prune(post)
    assert kept(post) == post.letters()
    post.wait(days=2)
    prune(post)
    assert kept(post) == []


def test_letters_of_a_game_that_runs_stay_however_old_they_are(post: Post) -> None:
    post.started(3)
    post.send()
    post.wait(days=3650)
    prune(post)
    assert kept(post) == post.letters() != []


def test_what_is_written_after_the_end_is_kept_as_long(post: Post, over: str) -> None:
    owe(post, over, 1, "answer", payload='{"lines": []}', about="7")
    assert post.send()
    newest = post.letters()[-1]
    prune(post)
    assert kept(post) == [newest]


def test_a_letter_that_is_still_to_be_sent_stays(post: Post, over: str) -> None:
    letter = replace(post.letters()[0], message_id="<late>", state="ready")
    letter_id = post.do(lambda tx: tx.freeze(letter))
    prune(post)
    assert [one.letter_id for one in kept(post)] == [letter_id]


def test_a_letter_that_tells_of_another_game_too_stays_as_long_as_that_runs(post: Post, over: str) -> None:
    other = post.room.open(3, command_id="another")

    def tell(tx: Tx) -> None:
        notice = NoticeRow(other, 99, 0, "news", text_of(post.room.clock()))
        tx.enqueue(notice)
        (owed,) = [one for one in tx.pending("9999", other) if one.kind == "news"]
        tx.settle([owed.notice_id], 1)

    post.do(tell)
    prune(post)
    assert [letter.letter_id for letter in kept(post)] == [1]


def test_letters_of_a_game_that_cannot_be_read_stay(post: Post, over: str) -> None:
    post.do(lambda tx: tx.note_trouble(Trouble(over, "2026", "damaged")))
    prune(post)
    assert kept(post) == post.letters()


def test_a_letter_that_came_to_be_needed_meanwhile_stays(post: Post, over: str) -> None:
    retention = Retention(KEEP, MAILBOX, post.room.clock)
    retention.begin()
    step = post.do(retention.find)
    assert step is not None
    post.do(lambda tx: tx.requeue_letter(step.ids[0], "2026", "again"))
    post.do(lambda tx: drop(tx, step.table, step.ids))
    assert [letter.letter_id for letter in kept(post)] == step.ids[:1]


def test_a_mail_keeps_all_but_its_bytes(post: Post, over: str) -> None:
    mail = came(post, token_for(over))
    post.wait(days=61)
    prune(post)
    assert the_mail(post, mail.mail_id) == replace(mail, raw=b"")
    with post.room.store.read() as reader:
        assert reader.mail_with("the key") is not None


def test_mail_that_waits_for_somebody_stays(post: Post, over: str) -> None:
    mails = [came(post, token_for(over), state) for state in ("new", "quarantined")]
    post.wait(days=365)
    prune(post)
    assert [the_mail(post, mail.mail_id).raw for mail in mails] == [OLD, OLD]


def test_a_mail_for_a_game_that_runs_or_is_unknown_stays(post: Post, over: str) -> None:
    running = post.room.open(3, command_id="another")
    mails = [came(post, token_for(game_id)) for game_id in (running, "zzzzz")]
    post.wait(days=365)
    prune(post)
    assert [the_mail(post, mail.mail_id).raw for mail in mails] == [OLD, OLD]


def test_a_mail_for_no_game_goes_with_the_games_of_its_writer(post: Post, over: str) -> None:
    with post.room.store.read() as reader:
        ben = reader.seats(over)[1].player_id
    mails = [came(post, MAILBOX, player=ben), came(post, MAILBOX)]
    post.wait(days=61)
    running = post.room.open(3, command_id="another")
    prune(post)
    assert the_mail(post, mails[0].mail_id).raw == OLD
    post.room.join_all(running)
    post.room.play(running)
    post.wait(days=61)
    prune(post)
    assert [the_mail(post, mail.mail_id).raw for mail in mails] == [b"", OLD]


def test_a_walk_ends_with_what_is_too_young(post: Post, over: str) -> None:
    young = came(post, token_for(over))
    prune(post)
    assert the_mail(post, young.mail_id).raw == OLD


def test_a_server_walks_once_a_day_and_a_few_rows_at_a_time(
    post: Post, over: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("felix_async.schedule.retention.STEP", 5)
    monkeypatch.setattr("felix_cli.prune.TOGETHER", 2)
    dropped: list[int] = []

    def do(work: Callable[[Tx], Any]) -> Any:
        before = len(kept(post))
        done = post.do(work)
        dropped.append(before - len(kept(post)))
        return done

    retention = Retention(KEEP, MAILBOX, post.room.clock)
    pruner = Pruner(retention, post.do, do, post.room.clock, lambda: False)
    pruner.look()
    assert dropped == [2, 2, 1]
    while kept(post):
        pruner.look()
    pruner.look()
    owe(post, over, 1, "answer", payload='{"lines": []}', about="7")
    post.send()
    post.wait(hours=23)
    dropped.clear()
    pruner.look()
    assert dropped == []
    post.wait(days=101)
    pruner.look()
    assert dropped == [1]


def test_after_a_walk_the_file_becomes_smaller_bit_by_bit(post: Post, over: str) -> None:
    bits = [True, True, False]
    retention = Retention(KEEP, MAILBOX, post.room.clock)
    pruner = Pruner(retention, post.do, post.do, post.room.clock, lambda: bits.pop(0))
    while kept(post):
        pruner.look()
    assert len(bits) == 3
    for _ in range(9):
        pruner.look()
    assert bits == []
