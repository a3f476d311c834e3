"""Two servers on one database: the second refuses in one sentence, whatever the first is doing."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from cli.terminal import FELIX, Terminal, environment
from cli.village import PATIENCE, Village, serving, settle_in
from felix_cli.claim import claim, is_served
from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore

DATABASE = Path("felix.db")


@contextmanager
def claimed(database: Path = DATABASE) -> Iterator[None]:
    file = claim(database)
    try:
        yield
    finally:
        os.close(file)


def refusal(database: Path) -> str:
    with pytest.raises(StoreError) as raised:
        claim(database)
    return str(raised.value)


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as opened:
        yield opened


@pytest.fixture
def home(terminal: Terminal, village: Village) -> Terminal:
    """A terminal with settings and a database for a server."""
    settle_in(terminal, village)
    return terminal


# ---- the claim
@pytest.mark.parametrize(
    "name", ["felix.db", "./felix.db", "folder/../felix.db", "link.db", "folder/link.db"]
)
def test_a_database_is_claimed_by_whatever_path_it_is_named(desk: Terminal, name: str) -> None:
    Path("folder").mkdir()
    Path("link.db").symlink_to("felix.db")
    Path("folder/link.db").symlink_to(Path("felix.db").absolute())
    with claimed():
        assert refusal(Path(name)) == f"Another felix server works on {Path(name)}; stop it first."
        assert is_served(Path(name))
    with claimed(Path(name)):
        assert refusal(DATABASE) == "Another felix server works on felix.db; stop it first."


def test_other_databases_in_the_same_folder_are_free(desk: Terminal) -> None:
    SqliteStore.create(Path("other.db")).close()
    with claimed():
        assert not is_served(Path("other.db"))
        with claimed(Path("other.db")):
            assert is_served(Path("other.db"))


def test_a_claim_ends_with_its_file(desk: Terminal) -> None:
    with claimed():
        assert is_served(DATABASE)
    assert not is_served(DATABASE)
    with claimed():
        assert is_served(DATABASE)


def test_a_claim_waits_for_no_transaction(desk: Terminal) -> None:
    """The first server may hang in the middle of one, and hold the lock of its store."""
    with Path("felix.db.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with claimed():
            assert "Another felix server" in refusal(DATABASE)


def test_who_only_asks_keeps_no_server_from_starting(desk: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """To ask is to hold the lock for a moment; here until the server has tried once."""
    Path("felix.db.serve.lock").touch()
    asking = os.open("felix.db.serve.lock", os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    pauses = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        fcntl.flock(asking, fcntl.LOCK_UN)

    with monkeypatch.context() as patch:
        patch.setattr("felix_cli.claim.time.sleep", pause)
        with claimed():
            assert len(pauses) == 1
    os.close(asking)


def test_nothing_is_made_beside_a_file_that_is_no_database(terminal: Terminal) -> None:
    Path("felix.db").write_text("Dear diary, today I have begun to write into you.")
    assert refusal(DATABASE) == "felix.db is not a felix database; name another file with --db."
    assert os.listdir() == ["felix.db"]


def test_one_lock_keeps_writers_apart_by_whatever_path_they_come(desk: Terminal) -> None:
    Path("folder").mkdir()
    Path("folder/link.db").symlink_to(Path("felix.db").absolute())
    store = SqliteStore.open_to_write(Path("folder/link.db"))
    with store.write(), Path("felix.db.lock").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    store.close()
    assert os.listdir("folder") == ["link.db"]


# ---- servers
@pytest.mark.parametrize(
    "words", [(), pytest.param(("--db", "link.db"), marks=pytest.mark.slow)], ids=["same path", "link"]
)
def test_the_second_server_says_one_sentence_and_ends(home: Terminal, words: tuple[str, ...]) -> None:
    Path("link.db").symlink_to("felix.db")
    with serving(home):
        done = home.process("serve", *words)
    name = words[-1] if words else "felix.db"
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"Error: Another felix server works on {name}; stop it first.\n"


@pytest.mark.slow
def test_the_second_server_does_not_wait_for_a_first_that_hangs(home: Terminal) -> None:
    with serving(home) as felix:
        felix.process.send_signal(signal.SIGSTOP)
        done = home.process("serve")
        felix.process.send_signal(signal.SIGCONT)
    assert done.returncode == 1
    assert b"Another felix server works on felix.db; stop it first." in done.stderr


@pytest.mark.slow
def test_after_a_kill_the_next_server_starts_at_once(home: Terminal) -> None:
    with serving(home) as felix:
        assert felix.stop(signal.SIGKILL) == -signal.SIGKILL
    assert not is_served(DATABASE)
    with serving(home) as felix:
        assert is_served(DATABASE)
        assert felix.stop() == 0


@pytest.mark.slow
def test_of_servers_that_start_together_one_starts(home: Terminal) -> None:
    """Each says on its way what it is; whoever is refused has said nothing else."""
    starting = [
        Popen([*FELIX, "serve"], cwd=home.folder, env=environment(), stderr=PIPE, text=True) for _ in range(3)
    ]
    try:
        said = []
        for process in starting:
            assert process.stderr is not None
            # If the tests are run as root, that is said first.
            said.append(next(line for line in process.stderr if "runs as root" not in line))
        works = [line for line in said if "felix takes SMTP" in line]
        assert len(works) == 1, said
        refused = [process for process, line in zip(starting, said, strict=True) if line not in works]
        assert [process.wait(PATIENCE) for process in refused] == [1, 1]
        assert {line for line in said if line not in works} == {
            "Error: Another felix server works on felix.db; stop it first.\n"
        }
    finally:
        for process in starting:
            process.kill()
            process.communicate(timeout=PATIENCE)


@pytest.mark.slow
def test_a_server_that_starts_and_is_not_ready_yet_holds_the_database_already(home: Terminal) -> None:
    """The store's lock is held here, so the first server cannot get further than its claim."""
    with Path("felix.db.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        first = Popen([*FELIX, "serve"], cwd=home.folder, env=environment(), stderr=PIPE, text=True)
        try:
            deadline = time.monotonic() + PATIENCE
            while not is_served(DATABASE):
                assert time.monotonic() < deadline, "the first server never claimed it"
                time.sleep(0.01)
            done = home.process("serve")
        finally:
            first.kill()
            first.communicate(timeout=PATIENCE)
    assert done.returncode == 1
    assert b"Another felix server works on felix.db; stop it first." in done.stderr
