"""The bytes of a forgotten person in the files of a database, and how it finds what it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from each import each
from events.older import before_step
from felix_events.store import sqlite
from felix_events.store.rows import Choice, GameRow, Letter, NoticeRow, Saying, SeatRow
from felix_events.store.sqlite import SqliteStore
from fresh import a_database

ONE = "2026-11-21T00:00:00.000000Z"
NAME, ADDRESS, SAID = "Annegret Quittenbaum", "annegret@quitten.example", "Quince jelly for all."
MAIL = f"From: {NAME} <{ADDRESS}>\n\nPLAY 8\n{SAID}\n".encode()


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """Sixty tables, of which Annegret sits at every third; mails of all sizes that pages are split for."""
    opened = a_database(path)
    for number in range(60):
        game_id, hers = f"game{number:02}", number % 3 == 0
        with opened.write() as tx:
            tx.add_game(GameRow(game_id, "Club", "played", ONE, b"seed"))
            for seat, player in enumerate(("annegret" if hers else "zoe", f"ben{number}")):
                name = NAME if player == "annegret" else "Somebody"
                tx.add_seat(SeatRow(game_id, seat, player, name, None, b"secret"))
                tx.add_player(player, ADDRESS if player == "annegret" else f"{player}@example.org")
                sender = tx.seats(game_id)[-1].address or ""
                mail_id = tx.keep_mail(
                    ONE, "felix", sender, (MAIL if player == "annegret" else b"mail ") * (1 + number * 7)
                )
                tx.settle_mail(mail_id, "done", key=f"{number}{seat}", note=f"from {sender}")
                raw = b"Message-ID: <1@felix>\n\n" + (MAIL if hers else b"text ") * (1 + 41 * (number % 5))
                letter = Letter(game_id, seat, sender, f"<{number}.{seat}@felix>", raw, ONE, ONE)
                tx.mark_letter(tx.freeze(letter), "sent", next_at=ONE, note=f"250 {sender}")
                tx.enqueue(
                    NoticeRow(game_id, 1, seat, "lobby", ONE, about=sender, payload=f'{{"name":"{name}"}}')
                )
                tx.settle([notice.notice_id for notice in tx.pending(ONE)], None)
            tx.keep_saying(Saying(game_id, 2, 0, b"salt", SAID if hers else "Hello."))
    with opened.write() as tx:
        tx.adopt("annegret", f"phone.{ADDRESS}")
        tx.hold(tx.keep_mail(ONE, "felix", f"tablet.{ADDRESS}", MAIL), "annegret", f"tablet.{ADDRESS}")
        tx.choose(Choice("annegret", "daily"))
    yield opened
    opened.close()


def traces(folder: Path) -> list[str]:
    """Which of her words stand in which file."""
    words = (NAME, ADDRESS, SAID)
    return [
        f"{file.name}: {word}"
        for file in sorted(folder.iterdir())
        for word in words
        if word.lower().encode() in file.read_bytes().lower()
    ]


def test_nothing_of_a_forgotten_person_is_left_while_the_store_stays_open_and_after(
    store: SqliteStore, path: Path
) -> None:
    """Not in the write-ahead log either, which is there until the store is closed."""
    assert len(traces(path.parent)) >= 3
    with store.write() as tx:
        tx.forget("annegret")
    assert path.with_name("felix.db-wal").stat().st_size == 0
    assert traces(path.parent) == []
    store.close()
    assert traces(path.parent) == []


def test_what_is_said_of_others_is_all_there(store: SqliteStore) -> None:
    with store.read() as reader:
        before = [letter for letter in reader.letters() if int(letter.game_id[4:]) % 3]
    with store.write() as tx:
        tx.forget("annegret")
    with store.read() as reader:
        assert [letter for letter in reader.letters() if letter.raw and b"text" in letter.raw] == before
        assert len(before) == 80


def test_a_transaction_that_is_undone_forgets_nobody(store: SqliteStore) -> None:
    with suppress(KeyError), store.write() as tx:
        tx.forget("annegret")
        raise KeyError
    with store.read() as reader:
        assert reader.player_at(ADDRESS) == "annegret"


def test_a_reader_does_not_keep_others_waiting_after_somebody_was_forgotten(
    store: SqliteStore, path: Path
) -> None:
    """What the reader still sees stays in the log until the store is closed; then it is gone."""
    with store.read() as reader:
        assert reader.player_at(ADDRESS) == "annegret"
        with store.write() as tx:
            tx.forget("annegret")
        assert reader.player_at(ADDRESS) == "annegret"
    assert store._writer is not None
    assert store._writer.execute("PRAGMA busy_timeout").fetchone() == (5_000,)
    store.close()
    assert traces(path.parent) == []


def test_what_a_reader_kept_in_the_log_goes_with_the_next_thing_written(
    store: SqliteStore, path: Path
) -> None:
    """The server goes on; nobody waits for the day on which it is stopped."""
    with store.read() as reader:
        assert reader.player_at(ADDRESS) == "annegret"
        with store.write() as tx:
            tx.forget("annegret")
        with store.write() as tx:
            tx.beat(ONE)
        assert [trace for trace in traces(path.parent) if trace.startswith("felix.db-wal")]
    with store.write() as tx:
        tx.beat(ONE)
    assert traces(path.parent) == []


def test_what_was_written_stands_if_the_file_cannot_be_wiped_and_a_close_that_has_room_wipes_it(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A caller who is told that nothing was written does it once more."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as now:
        now.setattr(sqlite, "scrub_pages", full)
        with store.write() as tx:
            tx.forget("annegret")
    assert "may still be in the free space" in caplog.text
    with store.read() as reader:
        assert reader.player_at(ADDRESS) is None
    store.close()
    assert traces(path.parent) == []


# ---- what each question reads
def asked(store: SqliteStore, question: str, *values: str) -> str:
    """How SQLite goes about what a method of the reader asks."""
    seen: list[str] = []
    writer = store._writer
    assert writer is not None
    with store.write() as tx:
        writer.set_trace_callback(seen.append)
        getattr(tx, question)(*values)
        writer.set_trace_callback(None)
    queries = [statement for statement in seen if statement.startswith("SELECT")]
    assert queries
    plans = [writer.execute(f"EXPLAIN QUERY PLAN {query}").fetchall() for query in queries]
    return "\n".join("; ".join(row[3] for row in plan) for plan in plans)


def test_the_choices_at_a_table_are_found_by_its_seats(store: SqliteStore) -> None:
    told = asked(store, "choices_at", "game00")
    assert "SEARCH seats USING INDEX sqlite_autoindex_seats_1 (game_id=?)" in told
    assert "SEARCH choices USING PRIMARY KEY (player_id=?)" in told
    assert "SCAN" not in told


@each(
    ("question", "values"),
    [
        *((question, ("game00",)) for question in ("seats", "sayings", "former")),
        *((question, ("annegret",)) for question in ("choice", "addresses", "co_players", "former_of")),
        ("pending_for", ("annegret", ONE)),
    ],
)
def test_no_table_is_read_from_end_to_end(store: SqliteStore, question: str, values: tuple[str, ...]) -> None:
    told = asked(store, question, *values)
    assert "SEARCH" in told
    assert not [table for table in ("seats", "addresses", "notices", "adopted") if f"SCAN {table}" in told]


def test_a_seats_address_is_found_without_sorting(store: SqliteStore) -> None:
    assert "TEMP B-TREE" not in asked(store, "seats", "game00")


# ---- the step from an older database
def test_an_older_database_keeps_its_people_and_mails(path: Path) -> None:
    with before_step(path, "m003_whole_life") as older:
        older.execute("INSERT INTO addresses (address, player_id) VALUES ('ben@example.org', 'ben')")
        older.execute(
            "INSERT INTO inbox (received_at, recipient, sender, raw, sha256)"
            " VALUES (?, 'felix', 'ben@example.org', x'00', '')",
            (ONE,),
        )
    with closing(SqliteStore.open_to_write(path)) as store, store.write() as tx:
        (mail,) = tx.mails()
        assert (mail.sender, mail.player_id) == ("ben@example.org", None)
        tx.move_mail("ben", "new@example.org")
        assert [row.address for row in tx.addresses("ben")] == ["new@example.org", "ben@example.org"]


def test_a_choice_of_before_has_the_night_for_quiet_hours_and_no_zone(path: Path) -> None:
    with before_step(path, "m004_time") as older:
        older.execute("INSERT INTO choices (player_id, notify, hears) VALUES ('ben', 'daily', 0)")
    with closing(SqliteStore.open_to_write(path)) as store, store.read() as reader:
        assert reader.choice("ben") == Choice("ben", "daily", hears=False)


def test_letters_of_before_have_told_up_to_their_notices(path: Path) -> None:
    """So that after the step nobody is told a whole game again."""
    with before_step(path, "m006_tidings") as older:
        older.executemany(
            "INSERT INTO letters (letter_id, game_id, seat, recipient, message_id, raw, created_at, next_at)"
            " VALUES (?, 'k7m2p', 0, 'anna@one.test', ?, x'', ?, ?)",
            [(letter, f"<{letter}>", ONE, ONE) for letter in (1, 2, 3)],
        )
        older.executemany(
            "INSERT INTO notices (game_id, version, seat, kind, about, turn, due_at, payload, settled,"
            " letter_id) VALUES (?, ?, 0, ?, '', 0, '', '{}', 1, ?)",
            [("k7m2p", 5, "turn", 1), ("k7m2p", 8, "news", 2), ("other", 30, "turn", 2),
             ("k7m2p", 9, "answer", 3)],
        )  # fmt: skip
        older.executemany(
            "INSERT INTO sayings (game_id, version, seat, salt, text) VALUES ('k7m2p', ?, 1, x'', 'hello')",
            [(4,), (7,), (9,)],
        )
    with closing(SqliteStore.open_to_write(path)) as store, store.read() as reader:
        assert (reader.reported_until("k7m2p", 0), reader.delivered("k7m2p", 0)) == (8, {4, 7})
        assert (reader.reported_until("other", 0), reader.delivered("other", 0)) == (30, set())
