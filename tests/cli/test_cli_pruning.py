"""`mail prune`: the text of old mails goes, as the settings say; what would go is told before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest
from freezegun import freeze_time

from cli.terminal import Terminal, a_game_in
from events.older import an_old_database
from felix_events.store.rows import CUT, Letter
from felix_events.store.sqlite import SqliteStore

AT = "2026-01-02T03:04:05.000000Z"
RAW = b"Message-ID: <a@b>\r\n\r\n" + b"Hello Anna.\r\n" * 100


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a game whose three letters went out at once; each test gets a copy."""
    database = tmp_path_factory.mktemp("played") / "felix.db"
    game_id = a_game_in(database, 3)
    with closing(SqliteStore.open_to_write(database)) as store, store.write() as tx:
        for number in range(3):
            letter_id = tx.freeze(Letter(game_id, 0, "anna@players.test", f"<{number}>", RAW, AT, AT))
            tx.mark_letter(letter_id, "sent", next_at=AT)
    return database


@pytest.fixture
def room(terminal: Terminal, played: Path) -> Iterator[Terminal]:
    """A terminal, three years after that game."""
    copyfile(played, "felix.db")
    Path("felix.toml").write_text("[keep]\nletters_days = 100\n")
    with freeze_time("2029-01-01"):
        yield terminal


def letters() -> list[bytes]:
    with closing(SqliteStore.open_to_read(Path("felix.db"))) as store, store.read() as reader:
        return [letter.raw for letter in reader.letters()]


def test_old_letters_lose_their_text(room: Terminal) -> None:
    said = room.run("mail", "prune")
    assert said == "Dropped the text of 3 letters and 0 mails, 0.0 MB; what became of them stays known.\n"
    assert letters() == [b"", b"", b""]


def test_the_file_becomes_smaller(room: Terminal) -> None:
    with closing(SqliteStore.open_to_write(Path("felix.db"))) as store, store.write() as tx:
        game_id = tx.games()[0].game_id
        for number in range(20):
            raw = os.urandom(20_000)
            letter_id = tx.freeze(Letter(game_id, 0, "anna@players.test", f"<big {number}>", raw, AT, AT))
            tx.mark_letter(letter_id, "sent", next_at=AT)
    before = Path("felix.db").stat().st_size
    room.run("mail", "prune")
    assert Path("felix.db").stat().st_size < before - 300_000


def test_a_dry_run_drops_nothing(room: Terminal) -> None:
    said = room.run("mail", "prune", "--dry-run")
    assert said.startswith("Would drop the text of 3 letters and 0 mails")
    assert letters() == [RAW, RAW, RAW]


def test_a_dry_run_needs_no_right_to_write(room: Terminal) -> None:
    os.chmod("felix.db", 0o400)
    assert room.json("mail", "prune", "--dry-run", "--json")["letters"] == 3


def test_a_script_gets_the_numbers(room: Terminal) -> None:
    assert room.json("mail", "prune") == {"dry_run": False, "letters": 3, "mails": 0, "bytes": 3 * len(RAW)}


def test_without_the_setting_it_says_what_to_set(room: Terminal) -> None:
    Path("felix.toml").unlink()
    assert room.run("mail", "prune") == (
        "All mail is kept for ever; set keep.letters_days or keep.inbox_days in felix.toml to change it.\n"
    )


def test_if_there_is_nothing_to_drop_nothing_is_written(room: Terminal) -> None:
    Path("felix.toml").write_text("[keep]\nletters_days = 9999\n")
    os.chmod("felix.db", 0o400)
    before = Path("felix.db").read_bytes()
    assert room.run("mail", "prune").startswith("Dropped the text of 0 letters and 0 mails")
    assert Path("felix.db").read_bytes() == before


def test_an_older_database_is_left_as_it_is(terminal: Terminal) -> None:
    an_old_database(Path("felix.db"))
    Path("felix.toml").write_text("[keep]\nletters_days = 9999\n")
    assert "run `felix init --db felix.db`" in terminal.refused("mail", "prune")
    assert not Path("felix.db.before-m007").exists()


def test_less_than_sixty_days_is_refused(room: Terminal) -> None:
    Path("felix.toml").write_text("[keep]\ninbox_days = 59\n")
    assert "at least 60 days after its game; 0 keeps it for ever" in room.refused("mail", "prune")


def test_a_letter_without_its_text_is_not_sent_again(room: Terminal) -> None:
    with closing(SqliteStore.open_to_write(Path("felix.db"))) as store, store.write() as tx:
        tx.end_letter(1, "failed", "no such user")
    room.run("mail", "prune")
    said = room.refused("mail", "letters", "retry", 1)
    assert said == "Letter 1 has no text any more: it was erased with a player, or is too old."


def test_a_mail_without_its_text_is_not_dealt_with_again(room: Terminal) -> None:
    with closing(SqliteStore.open_to_write(Path("felix.db"))) as store, store.write() as tx:
        mail_id = tx.keep_mail(AT, "felix@localhost", "anna@players.test", RAW)
        tx.settle_mail(mail_id, "ignored")
        tx.drop_mail_bytes(mail_id)
    said = room.refused("mail", "inbox", "retry", 1)
    assert said == "Message 1 has no text any more: it was erased with a player, or is too old."


def a_cut_mail() -> None:
    """A mail that was cut down for the game, which ended in 2026."""
    with closing(SqliteStore.open_to_write(Path("felix.db"))) as store, store.write() as tx:
        game_id = tx.games()[0].game_id
        tx.add_game(replace(tx.games()[0], game_id="runs", state="bidding"))
        for game in (game_id, f"{game_id} runs"):
            raw = b"X-Felix-Kept: cut\nMessage-ID: <1@ben>\n\nBID 3 [\xe2\x80\xa6]\n"
            mail_id = tx.keep_mail(AT, "felix@localhost", "ben@players.test", raw)
            tx.settle_mail(mail_id, "done", note=f"{CUT}{game}")


def test_cut_mails_go_without_any_setting_once_all_their_games_are_over(room: Terminal) -> None:
    Path("felix.toml").unlink()
    a_cut_mail()
    assert room.run("mail", "prune").startswith("Dropped the text of 0 letters and 1 mail,")
    with closing(SqliteStore.open_to_read(Path("felix.db"))) as store, store.read() as reader:
        assert [mail.evidence[-12:] for mail in reader.mails()] == [b"", b"BID 3 [\xe2\x80\xa6]\n"]
    assert room.run("mail", "prune").startswith("All mail is kept for ever")


def test_a_cut_mail_is_shown_as_far_as_it_is_there_and_not_dealt_with_again(room: Terminal) -> None:
    a_cut_mail()
    said = room.run("mail", "inbox", "show", 2, "--body")
    assert "cut down to its orders in" in said
    assert "Message-ID: <1@ben>\n\nBID 3 […]" in said
    with closing(SqliteStore.open_to_write(Path("felix.db"))) as store, store.write() as tx:
        tx.settle_mail(2, "ignored", note=f"{CUT}runs")
    assert "has no text any more" in room.refused("mail", "inbox", "retry", 2)
