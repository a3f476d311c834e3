"""Postfix on loopback: takes mail, looks its way up in a table of the test, bounces, and tries again.

It runs from a folder of its own with queue, log and settings, and leaves a Postfix of the machine alone.
"""

from __future__ import annotations

import json
import shutil
import smtplib
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Final

from real.daemons import HOST, PATIENCE, found, free_port, need, running, short_folder, until
from real.routes import Routes, a_route_table

NAME: Final = "mx.felix.test"

_BASE: Final = Template(
    """\
compatibility_level = 3.6
queue_directory = $folder/queue
data_directory = $folder/data
daemon_directory = $daemons
mail_owner = postfix
setgid_group = postdrop
maillog_file = $folder/mail.log
maillog_file_prefixes = $folder
inet_interfaces = $host
inet_protocols = ipv4
smtp_dns_support_level = disabled
smtp_host_lookup = native
lmtp_host_lookup = native
alias_maps =
alias_database =
default_transport = error:5.4.4 the test has no route there
relay_transport = error:5.4.4 the test has no route there
# A mail that could not be delivered is tried again in a second, not in minutes.
queue_run_delay = 1s
minimal_backoff_time = 1s
maximal_backoff_time = 1s
# The same for a server that was away: its mails are not held back together.
default_destination_concurrency_failed_cohort_limit = 0
lmtp_connect_timeout = 5s
smtp_connect_timeout = 5s
"""
)
"""What keeps a Postfix in its folder and on loopback."""
_MAIN: Final = Template(
    """\
myhostname = $name
mynetworks = $host/32
mydestination =
recipient_delimiter = +
transport_maps = socketmap:inet:$host:$routes_port:transports
virtual_alias_maps = socketmap:inet:$host:$routes_port:aliases
lmtp_destination_recipient_limit = 1
message_size_limit = 1048576
"""
)
SERVICES: Final = """\
pickup    unix       n - n 60    1 pickup
cleanup   unix       n - n -     0 cleanup
qmgr      unix       n - n 300   1 qmgr
rewrite   unix       - - n -     - trivial-rewrite
bounce    unix       - - n -     0 bounce
defer     unix       - - n -     0 bounce
trace     unix       - - n -     0 bounce
flush     unix       n - n 1000? 0 flush
proxymap  unix       - - n -     - proxymap
smtp      unix       - - n -     - smtp
lmtp      unix       - - n -     - lmtp
showq     unix       n - n -     - showq
error     unix       - - n -     - error
retry     unix       - - n -     - error
anvil     unix       - - n -     1 anvil
scache    unix       - - n -     1 scache
postlog   unix-dgram n - n -     1 postlogd
"""


@dataclass(frozen=True, slots=True)
class Postfix:
    """A running Postfix that takes mail on `port` and on each of `more_ports`."""

    port: int
    routes: Routes
    folder: Path
    more_ports: Sequence[int] = ()

    def send(self, sender: str, recipients: str | Sequence[str], raw: bytes) -> None:
        """Hand a mail in, with this envelope."""
        with smtplib.SMTP(HOST, self.port, "players.test", PATIENCE) as client:
            client.sendmail(sender, recipients, raw)

    def queue(self) -> list[dict[str, Any]]:
        """The mails that wait in its queue, as `postqueue -j` tells them."""
        told = subprocess.run(
            [found("postqueue") or "postqueue", "-c", str(self.folder / "etc"), "-j"],
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        return [json.loads(line) for line in told.stdout.splitlines()]

    def forget(self) -> None:
        """Throw away all mail that waits in its queue."""
        subprocess.run(
            [found("postsuper") or "postsuper", "-c", str(self.folder / "etc"), "-d", "ALL"],
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )

    def until_empty(self) -> None:
        """Wait until everything is delivered or given up."""
        until(lambda: not self.queue(), "Postfix's queue to be empty")

    @property
    def log(self) -> str:
        """All that it has logged."""
        return (self.folder / "mail.log").read_text(encoding="utf-8", errors="replace")


def a_folder_for(folder: Path) -> None:
    """The folders that a Postfix of its own works in."""
    for name in ("etc", "queue", "data"):
        (folder / name).mkdir()
    shutil.chown(folder / "data", "postfix")


def a_base(folder: Path) -> str:
    """The beginning of a main.cf for a Postfix in this folder."""
    daemons = subprocess.run(
        [found("postconf") or "postconf", "-d", "-h", "daemon_directory"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    ).stdout.strip()
    return _BASE.substitute(folder=folder, daemons=daemons, host=HOST)


@contextmanager
def a_postfix(services: str = "", *, more_ports: Sequence[int] = ()) -> Iterator[Postfix]:
    """Postfix with a table of routes, all of them to be filled in; `services` is more of its master.cf."""
    need("postfix", "postqueue", "postsuper", "postconf", root=True)
    with a_route_table() as routes, short_folder() as folder:
        port = free_port()
        a_folder_for(folder)
        own = _MAIN.substitute(host=HOST, name=NAME, routes_port=routes.port)
        (folder / "etc" / "main.cf").write_text(a_base(folder) + own)
        (folder / "etc" / "master.cf").write_text(f"{HOST}:{port} inet n - n - - smtpd\n{services}{SERVICES}")
        with running(
            [found("postfix") or "postfix", "-c", str(folder / "etc"), "start-fg"],
            ports=[port, *more_ports],
            log=folder / "mail.log",
            pid_file=folder / "queue" / "pid" / "master.pid",
        ):
            yield Postfix(port, routes, folder, more_ports)
