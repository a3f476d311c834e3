"""A throw-away Dovecot on loopback, in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from imapclient import IMAPClient

PASSWORD: Final = "sesame"
_START_SECONDS: Final = 15.0
_CONFIGURATION: Final = """\
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:{folder}/mail/%n
mail_uid = {uid}
mail_gid = {uid}
first_valid_uid = 1
{rootless}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={uid} home={folder}/mail/%n
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
"""


@dataclass(frozen=True)
class Dovecot:
    """A running server; every user has the same password, and an empty mailbox at first."""

    port: int

    @contextmanager
    def client(self, user: str) -> Iterator[Any]:
        """Another mail program of this user, with INBOX open."""
        client: Any = IMAPClient("127.0.0.1", self.port, ssl=False, timeout=10)
        with client:
            client.login(user, PASSWORD)
            client.select_folder("INBOX")
            yield client

    def deliver(self, user: str, *raws: bytes) -> None:
        """New mails for a user."""
        with self.client(user) as client:
            for raw in raws:
                client.append("INBOX", raw)


@contextmanager
def a_dovecot() -> Iterator[Dovecot]:
    """Start it, and stop it at the end."""
    # Paths of sockets have an end at 108 bytes, and test folders are longer.
    folder = Path(tempfile.mkdtemp(prefix="fx-", dir="/tmp"))
    folder.chmod(0o755)
    root = os.geteuid() == 0
    uid = 65534 if root else os.geteuid()
    name = pwd.getpwuid(os.geteuid()).pw_name
    rootless = f"default_internal_user={name}\ndefault_login_user={name}\ndefault_internal_group={name}"
    (folder / "mail").mkdir()
    if root:
        os.chown(folder / "mail", uid, uid)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "dovecot.conf").write_text(
        _CONFIGURATION.format(
            folder=folder, uid=uid, rootless="" if root else rootless, port=port, password=PASSWORD
        )
    )
    process = subprocess.Popen(
        ["dovecot", "-F", "-c", str(folder / "dovecot.conf")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )
    try:
        _wait_for(port, process, folder / "log")
        yield Dovecot(port)
    finally:
        process.terminate()
        process.wait(10)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    raise RuntimeError(log.read_text() if log.exists() else "dovecot says nothing")
