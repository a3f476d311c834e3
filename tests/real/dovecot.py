"""Dovecot: IMAP to read with, LMTP to hand mail over to it; every address has a mailbox, made when needed."""

from __future__ import annotations

import imaplib
import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path
from string import Template
from typing import Final

import pytest

from real.daemons import HOST, PATIENCE, found, free_port, need, running, short_folder, until

PASSWORD: Final = "only-tests-know"
_NOBODY: Final = pwd.getpwnam("nobody")

_CONFIG: Final = Template(
    """\
base_dir = $folder/run
state_dir = $folder/run
log_path = $folder/dovecot.log
listen = $host
protocols = imap lmtp
ssl = no
disable_plaintext_auth = no

mail_location = maildir:$folder/mail/%u
mail_uid = $uid
mail_gid = $gid
first_valid_uid = 1
recipient_delimiter = +
auth_username_format = %Lu
mailbox_list_index = no

passdb {
  driver = static
  args = password=$password
}
userdb {
  driver = static
  args = uid=$uid gid=$gid home=$folder/mail/%u allow_all_users=yes
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  service_count = 0
  inet_listener imap {
    port = $imap_port
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  inet_listener lmtp {
    port = $lmtp_port
  }
}
"""
)


@dataclass(frozen=True, slots=True)
class Dovecot:
    """A running Dovecot. A user is an address, without what stands between `+` and `@`."""

    imap_port: int
    lmtp_port: int
    folder: Path

    @property
    def route(self) -> str:
        """Where Postfix takes mail for a domain whose mailboxes are here."""
        return f"lmtp:inet:{HOST}:{self.lmtp_port}"

    def kick(self, address: str) -> bool:
        """Close this user's IMAP connections, as a restart of the server would; whether there were any."""
        told = subprocess.run(
            [found("doveadm") or "doveadm", "-c", str(self.folder / "dovecot.conf"), "kick", address],
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        return told.returncode == 0

    @contextmanager
    def inbox(self, address: str) -> Iterator[Inbox]:
        """The inbox of this address, read over a connection of its own."""
        connection = imaplib.IMAP4(HOST, self.imap_port, timeout=PATIENCE)
        try:
            connection.login(address, PASSWORD)
            connection.select()
            yield Inbox(address, connection)
        finally:
            connection.shutdown()


@dataclass(frozen=True, slots=True)
class Received:
    """A mail in somebody's inbox: what that person can know, and nothing else."""

    uid: int
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        """The mail, parsed."""
        return message_from_bytes(self.raw, policy=policy.default)

    @property
    def reply_to(self) -> str:
        """Where an answer goes."""
        return parseaddr(str(self.message["Reply-To"] or self.message["From"]))[1]

    @property
    def subject(self) -> str:
        """The subject, decoded."""
        return str(self.message["Subject"])

    def part(self, subtype: str) -> str:
        """The text (`plain`), or the HTML (`html`)."""
        part = self.message.get_body((subtype,))
        return "" if part is None else str(part.get_content())


@dataclass(slots=True)
class Inbox:
    """One person's mail, read over IMAP, without marking anything."""

    address: str
    connection: imaplib.IMAP4
    read_until: int = 0

    def new(self) -> list[Received]:
        """The mails that have come since the last look, oldest first."""
        self.connection.noop()
        _, found = self.connection.uid("search", f"UID {self.read_until + 1}:*")
        # A range that begins behind the last mail still finds the last mail (RFC 9051, section 9).
        uids = [int(uid) for uid in found[0].split() if int(uid) > self.read_until]
        mails = [Received(uid, self._fetch(uid)) for uid in sorted(uids)]
        self.read_until = max([self.read_until, *uids])
        return mails

    def next(self) -> Received:
        """The next mail, as soon as it is there; it must be the only new one."""
        return self.next_ones(1)[0]

    def next_ones(self, count: int) -> list[Received]:
        """The next mails, as soon as there are so many; no more may have come."""
        mails: list[Received] = []

        def enough() -> bool:
            mails.extend(self.new())
            return len(mails) >= count

        until(enough, f"{count} mails for {self.address}")
        assert len(mails) == count
        return mails

    def _fetch(self, uid: int) -> bytes:
        _, parts = self.connection.uid("fetch", str(uid), "(BODY.PEEK[])")
        # What another program has just marked is told in between, as plain bytes.
        (raw,) = [part[1] for part in parts if isinstance(part, tuple)]
        return bytes(raw)


@contextmanager
def a_dovecot() -> Iterator[Dovecot]:
    """Dovecot, and no mail yet."""
    need("dovecot", root=True)
    program = found("dovecot") or "dovecot"
    told = subprocess.run(
        [program, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    if not told.stdout.startswith("2.3."):
        pytest.skip(
            f"needs Dovecot 2.3, whose settings have another form than those of {told.stdout.strip()}"
        )
    with short_folder() as folder:
        dovecot = Dovecot(free_port(), free_port(), folder)
        (folder / "mail").mkdir()
        os.chown(folder / "mail", _NOBODY.pw_uid, _NOBODY.pw_gid)
        config = folder / "dovecot.conf"
        config.write_text(
            _CONFIG.substitute(
                folder=folder,
                host=HOST,
                password=PASSWORD,
                uid=_NOBODY.pw_uid,
                gid=_NOBODY.pw_gid,
                imap_port=dovecot.imap_port,
                lmtp_port=dovecot.lmtp_port,
            )
        )
        with running(
            [program, "-F", "-c", str(config)],
            ports=[dovecot.imap_port, dovecot.lmtp_port],
            log=folder / "dovecot.log",
        ):
            yield dovecot
