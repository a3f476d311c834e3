"""A game whose log is really damaged: its mails wait, its time stands still, and the others play on."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from by_mail import Taken
from damage import damage_event, damage_page
from events.older import made_older
from felix_async.clock import text_of
from felix_async.inbox.process import Processor, process_all
from felix_async.inbox.waiting import Stuck, put_by
from felix_async.schedule.outage import resume
from felix_async.schedule.tick import keep_time, tick
from felix_async.service import Origin, Player
from felix_async.trouble import MOST_TOLD, waiting_for
from felix_events.model import Terms
from felix_events.store.base import Damaged, Tx
from felix_events.store.rows import Letter, Trouble
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox
from games import Room, a_room
from inbox.hosting import opened, seats_at, write_new
from inbox.postbag import MAILBOX, Postbag, a_mail

HOUR = timedelta(hours=1)
NEW = "NEW Another table\nanna@players.test\nben@players.test"


@dataclass
class Club:
    """Two tables of the same three people, in a file, who are all asked for a card."""

    path: Path
    first: Postbag
    second: Postbag
    whole: bytes = b""

    def reopen(self) -> None:
        """A server starts anew: nothing is in memory."""
        store = SqliteStore.open_to_write(self.path)
        room = a_room("again", store)
        room.clock.now = self.first.room.clock.now
        processor = Processor(room.service, MAILBOX)
        self.first = replace(self.first, room=room, processor=processor)
        self.second = replace(self.second, room=room, processor=processor)

    def close(self) -> None:
        self.first.room.store.close()

    def damage(self, version: int = 6, *, how: str = "page") -> None:
        """While nobody has the database open."""
        self.close()
        self.whole = self.path.read_bytes()
        if how == "page":
            damage_page(self.path, self.first.game_id, version)
        else:
            damage_event(self.path, self.first.game_id, version, to=b"\xff")
        self.reopen()

    def letters(self) -> list[Letter]:
        """What goes out now."""
        post = Taken()
        sender = Outbox(self.first.room.clock, Letters(MAILBOX, b"the server's own secret"))
        while send_due(self.first.do, sender, post):
            pass
        return post.letters


@dataclass(frozen=True)
class Shelved:
    """A database with both tables in it, what it was made with, and when."""

    data: bytes
    first: str
    second: str
    now: datetime


@pytest.fixture(scope="module")
def shelved(tmp_path_factory: pytest.TempPathFactory) -> Shelved:
    """Tables enough between the two, so that neither has a page beside one of the other."""
    path = tmp_path_factory.mktemp("club") / "felix.db"
    room: Room = a_room("damage", SqliteStore.create(path))
    ids = []
    for number in range(8):
        ids.append(room.open(3, clock=Terms(move=24 * 3600), command_id=f"create {number}"))
        room.join_all(ids[-1])
    with room.store.write() as tx:
        for game_id in ids:
            tx.settle([notice.notice_id for notice in tx.notices(game_id)], None)
            if game_id not in (ids[0], ids[-1]):
                tx.set_due(game_id, [])
    room.store.close()
    return Shelved(path.read_bytes(), ids[0], ids[-1], room.clock.now)


@pytest.fixture
def club(tmp_path: Path, shelved: Shelved) -> Iterator[Club]:
    path = tmp_path / "felix.db"
    path.write_bytes(shelved.data)
    room = a_room("club", SqliteStore.open_to_write(path))
    room.clock.now = shelved.now
    processor = Processor(room.service, MAILBOX)
    first, second = (
        Postbag(room, game_id, processor, mails)
        for game_id, mails in ((shelved.first, 100), (shelved.second, 200))
    )
    made = Club(path, first, second)
    yield made
    made.close()


def test_the_other_game_goes_on_behind_a_mail_for_the_damaged_one(club: Club) -> None:
    club.damage()
    stuck = club.first.write(0, "HAND", turn=0)
    answer = club.second.send(0, "HAND")
    assert [line.verdict for line in answer.lines] == ["done"]
    assert (club.first.mail(stuck).state, club.first.mail(stuck).note) == (
        "quarantined",
        waiting_for(club.first.game_id),
    )


@pytest.mark.parametrize("known", [False, True])
def test_a_mail_for_no_game_is_dealt_with_beside_a_damaged_one(club: Club, known: bool) -> None:
    """That one is the newest of its writers' games, to which the mails would be filed else."""
    club.first, club.second = club.second, club.first
    club.damage(how="event")
    if known:
        club.first.write(2, "HAND", turn=0)
        club.first.work()
    states = []
    for number, (sender, text) in enumerate([("anna", "GAMES"), ("ben", "HELP"), ("cara", NEW)]):
        address = f"{sender}@players.test"
        raw = a_mail(text, sender=address, message_id=f"<bare{number}@players.test>")
        mail_id = club.first.post(raw, MAILBOX, address)
        club.first.work()
        states.append((club.first.mail(mail_id).state, club.first.mail(mail_id).note.partition(":")[0]))
    asked = ("quarantined", "no token, and nobody vouches for the sender; the player was asked, question 1")
    assert states == [("done", "without a token")] * 2 + [asked]
    answered = {one.recipient for one in club.letters() if one.game_id != club.first.game_id}
    assert answered == {f"{name}@players.test" for name in ("anna", "ben", "cara")}


def test_a_mail_for_no_game_waits_where_its_writer_sits_in_damaged_ones_alone(club: Club) -> None:
    club.damage()
    with club.first.room.store.write() as tx:
        for game in tx.games():
            tx.note_trouble(Trouble(game.game_id, "2026-01-01T00:00:00.000000Z", "damaged"))
    raw = a_mail("HELP", message_id="<bare@players.test>")
    mail_id = club.first.post(raw, MAILBOX)
    club.first.work()
    assert club.first.mail(mail_id).note == waiting_for(club.second.game_id)
    assert ["I have your message" in one.raw.decode() for one in club.letters()] == [True]


def test_an_event_that_is_none_keeps_one_game_apart_too(club: Club) -> None:
    club.damage(how="event")
    stuck = club.first.write(0, "HAND", turn=0)
    assert [line.verdict for line in club.second.send(0, "HAND").lines] == ["done"]
    assert club.first.mail(stuck).note == waiting_for(club.first.game_id)


@pytest.mark.parametrize("version", [1, 6])
def test_an_older_database_is_brought_up_to_date_beside_it(club: Club, version: int) -> None:
    """Its first events tell the clock, and the file cannot be written anew."""
    club.close()
    made_older(club.path)
    damage_page(club.path, club.first.game_id, version)
    club.reopen()
    stuck = club.first.write(0, "HAND", turn=0)
    assert [line.verdict for line in club.second.send(0, "HAND").lines] == ["done"]
    assert club.first.mail(stuck).note == waiting_for(club.first.game_id)
    with club.second.room.store.read() as reader:
        clocks = {line.game_id: line.clock for line in reader.game_lines()}
    assert clocks.pop(club.first.game_id) == "" or version == 6
    assert all(clocks.values())


def test_a_file_that_could_not_be_written_anew_gives_back_no_pages(club: Club) -> None:
    """Whoever asks for them comes to an end all the same."""
    club.close()
    made_older(club.path)
    with closing(sqlite3.connect(club.path)) as raw:
        raw.execute("CREATE TABLE gone AS SELECT zeroblob(99999)")
        raw.execute("DROP TABLE gone")
    damage_page(club.path, club.first.game_id, 6)
    club.reopen()
    store = club.first.room.store
    assert isinstance(store, SqliteStore)
    assert not store.give_back()


def test_whoever_wrote_is_told_and_everybody_at_that_table_once(club: Club) -> None:
    club.damage()
    club.first.write(0, "HAND", turn=0)
    club.first.work()
    letters = club.letters()
    assert [letter.recipient for letter in letters].count("ben@players.test") == 1
    texts = [letter.raw.decode() for letter in letters if letter.recipient == "anna@players.test"]
    assert sum("I have your message" in text for text in texts) == 1
    assert all("stands still for now" in text for text in texts)
    assert club.letters() == []


ZOE = "zoe@friends.test"


def a_table_of_zoe(club: Club) -> Postbag:
    """She sits there with two others, and never sat at the table that is damaged then."""
    people = [
        Player(f"p-{name.lower()}", name, f"{name.lower()}@friends.test") for name in ("Zoe", "Yan", "Xaver")
    ]
    room = club.first.room

    def work(tx: Tx) -> str:
        origin = Origin("new zoe", "host", "desk")
        return room.service.open_table(tx, people, origin=origin, table_name="", ruleset="felicity-2017")[0]

    game_id = club.first.do(work)
    club.damage()
    return replace(club.first, game_id=game_id, mails=300)


@pytest.mark.parametrize("is_known", [False, True])
def test_a_table_is_opened_beside_it_and_nobody_else_hears_of_it(club: Club, *, is_known: bool) -> None:
    zoe = a_table_of_zoe(club)
    if is_known:
        club.first.write(0, "HAND", turn=0)
        club.first.work()
    mail = write_new(zoe, "NEW\nUwe <uwe@friends.test>\nVera <vera@friends.test>", sender=ZOE)
    assert zoe.mail(mail).state == "done"
    assert "uwe@friends.test" in {row.address for row in seats_at(zoe, opened(zoe)[-1])}
    letters = [letter.raw.decode() for letter in club.letters() if letter.recipient.endswith("@friends.test")]
    assert letters
    assert not any("stands still" in text or club.first.game_id in text for text in letters)


def test_who_does_not_sit_there_is_not_told_whatever_needs_it(club: Club) -> None:
    zoe = a_table_of_zoe(club)
    mail = zoe.post(b"Message-ID: <z@x.test>\r\n\r\nSTATUS\r\n", zoe.address(0), ZOE)
    for known in (False, True):
        stuck = Stuck(mail, Damaged("It is damaged.", club.first.game_id))
        zoe.do(partial(put_by, stuck=stuck, mailbox=MAILBOX, now=text_of(zoe.room.clock())))
        assert (zoe.mail(mail).state == "quarantined") == known
    assert not any(
        "stands still" in letter.raw.decode() for letter in club.letters() if letter.recipient == ZOE
    )


def test_somebody_who_goes_on_writing_is_told_a_few_times_a_day(club: Club) -> None:
    club.damage()
    for _ in range(MOST_TOLD + 3):
        club.first.write(0, "HAND", turn=0)
    club.first.work()
    told = [letter for letter in club.letters() if letter.recipient == "anna@players.test"]
    assert len(told) == MOST_TOLD


def test_letters_of_the_other_game_go_out(club: Club) -> None:
    club.damage()
    club.second.send(0, "GAMES")
    club.first.write(1, "HAND", turn=0)
    club.first.work()
    answers = [letter for letter in club.letters() if letter.game_id == club.second.game_id]
    assert [letter.recipient for letter in answers] == ["anna@players.test"]


def test_an_answer_that_was_owed_is_not_silence(club: Club) -> None:
    """The server still has the game in memory, and its letters are written from the log."""
    club.first.send(0, "HAND")
    club.damage()
    texts = [letter.raw.decode() for letter in club.letters() if letter.recipient == "anna@players.test"]
    assert sum("I have your message" in text for text in texts) == 1


def test_it_is_said_once_which_game_it_is(club: Club, caplog: pytest.LogCaptureFixture) -> None:
    club.damage()
    caplog.set_level(logging.INFO)
    for _ in range(3):
        club.first.write(0, "HAND", turn=0)
        club.first.work()
        club.letters()
        club.first.room.clock.now += 2 * HOUR
        tick(club.first.do, club.first.room.service)
    said = [record for record in caplog.records if record.levelno >= logging.ERROR]
    name = f"game {club.first.game_id}"
    assert [record.getMessage() for record in said] == [
        f"{name} cannot be read: The log of {name} is damaged; `felix doctor` and docs/operating.md say what"
        " to do before a backup is restored. Its mails wait and its time stands still; all other games go on."
    ]
    assert [record for record in said if record.exc_info] == []


def test_time_stands_still_there_and_runs_elsewhere(club: Club) -> None:
    club.damage()
    room = club.first.room
    room.clock.now += 30 * HOUR
    tick(club.first.do, room.service)
    with room.store.read() as reader:
        assert [row.game_id for row in reader.troubles()] == [club.first.game_id]
        waiting = {row.game_id for row in reader.due(room.clock().strftime("%Y-%m-%dT%H:%M:%S.%fZ"), 99)}
    assert waiting == {club.first.game_id}


def test_a_game_that_can_be_read_again_goes_on_with_its_mails_and_its_time(club: Club) -> None:
    deadline = club.first.game.seats[0].time.deadline
    assert deadline is not None
    club.damage()
    stuck = club.first.write(0, "HAND", turn=0)
    club.first.work()
    room = club.first.room
    keep_time(club.first.do, room.service)
    room.clock.now += 5 * HOUR
    assert resume(club.first.do, room.service) == 0
    heal(club)
    assert resume(club.first.do, room.service) == 1
    club.first.work()
    assert club.first.mail(stuck).state == "done"
    moved = club.first.game.seats[0].time.deadline
    assert moved is not None
    assert moved.at > deadline.at
    with club.first.room.store.read() as reader:
        assert reader.troubles() == []


def heal(club: Club) -> None:
    """Somebody puts the page back, as a repair would."""
    club.close()
    now = bytearray(club.path.read_bytes())
    for start in range(0, len(club.whole), 4096):
        if now[start : start + 8] == b"\xff" * 8:
            now[start : start + 8] = club.whole[start : start + 8]
    club.path.write_bytes(now)
    club.reopen()


def test_a_stranger_who_guesses_an_address_learns_nothing(club: Club) -> None:
    club.damage()
    mail_id = club.first.post(
        b"From: mallory@evil.test\r\nMessage-ID: <1@evil>\r\n\r\nHAND\r\n",
        club.first.address(0, 1),
        "mallory@evil.test",
    )
    club.first.work()
    assert club.first.mail(mail_id).state == "quarantined"
    assert "mallory@evil.test" not in {letter.recipient for letter in club.letters()}


def test_trouble_with_the_disk_as_a_whole_is_not_the_games(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mail waits as it was, and is tried again."""
    stuck = club.first.write(0, "HAND")

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(club.first.room.service, "load", fail)
    with pytest.raises(OSError, match="Input/output"):
        process_all(club.first.do, club.first.processor)
    monkeypatch.undo()
    with club.first.room.store.read() as reader:
        assert reader.troubles() == []
    assert club.first.mail(stuck).state == "new"
