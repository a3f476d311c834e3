"""An empty post office for each test that asks for one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from games import a_room
from notifiers.office import Post
from notifiers.peer import Certificate, make_certificate
from notifiers.sheets import MAILBOX


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A certificate for this machine."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def post() -> Post:
    """An empty post office."""
    room = a_room("post")
    room.clock.step = timedelta(0)
    return Post(room, Outbox(room.clock, Letters(MAILBOX, bytes(range(32)))))
