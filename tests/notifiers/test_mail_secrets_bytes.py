"""Non-interference to the byte: what a seat must not know is changed, and each letter stays as it was.

The letters are written by the same pen as a server's, from cases whose logs differ in nothing but secrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import get_args

import pytest

from felix_async.clock import text_of
from felix_async.follow_up.kinds import load
from felix_async.follow_up.notice import Notice
from felix_async.game.commands import Decline, Play, Say
from felix_async.meaning.topics import Topic
from felix_events.store.rows import Choice, NoticeRow, Notify, Saying
from felix_notifiers.mails.case import Case, case_of
from felix_notifiers.mails.letters import Letters, Part
from felix_notifiers.outbox.alerts import alert_text, digest_text
from games import joining
from notifiers.office import Post
from notifiers.sheets import MAILBOX, an_answer
from notifiers.twice import altered
from table import ANNA, BEN

PEN = Letters(MAILBOX, bytes(range(32)))
SHOW_ALL = an_answer(("HAND", "done", "."), ("STATUS", "done", "."), show=get_args(Topic))


def in_auction(post: Post, name: str) -> str:
    """A game in its third round, some cards open, something said."""
    game_id = post.open(3, command_id=name)
    post.room.join_all(game_id)
    post.room.play(game_id, seed=name, until=lambda game: game.round == 3 and game.phase == "bidding")
    post.move(game_id, Say(seat=ANNA, text_hash="0" * 64))
    version = post.room.game(game_id).version
    post.do(lambda tx: tx.keep_saying(Saying(game_id, version, ANNA, b"s", "Well, well.")))
    return game_id


def notice(case: Case, seat: int, kind: str, payload: str = "{}") -> Notice:
    """A notice about the game as it stands."""
    turn = case.game.seats[seat].turn
    return load(
        NoticeRow(
            case.row.game_id, case.game.version, seat, kind, "", turn, payload=payload, notice_id=seat + 1
        )
    )


def without_the_last_event(case: Case) -> Case:
    """The same game, if what happened last is not told."""
    return replace(case, story=replace(case.story, steps=case.story.steps[:-1]))


def letter(post: Post, cases: Sequence[Case], seat: int, *kinds: str) -> bytes | None:
    """The letter to a seat about these games."""
    now = text_of(post.room.clock.now)
    payload = SHOW_ALL.model_dump_json() if "answer" in kinds else "{}"
    with post.room.store.read() as reader:
        parts = [
            Part(case, case.seats[seat], [notice(case, seat, kind, payload) for kind in kinds])
            for case in cases
        ]
        if len(parts) > 1:
            written = PEN.to_player_of_many(reader, parts, now)
        else:
            written = PEN.to_player(reader, parts[0], now)
    return None if written is None else written.letter.raw


def read(post: Post, game_id: str) -> Case:
    """The game as a letter needs it."""
    with post.room.store.read() as reader:
        return case_of(reader, game_id)


@pytest.mark.slow
@pytest.mark.parametrize("notify", ["turns", "all"])
@pytest.mark.parametrize("kinds", [("turn",), ("news",), ("turn", "news"), ("reminder",), ("answer", "turn")])
def test_a_letter_about_a_running_game_holds_no_secret(
    post: Post, kinds: tuple[str, ...], notify: Notify
) -> None:
    case = read(post, in_auction(post, "one"))
    for seat in range(3):
        with post.room.store.write() as tx:
            tx.choose(Choice(case.seats[seat].player_id, notify))
        ours = letter(post, [case], seat, *kinds)
        assert ours is not None
        for number in range(5):
            other = altered(case, seat, Random(number))
            assert other.story != case.story
            assert letter(post, [other], seat, *kinds) == ours


def test_a_digest_holds_no_secret_of_any_of_its_games(post: Post) -> None:
    cases = [read(post, in_auction(post, name)) for name in ("one", "two")]
    for seat in range(3):
        ours = letter(post, cases, seat, "turn", "news")
        assert ours is not None
        assert b"Your tables, " in ours
        for number in range(5):
            others = [altered(case, seat, Random(number)) for case in cases]
            assert letter(post, others, seat, "turn", "news") == ours


@pytest.mark.parametrize("kind", ["claim", "question"])
def test_a_letter_that_somebody_else_may_read_holds_no_secret(post: Post, kind: str) -> None:
    case = read(post, in_auction(post, "one"))
    payload = '{"address":"new@else.test","number":1}'
    now = text_of(post.room.clock.now)

    def asked(about: Case) -> bytes:
        part = Part(about, about.seats[BEN], [notice(about, BEN, kind, payload)])
        with post.room.store.read() as reader:
            written = PEN.to_player(reader, part, now)
        assert written is not None
        return written.letter.raw

    assert asked(case) == asked(altered(case, BEN, Random(1)))
    # Not even what Ben knows himself is told to whoever reads it.
    hand = case.game.seats[BEN].hand[0]
    moved = replace(case, story=case.story.and_then([]))
    moved.game.seats[BEN].hand.remove(hand)
    assert asked(case) == asked(moved)


def test_who_does_not_hear_cannot_tell_that_something_was_said(post: Post) -> None:
    """The same letter, to the byte, with the saying in the log and without it."""
    case = read(post, in_auction(post, "one"))
    silent = without_the_last_event(case)
    post.do(lambda tx: tx.choose(Choice(case.seats[BEN].player_id, "turns", hears=False)))
    assert letter(post, [case], BEN, "turn") == letter(post, [silent], BEN, "turn")


@pytest.mark.parametrize("kind", ["lobby", "withdrawn", "cancelled", "invitation"])
def test_before_the_deal_there_is_no_secret_to_tell(post: Post, kind: str) -> None:
    game_id = post.open(4)
    post.move(game_id, joining(ANNA), Decline(seat=BEN))
    case = read(post, game_id)
    assert not [step for step in case.story.steps if step.event.secret]
    text = letter(post, [case], ANNA, kind)
    assert text is not None
    seed = case.row.seed
    assert seed is not None
    assert seed.hex().encode() not in text


def test_a_short_notice_is_made_of_the_table_s_name_alone() -> None:
    kinds: tuple[str, ...] = (
        "turn",
        "news",
        "result",
        "lobby",
        "withdrawn",
        "cancelled",
        "invitation",
    )
    for kind in kinds:
        assert "Club" in str(alert_text({kind}, "Club"))
    assert len({digest_text({kind}) for kind in kinds}) == 2


def test_a_card_that_lies_face_down_changes_no_other_letter(post: Post) -> None:
    game_id = post.open(4)
    post.room.join_all(game_id)
    hand = post.room.game(game_id).seats[ANNA].hand
    post.move(game_id, Play(seat=ANNA, card=hand[0]))
    first = letter(post, [read(post, game_id)], BEN, "turn")
    post.move(game_id, Play(seat=ANNA, card=hand[1]))
    case = read(post, game_id)
    once = without_the_last_event(case)
    assert first == letter(post, [once], BEN, "turn")
