"""The files of examples/deploy as they are, but for ports, paths and what loopback cannot have, in use.

The Postfix of the examples is felix's mail server, an OpenDKIM with the example's settings judges and signs;
both are started from temporary folders. Strangers come from 127.0.0.2, as this machine is 127.0.0.1.
"""

from __future__ import annotations

import signal
import smtplib
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cli.terminal import Terminal
from real.daemons import HOST, PATIENCE, found, free_port, need, running, short_folder, until
from real.dovecot import Dovecot
from real.postfix import SERVICES, a_base, a_folder_for
from real.signing import make_key

DEPLOY: Final = Path(__file__).parents[2] / "examples" / "deploy"
MAILBOX: Final = "felix@felix.example.org"
STRANGER: Final = "127.0.0.2"
"""Where other people's mail servers are; `mynetworks` is this machine's one address in the tests."""
_MORE_SERVICES: Final = "verify unix - - n - 1 verify\ntlsmgr unix - - n 1000? 1 tlsmgr\n"
"""What the example's settings need besides; Debian's master.cf has them."""


@dataclass(frozen=True, slots=True)
class Deployed:
    """A Postfix with the example's main.cf; felix is expected at `felix_port`."""

    port: int
    felix_port: int
    folder: Path

    def hand_in(self, sender: str, recipient: str, raw: bytes, source: str = STRANGER) -> int:
        """A mail from another mail server, or from this machine; the first status that is no 250."""
        with smtplib.SMTP(HOST, self.port, "players.test", PATIENCE, source_address=(source, 0)) as client:
            client.ehlo()
            client.mail(sender)
            code = client.rcpt(recipient)[0]
            return client.data(raw)[0] if code == 250 else code

    def until_empty(self) -> None:
        """Wait until everything is delivered or given up."""
        command = [found("postqueue") or "postqueue", "-c", str(self.folder / "etc"), "-j"]
        until(
            lambda: not subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True).stdout,
            "Postfix's queue to be empty",
        )


def example(name: str, changes: Mapping[str, str]) -> str:
    """A file of the examples with these replacements, each of which has to be in it."""
    text = (DEPLOY / name).read_text("utf-8")
    for old, new in changes.items():
        assert old in text, f"{name} says nothing of {old}"
        text = text.replace(old, new)
    return text


@contextmanager
def a_deployed_postfix(
    dovecot: Dovecot, domains: Mapping[str, str], services: str = "", more: str = ""
) -> Iterator[Deployed]:
    """The example's Postfix and OpenDKIM.

    `domains`: where mail goes, for those that DNS would know; `services` is more of master.cf, `more` more
    DNS records, as OpenDKIM's TestDNSData has them.
    """
    need("postfix", "postqueue", "postconf", "opendkim", "openssl", root=True)
    with ExitStack() as stack:
        folder = stack.enter_context(short_folder())
        a_folder_for(folder)
        port, felix_port = free_port(), free_port()
        milter = stack.enter_context(_an_opendkim(folder, more))
        routes = "".join(f"{domain} {where}\n" for domain, where in domains.items())
        changes = {"lmtp:inet:127.0.0.1:8025": f"lmtp:inet:{HOST}:{felix_port}"}
        (folder / "etc" / "transport").write_text(example("postfix/transport", changes) + routes)
        _make_certificate(folder)
        changes = {
            "/etc/postfix/": f"{folder}/etc/",
            "/etc/letsencrypt/live/mail.example.org/": f"{folder}/",
            "inet:127.0.0.1:8891": f"inet:{HOST}:{milter}",
            "127.0.0.0/8 [::1]/128": f"{HOST}/32",
        }
        # felix answers at once, and nobody has to wait three seconds before it is looked again.
        soon = "address_verify_poll_delay = 1s\n"
        (folder / "etc" / "main.cf").write_text(a_base(folder) + soon + example("postfix/main.cf", changes))
        (folder / "etc" / "master.cf").write_text(
            f"{HOST}:{port} inet n - n - - smtpd\n{services}{SERVICES}{_MORE_SERVICES}"
        )
        with running(
            [found("postfix") or "postfix", "-c", str(folder / "etc"), "start-fg"],
            ports=[port],
            log=folder / "mail.log",
            pid_file=folder / "queue" / "pid" / "master.pid",
        ):
            yield Deployed(port, felix_port, folder)


def felix_of(deployed: Deployed, folder: Path) -> Terminal:
    """A felix with the example's settings, its database made; felix.toml is in the folder."""
    text = example(
        "postfix/felix.toml",
        {
            "/var/lib/felix/": f"{folder}/",
            "you@example.org": "anna@players.example",
            "port = 8025": f"port = {deployed.felix_port}",
            "port = 25": f"port = {deployed.port}",
            # What hosting.md says for who wants signed mail only.
            'authserv_id = ""': 'authserv_id = "mail.example.org"',
        },
    )
    (folder / "felix.toml").write_text(text, encoding="utf-8")
    (folder / "backups").mkdir()
    terminal = Terminal(folder)
    terminal.run("init", "--config", folder / "felix.toml")
    return terminal


def _make_certificate(folder: Path) -> None:
    command = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=mail.example.org"
    )
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    program = found("openssl") or "openssl"
    subprocess.run([program, *command.split(), *files], capture_output=True, timeout=PATIENCE, check=True)


@contextmanager
def _an_opendkim(folder: Path, records: str) -> Iterator[int]:
    """OpenDKIM with the example's settings; its port."""
    port = free_port()
    key = folder / "felix.private"
    zone = folder / "zone"
    zone.write_text(f"felix._domainkey.felix.example.org v=DKIM1; k=rsa; p={make_key(key)}\n{records}")
    changes = {
        "/etc/dkimkeys/felix.private": str(key),
        "8891@127.0.0.1": f"{port}@{HOST}",
        "UserID               opendkim\n": "RequireSafeKeys no\nBackground no\n",
        "/run/opendkim/": f"{folder}/",
        "Syslog               yes": f"Syslog no\nTestDNSData {zone}",
    }
    (folder / "opendkim.conf").write_text(example("postfix/opendkim.conf", changes))
    with running(
        [found("opendkim") or "opendkim", "-f", "-x", str(folder / "opendkim.conf")],
        ports=[port],
        log=folder / "opendkim.log",
        # It would take five seconds to end well, and keeps nothing.
        with_signal=signal.SIGKILL,
    ):
        yield port
