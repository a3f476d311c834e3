"""replay, audit, export and import: games told again, checked, and carried from one place to another."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal, dump
from felix_async.language.words import MARKER, REFUSALS
from felix_events.export import read_export, write_export
from felix_events.store.sqlite import SqliteStore
from felix_events.tree import leaf
from games import Played, a_declined_game, a_game_played, a_running_game


# ---- replay -----------------------------------------------------------------------------------------
def test_replay_tells_scripts_every_event_in_order(terminal: Terminal, shelf: Shelf) -> None:
    events = terminal.json("replay", shelf.file)
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))


def test_replay_gives_the_hash_of_each_event(terminal: Terminal, shelf: Shelf) -> None:
    bodies = shelf.file.read_bytes().splitlines()[1:]
    for event, body in zip(terminal.json("replay", shelf.file), bodies, strict=False):
        assert event["leaf"] == leaf(body).hex()
        assert event["data"] == orjson.loads(body)["data"]


def test_replay_of_a_running_game_is_what_everybody_saw(terminal: Terminal, shelf: Shelf) -> None:
    events = terminal.json("replay", shelf.running, "--db", shelf.database)
    secret = {"hand_dealt", "dummy_dealt", "card_placed"}
    assert {event["type"] for event in events if event["hidden"]} == secret - {"dummy_dealt"}
    assert all(set(event["data"]) == {"seat"} for event in events if event["hidden"])


def test_replay_for_a_seat_tells_its_own_cards_too(terminal: Terminal, shelf: Shelf) -> None:
    events = terminal.json("replay", shelf.running, "--as", 1, "--db", shelf.database)
    told = {
        event["data"]["seat"] for event in events if event["type"] == "hand_dealt" and not event["hidden"]
    }
    assert told == {1}


def test_replay_stops_where_it_is_told(terminal: Terminal, shelf: Shelf) -> None:
    assert [event["version"] for event in terminal.json("replay", shelf.file, "--until", 5)] == [
        1,
        2,
        3,
        4,
        5,
    ]
    whole = terminal.run("replay", shelf.file)
    last = len(terminal.json("replay", shelf.file))
    assert terminal.run("replay", shelf.file, "--until", last) == whole


def test_a_game_that_is_over_can_be_seen_as_a_spectator_saw_it(terminal: Terminal, shelf: Shelf) -> None:
    events = terminal.json("replay", shelf.file, "--as", "spectator")
    assert {event["type"] for event in events if event["hidden"]} == {
        "hand_dealt",
        "dummy_dealt",
        "card_placed",
    }


@pytest.mark.parametrize("words", [("show",), ("mail", "preview")], ids=" ".join)
def test_a_step_beyond_the_end_is_told_with_the_last_one(
    terminal: Terminal, shelf: Shelf, words: tuple[str, ...]
) -> None:
    seat = [] if words == ("show",) else [1]
    said = terminal.refused(*words, shelf.file, *seat, "--until", 9999, code=2)
    assert said.startswith("There is no step 9999 for --until: the game has ")


@pytest.mark.parametrize("until", ["0", "-3", "x"])
def test_a_version_that_there_is_not_is_wrong_usage(terminal: Terminal, shelf: Shelf, until: str) -> None:
    terminal.refused("replay", shelf.file, "--until", until, code=2)


# ---- mail preview -------------------------------------------------------------------------------------
def test_preview_is_the_turn_mail_of_a_seat(terminal: Terminal, shelf: Shelf) -> None:
    (asked,) = terminal.json("show", shelf.running, "--db", shelf.database)["view"]["asked"]
    lines = terminal.run("mail", "preview", shelf.running, asked, "--db", shelf.database).splitlines()
    assert lines[0] == "Subject: Round 4 · Thursday club"
    assert MARKER in lines
    assert any(line.startswith("  PASS") for line in lines)


def test_preview_looks_at_any_version(terminal: Terminal, shelf: Shelf) -> None:
    first = terminal.json("mail", "preview", shelf.file, 1, "--until", 4)
    assert "You are invited" in first["subject"]
    assert terminal.json("mail", "preview", shelf.file, 1)["subject"].endswith(" wins · Thursday club")


def test_preview_shows_either_part(terminal: Terminal, shelf: Shelf) -> None:
    told = terminal.json("mail", "preview", shelf.file, 0)
    assert terminal.run("mail", "preview", shelf.file, 0, "--html") == f"{told['html']}\n"
    assert terminal.run("mail", "preview", shelf.file, 0).endswith(f"\n{told['text']}\n")


def test_preview_holds_no_address_that_works(terminal: Terminal, shelf: Shelf) -> None:
    html = terminal.run("mail", "preview", shelf.running, 0, "--until", 5, "--html", "--db", shelf.database)
    assert "mailto:" not in html or "mailto:felix%2Bpreview@preview.invalid?" in html


@pytest.mark.parametrize("seat", [3, 99])
def test_a_seat_that_there_is_not_has_no_mail(terminal: Terminal, shelf: Shelf, seat: int) -> None:
    said = terminal.refused("mail", "preview", shelf.file, seat)
    assert said == f"No such seat: {seat}. Use 0 to 2, or a name."


@pytest.mark.parametrize("words", [["preview"], ["preview", "x"], ["send"]])
def test_mail_used_wrongly_is_exit_2(terminal: Terminal, words: list[str]) -> None:
    terminal.refused("mail", *words, code=2)


# ---- things that are not there ----------------------------------------------------------------------------
@pytest.mark.parametrize("words", [["show"], ["replay"], ["export"], ["mail", "preview"]])
def test_a_game_that_there_is_not_is_named(terminal: Terminal, shelf: Shelf, words: list[str]) -> None:
    seat = ["0"] if "preview" in words else []
    said = terminal.refused(*words, "zzzzz", *seat, "--db", shelf.database)
    assert said == "There is no game zzzzz; `felix games` lists those there are."


@pytest.mark.parametrize("words", [["show"], ["replay"], ["import"], ["mail", "preview"]])
@pytest.mark.parametrize("name", ["nothing.jsonl", "Z-z", "a/b.jsonl"])
def test_a_file_that_there_is_not_is_named(terminal: Terminal, words: list[str], name: str) -> None:
    seat = ["0"] if "preview" in words else []
    said = terminal.refused(*words, name, *seat)
    assert name in said
    assert said.endswith("to read (No such file or directory).")


def test_a_folder_is_no_file(terminal: Terminal) -> None:
    Path("folder.d").mkdir()
    assert terminal.refused("show", "folder.d").endswith("(Is a directory).")


def test_an_audit_that_cannot_look_is_exit_2(terminal: Terminal, shelf: Shelf) -> None:
    Path("foreign.jsonl").write_bytes(b'{"hello":"world"}\n')
    Path("foreign.db").write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    for words in (
        ["zzzzz", "--db", shelf.database],
        ["nothing.jsonl"],
        ["foreign.jsonl"],
        ["--all", "--db", "foreign.db"],
        ["--all", "--db", "nothing.db"],
        ["--all"],
    ):
        terminal.refused("audit", *words, code=2)


@pytest.mark.parametrize("words", [[], ["k7m2p", "--all"], ["a", "b"]])
def test_audit_used_wrongly_is_exit_2(terminal: Terminal, words: list[str]) -> None:
    terminal.refused("audit", *words, code=2)


# ---- audit ------------------------------------------------------------------------------------------
def test_a_sound_game_is_exit_0(terminal: Terminal, shelf: Shelf) -> None:
    for target in (shelf.over, shelf.running, shelf.file):
        assert ": sound (" in terminal.run("audit", target, "--db", shelf.database)


def test_what_cannot_be_checked_is_said_and_is_no_finding(terminal: Terminal, shelf: Shelf) -> None:
    text = terminal.run("audit", shelf.running, "--db", shelf.database)
    assert "not checked: draws: the game still runs; its seed is shown at the end" in text


def test_audit_of_all_games_says_how_many(terminal: Terminal, shelf: Shelf) -> None:
    result = terminal.invoke("audit", "--all", "--db", shelf.database)
    assert (result.exit_code, result.stderr) == (0, "2 games, none with findings.\n")
    assert sorted(
        line.partition(":")[0] for line in result.stdout.splitlines() if ": sound" in line
    ) == sorted([shelf.over, shelf.running])


def test_audit_tells_a_script(terminal: Terminal, shelf: Shelf) -> None:
    (report,) = terminal.json("audit", shelf.file)
    assert (report["game_id"], report["sound"], report["findings"]) == (shelf.over, True, [])
    assert report["passed"] == [
        "bytes",
        "tree",
        "moves",
        "draws",
        "count",
        "scores",
        "time",
        "seats",
        "causes",
    ]


def test_an_audit_needs_no_database(terminal: Terminal, shelf: Shelf) -> None:
    Path("felix.db").write_bytes(b"this is not even looked at")
    assert ": sound (" in terminal.run("audit", shelf.file)


# ---- export and import -------------------------------------------------------------------------------------
def test_an_export_holds_the_documented_lines(terminal: Terminal, shelf: Shelf) -> None:
    lines = [orjson.loads(line) for line in shelf.file.read_bytes().splitlines()]
    assert (lines[0]["felix"], lines[0]["game_id"], lines[0]["table"]) == (2, shelf.over, "Thursday club")
    assert lines[0]["names"] == ["Anna", "Ben", "Cara"]
    events = [line for line in lines if "type" in line]
    assert lines[-1]["trailer"] == 2
    assert lines[-1]["size"] == len(events)
    assert events[-1]["type"] == "seed_revealed"
    opened = [line["opens"] for line in lines if "opens" in line]
    assert opened == [event["version"] for event in events if "private" in event]


def test_export_to_standard_output_is_the_file(terminal: Terminal, shelf: Shelf) -> None:
    result = terminal.invoke("export", shelf.over, "--db", shelf.database)
    assert result.stdout_bytes == shelf.file.read_bytes()
    assert result.stderr == ""


def test_a_running_game_is_exported_with_a_warning_and_without_private_records(
    terminal: Terminal, shelf: Shelf
) -> None:
    result = terminal.invoke("export", shelf.running, "-o", "running.jsonl", "--db", shelf.database)
    assert result.exit_code == 0
    assert result.stderr == "This game still runs: the file holds hidden cards, so keep it to yourself.\n"
    assert b'{"opens":' not in Path("running.jsonl").read_bytes()
    assert stat.S_IMODE(Path("running.jsonl").stat().st_mode) == 0o600


def test_an_export_over_a_public_file_of_a_running_game_is_private(terminal: Terminal, shelf: Shelf) -> None:
    Path("running.jsonl").write_bytes(b"")
    os.chmod("running.jsonl", 0o644)
    terminal.run("export", shelf.running, "-o", "running.jsonl", "--db", shelf.database)
    assert stat.S_IMODE(Path("running.jsonl").stat().st_mode) == 0o600


def test_export_where_nothing_can_be_written_is_refused(terminal: Terminal, shelf: Shelf) -> None:
    for target in ("nowhere/over.jsonl", ".", "shelf.txt/over.jsonl"):
        Path("shelf.txt").touch()
        said = terminal.refused("export", shelf.over, "-o", target, "--db", shelf.database)
        assert said.startswith(f"{target} cannot be written: ")


def test_export_of_a_file_is_the_file(terminal: Terminal, shelf: Shelf) -> None:
    assert terminal.run("export", shelf.file).encode() == shelf.file.read_bytes()


@pytest.mark.parametrize("which", ["over", "running", "declined"])
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_game_taken_in_is_exported_with_the_same_bytes(terminal: Terminal, which: str, seats: int) -> None:
    made = {"over": a_game_played, "running": a_running_game, "declined": a_declined_game}
    played: Played = made[which](seats)
    Path("one.jsonl").write_bytes(played.export())
    terminal.run("import", "one.jsonl", "--db", "other.db")
    terminal.run("audit", "--all", "--db", "other.db")
    data = terminal.invoke("export", played.game_id, "--db", "other.db").stdout_bytes
    if which == "running":  # private records are nobody's business yet, wherever the game lies
        data, expected = (
            b"".join(line for line in d.splitlines(True)[:-1] if b'{"opens"' not in line)
            for d in (data, played.export())
        )
        assert data == expected
    else:
        assert data == played.export()


def test_a_running_game_is_carried_over_byte_by_byte(terminal: Terminal, shelf: Shelf) -> None:
    terminal.run("export", shelf.running, "-o", "one.jsonl", "--db", shelf.database)
    terminal.run("import", "one.jsonl", "--db", "other.db")
    terminal.run("export", shelf.running, "-o", "two.jsonl", "--db", "other.db")
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()


def test_a_game_taken_in_is_looked_at_like_any_other(terminal: Terminal, shelf: Shelf) -> None:
    said = terminal.run("import", shelf.file)
    assert said.startswith(f"Imported {shelf.over} (")
    (game,) = terminal.json("games")
    assert (game["kind"], game["state"], game["players"]) == ("imported", "ended", ["Anna", "Ben", "Cara"])
    for words in (["show"], ["replay"]):
        assert terminal.run(*words, shelf.over) == terminal.run(*words, shelf.over, "--db", shelf.database)
    assert ": sound (" in terminal.run("audit", shelf.over)


def test_an_import_says_where_the_game_is(terminal: Terminal, shelf: Shelf) -> None:
    said = terminal.run("import", shelf.file, "--db", "other.db")
    assert said.endswith(f"look at it with `felix show {shelf.over} --db other.db`.\n")


def test_a_game_taken_in_cannot_be_played_on(terminal: Terminal, shelf: Shelf) -> None:
    terminal.run("export", shelf.running, "-o", "running.jsonl", "--db", shelf.database)
    terminal.run("import", "running.jsonl")
    assert terminal.refused("move", shelf.running, 0, "PASS") == REFUSALS["game/imported"]


def test_a_game_taken_in_owes_nobody_anything(terminal: Terminal, shelf: Shelf) -> None:
    terminal.run("export", shelf.running, "-o", "running.jsonl", "--db", shelf.database)
    terminal.run("import", "running.jsonl")
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        assert (reader.notices(shelf.running), reader.due_of(shelf.running)) == ([], [])
    store.close()


def test_a_game_that_is_here_already_is_not_taken_in_again(terminal: Terminal, shelf: Shelf) -> None:
    terminal.run("import", shelf.file)
    before = dump(Path("felix.db"))
    assert terminal.refused("import", shelf.file) == f"There is a game {shelf.over} here already."
    assert dump(Path("felix.db")) == before


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"hello\n", b'{"hello":1}\n', b"\xff\xfe\x00" * 99, b"PK\x03\x04"]
)
def test_a_foreign_file_is_not_taken_in(terminal: Terminal, data: bytes) -> None:
    Path("foreign.jsonl").write_bytes(data)
    assert terminal.refused("import", "foreign.jsonl") == "This file is not a felix export."
    assert not Path("felix.db").exists()


def forged(which: str) -> Played:
    """A game whose file is in order, and which is not."""
    played = a_game_played(3)
    version = played.versions("bid_placed")[0]
    bodies = list(played.evidence.bodies)
    if which == "breaks the rules":
        bodies[version - 1] = bodies[version - 1].replace(b'"amount":', b'"amount":9')
    elif which == "cannot be followed":
        bodies = [body for body in bodies if b'"type":"game_created"' not in body]
    else:
        bodies[version - 1] = bodies[version - 1].replace(b'"type":"bid_placed"', b'"type":"offer_made"')
    return replace(played, evidence=replace(played.evidence, bodies=bodies, private_records={}))


@pytest.mark.parametrize("which", ["breaks the rules", "cannot be followed"])
def test_a_game_that_is_not_sound_is_not_taken_in(terminal: Terminal, which: str) -> None:
    Path("forged.jsonl").write_bytes(forged(which).export())
    said = terminal.refused("import", "forged.jsonl")
    assert said.startswith("This game is not sound and was not imported: version ")
    assert not Path("felix.db").exists()
    assert "not sound" in terminal.run("audit", "forged.jsonl", code=1)


def test_a_game_with_an_event_that_nobody_knows_is_not_taken_in(terminal: Terminal) -> None:
    Path("forged.jsonl").write_bytes(forged("cannot be read").export())
    said = terminal.refused("import", "forged.jsonl", code=2)
    assert said.startswith("This felix does not know an event of this log (version ")
    assert not Path("felix.db").exists()


@pytest.mark.parametrize("words", [["show"], ["replay"], ["mail", "preview"]])
@pytest.mark.parametrize("which", ["cannot be followed", "cannot be read"])
def test_a_log_that_makes_no_sense_is_no_crash(terminal: Terminal, words: list[str], which: str) -> None:
    Path("forged.jsonl").write_bytes(forged(which).export())
    said = terminal.refused(*words, "forged.jsonl", *(["0"] if "preview" in words else []))
    assert which.replace("cannot be", "") in said.replace("cannot be", "")


def test_a_file_without_events_is_no_crash(terminal: Terminal) -> None:
    Path("empty.jsonl").write_bytes(write_export("k7m2p", [], "", []))
    for words in (["show"], ["replay"], ["mail", "preview"]):
        terminal.refused(*words, "empty.jsonl", *(["0"] if "preview" in words else []))
    assert terminal.refused("import", "empty.jsonl").startswith("This game is not sound")
    terminal.run("audit", "empty.jsonl", code=1)


def test_a_damaged_file_is_not_taken_in(terminal: Terminal, shelf: Shelf) -> None:
    data = shelf.file.read_bytes()
    for damaged in (data[:-1], data[: len(data) // 2], data.replace(b'"amount":2', b'"amount":3', 1)):
        Path("damaged.jsonl").write_bytes(damaged)
        said = terminal.refused("import", "damaged.jsonl")
        assert said.startswith("This export is damaged: line ")
        assert said.endswith("Ask for the file again.")
    assert not Path("felix.db").exists()


@pytest.mark.parametrize("target", ["felix.db", "felix.toml", "notes.txt"])
def test_an_export_is_written_over_nothing_but_an_export(
    terminal: Terminal, shelf: Shelf, target: str
) -> None:
    Path("felix.db").write_bytes(shelf.database.read_bytes())
    for name in ("felix.toml", "notes.txt"):
        Path(name).write_text("# mine\n", encoding="utf-8")
    before = Path(target).read_bytes()
    said = terminal.refused("export", shelf.over, "-o", target, "--db", "felix.db")
    assert said == f"{target} is there already and is no export; name another file."
    assert Path(target).read_bytes() == before


def test_a_version_beyond_all_counting_is_one_sentence(terminal: Terminal, shelf: Shelf) -> None:
    export = read_export(shelf.file.read_bytes())
    bodies = [export.bodies[0].replace(b'"version":1}', b'"version":%d}' % 10**20), *export.bodies[1:]]
    Path("far.jsonl").write_bytes(write_export("k7m2p", export.header.names, "", bodies))
    for words in (["show"], ["replay"], ["import"]):
        terminal.refused(*words, "far.jsonl")
    terminal.run("audit", "far.jsonl", code=1)


def test_an_export_that_does_not_fit_leaves_the_older_one(
    terminal: Terminal, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.run("export", shelf.over, "-o", "game.jsonl", "--db", shelf.database)
    before = Path("game.jsonl").read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    said = terminal.refused("export", shelf.over, "-o", "game.jsonl", "--db", shelf.database)
    assert said == "game.jsonl cannot be written: No space left on device."
    assert Path("game.jsonl").read_bytes() == before
    assert not list(Path().glob(".felix-*"))
