"""Short notices by other ways: once, without a secret, and never in the way of the mail."""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from each import each
from felix_async.clock import text_of
from felix_notifiers.outbox import alerts as module
from felix_notifiers.outbox.alerts import Alerts, alert_text, fault_in
from felix_notifiers.outbox.channel import Refused, TryAgain
from notifiers.office import Post, owe
from notifiers.sheets import an_answer
from notifiers.test_mail_strangers import HOSTILE
from table import BEN

BENS = "ben@players.test"
INVITED = "You are invited to Thursday club (felix). The e-mail has the rest."
TURN = "It is your turn at Thursday club (felix). The e-mail has the table."


@dataclass
class Service:
    """Somebody else's service: what it was told; it may take its time, or refuse."""

    told: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    wait: threading.Event = field(default_factory=threading.Event)
    slow: bool = False
    port: int = 0

    @property
    def urls(self) -> list[SecretStr]:
        """Its address, with a password in it."""
        return [SecretStr(f"json://anna:s3cret@127.0.0.1:{self.port}/?rto=5&cto=5")]

    @property
    def texts(self) -> list[str]:
        return [str(notice["message"]) for notice in self.told]


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on this machine."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if service.slow:
                service.wait.wait(10)
            length = int(self.headers["Content-Length"])
            service.told.append(json.loads(self.rfile.read(length)))
            self.send_response(service.status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        service.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield service
        service.wait.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def alerts(post: Post, service: Service) -> Iterator[Alerts]:
    """Notices for Ben."""
    told = Alerts({"Ben@Players.test": service.urls})
    post.outbox = replace(post.outbox, alerts=told)
    yield told
    told.close()


# ---- what is told -----------------------------------------------------------------------------------
def test_a_turn_and_an_invitation_are_told_to_those_who_want_it(
    post: Post, service: Service, alerts: Alerts
) -> None:
    game_id = post.open()
    post.send()
    post.room.join_all(game_id)
    post.send()
    alerts.close()
    assert service.texts == [INVITED, TURN]
    assert {notice["title"] for notice in service.told} == {"felix"}


def test_a_result_is_told(post: Post, service: Service, alerts: Alerts) -> None:
    game_id = post.started(3)
    post.send()
    post.room.play(game_id)
    post.send()
    alerts.close()
    assert service.texts[-1] == "The game at Thursday club (felix) is over. The e-mail has the result."


@pytest.mark.parametrize("kind", ["reminder", "answer", "question"])
def test_other_letters_are_not_told(post: Post, service: Service, alerts: Alerts, kind: str) -> None:
    game_id = post.started()
    post.send()
    payload = {
        "answer": an_answer(("HAND", "done", ".")).model_dump_json(),
        "question": '{"address": "x@y.z", "number": 1}',
    }
    owe(post, game_id, BEN, kind, payload=payload.get(kind, "{}"))
    before = len(post.tray.taken)
    post.send()
    alerts.close()
    assert len(post.tray.taken) == before + 1
    assert service.texts == [TURN]


@pytest.mark.parametrize("result", [TryAgain("450 busy"), Refused("550 no", "lasting")])
def test_a_letter_that_did_not_go_is_not_told(
    post: Post, service: Service, alerts: Alerts, result: Any
) -> None:
    post.open()
    post.tray.answers = [result] * 4
    post.send()
    alerts.close()
    assert service.told == []


def test_a_letter_that_is_sent_again_is_told_once(post: Post, service: Service, alerts: Alerts) -> None:
    post.open()
    post.send()
    with post.room.store.write() as tx:
        for letter in tx.letters():
            tx.requeue_letter(letter.letter_id, text_of(post.room.clock.now), "once more")
    post.send()
    alerts.close()
    assert len(post.tray.taken) == 8
    assert service.texts == [INVITED]


# ---- no secrets -------------------------------------------------------------------------------------
def test_a_notice_follows_from_the_occasion_and_the_tables_name_alone() -> None:
    """Whatever the hidden cards are: they do not get there."""
    assert alert_text({"turn"}, "Thursday club") == TURN
    assert alert_text({"turn", "reminder", "answer"}, "Thursday club") == TURN
    assert alert_text({"result", "answer"}, "") == (
        "The game at a table without a name (felix) is over. The e-mail has the result."
    )


def test_a_notice_holds_no_token_no_link_and_no_address(post: Post, service: Service, alerts: Alerts) -> None:
    game_id = post.started()
    post.send()
    alerts.close()
    told = json.dumps(service.told)
    assert game_id not in told
    assert "@" not in told
    assert "mailto" not in told
    assert "felix+" not in told


@each(
    "name",
    [
        *HOSTILE,
        "@everyone",
        "<!channel>",
        "[x](http://evil.test)",
        "*bold* _it_ `x`",
        "www.evil.test",
        "a://b",
    ],
)
def test_the_name_of_a_table_is_no_markup_no_link_and_calls_nobody(name: str) -> None:
    text = alert_text({"turn"}, name)
    assert text is not None
    assert text.startswith("It is your turn at ")
    inside = text.removeprefix("It is your turn at ").removesuffix(" (felix). The e-mail has the table.")
    assert not re.search(r"[@<>\[\]*`#&|~/\\\n\x1b\u202e]|[.:]\S", inside)


# ---- the mail comes first ---------------------------------------------------------------------------
def test_a_service_that_hangs_does_not_hold_up_the_mail(post: Post, service: Service, alerts: Alerts) -> None:
    service.slow = True
    post.open()
    started = time.monotonic()
    post.send()
    assert time.monotonic() - started < 2
    assert [letter.state for letter in post.letters()] == ["sent"] * 4
    service.wait.set()


def test_a_server_that_stops_does_not_wait_for_a_service_for_ever(service: Service) -> None:
    service.slow = True
    alerts = Alerts({BENS: service.urls})
    alerts.tell(BENS, TURN)
    started = time.monotonic()
    alerts.close(timeout=0.1)
    assert time.monotonic() - started < 2


def test_a_service_that_refuses_is_noted_without_its_address(
    post: Post, service: Service, alerts: Alerts, caplog: pytest.LogCaptureFixture
) -> None:
    service.status = 500
    post.open()
    with caplog.at_level(logging.DEBUG):
        post.send()
        alerts.close()
    assert "a short notice did not arrive" in caplog.text
    assert [letter.state for letter in post.letters()] == ["sent"] * 4
    assert not [secret for secret in ("s3cret", "anna:", BENS) if secret in told_by_felix(caplog)]


def told_by_felix(caplog: pytest.LogCaptureFixture) -> str:
    """What felix and apprise log; the HTTP library's own talk is below what a server logs."""
    names = ("felix", "apprise")
    return "\n".join(record.getMessage() for record in caplog.records if record.name.startswith(names))


def test_a_service_with_a_fault_in_it_is_noted_and_the_next_one_is_told(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    send = module._send

    def broken(url: str, text: str) -> bool:
        if "broken" in url:
            raise ZeroDivisionError(url)
        return send(url, text)

    monkeypatch.setattr(module, "_send", broken)
    alerts = Alerts({BENS: [SecretStr("json://broken"), *service.urls]})
    with caplog.at_level(logging.WARNING):
        alerts.tell(BENS, TURN)
        alerts.close()
    assert service.texts == [TURN]
    assert "could not be sent (ZeroDivisionError)" in caplog.text
    assert "broken" not in caplog.text


def test_too_many_notices_for_a_slow_service_are_left_out(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    service.slow = True
    alerts = Alerts({BENS: service.urls})
    with caplog.at_level(logging.WARNING):
        for _ in range(150):
            alerts.tell(BENS, TURN)
    alerts.close(timeout=0.1)
    assert "one is left out" in caplog.text


# ---- settings ---------------------------------------------------------------------------------------
def test_without_notices_apprise_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert fault_in({}) == fault_in({BENS: []}) == ""


def test_where_apprise_is_missing_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert fault_in({BENS: [SecretStr("json://x")]}) == (
        'Short notices ([alerts]) need apprise: install "felix-async[channels]", or take [alerts] out.'
    )


def test_an_address_that_apprise_does_not_know_is_named_and_not_repeated() -> None:
    fault = fault_in({BENS: [SecretStr("json://127.0.0.1"), SecretStr("nonsense://s3cret")]})
    assert fault == 'alerts."ben@players.test", entry 2, is no address that apprise knows; correct it.'


def test_addresses_that_apprise_knows_are_fine(service: Service) -> None:
    assert fault_in({BENS: service.urls}) == ""


def test_the_addresses_are_not_printed(service: Service) -> None:
    assert "s3cret" not in repr(Alerts({BENS: service.urls}))
