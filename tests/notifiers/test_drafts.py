"""Letters are written beside the store and kept in a short transaction: what may happen in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from felix_async.game.commands import Play
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Letter
from felix_notifiers.mails.letters import Letters, Part, Written
from felix_notifiers.outbox.channel import Result, TryAgain
from felix_notifiers.outbox.claim import Asked, draft
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox
from games import a_room
from notifiers.office import Post, Tray, claim_in, claim_owed, owe, recipients
from notifiers.sheets import MAILBOX, part, read
from table import ANNA, BEN

SECRET = bytes(range(32))


@dataclass
class Desk:
    """Where letters are written, with a diary of what is done, and something that may happen after a look."""

    post: Post
    happens: Iterator[Callable[[], object]] = field(default_factory=lambda: iter(()))
    diary: list[str] = field(default_factory=list)

    def look(self, work: Callable[[Reader], Any]) -> Any:
        with self.post.room.store.read() as reader:
            found = work(reader)
        next(self.happens, lambda: None)()
        return found

    def do(self, work: Callable[[Tx], Any]) -> Any:
        self.diary.append("begin")
        done = self.post.do(work)
        self.diary.append("commit")
        return done

    def claim(self) -> int:
        return claim_owed(self.do, self.post.outbox, look=self.look)

    def send(self, channel: Tray) -> list[Result]:
        return send_due(self.do, self.post.outbox, channel, look=self.look)


class NotingPen(Letters):
    """Writes letters, and notes that in a diary."""

    def to_player(self, reader: Reader, part: Part, now: str) -> Written | None:
        DIARY.append(f"write {part.case.row.game_id} {part.to.seat}")
        return super().to_player(reader, part, now)


DIARY: list[str] = []


@pytest.fixture
def desk() -> Desk:
    """An empty desk."""
    DIARY.clear()
    room = a_room("desk")
    room.clock.step = timedelta(0)
    pen = NotingPen(MAILBOX, SECRET)
    return Desk(Post(room, Outbox(room.clock, pen)), diary=DIARY)


class Door(Tray):
    """A channel that notes what it sends; some providers take their time."""

    def __init__(self, desk: Desk, **seconds: float) -> None:
        super().__init__()
        self.desk, self.seconds = desk, seconds

    def send(self, letter: Letter) -> Result:
        self.desk.diary.append(f"send {letter.game_id} {letter.seat}")
        lane = letter.recipient.rpartition("@")[2].removesuffix(".test")
        self.desk.post.wait(seconds=self.seconds.get(lane, 0))
        return super().send(letter)


def after_looks(*changes: Callable[[], object]) -> Iterator[Callable[[], object]]:
    """The first look finds out what is owed; each of these happens after one of those that follow."""
    return iter((lambda: None, *changes))


def moved(desk: Desk, game_id: str, seat: int, address: str) -> None:
    """The mail of a seat's player goes somewhere else."""
    with desk.post.room.store.write() as tx:
        tx.move_mail(tx.seats(game_id)[seat].player_id, address)


def texts(letters: Sequence[Letter]) -> str:
    return "\n".join(str(part(read(letter.raw), "plain")) for letter in letters)


# ---- beside the writer ------------------------------------------------------------------------------
def test_no_letter_is_written_inside_a_transaction(desk: Desk) -> None:
    desk.post.open()
    assert desk.claim() == 4
    assert desk.diary == [
        *(f"write {desk.post.letters()[0].game_id} {seat}" for seat in range(4)),
        "begin",
        "commit",
    ]


def test_a_crash_before_it_is_kept_loses_nothing(desk: Desk) -> None:
    game_id = desk.post.open()
    with desk.post.room.store.read() as reader:
        written = draft(reader, desk.post.outbox.writer, game_id, desk.post.outbox.clock)
    assert written is not None
    assert len(written.claimed) == 4
    assert (desk.post.letters(), desk.post.unsettled()) == ([], 4)
    assert desk.claim() == 4


def test_the_letters_of_a_draft_are_those_of_one_transaction(desk: Desk) -> None:
    """Bytes, what they delivered, and notices."""
    twin = Post(a_room("desk"), replace(desk.post.outbox, writer=Letters(MAILBOX, SECRET)))
    twin.room.clock.step = timedelta(0)
    for post in (desk.post, twin):
        game_id = post.open()
        post.room.join_all(game_id)
        post.move(game_id, Play(seat=BEN, card=post.room.game(game_id).seats[BEN].hand[0]))
    desk.claim()
    twin.do(lambda tx: claim_in(tx, twin.outbox))
    assert desk.post.letters() == twin.letters()
    with desk.post.room.store.read() as ours, twin.room.store.read() as theirs:
        for seat in range(4):
            assert ours.reported_until(game_id, seat) == theirs.reported_until(game_id, seat)
        assert ours.notices(game_id) == theirs.notices(game_id)


# ---- what changes meanwhile -------------------------------------------------------------------------
def test_a_move_that_is_made_meanwhile_stands_in_the_letter(desk: Desk) -> None:
    game_id = desk.post.open()
    desk.post.room.join_all(game_id)
    card = desk.post.room.game(game_id).seats[BEN].hand[0]
    desk.happens = after_looks(lambda: desk.post.move(game_id, Play(seat=BEN, card=card)))
    desk.claim()
    letters = [letter for letter in desk.post.letters() if letter.seat == ANNA]
    assert "Ben has a card down" in texts(letters)
    assert desk.post.unsettled() == 0


def test_who_has_moved_meanwhile_gets_no_turn_mail(desk: Desk) -> None:
    game_id = desk.post.started()
    card = desk.post.room.game(game_id).seats[BEN].hand[0]
    desk.happens = after_looks(lambda: desk.post.move(game_id, Play(seat=BEN, card=card)))
    before = len(desk.post.letters())
    desk.claim()
    assert BEN not in [letter.seat for letter in desk.post.letters()[before:]]


def test_a_letter_goes_where_its_player_wants_it_by_now(desk: Desk) -> None:
    game_id = desk.post.open()
    desk.happens = after_looks(lambda: moved(desk, game_id, BEN, "ben@new.test"))
    desk.claim()
    assert "ben@new.test" in recipients(desk.post.letters())
    assert "ben@players.test" not in recipients(desk.post.letters())


def test_who_is_forgotten_meanwhile_is_named_in_no_letter(desk: Desk) -> None:
    game_id = desk.post.open()

    def forget() -> None:
        desk.post.do(lambda tx: tx.forget(tx.seats(game_id)[BEN].player_id))

    desk.happens = after_looks(forget)
    desk.claim()
    assert desk.post.letters()
    assert "Ben" not in texts(desk.post.letters())


def test_what_was_settled_meanwhile_is_not_told_again(desk: Desk) -> None:
    """As by another process."""
    desk.post.open()
    desk.happens = after_looks(lambda: desk.post.claim())
    assert desk.claim() == 0
    assert len(desk.post.letters()) == 4


def test_where_something_happens_again_and_again_letters_are_written_all_the_same(desk: Desk) -> None:
    game_id = desk.post.open()
    numbers = count()
    desk.happens = iter(lambda: lambda: owe(desk.post, game_id, ANNA, "news", about=f"{next(numbers)}"), None)
    assert desk.claim() == 4
    assert len({letter.message_id for letter in desk.post.letters()}) == 4
    assert next(numbers) < 10


def test_a_question_is_asked_once_and_its_answer_remembered(desk: Desk) -> None:
    game_id = desk.post.open()
    with desk.post.room.store.read() as reader:
        asked = Asked(reader)
        assert asked.reader.seats(game_id) is asked.reader.seats(game_id)
        assert asked.still_holds(reader)
    desk.post.do(lambda tx: tx.forget(tx.seats(game_id)[BEN].player_id))
    with desk.post.room.store.read() as reader:
        assert not asked.still_holds(reader)


# ---- game by game -----------------------------------------------------------------------------------
def test_the_letters_of_a_game_leave_before_those_of_the_next_are_written(desk: Desk) -> None:
    first, second = desk.post.open(3), desk.post.open(3, command_id="create-2")
    desk.send(Door(desk))
    told = [line for line in desk.diary if line.startswith(("write", "send"))]
    assert told == [
        f"{what} {game} {seat}" for game in (first, second) for what in ("write", "send") for seat in range(3)
    ]


def test_a_provider_that_takes_its_time_comes_after_all_the_others(desk: Desk) -> None:
    first, _ = desk.post.open(3), desk.post.open(3, command_id="create-2")
    moved(desk, first, ANNA, "anna@slow.test")
    moved(desk, first, BEN, "ben@slow.test")
    door = Door(desk, slow=10)
    desk.send(door)
    lanes = [letter.recipient.rpartition("@")[2] for letter in door.taken]
    assert lanes == ["slow.test", "players.test", "players.test", *["slow.test"] * 3]
    assert [letter.state for letter in desk.post.letters()] == ["sent"] * 6


def test_after_a_silence_the_games_that_wait_are_written_in_the_next_burst(desk: Desk) -> None:
    desk.post.open(3), desk.post.open(3, command_id="create-2")
    door = Door(desk)
    door.answers = [TryAgain("no answer", about="silence")]
    assert len(desk.send(door)) == 1
    assert len(desk.post.letters()) == 3


def test_a_burst_writes_no_more_games_than_fill_a_batch(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("felix_notifiers.outbox.deliver.BATCH", 4)
    for number in range(5):
        desk.post.open(3, command_id=f"create-{number}")
    assert len(desk.send(Door(desk))) == 6
    assert len(desk.post.letters()) == 6


def test_a_burst_says_whether_anything_is_left(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("felix_notifiers.outbox.deliver.BATCH", 4)
    for number in range(3):
        desk.post.open(3, command_id=f"create-{number}")
    door = Door(desk)
    bursts = [send_due(desk.do, desk.post.outbox, door, look=desk.look) for _ in range(3)]
    assert [(len(tried), tried.is_all) for tried in bursts] == [(6, False), (3, True), (0, True)]


def test_after_a_silence_something_may_be_left(desk: Desk) -> None:
    desk.post.open(3)
    door = Door(desk)
    door.answers = [TryAgain("no answer", about="silence")]
    assert not send_due(desk.do, desk.post.outbox, door, look=desk.look).is_all
