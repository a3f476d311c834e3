"""Mails that ask (was that you, did you mean that), and those to the host: what they say and what not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.game.folding import fold
from felix_async.language.grammar import Misread, read_line
from felix_notifiers.content.layout import width
from felix_notifiers.content.mail import Composed
from felix_notifiers.mails import operator
from felix_notifiers.mails.render import rendered
from games import TABLE_NAME, a_game_played
from notifiers.sheets import Html, an_answer, mail, the_question
from notifiers.test_mail_strangers import HOSTILE, STEERING
from secrets_changed import other_secrets
from table import BEN, GAME_ID, a_game, for_every_table

PHONE = "ben.smith@phone.test"
MEANT = an_answer(("psas", "ambiguous", "Did you mean PASS?")).model_copy(
    update={"asks": 2, "asks_text": "Did you mean PASS?"}
)


def was_it_you(address: str = PHONE, orders: Sequence[str] = ()) -> Composed:
    """The question whether a mail was Ben's."""
    return rendered(the_question(address, orders=orders))


def did_you_mean(table: Any = None, answer: Answer = MEANT, **changes: Any) -> Composed:
    """The answer that asks back."""
    return mail(table or a_game(start=BEN).in_auction(), BEN, {"answer"}, answer=answer, **changes)


def to_host(**changes: Any) -> Composed:
    """The host is told that Ben gets no more mail."""
    fields: dict[str, Any] = {
        "game_id": "k7m2p",
        "label": f"{TABLE_NAME} {GAME_ID}",
        "seat": BEN,
        "name": "Ben",
        "address": "ben@players.test",
        "why": "550 5.1.1 no such user",
        "other": None,
        "phase": "bidding",
    }
    return rendered(operator.unreachable(**(fields | changes)))


ALL = [
    was_it_you(),
    did_you_mean(),
    did_you_mean(a_game()),
    to_host(),
    to_host(other="ben@home.test"),
    to_host(phase="ended", why=""),
    to_host(phase="inviting"),
    to_host(name="", why="550 no such user here. " * 8),
]


# ---- did you mean that ------------------------------------------------------------------------------
@for_every_table
def test_an_answer_that_asks_does_not_depend_on_what_its_reader_may_not_know(seats: int) -> None:
    played = a_game_played(seats)
    random = Random(seats)
    differed = 0
    for version in random.sample(range(1, played.size), 10):
        envelopes = played.envelopes[:version]
        other = other_secrets(envelopes, BEN, random)
        differed += other != envelopes
        ours, theirs = (
            did_you_mean(fold(envelope.data for envelope in log), names=played.names)
            for log in (envelopes, other)
        )
        assert ours == theirs
    assert differed > 5, "hardly anything was changed"


# ---- the host ---------------------------------------------------------------------------------------
def test_an_invitation_that_comes_back_may_have_a_wrong_address() -> None:
    text = " ".join(to_host(phase="inviting").text.split())
    assert "`felix move k7m2p 1 DECLINE`" in text
    assert "If the address is wrong, decline in the same way, and open a new table with `felix new`." in text


def test_after_the_game_nobody_waits() -> None:
    assert "the game will wait" not in " ".join(to_host(phase="ended").text.split())


# ---- form -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("composed", ALL)
def test_the_form_is_that_of_all_mails(composed: Composed) -> None:
    assert max(map(len, composed.text.splitlines())) <= 72
    assert composed.text.replace("−", "").isascii()
    assert "\n\n\n" not in composed.text
    html = Html(composed.html)
    assert html.open == html.sources == []
    assert "!" not in composed.text + html.words
    assert "http" not in composed.html


@pytest.mark.parametrize("composed", ALL)
def test_both_parts_say_the_same(composed: Composed) -> None:
    html = " ".join(Html(composed.html).words.split())
    paragraphs = [" ".join(text.split()) for text in composed.text.split("\n\n")]
    # The names of the others fill up the text part alone: the other has blanks that nobody sees.
    told = [text for text in paragraphs if not text.startswith(("- ", "You wrote:", "With Anna, "))]
    parts = [part for text in told for part in re.split(r"(?<=[.?]) ", text)]
    sentences = [part for part in parts if part.endswith((".", "?"))]
    assert len(sentences) > 1
    assert [text for text in sentences if text not in html] == []


# ---- strangers --------------------------------------------------------------------------------------
@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_steer_nothing_and_add_no_tag(words: str) -> None:
    for hostile, tame in (
        (was_it_you(words), was_it_you()),
        (did_you_mean(answer=MEANT.model_copy(update={"asks_text": words})), did_you_mean()),
        (to_host(name=words, address=words, why=words), to_host()),
        (to_host(other=words), to_host(other="x")),
    ):
        for text in (hostile.subject, hostile.text, hostile.html):
            assert not [char for char in STEERING if char in text.replace("\n", "")]
        assert Html(hostile.html).tags == Html(tame.html).tags
        assert len(Html(hostile.html).links) == len(Html(tame.html).links)
        assert max(map(width, hostile.text.splitlines())) <= 72


@pytest.mark.parametrize("composed", ALL)
def test_no_subject_is_an_order(composed: Composed) -> None:
    for subject in (composed.subject, f"Re: {composed.subject}", composed.subject.partition("] ")[2]):
        assert isinstance(read_line(subject), Misread)


def test_the_subject_of_a_question_names_no_address() -> None:
    assert was_it_you().subject == "Was this you?"
