"""OpenDKIM on loopback: signs what players hand in, and says at felix's door whose signature is good.

The keys are made for the test, and their public half is published in a file instead of the DNS.

    player -> port of the players' server: signed -> port of felix's server: Authentication-Results -> felix
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from real.daemons import HOST, PATIENCE, found, free_port, need, running, short_folder
from real.postfix import NAME, Postfix, a_postfix

_SELECTOR: Final = "tests"


@dataclass(frozen=True, slots=True)
class Signing:
    """A Postfix that is felix's mail server on `postfix.port`, and other people's on `ports`."""

    postfix: Postfix
    ports: dict[str, int]
    """Domain -> where its people hand in their mail, to be signed for that domain."""


@contextmanager
def a_signing_postfix(domains: Sequence[str]) -> Iterator[Signing]:
    """Mail of these domains can be signed; what comes in unsigned is passed on, and said to be so."""
    need("opendkim", "openssl", "postfix", root=True)
    with ExitStack() as stack:
        folder = stack.enter_context(short_folder())
        records = {domain: make_key(folder / f"{domain}.pem") for domain in domains}
        zone = folder / "zone"
        zone.write_text(
            "".join(
                f"{_SELECTOR}._domainkey.{name} v=DKIM1; k=rsa; p={key}\n" for name, key in records.items()
            )
        )
        door = free_port()
        verifier = stack.enter_context(a_milter(folder, "verifier", f"Mode v\nTestDNSData {zone}\n"))
        services = [_service(door, verifier, "")]
        ports = {}
        for domain in domains:
            ports[domain] = free_port()
            # Whatever From says: what a server's own people hand in is signed by that server.
            (folder / f"{domain}.keys").write_text(f"key {domain}:{_SELECTOR}:{folder}/{domain}.pem\n")
            (folder / f"{domain}.signed").write_text("* key\n")
            signs = f"Mode s\nKeyTable {folder}/{domain}.keys\nSigningTable refile:{folder}/{domain}.signed\n"
            signer = stack.enter_context(a_milter(folder, domain, signs))
            services.append(_service(ports[domain], signer, f" -o content_filter=smtp:[{HOST}]:{door}"))
        postfix = stack.enter_context(a_postfix("".join(services), more_ports=[door, *ports.values()]))
        yield Signing(Postfix(door, postfix.routes, postfix.folder), ports)


def _service(port: int, milter: int, more: str) -> str:
    """A line of master.cf: a port where this milter sees the mail."""
    return f"{HOST}:{port} inet n - n - - smtpd -o smtpd_milters=inet:{HOST}:{milter}{more}\n"


@contextmanager
def a_milter(folder: Path, name: str, settings: str) -> Iterator[int]:
    """An OpenDKIM; the port where Postfix finds it."""
    port = free_port()
    config = folder / f"{name}.conf"
    config.write_text(
        f"{settings}Socket inet:{port}@{HOST}\nAuthservID {NAME}\nAlwaysAddARHeader yes\n"
        f"InternalHosts {'csl:' + HOST if 'Mode s' in settings else 'csl:192.0.2.1'}\n"
        "Syslog no\nBackground no\nRequireSafeKeys no\nCanonicalization relaxed/simple\n"
    )
    with running(
        [found("opendkim") or "opendkim", "-f", "-x", str(config)],
        ports=[port],
        log=folder / f"{name}.log",
        # It would take five seconds to end well, and keeps nothing.
        with_signal=signal.SIGKILL,
    ):
        yield port


def make_key(file: Path) -> str:
    """A new private key in this file; its public half as DNS records have it."""
    openssl = found("openssl") or "openssl"
    subprocess.run(
        [openssl, "genrsa", "-out", str(file), "2048"], capture_output=True, timeout=PATIENCE, check=True
    )
    public = subprocess.run(
        [openssl, "rsa", "-in", str(file), "-pubout"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    ).stdout
    return "".join(line for line in public.splitlines() if not line.startswith("-"))
