"""The file that goes with the answer to REPLAY: a game that is over, as a page."""

from __future__ import annotations

from typing import Final

from felix_async.follow_up.answer import Answer
from felix_async.language.phrases import phrase
from felix_async.orders.replaying import file_name
from felix_events.store.base import Reader
from felix_notifiers.content.block import Block
from felix_notifiers.mails.case import MAX_ATTACHED, Case, evidence_for_file

LONGEST: Final = 2 * MAX_ATTACHED
"""Bytes of a page that a letter still carries."""


def is_asked_for(answer: Answer | None, case: Case) -> bool:
    """Return True if an answer is to bring the file of its game, which is over."""
    return answer is not None and "replay" in answer.show and case.game.is_over


def file_of(reader: Reader, case: Case) -> bytes | None:
    """Return the page of a game that is over, with all hands; None if there can be none, or none so long."""
    # Here, because few letters need it.
    from felix_async.replay.page.page import page_of

    evidence = evidence_for_file(reader, case)
    if evidence is None:
        return None
    former = [(row.version, row.seat, row.name) for row in case.former]
    _, data = page_of(evidence, case.names, case.row.table_name, former, "all")
    return data if len(data) <= LONGEST else None


def block_of(game_id: str, file: bytes | None) -> Block:
    """Say what the file is, and how it is looked at."""
    if file is None:
        return Block(paragraphs=[phrase("result.replay.not_attached")])
    return Block(paragraphs=[phrase("result.replay.attached", file=file_name(game_id))])
