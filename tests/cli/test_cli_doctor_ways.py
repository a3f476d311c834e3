"""doctor: the ways in and out are tried as felix uses them, and no secret is told."""

from __future__ import annotations

import shutil
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cli.surgery import (
    HOST,
    MAILBOX,
    PASSWORD,
    USER,
    Drawer,
    Office,
    a_certificate,
    checks,
    fetching,
    mailbox,
    office,
    served_with,
    settings,
    with_password,
    wrong,
)
from cli.terminal import Terminal
from felix_async.settings import Listen, Send, Settings
from felix_cli.server import Server

pytestmark = pytest.mark.slow


@pytest.fixture
def server(terminal: Terminal) -> Terminal:
    """A terminal with a database."""
    settings(1)
    terminal.run("init")
    return terminal


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return a_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module")
def tls(certificate: Path) -> ssl.SSLContext:
    return served_with(certificate)


@contextmanager
def silent() -> Iterator[int]:
    """A port at which nobody answers."""
    with closing(socket.socket()) as nobody:
        nobody.bind((HOST, 0))
        yield nobody.getsockname()[1]


def login(security: str, certificate: Path, password: str = PASSWORD) -> str:
    """The keys of a private connection."""
    return f'security = "{security}"\nuser = "{USER}"\npassword = "{password}"\nca_file = "{certificate}"'


# ---- listen
@contextmanager
def a_running_server(protocol: str = "smtp") -> Iterator[int]:
    """A server of this process; its port."""
    listen = Listen(port=0, protocol="lmtp" if protocol == "lmtp" else "smtp")
    wanted = Settings(database=Path("felix.db"), mailbox=MAILBOX, listen=listen, send=Send(channel="console"))
    with Server(wanted) as felix:
        yield felix.listener.port


@pytest.mark.parametrize("protocol", ["smtp", "lmtp"])
def test_a_running_server_answers_and_refuses_foreign_addresses(server: Terminal, protocol: str) -> None:
    with a_running_server(protocol) as port, office(Office()) as send:
        settings(send, listen=port, protocol=protocol)
        found = checks(server, "--no-send")["listen"]["found"]
    assert found == f"a server answers at 127.0.0.1:{port}, and refuses foreign addresses"


def test_a_running_server_with_other_settings_is_to_be_restarted(server: Terminal) -> None:
    with a_running_server(), office(Office()) as send, silent() as port:
        settings(send, listen=port)
        assert wrong(server, "--no-send") == ["listen"]
        assert "restart `felix serve`" in checks(server, "--no-send", code=1)["listen"]["advice"]


def test_another_program_where_a_server_should_listen_is_noticed(server: Terminal) -> None:
    with a_running_server(), office(Office()) as send:
        settings(send, listen=send)
        assert wrong(server, "--no-send") == ["listen"]


def test_a_port_that_another_program_has(server: Terminal) -> None:
    with office(Office()) as send:
        settings(send, listen=send)
        assert wrong(server, "--no-send") == ["listen"]
        assert "is taken by another program" in checks(server, "--no-send", code=1)["listen"]["found"]


def test_an_address_to_listen_on_that_is_not_ours(server: Terminal) -> None:
    with office(Office()) as send:
        settings(send, host="192.0.2.1")
        assert wrong(server, "--no-send") == ["listen"]


def test_no_listener_is_fine_where_mail_comes_by_a_pipe(server: Terminal) -> None:
    with office(Office()) as send:
        settings(send, protocol="off")
        assert "`felix mail receive`" in checks(server, "--no-send")["listen"]["found"]


# ---- send
def test_a_mail_server_that_does_not_answer(server: Terminal) -> None:
    with silent() as port:
        settings(port)
        assert wrong(server, "--no-send") == ["send"]
        advice = checks(server, "--no-send", code=1)["send"]["advice"]
    assert advice == "start the mail server, or correct send.host and send.port"


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_private_connection_with_a_password(
    server: Terminal, certificate: Path, tls: ssl.SSLContext, security: str
) -> None:
    how = with_password(tls) if security == "starttls" else {"ssl_context": tls}
    with office(Office(), **how) as port:
        in_send = (
            login(security, certificate)
            if security == "starttls"
            else f'security = "tls"\nca_file = "{certificate}"'
        )
        settings(port, in_send=in_send)
        found = checks(server, "--no-send")["send"]["found"]
    assert found.startswith(f"127.0.0.1:{port} takes mail, with ")
    assert ("logged in" in found) == (security == "starttls")


def test_a_wrong_password_is_told_and_not_repeated(
    server: Terminal, certificate: Path, tls: ssl.SSLContext
) -> None:
    with office(Office(), **with_password(tls)) as port:
        settings(port, in_send=login("starttls", certificate, "not-the-password"))
        text = server.run("doctor", code=1)
    assert "does not take this user and password - correct send.user and the password" in text
    assert "not-the-password" not in text


def test_a_certificate_that_nobody_vouches_for(server: Terminal, tls: ssl.SSLContext) -> None:
    with office(Office(), ssl_context=tls) as port:
        settings(port, in_send='security = "tls"')
        found = checks(server, "--no-send", code=1)["send"]
    assert "is not trusted" in found["found"]
    assert "send.ca_file" in found["advice"]


def test_a_server_without_tls_is_not_spoken_to_with_tls(server: Terminal, certificate: Path) -> None:
    with office(Office()) as port:
        settings(port, in_send=login("starttls", certificate))
        assert "offers no STARTTLS" in checks(server, "--no-send", code=1)["send"]["found"]
        settings(port, in_send=login("tls", certificate))
        assert "does not speak TLS as it should" in checks(server, "--no-send", code=1)["send"]["found"]


def test_a_password_does_not_go_over_an_open_connection(server: Terminal) -> None:
    settings(25, in_send=f'host = "mail.example.invalid"\nuser = "{USER}"\npassword = "{PASSWORD}"')
    text = server.run("doctor", code=1)
    assert "would go over an open connection" in text
    assert PASSWORD not in text


def test_an_authority_that_is_no_file(server: Terminal) -> None:
    with office(Office()) as port:
        settings(port, in_send='security = "tls"\nca_file = "nowhere.pem"')
        assert checks(server, "--no-send", code=1)["send"]["advice"] == "correct send.ca_file"


@pytest.mark.parametrize(("answer", "well"), [("550 unknown", False), ("450 greylisted", True)])
def test_a_mail_server_that_does_not_take_mail_to_ourselves(
    server: Terminal, answer: str, well: bool
) -> None:
    with office(Office(at_rcpt=answer)) as port:
        settings(port)
        found = checks(server, "--no-send", code=0 if well else 1)["send"]
    assert found["well"] == well
    assert f"takes no mail to {MAILBOX}" in found["found"]


def test_no_mail_is_sent_by_asking(server: Terminal) -> None:
    mind = Office()
    with office(mind) as port:
        settings(port)
        server.run("doctor", "--no-send")
    assert mind.taken == []


# ---- fetch
def test_a_mailbox_is_opened_and_left_as_it_is(server: Terminal) -> None:
    drawer = Drawer()
    drawer.put(b"Subject: x\r\n\r\ny")
    with office(Office()) as send, mailbox(drawer) as port:
        settings(send, protocol="off", more=fetching(port))
        found = checks(server, "--no-send")
    assert found["fetch"]["found"] == f"127.0.0.1:{port}: 1 messages in INBOX"
    assert found["listen"]["found"] == "off; mail is fetched from 127.0.0.1"
    assert drawer.changed == []


@pytest.mark.parametrize(
    ("key", "advice"),
    [
        ('password_file = "wrong"', "correct fetch.user and the password"),
        ('folder = "Games"', "change fetch.folder"),
        ('done_folder = "Done"', "make it, or change fetch.done_folder"),
    ],
)
def test_what_is_wrong_with_a_mailbox_is_told(server: Terminal, key: str, advice: str) -> None:
    Path("wrong").touch(mode=0o600)
    Path("wrong").write_text("not-the-password")
    with office(Office()) as send, mailbox(Drawer(may_create=False)) as port:
        settings(send, protocol="off", more=fetching(port, key))
        assert wrong(server, "--no-send") == ["fetch"]
        text = server.run("doctor", "--no-send", code=1)
    assert advice in text
    assert "not-the-password" not in text


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_for_read_mails_is_there_or_can_be_made(server: Terminal, there: bool) -> None:
    drawer = Drawer()
    if there:
        drawer.folders["Done"] = {}
    with office(Office()) as send, mailbox(drawer) as port:
        settings(send, protocol="off", more=fetching(port, 'done_folder = "Done"'))
        found = checks(server, "--no-send")["fetch"]["found"]
    assert found.endswith(
        "; read ones go to Done" if there else "; read ones go to Done, which felix will make"
    )
    assert drawer.changed == ([] if there else ['CREATE "Done"', 'DELETE "Done"']), "it is not kept"


def test_a_mailbox_that_does_not_answer(server: Terminal) -> None:
    with office(Office()) as send, silent() as port:
        settings(send, protocol="off", more=fetching(port))
        assert wrong(server, "--no-send") == ["fetch"]


def test_a_mailbox_elsewhere_gets_no_password_over_an_open_connection(server: Terminal) -> None:
    with office(Office()) as send:
        settings(send, more=fetching(143).replace(HOST, "imap.example.invalid"))
        assert "over an open connection" in checks(server, "--no-send", code=1)["fetch"]["found"]


def test_a_server_that_hangs_up_is_no_riddle(server: Terminal) -> None:
    with closing(socket.socket()) as rude:
        rude.bind((HOST, 0))
        rude.listen()
        port = rude.getsockname()[1]

        def hang_up() -> None:
            for _ in range(2):
                rude.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        settings(port, more=fetching(port))
        assert wrong(server, "--no-send") == ["send", "fetch"]
        thread.join()
