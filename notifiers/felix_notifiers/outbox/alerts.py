"""Short notices by other ways (ntfy, Slack, Matrix, …): "it is your turn", and not a word more.

They carry no card, bid, token or link; moves stay with mail. They are sent once, as well as it goes, from a
thread of their own: the mail never waits for them. Needs the extra `felix-async[channels]` (apprise), which
is loaded when the first notice is sent.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import queue
import re
import threading
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import SecretStr

from felix_async.follow_up.kinds import KINDS
from felix_async.language.phrases import phrase
from felix_notifiers.content.harmless import table_name

log = logging.getLogger(__name__)

_WAITING: Final = 100
"""Notices that may wait for a slow service; more are left out."""
_MARKUP: Final = re.compile(r"[^\w .,:'’()-]")
"""Characters that some service might take for markup, a link or a call to everybody."""


def alert_text(occasions: Set[str], name: str, *, is_late: bool = False) -> str | None:
    """Return the short notice for a letter about these occasions at the table of this name, if there is one.

    A reminder is worth one if it is among the last (`is_late`).
    """
    table = " ".join(_MARKUP.sub(" ", table_name(name)).split()) or phrase("mails.alerts.table")
    # Some services are quicker than mail programs to take something for a link.
    table = re.sub(r"[.:](?=\S)", " ", table)
    worth = [kind for kind, one in KINDS.items() if one.policy.alert] + ["reminder"] * is_late
    occasion = next((kind for kind in worth if kind in occasions), None)
    return None if occasion is None else phrase(f"mails.alerts.{occasion}", table=table)


def digest_text(occasions: Set[str]) -> str:
    """Return the short notice for a letter about several games."""
    is_turn = bool(occasions & {"turn", "reminder"})
    return phrase("mails.alerts.digest_turn") if is_turn else phrase("mails.alerts.digest")


@dataclass(slots=True)
class Alerts:
    """The URLs of short notices, by the address whose letters they are about; they hold secrets."""

    urls: Mapping[str, Sequence[SecretStr]]
    _waiting: queue.Queue[tuple[Sequence[SecretStr], str] | None] = field(
        default_factory=lambda: queue.Queue(_WAITING), repr=False
    )
    _thread: threading.Thread | None = field(default=None, repr=False)

    def wanted(self, recipient: str) -> bool:
        """Return True if somebody wants notices about letters to this address."""
        return bool(self._urls_of(recipient))

    def tell(self, recipient: str, text: str) -> None:
        """Have a notice sent, soon and once; never waits."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._tell_forever, name="felix-alerts", daemon=True)
            self._thread.start()
        try:
            self._waiting.put_nowait((self._urls_of(recipient), text))
        except queue.Full:
            log.warning("too many short notices wait to be sent; one is left out")

    def close(self, timeout: float = 5) -> None:
        """Send what waits, as far as that goes in so many seconds."""
        if self._thread is None:
            return
        try:
            self._waiting.put(None, timeout=timeout)
        except queue.Full:
            return
        self._thread.join(timeout)
        self._thread = None

    def _urls_of(self, recipient: str) -> list[SecretStr]:
        own = [urls for address, urls in self.urls.items() if address.lower() == recipient.lower()]
        return [url for urls in own for url in urls]

    def _tell_forever(self) -> None:
        while (job := self._waiting.get()) is not None:
            urls, text = job
            for url in urls:
                try:
                    if not _send(url.get_secret_value(), text):
                        log.warning("a short notice did not arrive; `felix doctor` looks at [alerts]")
                except Exception as error:  # noqa: BLE001 - whatever a service's plugin does, mail goes on
                    # Its message may hold the URL, which is a secret.
                    log.warning("a short notice could not be sent (%s)", type(error).__name__)


def fault_in(urls: Mapping[str, Sequence[SecretStr]]) -> str:
    """Return what is wrong with these settings, as a sentence for the operator; '' if nothing is."""
    if not any(urls.values()):
        return ""
    if importlib.util.find_spec("apprise") is None:
        return 'Short notices ([alerts]) need apprise: install "felix-async[channels]", or take [alerts] out.'
    for address, services in urls.items():
        for number, url in enumerate(services, 1):
            if not _apprise().Apprise().add(url.get_secret_value()):
                return f'alerts."{address}", entry {number}, is no address that apprise knows; correct it.'
    return ""


def _send(url: str, text: str) -> bool:
    service = _apprise().Apprise()
    return bool(service.add(url) and service.notify(body=text, title="felix", body_format="text"))


def _apprise() -> Any:
    # It tells addresses of services in its log, and those hold passwords.
    logging.getLogger("apprise").setLevel(logging.CRITICAL)
    return importlib.import_module("apprise")
