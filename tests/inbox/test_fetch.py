"""Mail is fetched by IMAP: kept first, then marked, each once, whoever has opened it before."""

from __future__ import annotations

import logging
import time
import tracemalloc

import pytest

from felix_async.inbox import fetch, imap
from inbox.fetching import MAX_BYTES, PATIENCE, Office, all_done
from inbox.imap_server import ANY_FLAG, PASSWORD, ImapServer, boast, refuse
from inbox.postbag import MAILBOX, a_mail

ONE, TWO = "felix+aaaa@felix.test", "felix+bbbb@felix.test"
DONE = {imap.KEYWORD, imap.SEEN}


def mails(count: int, size: int = 0) -> list[bytes]:
    return [a_mail(f"{number}" + "x" * size, message_id=f"<{number}@x>") for number in range(count)]


# ---- kept, then marked ----------------------------------------------------------------------------------
def test_mails_are_kept_in_their_order_as_they_are_and_then_marked(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    """Also one that a human has opened first."""
    caplog.set_level(logging.INFO)
    with ImapServer(permanent=ANY_FLAG) as server:
        server.deliver(*mails(1), flags=[imap.SEEN])
        server.deliver(*mails(5)[1:])
        office.fetch_all(server)
        assert [mail.raw for mail in office.mails] == mails(5)
        assert all(mail.flags == DONE for mail in server.mails.values())
    assert office.told >= 1
    assert PASSWORD not in caplog.text


def test_a_mail_is_not_marked_before_it_is_kept(office: Office) -> None:
    """The disk is full for a while: the mail stays as it was, and is fetched again."""
    office.sink.failing = 2
    with ImapServer() as server:
        server.deliver(*mails(1))
        with office.fetching(server):
            all_done(server)
            commands = [line for line in server.commands if line.startswith(("UID FETCH", "UID STORE"))]
        assert [line.partition("BODY")[1] for line in commands if "SIZE" not in line] == ["BODY"] * 3 + [""]
    assert len(office.mails) == 1
    assert [tries for tries, _ in office.pauses] == [1, 2]


@pytest.mark.parametrize("flag", [imap.KEYWORD, imap.DELETED])
def test_a_mail_that_is_done_or_deleted_is_left_alone(office: Office, flag: str) -> None:
    with ImapServer() as server:
        server.deliver(*mails(1), flags=[flag])
        with office.fetching(server):
            server.wait_until(lambda: server.count("IDLE begun") > 0)
        assert server.count("UID FETCH") == 0
    assert office.mails == []


def test_bodies_are_only_peeked_at(office: Office) -> None:
    with ImapServer() as server:
        server.deliver(*mails(1))
        with office.fetching(server):
            office.wait_for(1)
        assert server.count(r"UID FETCH .*BODY\[") == 0


def test_a_fetcher_that_starts_again_fetches_nothing_twice(office: Office) -> None:
    with ImapServer() as server:
        server.deliver(*mails(3))
        for _ in range(2):
            office.fetch_all(server)
        server.deliver(a_mail("new"))
        office.fetch_all(server)
    assert [mail.raw for mail in office.mails] == [*mails(3), a_mail("new")]


# ---- marks and folders ------------------------------------------------------------------------------
@pytest.mark.parametrize("permanent", [("\\Seen", "\\Answered"), None, ("\\Seen", "\\answered", "\\Deleted")])
def test_a_server_that_keeps_no_keywords_is_told_that_the_mail_is_answered(
    office: Office, permanent: tuple[str, ...] | None
) -> None:
    with ImapServer(permanent=permanent) as server:
        server.deliver(*mails(2), flags=["\\Seen"])
        office.fetch_all(server, mark=imap.ANSWERED)
        server.deliver(a_mail("new"))
        office.fetch_all(server, mark=imap.ANSWERED)
    assert len(office.mails) == 3


def test_a_keyword_that_the_server_names_needs_no_leave_for_others(office: Office) -> None:
    with ImapServer(permanent=("\\Seen", "$felixdone")) as server:
        server.deliver(*mails(1))
        office.fetch_all(server)
    assert len(office.mails) == 1


def test_a_server_that_keeps_no_marks_at_all_is_not_read_without_a_folder_to_move_to(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer(permanent=("\\Seen",)) as server:
        server.deliver(*mails(2))
        with office.fetching(server):
            server.wait_until(lambda: server.count("SELECT") > 1)
        assert "set fetch.done_folder" in caplog.text
        assert office.mails == []
        with office.fetching(server, done_folder="Done"):
            server.wait_until(lambda: not server.mails)
        assert server.folders["Done"] == mails(2)
    assert [mail.raw for mail in office.mails] == mails(2)


@pytest.mark.parametrize("offered", [("MOVE",), ("UIDPLUS",), ()])
def test_mails_are_moved_by_what_the_server_can_and_the_folder_is_made(
    office: Office, offered: tuple[str, ...]
) -> None:
    with ImapServer(capabilities=[*offered, "IDLE"]) as server:
        server.deliver(*mails(3))
        with office.fetching(server, done_folder="felix/done"):
            server.wait_until(lambda: server.count("IDLE begun") > 0)
        assert server.folders == {"felix/done": mails(3)}
        assert [mail.raw for mail in office.mails] == mails(3)
        left = [mail.flags for mail in server.mails.values()]
        assert left == ([] if offered else [{imap.DELETED, *DONE}] * 3), "what others deleted stays, too"


def test_what_was_marked_and_not_moved_is_moved_later(office: Office) -> None:
    with ImapServer() as server:
        server.deliver(*mails(2), flags=[imap.KEYWORD])
        with office.fetching(server, done_folder="Done"):
            server.wait_until(lambda: not server.mails)
        assert server.folders["Done"] == mails(2)
    assert office.mails == []


def test_a_folder_that_mails_cannot_be_moved_to_is_told_and_no_mail_is_fetched_twice(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    with ImapServer() as server:
        server.on("CREATE", refuse, times=99)
        server.deliver(*mails(2))
        with office.fetching(server, done_folder="Done"):
            server.wait_until(lambda: server.count("CREATE") > 2)
    assert "mails cannot be moved to Done (" in caplog.text
    assert "; change fetch.done_folder" in caplog.text
    assert len(office.mails) == 2


def test_a_folder_that_cannot_be_opened_is_named(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    with ImapServer() as server, office.fetching(server, folder="Nowhere"):
        server.wait_until(lambda: server.count("SELECT") > 0)
        server.wait_until(lambda: server.count("AUTH") > 1)
    assert "its folder Nowhere cannot be opened" in caplog.text


def test_a_mark_that_does_not_stay_costs_no_second_row(office: Office) -> None:
    with ImapServer() as server:
        (uid,) = server.deliver(*mails(1))
        with office.fetching(server):
            all_done(server)
            for _ in range(2):
                server.mails[uid].flags.clear()
                server.deliver(a_mail("wake up"))
                all_done(server)
    assert len(office.mails) == 3


# ---- sizes ------------------------------------------------------------------------------------------
def test_a_mail_that_is_too_large_is_not_fetched_and_the_operator_sees_its_headers(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    raw = a_mail("x" * MAX_BYTES)
    with ImapServer() as server:
        server.deliver(raw, *mails(1))
        office.fetch_all(server)
        assert server.count(r"UID FETCH 1 \(BODY.PEEK\[\]") == 0
    large, small = office.mails
    assert (large.state, small.state) == ("quarantined", "new")
    assert large.raw == raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    note = f"it has {len(raw)} bytes, the limit is {MAX_BYTES}; its headers alone were kept"
    assert large.note == note
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        f"a mail was not fetched: {note}"
    ]


def test_a_size_that_is_a_lie_is_found_out(office: Office) -> None:
    with ImapServer() as server:
        server.deliver(a_mail("x" * 50 * MAX_BYTES), told_size=10)
        server.deliver(a_mail("small"), told_size=10**9)
        office.fetch_all(server)
    assert [mail.state for mail in office.mails] == ["quarantined", "quarantined"]
    assert all(len(mail.raw) < 1000 for mail in office.mails)


def test_a_mail_of_exactly_the_limit_is_taken(office: Office) -> None:
    raw = a_mail("x" * MAX_BYTES)
    raw = raw[: MAX_BYTES - 2] + b"\r\n"
    with ImapServer() as server:
        server.deliver(raw)
        with office.fetching(server):
            assert office.wait_for(1)[0].raw == raw


@pytest.mark.parametrize("raw", [b"", b"\r\n", bytes(range(256)), b"From: x"], ids=repr)
def test_any_bytes_are_kept(office: Office, raw: bytes) -> None:
    with ImapServer() as server:
        server.deliver(raw)
        with office.fetching(server):
            assert office.wait_for(1)[0].raw == raw


@pytest.mark.slow
def test_ten_thousand_waiting_mails_are_taken_in_groups(office: Office) -> None:
    """No command names more than a hundred mails, and no group is larger than its limit."""
    count = 10_000
    with ImapServer() as server:
        server.deliver(*mails(count))
        with office.fetching(server):
            server.wait_until(lambda: server.count("IDLE begun") > 0, 60)
        assert all(imap.KEYWORD in mail.flags for mail in server.mails.values())
        named = [line.split()[2] for line in server.commands if line.startswith("UID FETCH")]
        assert max(sequence.count(",") for sequence in named) < imap.BATCH
    assert [mail.raw for mail in office.mails] == mails(count)
    assert office.sink.transactions == count / imap.BATCH


def test_large_mails_are_fetched_a_few_at_a_time(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "GROUP_BYTES", 30_000)
    with ImapServer() as server:
        server.deliver(*mails(7, 10_000))
        office.fetch_all(server)
        bodies = [line.split()[2] for line in server.commands if "BODY.PEEK[]" in line]
    assert bodies == ["1,2", "3,4", "5,6", "7"]


def test_a_folder_with_many_old_mails_is_searched_in_parts(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "WINDOW", 4)
    with ImapServer() as server:
        server.deliver(*mails(10))
        office.fetch_all(server)
        searched = [line.split()[3] for line in server.commands if line.startswith("UID SEARCH")][:3]
    assert searched == ["1:4", "5:8", "9:*"]
    assert len(office.mails) == 10


def test_what_a_server_announces_beyond_what_was_asked_for_is_not_read(office: Office) -> None:
    """What it may make felix hold in memory is bounded, whatever it says."""
    with ImapServer() as server:
        server.deliver(a_mail("PASS"))
        server.on("UID FETCH .*BODY", boast)
        tracemalloc.start()
        try:
            office.fetch_all(server, timeout_seconds=5, poll_seconds=1)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert [mail.raw for mail in office.mails] == [a_mail("PASS")]
    assert peak < 5_000_000


# ---- envelopes --------------------------------------------------------------------------------------
def test_recipient_and_sender_come_from_the_headers(office: Office) -> None:
    with ImapServer() as server:
        server.deliver(
            a_mail(headers=[f"To: {TWO}", f"Delivered-To: {ONE}", "Return-Path: <anna@players.test>"]),
            a_mail(headers=[f"To: {TWO}", "Return-Path: <>"]),
            a_mail(sender="Ben <ben@players.test>"),
        )
        with office.fetching(server):
            office.wait_for(3)
    assert [(mail.recipient, mail.sender) for mail in office.mails] == [
        (ONE, "anna@players.test"),
        (TWO, ""),
        (MAILBOX, "ben@players.test"),
    ]


def test_one_mail_to_two_of_our_addresses_is_two_rows_in_one_transaction(office: Office) -> None:
    with ImapServer() as server:
        server.deliver(a_mail(headers=[f"To: {ONE}, {TWO}"]))
        with office.fetching(server):
            office.wait_for(2)
    assert [mail.recipient for mail in office.mails] == [ONE, TWO]
    assert office.sink.transactions == 1


# ---- waiting ----------------------------------------------------------------------------------------
def test_new_mail_is_noticed_at_once_where_the_server_tells(office: Office) -> None:
    with ImapServer() as server, office.fetching(server, poll_seconds=3600):
        server.wait_until(lambda: server.count("IDLE begun") > 0)
        delivered = time.monotonic()
        server.deliver(*mails(1))
        office.wait_for(1)
        assert time.monotonic() - delivered < 2


def test_where_the_server_does_not_tell_it_is_asked(office: Office) -> None:
    with ImapServer(capabilities=["AUTH=PLAIN"]) as server, office.fetching(server, poll_seconds=1):
        server.wait_until(lambda: server.count("UID SEARCH") > 0)
        server.deliver(*mails(1))
        office.wait_for(1)
        assert server.count("IDLE") == 0
        assert server.count("AUTHENTICATE") == 1


@pytest.mark.parametrize("capabilities", [["AUTH=PLAIN"], ["AUTH=PLAIN", "IDLE"]])
def test_it_looks_sooner_if_it_is_asked_to(office: Office, capabilities: list[str]) -> None:
    with (
        ImapServer(capabilities=capabilities) as server,
        office.fetching(server, poll_seconds=600) as fetcher,
    ):
        server.wait_until(lambda: fetcher.heard_until() != "")
        searched = server.count("UID SEARCH")
        fetcher.look()
        server.wait_until(lambda: server.count("UID SEARCH") > searched)
        assert server.count("AUTHENTICATE") == 1


def test_idle_is_renewed_in_time(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    assert imap.IDLE_SECONDS < 29 * 60
    monkeypatch.setattr(imap, "IDLE_SECONDS", 0.1)
    with ImapServer() as server, office.fetching(server, poll_seconds=3600):
        server.wait_until(lambda: server.count("IDLE begun") > 2)
        assert server.count("AUTHENTICATE") == 1


def test_a_fetcher_whose_thread_has_ended_goes_on_in_another_one(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is known that ends it; if something does, mail comes in all the same."""
    with ImapServer() as server:
        fetcher = office.fetcher(server.port)
        assert not fetcher.revive(), "it has not begun yet"
        with monkeypatch.context() as patch:
            patch.setattr(fetcher, "_run", lambda: None)
            fetcher._thread = fetcher._new_thread()
            fetcher.start()
            fetcher._thread.join(PATIENCE)
        assert fetcher.revive()
        assert not fetcher.revive(), "it is at work"
        server.deliver(*mails(1))
        office.wait_for(1)
        fetcher.stop()
        assert not fetcher.revive(), "it was told to stop"


# ---- until when all is heard ----------------------------------------------------------------------------
def test_nothing_is_known_to_be_heard_before_the_first_look(office: Office) -> None:
    with ImapServer() as server:
        assert office.fetcher(server.port).heard_until() == ""


def test_a_look_tells_until_when_all_mail_is_kept(office: Office) -> None:
    with ImapServer() as server:
        server.deliver(*mails(1))
        with office.fetching(server) as fetcher:
            all_done(server)
            server.wait_until(lambda: fetcher.heard_until() != "")
        assert len(office.mails) == 1


def test_a_mail_that_cannot_be_kept_is_not_heard(office: Office) -> None:
    office.sink.failing = 10**6
    with ImapServer() as server:
        server.deliver(*mails(1))
        with office.fetching(server) as fetcher:
            server.wait_until(lambda: len(office.pauses) >= 3)
            assert fetcher.heard_until() == ""
