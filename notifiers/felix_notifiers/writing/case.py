"""A game that somebody is owed a letter about: what the letter needs of it, and what has come to nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from felix_async.answer import Answer
from felix_async.evidence import evidence_of, exported
from felix_async.game.fold import fold
from felix_async.game.state import Game
from felix_async.game.view import view
from felix_async.rematch import is_opened
from felix_async.replay import FORMER
from felix_async.time.zones import DEFAULT_ZONE, zone_for
from felix_async.waiting import asked_since
from felix_async.words.phrases import phrase
from felix_events.envelope import Envelope, check_envelopes
from felix_events.store.base import Reader
from felix_events.store.rows import Former, GameRow, Notice, NoticeKind, Saying, SeatRow
from felix_notifiers.content.ending import Ending, ending_of
from felix_notifiers.content.harmless import NAME_LIMIT, one_line, seat_names
from felix_notifiers.content.history import (
    Ear,
    before_last_move,
    came_at,
    has_moved,
    names_then,
    since_last_move,
    since_version,
)
from felix_notifiers.content.lapse import changes_of, lapses_of
from felix_notifiers.content.sheet import Block, Sheet, Told
from felix_notifiers.writing.notices import APART, ASKING
from felix_notifiers.writing.preview import occasions_now

MAX_ATTACHED: Final = 1_000_000
"""Bytes of an export that a letter still carries."""
_LOOKED_THROUGH: Final = 200
"""The newest letters of a game among which the last one to a seat is looked for."""


@dataclass(frozen=True, slots=True)
class Case:
    """A game, its people, what was said, and when invitations expire, by seat."""

    row: GameRow
    seats: Sequence[SeatRow]
    envelopes: Sequence[Envelope]
    game: Game
    sayings: Sequence[Saying]
    expires: Mapping[int, str]
    former: Sequence[Former] = ()

    @property
    def names(self) -> list[str]:
        """The names by seat, as they are kept."""
        return [row.name for row in self.seats]


def case_of(reader: Reader, game_id: str) -> Case:
    """A game as its letters need it. LookupError or ValueError where it cannot be read."""
    row = reader.game(game_id)
    if row is None:
        raise LookupError(f"there is no game {game_id}")
    envelopes = check_envelopes(reader.bodies(game_id))
    expires = {due.seat: due.due_at for due in reader.due_of(game_id) if due.kind == "expiry"}
    game = fold(envelope.data for envelope in envelopes)
    former = reader.former(game_id)
    return Case(row, reader.seats(game_id), envelopes, game, reader.sayings(game_id), expires, former)


def sheet_of(
    reader: Reader,
    case: Case,
    to: SeatRow,
    notices: Sequence[Notice],
    reply_address: str,
    answer: Answer | None = None,
    blocks: Sequence[Block] = (),
    aside: Block | None = None,
    zone: str = DEFAULT_ZONE,
    now: str = "",
) -> Sheet:
    """What a letter to this seat for these notices is made of; `blocks` are what an answer was asked for.

    `aside` is a question beside the game, `zone` the server's, for readers of whom no other is known; `now`
    is when the letter is written.
    """
    table = view(case.game, to.seat)
    occasions = {notice.kind for notice in notices}
    if answer is not None and "resend" in answer.show:
        occasions |= occasions_now(table, to.seat)
    asked = orjson.loads(notices[0].payload) if notices[0].kind in ASKING else {}
    where = zone_for(reader.choice(to.player_id), zone)
    history, since_letter = _history(reader, case, to, occasions, where)
    return Sheet(
        game_id=case.row.game_id,
        table_name=case.row.table_name,
        names=case.names,
        table=table,
        occasions=occasions,
        answer=answer,
        history=history,
        reply_address=reply_address,
        claimed=asked["address"] if asked else "",
        claimed_orders=asked.get("orders", ()),
        claims_own=bool(asked) and asked["address"] in to.addresses,
        since_letter=since_letter,
        has_moved=has_moved(case.envelopes, to.seat),
        since=asked_since(case.envelopes),
        expires=case.expires.get(to.seat, ""),
        zone=where,
        ending=_ending(reader, case, occasions),
        blocks=blocks,
        aside=aside,
        arrivals=_arrivals(case, notices),
        has_next=table.is_over and is_opened(reader, case.row.game_id),
        now=now,
        rung=next((notice.about for notice in reversed(notices) if notice.kind == "reminder"), ""),
        lapses=lapses_of(case.envelopes, _versions(notices, "timed_out"), to.seat),
        changes=changes_of(case.envelopes, _versions(notices, "absent"), to.seat),
    )


def export_for(reader: Reader, case: Case, sheet: Sheet) -> bytes | None:
    """The bytes of the game's export, where the letter carries it."""
    return _export(reader, case) if sheet.ending is not None and sheet.ending.is_attached else None


def is_empty(sheet: Sheet) -> bool:
    """Whether a letter would be about news, and there is none that its reader wants to hear."""
    if sheet.occasions == {"absent"}:
        return not sheet.changes
    return sheet.occasions == {"news"} and not sheet.history


def _arrivals(case: Case, notices: Sequence[Notice]) -> list[str]:
    """Who plays on for whom, and who does not want to."""
    told: list[str] = []
    for notice in notices:
        if notice.kind == "newcomer":
            row = next((row for row in reversed(case.former) if row.version <= notice.version), None)
            if row is not None:
                who = names_then(case.names, case.former, row.version)[row.seat]
                whom = one_line(row.name, NAME_LIMIT) or FORMER
                told.append(phrase("mails.substitute.newcomer", who=who, whom=whom))
        elif notice.kind == "turned_down" and notice.payload != "{}":
            payload = orjson.loads(notice.payload)
            who = seat_names(case.names)[payload["seat"]]
            name = one_line(payload["name"], NAME_LIMIT)
            told.append(phrase("mails.substitute.turned_down", name=name, who=who))
    return told


def _history(
    reader: Reader, case: Case, to: SeatRow, occasions: set[NoticeKind], zone: str
) -> tuple[list[Told], bool]:
    """What happened since the seat's last move; for who wants every event, since the last letter."""
    choice = reader.choice(to.player_id)
    came = came_at(case.envelopes, to.seat)
    ear = Ear.of([one for one in case.sayings if one.version > came], choice.hears, case.former)
    # A reminder says it all again, in case the letter before it got lost.
    if choice.notify == "all" and "reminder" not in occasions:
        version = _told_until(reader, to)
        if version is not None:
            shown_from = max(version, came)
            return since_version(case.envelopes, case.names, to.seat, shown_from, ear, zone), True
    missed = before_last_move(case.envelopes, to.seat)
    if missed:
        version = max(_told_until(reader, to) or 0, came)
        missed = [envelope for envelope in missed if envelope.version > version]
    return since_last_move(case.envelopes, case.names, to.seat, ear, missed, zone), False


def _told_until(reader: Reader, to: SeatRow) -> int | None:
    """The version of the newest thing that a letter to this seat was for, other than an answer to a mail."""
    for line in reader.letter_lines(_LOOKED_THROUGH, game_id=to.game_id):
        if line.seat != to.seat or line.state in ("failed", "dropped"):
            continue
        notices = reader.notices_in(line.letter_id)
        told = [one.version for one in notices if one.game_id == to.game_id and one.kind not in APART]
        if told:
            return max(told)
    return None


def _versions(notices: Sequence[Notice], kind: NoticeKind) -> list[int]:
    return [notice.version for notice in notices if notice.kind == kind]


def _ending(reader: Reader, case: Case, occasions: set[NoticeKind]) -> Ending | None:
    if "result" not in occasions or case.game.phase != "ended":
        return None
    data = _export(reader, case)
    return ending_of(case.envelopes, is_attached=data is not None and len(data) <= MAX_ATTACHED)


def _export(reader: Reader, case: Case) -> bytes | None:
    evidence = evidence_of(reader, case.row.game_id)
    if evidence is None:
        return None
    return exported(evidence, case.names, case.row.table_name, is_over=case.game.is_over)
