"""The file that goes with the answer to REPLAY: a game that is over, as a page."""

from __future__ import annotations

from typing import Final

from felix_async.audit.evidence import evidence_of
from felix_async.follow_up.answer import Answer
from felix_async.game.names import Names
from felix_async.language.phrases import phrase
from felix_async.orders.replaying import file_name
from felix_async.people import FORMER
from felix_events.store.base import Reader
from felix_notifiers.content.block import Block
from felix_notifiers.content.harmless import NAME_LIMIT, one_line, seat_names, table_name
from felix_notifiers.mails.case import MAX_ATTACHED, Case, export_of

LONGEST: Final = 2 * MAX_ATTACHED
"""Bytes of a page that a letter still carries."""


def is_asked_for(answer: Answer | None, case: Case) -> bool:
    """Return True if an answer is to bring the file of its game, which is over."""
    return answer is not None and "replay" in answer.show and case.game.is_over


def file_of(reader: Reader, case: Case) -> bytes | None:
    """Return the page of a game that is over, with all hands; None if it is too long for a letter."""
    # Here, because few letters need it.
    from felix_async.replay.page.facts import isolated_names
    from felix_async.replay.page.page import page
    from felix_async.replay.replay import Replay

    evidence, export = evidence_of(reader, case.row.game_id), export_of(reader, case)
    if evidence is None or export is None:
        return None
    former = [(row.version, row.seat, one_line(row.name, NAME_LIMIT) or FORMER) for row in case.former]
    words = {version: said.text for version, said in evidence.said.items()}
    replay = Replay(
        evidence,
        [step.envelope for step in case.story.steps],
        "all",
        isolated_names(Names(seat_names(case.names), former)),
        table_name(case.row.table_name),
        words,
    )
    data = page(replay, export)
    return data if len(data) <= LONGEST else None


def block_of(game_id: str, file: bytes | None) -> Block:
    """Say what the file is, and how it is looked at."""
    if file is None:
        return Block(paragraphs=[phrase("result.replay.not_attached")])
    return Block(paragraphs=[phrase("result.replay.attached", file=file_name(game_id))])
