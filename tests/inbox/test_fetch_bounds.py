"""What a mailbox's server may make felix hold in memory is bounded, whatever it says."""

from __future__ import annotations

import tracemalloc

from felix_async.inbox import imap
from inbox.fetching import Office
from inbox.imap_server import ImapServer, boast
from inbox.postbag import a_mail


def test_what_a_server_announces_beyond_what_was_asked_for_is_not_read() -> None:
    office = Office()
    with ImapServer() as server:
        server.deliver(a_mail("PASS"))
        server.on("UID FETCH .*BODY", boast)
        tracemalloc.start()
        try:
            with office.fetching(server, timeout_seconds=5, poll_seconds=1):
                server.wait_until(lambda: all(imap.KEYWORD in mail.flags for mail in server.mails.values()))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    office.writer.close()
    assert [mail.raw for mail in office.mails] == [a_mail("PASS")]
    assert peak < 5_000_000
