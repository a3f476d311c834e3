"""The real servers: one Dovecot and one Postfix for each process of the tests, and a town for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from real.dovecot import Dovecot, a_dovecot
from real.postfix import Postfix, a_postfix
from real.town import Town

NewTown = Callable[[], Town]


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    with a_dovecot() as running:
        yield running


@pytest.fixture(scope="session")
def postfix(dovecot: Dovecot) -> Iterator[Postfix]:
    with a_postfix() as running:
        yield running


@pytest.fixture(scope="session")
def new_town(dovecot: Dovecot, postfix: Postfix, tmp_path_factory: pytest.TempPathFactory) -> NewTown:
    """Makes towns, each with domains that no other has; what an earlier one left in the queue is gone."""
    numbers = count(1)

    def make() -> Town:
        number = next(numbers)
        postfix.forget()
        return a_town(dovecot, postfix, f"{number}.test", tmp_path_factory.mktemp("town"))

    return make


@pytest.fixture
def town(new_town: NewTown) -> Town:
    return new_town()


def a_town(dovecot: Dovecot, postfix: Postfix, domain: str, folder: Path) -> Town:
    """A town whose players' mail is kept by Dovecot."""
    made = Town(dovecot, postfix, f"felix{domain}", f"players{domain}", folder)
    postfix.routes.transports[made.players_domain] = dovecot.route
    return made
