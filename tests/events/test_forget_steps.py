"""Forgetting bit by bit: the same is erased as at once, whoever is killed in between, and nothing else."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest

from felix_cli import erasure
from felix_cli.erasure import Forgetter
from felix_events.store import files, sqlite
from felix_events.store.base import Tx
from felix_events.store.files import scrub_pages, unused_in
from felix_events.store.rows import GameRow, Letter, NoticeRow, Question, Saying, SeatRow
from felix_events.store.sqlite import SqliteStore

pytestmark = pytest.mark.slow

ONE = "2026-11-21T00:00:00.000000Z"
NAME, ADDRESS, SAID = "Annegret Quittenbaum", "annegret@quitten.example", "Quince jelly for all."


def a_town(path: Path, tables: int = 40, *, waits: bool = True) -> None:
    """Annegret sits at every other table; mails and letters of all kinds name her, or do not.

    Without `waits` all mails are done, and all that was owed has gone out.
    """
    chance = random.Random(7)
    with closing(SqliteStore.create(path)) as store, store.write() as tx:
        for number in range(tables):
            game_id = f"game{number:02}"
            tx.add_game(GameRow(game_id, "Club", "played", ONE, b"seed"))
            for seat, player in enumerate(("annegret" if number % 2 else "zoe", f"ben{number}", "carla")):
                name, address = player.title(), f"{player}@example.org"
                if player == "annegret":
                    name, address = NAME, ADDRESS
                tx.add_seat(SeatRow(game_id, seat, player, name, None, b"secret"))
                tx.add_player(player, address)
                _correspond(tx, chance, game_id, seat, player, address, waits=waits)
            tx.keep_saying(Saying(game_id, 2, 0, b"salt", SAID if number % 2 else "Hello, everybody."))
        tx.adopt("annegret", f"phone.{ADDRESS}")


def _correspond(
    tx: Tx, chance: random.Random, game_id: str, seat: int, player: str, address: str, *, waits: bool
) -> None:
    """A mail of this player, a letter to them, and what they were asked and owed."""
    text = chance.choice([NAME, ADDRESS, SAID, "HOST annegret", "PASS"]).encode() * chance.randint(1, 90)
    sender = chance.choice([address, "", "else@example.org"])
    mail_id = tx.keep_mail(ONE, "felix", sender, b"Subject: x\n\n" + text)
    if chance.random() < 0.7:
        tx.attribute_mail(mail_id, player)
    if chance.random() < 0.9 or not waits:
        tx.settle_mail(mail_id, chance.choice(["done", "quarantined"]), key=f"{mail_id}", note=address)
    if chance.random() < 0.2:
        tx.hold(mail_id, player, address)
        tx.ask(Question(game_id, seat, "sender", 1, mail_id, address, ONE))
    raw = b"Message-ID: <1@felix>\nTo: x\n\n" + text
    letter_id = tx.freeze(Letter(game_id, seat, address, f"<{mail_id}@felix>", raw, ONE, ONE))
    if chance.random() < 0.7 or not waits:
        tx.mark_letter(letter_id, chance.choice(["sent", "failed"]), next_at=ONE, note=address)
    about = chance.choice([address, ADDRESS if int(game_id[4:]) % 2 else "", ""])
    tx.enqueue(NoticeRow(game_id, seat, seat, "lobby", ONE, about=about, payload=f'{{"to":"{about}"}}'))
    tx.enqueue(
        NoticeRow(game_id, seat, seat, "answer", ONE, about=f"{mail_id}", payload=f'{{"to":"{ADDRESS}"}}')
    )
    if chance.random() < 0.8 or not waits:
        tx.settle([one.notice_id for one in tx.notices(game_id)], letter_id)


def a_forgetter(store: SqliteStore) -> Forgetter:
    def do(work: Callable[..., object]) -> object:
        with store.write() as tx:
            return work(tx)

    return Forgetter(store, do)


@contextmanager
def forgetting(path: Path, *, waits: bool = False) -> Iterator[SqliteStore]:
    """A town in which she has begun to be forgotten."""
    a_town(path, waits=waits)
    with closing(SqliteStore.open_to_write(path)) as store:
        with store.write() as tx:
            tx.begin_to_forget("annegret")
        yield store


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [line for line in connection.iterdump() if "_sqlite_migrations" not in line]


def words_in(path: Path) -> list[str]:
    found = b"".join(file.read_bytes() for file in path.parent.iterdir()).lower()
    return [word for word in (NAME, ADDRESS, SAID) if word.lower().encode() in found]


def bit_by_bit(path: Path, killed: Callable[[int], bool]) -> int:
    """Forget her in steps, after some of which the process is gone and another goes on. How many steps."""
    store = SqliteStore.open_to_write(path)
    with store.write() as tx:
        tx.begin_to_forget("annegret")
    for number in count():
        with store.read() as reader:
            step = reader.next_forget_step("annegret")
        if step is None:
            break
        with store.write() as tx:
            tx.do_forget_step(step)
        if killed(number):
            store.close()
            store = SqliteStore.open_to_write(path)
    store.close()
    return number


@pytest.mark.parametrize("every", [1, 4, 1000], ids=["always killed", "sometimes", "never"])
def test_in_steps_the_same_is_erased_as_at_once(tmp_path: Path, every: int) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    at_once, in_steps = tmp_path / "one" / "felix.db", tmp_path / "two" / "felix.db"
    a_town(at_once)
    in_steps.write_bytes(at_once.read_bytes())
    with closing(SqliteStore.open_to_write(at_once)) as store, store.write() as tx:
        tx.forget("annegret")
    assert bit_by_bit(in_steps, lambda number: number % every == every - 1) > 10
    with closing(SqliteStore.open_to_write(in_steps)) as store, store.write() as tx:
        tx.end_forgetting("annegret")
    assert dump(in_steps) == dump(at_once)


def test_no_step_erases_more_than_a_few_rows(path: Path) -> None:
    with forgetting(path, waits=True) as store:
        while True:
            with store.read() as reader:
                step = reader.next_forget_step("annegret")
            if step is None:
                break
            assert len(step.changes) <= 100
            with store.write() as tx:
                tx.do_forget_step(step)


def test_at_once_nobody_can_write_for_her_no_letter_goes_to_her_and_nothing_that_she_said_is_told(
    path: Path,
) -> None:
    """A letter may be written before the last step."""
    with forgetting(path, waits=True) as store, store.read() as reader:
        assert reader.player_at(ADDRESS) is None
        assert {seat.secret for seat in reader.seats_of("annegret")} == {b""}
        assert [one for one in reader.letters("ready") if one.recipient == ADDRESS] == []
        assert reader.pending_for("annegret", ONE) == []
        said = {one.text for game in reader.games() for one in reader.sayings(game.game_id)}
    assert said == {"Hello, everybody.", ""}


def test_what_an_older_felix_has_begun_is_ended(path: Path) -> None:
    """It left what was said for a later step."""
    with forgetting(path) as store:
        store.close()
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE forgettings SET about = json_remove(about, '$.said')")
            connection.execute("UPDATE sayings SET text = ? WHERE text = ''", (SAID,))
    with closing(SqliteStore.open_to_write(path)) as store:
        a_forgetter(store).look()
        assert words_in(path) == []


def test_what_comes_after_the_beginning_is_not_looked_at(path: Path) -> None:
    """The last letter to her is owed then."""
    with forgetting(path, waits=True) as store:
        with store.write() as tx:
            tx.enqueue(NoticeRow("game01", 9, 0, "farewell", ONE, payload=f'{{"address":"{ADDRESS}"}}'))
        a_forgetter(store).look()
        with store.read() as reader:
            (left,) = [one for one in reader.pending(ONE) if one.kind == "farewell"]
    assert ADDRESS in left.payload


def test_the_forgetter_leaves_nothing_in_the_files_of_a_store_that_stays_open(path: Path) -> None:
    a_town(path, waits=False)
    assert words_in(path) != []
    with closing(SqliteStore.open_to_write(path)) as store:
        with store.write() as tx:
            tx.begin_to_forget("annegret")
        a_forgetter(store).look()
        assert words_in(path) == []
        with store.read() as reader:
            assert reader.forgettings() == []


def test_a_forgetter_that_was_stopped_is_followed_by_another(path: Path) -> None:
    with forgetting(path) as store:
        stopped = a_forgetter(store)
        stopped.stop()
        stopped.look()
        with store.read() as reader:
            assert reader.forgettings() == ["annegret"]
        a_forgetter(store).look()
        assert words_in(path) == []


def test_a_reader_in_the_way_of_the_wiping_is_waited_for(path: Path) -> None:
    with forgetting(path) as store:
        with closing(SqliteStore.open_to_copy(path)) as other, other.read() as reader:
            assert reader.games()
            a_forgetter(store).look()
            assert reader.games()
        with store.read() as reader:
            assert reader.forgettings() == ["annegret"]
        a_forgetter(store).look()
        assert words_in(path) == []


def test_a_reader_in_the_way_now_and_then_makes_no_step_anew_but_its_own(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there at every tenth step, and once for longer than a look waits."""
    monkeypatch.setattr(sqlite, "_SCRUBBED", 1)
    monkeypatch.setattr(erasure, "_RETRY", 0.001)
    a_town(path, waits=False)
    with closing(SqliteStore.open_to_write(path)) as store, closing(SqliteStore.open_to_copy(path)) as other:
        pages: list[int] = []
        whole = SqliteStore.scrub

        def scrub(store: SqliteStore, first: int) -> int | None:
            pages.append(first)
            if len(pages) % 10 and not 15 < len(pages) < 40:
                return whole(store, first)
            with store.write() as tx:
                tx.beat(ONE)
            with other.read() as reader:
                assert reader.games()
                with store.write() as tx:
                    tx.beat(f"{ONE} {len(pages)}")
                assert whole(store, first) == first
            return first

        monkeypatch.setattr(SqliteStore, "scrub", scrub)
        with store.write() as tx:
            tx.begin_to_forget("annegret")
        forgetter = a_forgetter(store)
        for _ in range(4):
            forgetter.look()
        with store.read() as reader:
            assert reader.forgettings() == []
        assert words_in(path) == []
    turns = [page for page, before in zip(pages, [0, *pages], strict=False) if page != before]
    assert turns == [*range(1, max(pages) + 1)] * 2, "each page in each of two rounds, in order"


def test_whoever_is_forgotten_later_has_the_wiping_begin_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_town(path, waits=False)
    monkeypatch.setattr(erasure, "_RETRY", 0.001)
    with closing(SqliteStore.open_to_write(path)) as store:
        pages: list[int] = []

        def scrub(_: SqliteStore, first: int) -> int | None:
            pages.append(first)
            return first + 1 if first < 9 else first

        monkeypatch.setattr(SqliteStore, "scrub", scrub)
        forgetter = a_forgetter(store)
        for player in ("annegret", "zoe"):
            with store.write() as tx:
                tx.begin_to_forget(player)
            forgetter.look()
        assert pages.count(1) == 2


# ---- between the rows
def moved_about(path: Path) -> SqliteStore:
    """A database in whose pages her address was moved about, as rows were put between others."""
    store = SqliteStore.create(path)
    chance = random.Random(3)
    games = [f"game{number:04}" for number in range(600)]
    chance.shuffle(games)
    with store.write() as tx:
        for game_id in games:
            player, address = ("annegret", ADDRESS) if chance.random() < 0.5 else ("zoe", "zoe@example.org")
            tx.add_player(player, address)
            tx.add_game(GameRow(game_id, "", "played", ONE, b"seed"))
            tx.add_seat(SeatRow(game_id, 0, player, player, None, b"secret"))
            tx.enqueue(NoticeRow(game_id, 1, 0, "lobby", ONE, about=address + " x" * chance.randint(0, 30)))
    return store


def unused(path: Path) -> bytes:
    """All that stands between cell pointers and cells."""
    data = path.read_bytes()
    pages = [data[start : start + 4096] for start in range(0, len(data), 4096)]
    return b"".join(page[unused_in(page, number)] for number, page in enumerate(pages, 1))


def test_bytes_that_moves_of_rows_left_behind_are_wiped(path: Path) -> None:
    """SQLite overwrites what it deletes, and not what it has moved."""
    moved_about(path).close()
    assert any(unused(path))
    with closing(SqliteStore.open_to_write(path)) as store:
        with store.write() as tx:
            tx.forget("annegret")
        assert words_in(path) == []
    assert not any(unused(path))


def test_wiping_changes_no_row_and_no_page_that_sqlite_reads(path: Path) -> None:
    a_town(path, 12)
    before, size = dump(path), path.stat().st_size
    with path.open("r+b", buffering=0) as file:
        scrub_pages(file.fileno(), 1, 10**6, 4096, size // 4096)
    assert (dump(path), path.stat().st_size) == (before, size)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("page_size", [512, 1024, 4096, 65536])
def test_pages_of_every_size_are_wiped_and_stay_whole(tmp_path: Path, page_size: int) -> None:
    path = tmp_path / "any.db"
    chance = random.Random(page_size)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for pragma in (f"page_size = {page_size}", "auto_vacuum = INCREMENTAL", "secure_delete = OFF"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("CREATE TABLE one (id INTEGER PRIMARY KEY, text TEXT, data BLOB)")
        connection.execute("CREATE INDEX texts ON one (text)")
        connection.execute("CREATE TABLE two (text TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID")
        connection.execute("BEGIN")
        for number in range(1500):
            row = (f"{chance.random()}" * chance.randint(1, 4), chance.randbytes(chance.randint(0, 900)))
            connection.execute("INSERT INTO one (text, data) VALUES (?, ?)", row)
            connection.execute("INSERT OR REPLACE INTO two VALUES (?, ?)", row)
            if number % 3 == 0:
                connection.execute("DELETE FROM one WHERE id = ?", (chance.randint(1, number + 1),))
        connection.execute("COMMIT")
    before, size = dump(path), path.stat().st_size
    with path.open("r+b", buffering=0) as file:
        scrub_pages(file.fileno(), 1, 10**6, page_size, size // page_size)
    assert dump(path) == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_page_that_is_not_surely_one_with_rows_is_left_alone() -> None:
    """One of the pointer map may begin like one; the cells of this one are nowhere."""
    page = bytearray(4096)
    page[0] = 0x0D
    page[3:5] = (2).to_bytes(2)
    page[5:7] = (4000).to_bytes(2)
    page[8:12] = (4001).to_bytes(2) + (4002).to_bytes(2)
    assert unused_in(bytes(page), 5) == slice(12, 4000)
    assert unused_in(bytes(page), 2) == slice(0, 0)
    assert unused_in(bytes(page), 2 + 820) == slice(0, 0)
    page[10:12] = (3999).to_bytes(2)
    assert unused_in(bytes(page), 5) == slice(0, 0)


def test_a_database_of_more_pages_than_can_be_told_apart_is_not_wiped(tmp_path: Path) -> None:
    with (tmp_path / "x").open("w+b") as file, pytest.raises(OSError, match="too large"):
        scrub_pages(file.fileno(), 1, 1, 4096, files._MOST_PAGES)
