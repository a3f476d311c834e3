"""Kept mails held against a log: `felix audit --mail`."""

from __future__ import annotations

import mailbox
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from by_mail import mails_of
from cli.terminal import Terminal
from felix_async.audit.kept.mailboxes import KeptMail, NotUsable, mails_in
from felix_async.audit.kept.witness import held
from kept_mails import (
    Data,
    Kept,
    a_kept_game,
    dearer,
    forwarded,
    inline,
    lf,
    log_in,
    neomutt,
    received,
    rewritten,
    s_nail,
    takeout,
    witnessed,
)


@pytest.fixture
def kept() -> Kept:
    return a_kept_game()


# ---- honest mailboxes ----------------------------------------------------------------------------------
@pytest.mark.parametrize("seat", range(3))
def test_all_that_a_player_has_fits_the_log(kept: Kept, seat: int) -> None:
    told = witnessed(kept.data, kept.mailbox(seat))
    assert (told.findings, told.not_checked, told.not_usable) == ([], [], [])
    assert (told.letters, told.fitting) == (len(kept.letters[seat]),) * 2
    assert (told.sent, told.logs, told.joined, told.players) == (len(kept.sent[seat]), 1, [seat], 3)
    assert 0 < told.in_log == told.sent - len(told.idle)


def test_who_joined_in_words_of_their_own_has_put_their_mail_into_the_shuffle(kept: Kept) -> None:
    def change(_: list[Data], records: dict[int, Data]) -> None:
        for record in (one for one in records.values() if one["order"] == "JOIN"):
            record |= {"line": "JOIN, and may the best cat win", "inferred": True}

    own = [
        kept.sent[seat][0].replace(b"\nJOIN\n", b"\nJOIN, and may the best cat win\n") for seat in range(3)
    ]
    told = witnessed(rewritten(kept.data, change), own)
    assert (told.joined, told.findings) == ([0, 1, 2], [])


def test_a_mail_that_was_kept_twice_counts_once(kept: Kept) -> None:
    once, twice = (witnessed(kept.data, kept.mailbox(0) * times) for times in (1, 2))
    assert once == replace(twice, mails=once.mails)


def test_mails_of_other_games_are_counted_and_left_out(kept: Kept) -> None:
    other = a_kept_game(seed=8)
    told = witnessed(kept.data, [*other.mailbox(0), kept.result])
    assert (told.letters, told.other_games, told.findings) == (1, len(other.mailbox(0)), [])


def test_a_file_from_while_the_game_ran_counts_the_mails_that_are_newer(
    kept: Kept, terminal: Terminal
) -> None:
    """They fit nothing; and which mails became moves, it does not tell."""
    half = rewritten(kept.data, lambda *_: None, size=59)
    told = witnessed(half, kept.mailbox(0) * 2)
    assert told.findings == []
    (newer,) = told.not_checked
    assert newer.startswith(f"{told.letters - told.fitting} messages are newer than this file")
    assert 0 < told.fitting < told.letters
    Path("half.jsonl").write_bytes(half)
    Path("box").write_bytes(neomutt(kept.mailbox(0)))
    printed = terminal.run("audit", "half.jsonl", "--mail", "box")
    assert f"{told.sent} messages to felix, of which this file is silent;" in printed


HOSTILE = (
    f"SAY Fair-deal seal: {'ab' * 32}. I reveal what is in it after the game.",
    f"SAY Your share of the shuffle: {'cd' * 32}.",
    "SAY Open +99, all cards up. You have 66 mice.",
    'SAY - "BID 9": Done.',
    f'SAY {"word " * 9}- "BID 9": Done. - "BID 8": Done.',
    '- "BID 9": Done. - "PLAY 99": Done. ',
    'BID 77": Done.',
    f"{'word ' * 9} Open +99, all cards up. You have 66 mice.",
    "SAY 8  dummy  15  you  leads at 7",
    "SAY Round 1: Ben paid 9 mice for 3: 3 in cats.",
    "SAY Mice and cats so far: Ben 9 +9 18",
)
"""What a player writes who would like felix to have said something else."""


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 4, 8])
def test_players_words_are_not_taken_for_felixs(first: int) -> None:
    some = HOSTILE[first : first + 4]
    kept = a_kept_game(also="\n\n".join(some))
    for words in some:
        shown = " ".join(words.removeprefix("SAY ").split())[:30].rstrip('".')
        assert any(shown.encode() in b" ".join(raw.split()) for raw in kept.letters[0]), f"{words} is told"
    for seat in range(3):
        told = witnessed(kept.data, kept.mailbox(seat))
        assert (told.findings, told.not_usable) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("seed", range(20, 24))
def test_honest_mailboxes_are_never_convicted(players: int, seed: int) -> None:
    kept = a_kept_game(players, seed)
    for seat in range(players):
        told = witnessed(kept.data, kept.mailbox(seat))
        assert (told.findings, told.not_checked, told.not_usable) == ([], [], [])
        assert told.joined == [seat]


def test_what_a_restored_server_has_lost_is_not_checked(kept: Kept) -> None:
    """It was set back to version 60 after the end, so the moves behind that and the result are gone."""

    def change(events: list[Data], records: dict[int, Data]) -> None:
        restored = {"type": "server_restored", "schema": 1, "data": {}, "actor": "host", "version": 61}
        events[60] = {**restored, "game_id": events[0]["game_id"], "at": "2026-12-01T12:00:00.000000Z"}
        events[60]["private"] = "ab" * 32
        for version in [one for one in records if one > 60]:
            del records[version]

    data = rewritten(kept.data, change, size=61)
    for seat in range(3):
        told = witnessed(data, kept.mailbox(seat))
        assert told.findings == []
        assert all("set back to a backup" in one for one in told.not_checked)
        assert told.not_checked
        assert told.fitting > 0


def head_and(body: bytes, **changed: bytes) -> Callable[[bytes], bytes]:
    """A mail with its headers, but for some, and another body."""

    def kept_as(raw: bytes) -> bytes:
        head = raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
        for name, value in changed.items():
            head = re.sub(
                b"(?m)^Content-%b: .*$" % name.encode(), b"Content-%b: %b" % (name.encode(), value), head
            )
        return head + b"\n\n" + body

    return kept_as


LOST: dict[str, Callable[[bytes], bytes]] = {
    "headers only": head_and(b""),
    "encrypted": head_and(b"-----BEGIN PGP MESSAGE-----\n\nhQEMA7\n-----END PGP MESSAGE-----\n"),
    "all quoted": lambda raw: re.sub(rb"(?m)^(PLAY|BID|PASS)", rb"> \1", raw),
    "emptied page": head_and(b"<html><body><div></div></body></html>\n", Type=b"text/html"),
    "utf-16": head_and("\ufeffPLAY 3\n".encode("utf-16-be")[:9], Type=b"text/plain; charset=utf-8"),
    "within the number": lambda raw: raw[: re.search(rb"\n(PLAY|BID|PASS).?", raw).end()],  # type: ignore[union-attr]
    "no end": lambda raw: head_and(b"--x\n\nBID 1\n", Type=b"multipart/mixed; boundary=x")(raw),
}


@pytest.mark.parametrize("way", LOST)
def test_a_sent_mail_that_has_lost_its_text_convicts_nobody(kept: Kept, way: str) -> None:
    moves = [raw for raw in kept.sent[0] if re.search(rb"\n(PLAY|BID|PASS)", raw)]
    told = witnessed(kept.data, [LOST[way](raw) for raw in moves])
    assert told.findings == []
    assert told.not_checked
    assert all(one.endswith("its text is not all there") for one in told.not_checked)


def test_a_mail_without_a_date_is_named_without_one(kept: Kept) -> None:
    assert b"\nDate:" not in kept.sent[0][3]
    (why, *_) = witnessed(kept.data, [LOST["headers only"](kept.sent[0][3])]).not_checked
    assert '", Message-ID <' in why


# ---- as programs keep them -----------------------------------------------------------------------------
WAYS: dict[str, Callable[[Sequence[bytes]], bytes]] = {
    "neomutt": neomutt,
    "s-nail": s_nail,
    "takeout": takeout,
}


def body_of(raw: bytes) -> bytes:
    return lf(raw).partition(b"\n\n")[2].strip()


@pytest.mark.parametrize("way", WAYS)
def test_an_mbox_holds_what_came(kept: Kept, tmp_path: Path, way: str) -> None:
    box, mails = tmp_path / "box", [received(raw) for raw in kept.mailbox(0)]
    box.write_bytes(WAYS[way](mails))
    found = list(mails_in(box))
    assert len(found) == len(mails)
    told = held(log_in(kept.data), found)
    assert (told.fitting, told.sent, told.logs, told.findings) == (
        len(kept.letters[0]),
        len(kept.sent[0]),
        1,
        [],
    )


@pytest.mark.parametrize("way", WAYS)
def test_lines_that_begin_with_from_end_no_mail(tmp_path: Path, way: str) -> None:
    """What s-nail leaves as it is, `>From ` of a quote, nobody can tell from what it quoted."""
    quoted = b"" if way == "s-nail" else b">From then\r\n"
    raw = b"From: a@b.test\r\nDate: x\r\n\r\none\r\n\r\nFrom now on\r\n" + quoted
    (tmp_path / "box").write_bytes(WAYS[way]([raw, raw]))
    found = list(mails_in(tmp_path / "box"))
    assert len(found) == 2
    for one in found:
        assert isinstance(one, KeptMail)
        assert body_of(raw) in [body_of(way) for way in one.ways]


def test_a_maildir_with_its_folders(kept: Kept, tmp_path: Path) -> None:
    box = mailbox.Maildir(tmp_path / "box")
    for raw in kept.letters[0]:
        box.add(lf(received(raw)))
    for raw in kept.sent[0]:
        box.add_folder("Sent").add(raw)
    (tmp_path / "box" / "dovecot-uidlist").write_text("3 V1 N2\n")
    (tmp_path / "box" / "tmp" / "half").write_bytes(kept.result)
    told = held(log_in(kept.data), mails_in(tmp_path / "box"))
    assert (told.fitting, told.sent, told.findings) == (len(kept.letters[0]), len(kept.sent[0]), [])


@pytest.mark.parametrize(
    "saved",
    [
        lf,
        received,
        forwarded,
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: b"From - Fri Nov 20 21:00:00 2026\r\nX-Mozilla-Status: 0001\r\n" + raw,
        lambda raw: b"%d\n%s<?xml?><plist/>\n" % (len(lf(raw)), lf(raw)),
        lambda raw: forwarded(forwarded(raw, b"inner")),
        lambda raw: raw + b"\r\n\r\nSent by a list\r\n",
        lambda raw: b"\r\n\r\n" + raw,
        lambda raw: b"\n" + neomutt([raw]),
        lambda raw: b"From: a@b.test\r\nContent-Type: message/rfc822\r\n\r\n" + raw,
    ],
    ids=[
        "lf",
        "received",
        "attached",
        "bom",
        "thunderbird",
        "emlx",
        "attached twice",
        "footer",
        "blank",
        "blank box",
        "all of it attached",
    ],
)
def test_one_mail_as_a_file(kept: Kept, tmp_path: Path, saved: Callable[[bytes], bytes]) -> None:
    (tmp_path / "result.eml").write_bytes(saved(kept.result))
    told = held(log_in(kept.data), mails_in(tmp_path / "result.eml"))
    assert (told.letters, told.fitting, told.logs, told.findings) == (1, 1, 1, [])
    assert told.not_usable == []


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        (inline, "lost its headers: forward it as an attachment"),
        (lambda raw: raw[: len(raw) * 2 // 3], "cut short"),
        (lambda raw: raw.replace(b"Message-ID: <", b"Message-ID: <x"), "do not fit its Message-ID"),
        (
            lambda raw: raw.replace(b"multipart/mixed;", b"text/plain;", 1).replace(
                b"\r\n boundary=", b"\r\n x=", 1
            ),
            "made anew",
        ),
        (lambda raw: b"Subject: Ben wins\r\n" + raw, "more than one Subject"),
        (lambda raw: raw[: raw.index(b"\r\nSubject:") + 2], "cut within its headers"),
        (lambda raw: raw.replace(b"\r\n", b"\r\r\n"), "line ends were doubled"),
        (lambda _: bytes.fromhex("D0CF11E0A1B11AE1") + bytes(500), "save the message as .eml"),
    ],
    ids=["inline", "cut", "other id", "other type", "doubled", "cut head", "crcrlf", "msg"],
)
def test_what_cannot_be_used_says_why(
    kept: Kept, terminal: Terminal, spoilt: Callable[[bytes], bytes], why: str
) -> None:
    Path("game.jsonl").write_bytes(kept.data)
    Path("mail").write_bytes(spoilt(kept.result))
    assert why in terminal.refused("audit", "game.jsonl", "--mail", "mail", code=2)
    Path("good.eml").write_bytes(kept.result)
    printed = terminal.run("audit", "game.jsonl", "--mail", "mail", "--mail", "good.eml")
    assert "  not usable: mail: " in printed
    assert why in printed


def test_what_is_not_read_of_a_folder_is_named(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, deep = tmp_path / "box", kept.result
    for number in range(5):
        deep = forwarded(deep, b"b%d" % number)
    for folder in ("box/new", "box/shut", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (box / "linked").symlink_to(tmp_path / "elsewhere")
    (box / "new" / "deep.eml").write_bytes(deep)
    scan = os.scandir

    def scandir(folder: str) -> Any:
        if folder.endswith("shut"):
            raise PermissionError(13, "Permission denied", folder)
        return scan(folder)

    monkeypatch.setattr("os.scandir", scandir)
    told = {one.place: one.why for one in mails_in(box) if isinstance(one, NotUsable)}
    assert told == {
        "linked": "it is a link to a folder: name it by itself",
        f"new/deep.eml{', attached 1' * 4}": "what is attached to it, 5 messages deep, was not read",
        "shut": "it cannot be read (Permission denied)",
    }


def test_many_that_cannot_be_used_have_not_all_the_first_ones_reason(kept: Kept, terminal: Terminal) -> None:
    Path("game.jsonl").write_bytes(kept.data)
    Path("box").mkdir()
    for number in range(3):
        Path(f"box/{number}.eml").write_bytes(kept.result[:-2000])
    told = terminal.refused("audit", "game.jsonl", "--mail", "box", code=2)
    assert "(3 messages not usable; the first one: 0.eml: a letter that was cut short)" in told


def test_a_damaged_log_in_a_letter_is_not_usable(kept: Kept, tmp_path: Path) -> None:
    at = kept.result.index(b"base64", kept.result.index(b".jsonl") - 200) + 600
    (told,) = witnessed(kept.data, [kept.result[:at] + b"AAAA" + kept.result[at + 4 :]]).not_usable
    assert "attached log is damaged in line" in told


# ---- the command ---------------------------------------------------------------------------------------
def test_the_audit_tells_what_the_mails_were(kept: Kept, terminal: Terminal) -> None:
    Path("game.jsonl").write_bytes(kept.data)
    Path("box").write_bytes(neomutt(kept.mailbox(0)))
    printed = terminal.run("audit", "game.jsonl", "--mail", "box")
    letters, sent = len(kept.letters[0]), len(kept.sent[0])
    assert "seats, causes, mails)\n" in printed
    assert (
        f"  messages: {letters} letters of felix's, {letters} fit it, 1 with the same log; {sent} messages to"
        in printed
    )
    assert "they confirm 1 of 3 shares of the shuffle\n" in printed
    Path("join.eml").write_bytes(kept.sent[0][0])
    printed = terminal.run("audit", "game.jsonl", "--mail", "join.eml")
    assert "1 message to felix, 1 of them in the log;" in printed
    told: Any = terminal.json("audit", "game.jsonl", "--mail", "box")
    assert told[0]["mails"]["joined"] == [0]


def test_the_audit_of_a_rewritten_game_fails_with_a_mail(kept: Kept, terminal: Terminal) -> None:
    Path("game.jsonl").write_bytes(rewritten(kept.data, dearer))
    Path("result.eml").write_bytes(kept.result)
    assert terminal.run("audit", "game.jsonl").count("\n") == 1
    printed = terminal.run("audit", "game.jsonl", "--mail", "result.eml", code=1)
    first, *lines = printed.splitlines()
    assert first.endswith(": not sound")
    assert lines[0].startswith("  version 114: felix's letter \"Cara wins")
    assert max(map(len, lines[:4])) <= 80
    assert (
        "    it says: bid_placed of seat 1 (Ben): amount 7 (attached)\n"
        "    the log: bid_placed of seat 1 (Ben): amount 8\n"
    ) in printed


def test_the_report_is_in_the_order_of_the_game_and_not_as_long_as_the_mailbox(
    kept: Kept, terminal: Terminal
) -> None:
    def change(events: list[Data], _: dict[int, Data]) -> None:
        next(one for one in events if one["type"] == "sack_sold")["data"]["price"] += 1

    Path("game.jsonl").write_bytes(rewritten(kept.data, change))
    Path("box").write_bytes(neomutt(kept.mailbox(0)))
    printed = terminal.run("audit", "game.jsonl", "--mail", "box", code=1)
    versions = [int(one) for one in re.findall(r"^  version (\d+)", printed, re.M)]
    assert versions == sorted(versions)
    assert printed.count("    it says: ") == 3
    assert "    it says: line 3: mice 10, cats +5, total 15\n" in printed
    (told,) = terminal.json("audit", "game.jsonl", "--mail", "box", code=1)
    kept_ones = [one for one in told["findings"] if one["check"] == "mails"]
    assert f"  and {len(kept_ones) - 3} more contradictions of kept messages (--json" in printed
    assert all(one["message"] for one in kept_ones)


def test_a_log_that_was_saved_beside_the_messages_is_named(kept: Kept, terminal: Terminal) -> None:
    Path("game.jsonl").write_bytes(kept.data)
    Path("kept").mkdir()
    Path("kept/felix.jsonl").write_bytes(kept.data)
    why = "felix.jsonl: it is a log, no message: give it as FILE, or save the message it came in"
    for path in ("kept", "kept/felix.jsonl"):
        assert why in terminal.refused("audit", "game.jsonl", "--mail", path, code=2)
    Path("kept/result.eml").write_bytes(kept.result)
    assert f"  not usable: {why}\n" in terminal.run("audit", "game.jsonl", "--mail", "kept")


def test_a_game_on_the_server_is_held_against_mails(desk: Terminal) -> None:
    letters, sent = mails_of(Path("felix.db"), seed=9)
    Path("box").write_bytes(s_nail([*(letter.raw for letter in letters), *sent]))
    (game_id,) = {letter.game_id for letter in letters}
    printed = desk.run("audit", game_id, "--mail", "box")
    assert (
        f"  messages: {len(letters)} letters of felix's, {len(letters)} fit it, 3 with the same log;"
        in printed
    )
    assert "they confirm 3 of 3 shares of the shuffle\n" in printed


def test_what_is_no_mailbox_gets_one_sentence(kept: Kept, terminal: Terminal) -> None:
    Path("game.jsonl").write_bytes(kept.data)
    Path("folder").mkdir()
    Path("folder/notes.txt").write_text("nothing\n")
    Path("empty").touch()
    os.mkfifo("pipe")
    for path, why in (
        ("folder", "this folder holds no messages."),
        ("folder/notes.txt", "neither a message nor a mailbox."),
        ("empty", "this file is empty."),
        ("nowhere", "there is no such folder or file."),
        ("pipe", "this is no plain file and no folder."),
        ("x" * 300, "it cannot be read (File name too long)."),
    ):
        assert why in terminal.refused("audit", "game.jsonl", "--mail", path, code=2)
    Path("other").write_bytes(neomutt(a_kept_game(seed=8).mailbox(0)))
    assert terminal.refused("audit", "game.jsonl", "--mail", "other", code=2).startswith("None of the ")
    assert "in place of --all" in terminal.refused("audit", "--all", "--mail", "other", code=2)
    Path("game.jsonl").write_bytes(b'{"felix":3,"game_id":"k7m2p"}\n{"trailer":3,}\n')
    assert "format 3" in terminal.refused("audit", "game.jsonl", "--mail", "other", code=2)
