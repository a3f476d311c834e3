"""Real mail programs answer an invitation: each in its own form, and felix finds the one line that counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cache
from typing import Any, Final

import pytest

from felix_async.follow_up.answer import AnsweredLine
from felix_async.language.words import MARKER
from real.clients import PROGRAMS, play, players
from real.conftest import NewTown
from real.daemons import PATIENCE
from real.dovecot import Received

pytestmark = pytest.mark.slow

ALL: Final = ("neomutt", "s-nail", "html", "outlook")


Write = Callable[[str, str], "Told"]


@dataclass(frozen=True)
class Told:
    """An answer that was written with some mail program, and what came of it."""

    asked: Received
    raw: bytes
    lines: list[AnsweredLine]
    events: set[str]

    @property
    def message(self) -> EmailMessage:
        """The answer as it reached felix."""
        return message_from_bytes(self.raw, policy=policy.default)

    @property
    def written(self) -> list[str]:
        """The lines of its text, whatever form that has."""
        part: Any = self.message.get_body(("plain", "html"))
        text: str = part.get_content()
        return text.splitlines()


@pytest.fixture(scope="module")
def write(new_town: NewTown) -> Write:
    """Anna is invited, and answers with this program and this line; done once for all tests that ask."""

    @cache
    def answered(kind: str, order: str) -> Told:
        town = new_town()
        felix = town.felix()
        game_id = felix.new("anna", "ben", "cara")
        with felix.serving(), players(town, {"anna": kind}) as (anna,):
            play([anna], lambda _: order, lambda: len(anna.read) == 2, PATIENCE)
        mail = felix.mails()[0]
        events = {event["type"] for event in felix.events(game_id)}
        return Told(anna.read[0], mail.raw, felix.answered(game_id, 0), events)

    return answered


@pytest.mark.parametrize("kind", ALL)
def test_the_line_that_was_written_is_obeyed(write: Write, kind: str) -> None:
    told = write(kind, "JOIN")
    assert (told.lines[0].text, told.lines[0].verdict) == ("JOIN", "done")
    assert "player_joined" in told.events


@pytest.mark.parametrize("kind", [*PROGRAMS, "s-nail, tabs"])
def test_plain_words_beside_the_first_line_of_felix_are_all_that_counts(write: Write, kind: str) -> None:
    told = write(kind, "count me in")
    assert (told.lines[0].text, told.lines[0].verdict, told.lines[0].order) == (
        "count me in",
        "taken",
        "JOIN",
    )


@pytest.mark.parametrize("kind", ALL)
def test_no_other_line_is_taken_for_something_written(write: Write, kind: str) -> None:
    assert [line.text for line in write(kind, "JOIN").lines] == ["JOIN"]


@pytest.mark.parametrize("kind", [*PROGRAMS, "s-nail, tabs"])
def test_no_line_of_the_quote_is_obeyed(write: Write, kind: str) -> None:
    """The host's invitation offers JOIN and CANCEL on lines of their own, and each program quotes them."""
    told = write(kind, "STATUS")
    assert {"JOIN", "CANCEL"} <= {line.strip("> \t") for line in told.written} or kind == "html"
    assert told.events == {"game_created", "host_named", "clock_set", "player_invited"}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_program_found_out_by_itself_where_an_answer_goes(write: Write, kind: str) -> None:
    told = write(kind, "STATUS")
    assert [to.addr_spec for to in told.message["To"].addresses] == [told.asked.reply_to]
    assert told.message["In-Reply-To"] == told.asked.message["Message-ID"]


@pytest.mark.parametrize("kind", ["neomutt", "html", "outlook"])
def test_the_program_writes_to_felix_by_name(write: Write, kind: str) -> None:
    assert [to.display_name for to in write(kind, "STATUS").message["To"].addresses] == ["Felix"]


# ---- that the programs write what these tests are about ---------------------------------------------------
def test_neomutt_writes_above_a_marked_quote(write: Write) -> None:
    told = write("neomutt", "JOIN")
    assert told.message["User-Agent"].startswith("NeoMutt/")
    assert told.written[0] == "JOIN"
    assert f"> {MARKER}" in told.written[1:]


def test_s_nail_writes_below_a_marked_quote(write: Write) -> None:
    told = write("s-nail", "JOIN")
    assert told.message["User-Agent"].startswith("s-nail ")
    assert told.written[-1] == "JOIN"
    assert f"> {MARKER}" in told.written[:-1]


def test_s_nail_without_settings_writes_below_a_quote_marked_by_tabs_alone(write: Write) -> None:
    told = write("s-nail, tabs", "STATUS")
    assert told.written[-1] == "STATUS"
    assert f"\t{MARKER}" in told.written[:-1]


def test_the_html_program_sends_no_plain_text(write: Write) -> None:
    types = [part.get_content_type() for part in write("html", "STATUS").message.walk()]
    assert types == ["text/html"]


def test_the_outlook_like_program_marks_no_line_of_its_quote(write: Write) -> None:
    written = write("outlook", "STATUS").written
    head = [line.partition(" ")[0] for line in written[2:8]]
    assert head == ["_" * 32, "From:", "Sent:", "To:", "Subject:", ""]
    assert written[9:].index(MARKER) == 0
