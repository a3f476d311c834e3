"""What every store must do, concluded: all of a transaction or nothing, parts of it, and who sees what."""

from __future__ import annotations

import threading
from contextlib import suppress

import pytest

from events.filling import ONE, THREE, TWO
from felix_events.store.base import Reader, Store, Tx, VersionConflict
from felix_events.store.rows import Due, GameRow, Letter, NoticeRow, Sealed, SeatRow


def fill(tx: Tx, game_id: str = "k7m2p") -> None:
    """A row in every table."""
    tx.append(game_id, 0, [Sealed(b"one", b"private"), Sealed(b"two")])
    tx.add_game(GameRow(game_id, "Thursday club", "played", TWO, b"seed"))
    tx.add_player(f"anna-{game_id}", f"{game_id}@example.org")
    tx.add_seat(SeatRow(game_id, 0, f"anna-{game_id}", "Anna", None, b"secret"))
    tx.settle_mail(tx.keep_mail(ONE, game_id, "anna", b"raw"), "done", key=game_id)
    tx.remember(f"command/{game_id}", game_id, "{}")
    tx.enqueue(NoticeRow(game_id, 3, 0, "turn", TWO))
    tx.freeze(Letter(game_id, 0, "anna@example.org", game_id, b"Subject: turn\n", ONE, TWO))
    tx.set_due(game_id, [Due(game_id, 0, "reminder", 2, TWO)])
    tx.keep_secret(game_id, b"value")


def everything(reader: Reader, game_id: str = "k7m2p") -> list[object]:
    """All that can be read of what `fill` writes, and of everything else."""
    return [
        *(reader.logs(), reader.games(), reader.mails(), reader.letters(), reader.pending(THREE)),
        *(reader.due(THREE, 99), reader.letters_due(THREE, 99), reader.next_mail()),
        *(reader.log(game_id), reader.game(game_id), reader.seats(game_id), reader.notices(game_id)),
        *(reader.due_of(game_id), reader.player_at(f"{game_id}@example.org")),
        *(reader.outcome(f"command/{game_id}"), reader.mail_with(game_id), reader.secret(game_id)),
    ]


NOTHING: list[object] = [[], [], [], [], [], [], [], None, [], None, [], [], [], None, None, None, None]


def change(tx: Tx) -> None:
    """Every row that `fill` wrote, changed where it may be changed."""
    tx.append("k7m2p", 2, [Sealed(b"three")])
    tx.note_game("k7m2p", "running", 3)
    tx.add_player("anna-k7m2p", "a@example.com")
    tx.settle_mail(1, "quarantined", note="again")
    tx.try_mail(1, "and again")
    tx.settle([notice.notice_id for notice in tx.pending(THREE)], None)
    tx.mark_letter(1, "sent", next_at=THREE)
    tx.clear_due(tx.due_of("k7m2p")[0])


class Stop(Exception):
    """Raised in the middle of a transaction."""


def test_filling_leaves_something_everywhere(tx: Tx) -> None:
    """Held here so that the tests below compare what they mean to compare."""
    assert everything(tx) == NOTHING
    fill(tx)
    assert [found for found in everything(tx) if found in ([], None)] == [None]
    assert tx.next_mail() is None


# ---- all or nothing
@pytest.mark.parametrize("raised", [Stop, KeyboardInterrupt, VersionConflict("k7m2p", 1, 2)])
def test_whatever_is_raised_undoes_everything_and_the_store_goes_on(
    store: Store, raised: type[BaseException]
) -> None:
    def stopped() -> None:
        with store.write() as tx:
            fill(tx)
            part(tx, "inner", stop=False)
            raise raised

    with pytest.raises((Stop, KeyboardInterrupt, VersionConflict)):
        stopped()
    with store.read() as reader:
        assert everything(reader) == everything(reader, "inner") == NOTHING
    with store.write() as tx:
        fill(tx)
        seen = everything(tx)
    with store.read() as reader:
        assert everything(reader) == seen != NOTHING


def test_changes_of_older_rows_are_undone_too(store: Store) -> None:
    with store.write() as tx:
        fill(tx)
        before = everything(tx)
    with suppress(Stop), store.write() as tx:
        change(tx)
        assert everything(tx) != before
        raise Stop
    with store.read() as reader:
        assert everything(reader) == before


# ---- savepoints
def part(tx: Tx, game_id: str, *, stop: bool) -> None:
    """A part of a transaction, which may raise after it wrote; what it raises ends there."""

    def work() -> None:
        with tx.savepoint():
            fill(tx, game_id)
            if stop:
                raise Stop

    if stop:
        with pytest.raises(Stop):
            work()
    else:
        work()


def test_parts_that_raise_are_undone_each_alone(store: Store) -> None:
    with store.write() as tx:
        fill(tx, "before")
        seen = everything(tx, "before")
        part(tx, "aaa", stop=True)
        assert everything(tx, "before") == seen
        part(tx, "bbb", stop=False)
        part(tx, "ccc", stop=True)
        kept = everything(tx, "bbb")
        fill(tx, "after")
    with store.read() as reader:
        assert reader.logs() == ["after", "bbb", "before"]
        assert everything(reader, "bbb")[8:] == kept[8:]


def test_changes_of_older_rows_in_a_part_are_undone_too(tx: Tx) -> None:
    fill(tx)
    before = everything(tx)
    with suppress(Stop), tx.savepoint():
        change(tx)
        raise Stop
    assert everything(tx) == before


def test_a_part_within_a_part_is_undone_alone(store: Store) -> None:
    with store.write() as tx, tx.savepoint():
        fill(tx, "outer")
        part(tx, "inner", stop=True)
        part(tx, "other", stop=False)
    with store.read() as reader:
        assert reader.logs() == ["other", "outer"]


def test_a_part_takes_the_parts_within_it_along(store: Store) -> None:
    with store.write() as tx:
        fill(tx, "before")
        with suppress(Stop), tx.savepoint():
            part(tx, "inner", stop=False)
            raise Stop
    with store.read() as reader:
        assert reader.logs() == ["before"]


def test_a_part_that_is_undone_leaves_the_head_of_its_log_where_it_was(store: Store) -> None:
    with store.write() as tx:
        head = tx.append("k7m2p", 0, [Sealed(b"one")])
        with suppress(Stop), tx.savepoint():
            tx.append("k7m2p", 1, [Sealed(b"two")])
            raise Stop
        assert tx.head("k7m2p") == head
        tx.append("k7m2p", 1, [Sealed(b"another two")])
    with store.read() as reader:
        assert reader.bodies("k7m2p") == [b"one", b"another two"]


# ---- who sees what
def test_a_reader_keeps_the_view_that_it_began_with_and_it_is_one_of_what_is_committed(store: Store) -> None:
    with store.read() as before:
        assert everything(before) == NOTHING
        with store.write() as tx:
            fill(tx)
            assert everything(before) == NOTHING
        assert everything(before) == NOTHING
    with store.read() as reader:
        assert reader.bodies("k7m2p") == [b"one", b"two"]


def test_a_reader_that_begins_while_somebody_writes_sees_nothing_of_it(store: Store) -> None:
    with store.write() as tx:
        fill(tx)
        with store.read() as reader:
            assert everything(reader) == NOTHING


def test_two_threads_write_one_after_the_other(store: Store) -> None:
    """Each adds its events to what it finds; were they in one transaction, they would lose some."""

    def add(name: str) -> None:
        for number in range(10):
            with store.write() as tx:
                version, _ = tx.head("k7m2p")
                tx.append("k7m2p", version, [Sealed(f"{name}{number}".encode())])

    threads = [threading.Thread(target=add, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as reader:
        bodies = [body.decode() for body in reader.bodies("k7m2p")]
    for name in "ab":
        assert [body for body in bodies if body[0] == name] == [f"{name}{number}" for number in range(10)]
