"""Load what a letter needs to know of a game and its people: a snapshot and an occasion."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.audit.evidence import Evidence, evidence_of, exported, not_as_written
from felix_async.follow_up.answer import Answer
from felix_async.follow_up.decisions import Reminder, TimedOut, Turn
from felix_async.follow_up.disputed import Disputed, Settled
from felix_async.follow_up.kinds import KINDS, Absent, Lobby, Newcomer, TurnedDown, load_all
from felix_async.follow_up.kinds import Answer as AnswerNotice
from felix_async.follow_up.notice import Notice
from felix_async.game.ahead import Given, has_ended, standing
from felix_async.game.ledger import purses
from felix_async.game.moment import is_in_auction
from felix_async.game.narrate import describe, move_text
from felix_async.game.state import Game
from felix_async.game.story import Step, Story
from felix_async.game.views import view
from felix_async.language.phrases import phrase
from felix_async.orders.rematch import before, is_opened, without_mail
from felix_async.people import FORMER
from felix_async.seat_logs import ahead_at, orders_at
from felix_async.time.times import until
from felix_async.time.zones import zone_for
from felix_events.model import AbsenceDeclared, AbsenceEnded, CardsTurned, DisputeSettled, PlayerSaid
from felix_events.store.base import Damaged, Reader
from felix_events.store.errors import LOOK_FIRST
from felix_events.store.rows import Delivered, Former, GameRow, Saying, SeatRow
from felix_notifiers.content.block import Block
from felix_notifiers.content.ending import Ending, ending_of
from felix_notifiers.content.harmless import NAME_LIMIT, one_line, seat_names
from felix_notifiers.content.history import (
    HistoryFilter,
    Speech,
    Told,
    aside_before,
    names_then,
    since_last_move,
    since_version,
    told_of,
    unheard,
)
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Sequel, Snapshot
from felix_notifiers.mails.parts import parts_of
from felix_notifiers.mails.preview import occasions_now
from felix_notifiers.mails.recent import Recent
from felix_notifiers.mails.spoke import Spoke, at_once, last_word, made

log = logging.getLogger(__name__)
MAX_ATTACHED: Final = 1_000_000
"""Bytes of an export that a letter still carries."""
_LOOKED_THROUGH: Final = 50
"""The newest letters to a seat among which the last one that told of its game is looked for."""


@dataclass(frozen=True, slots=True)
class Case:
    """A game, its people, what was said, when invitations expire, by seat, and when its table `closes`."""

    row: GameRow
    seats: Sequence[SeatRow]
    story: Story
    sayings: Sequence[Saying]
    expires: Mapping[int, str]
    former: Sequence[Former] = ()
    closes: str = ""

    @property
    def game(self) -> Game:
        """The game as it is now."""
        return self.story.game

    @property
    def names(self) -> list[str]:
        """The names by seat, as they are kept."""
        return [row.name for row in self.seats]


def case_of(reader: Reader, game_id: str, recent: Recent | None = None) -> Case:
    """A game as its letters need it; LookupError if there is none, Damaged if it cannot be read.

    Of a game that is in `recent` only the rest of its log is read.
    """
    row = reader.game(game_id)
    if row is None:
        raise LookupError(f"there is no game {game_id}")
    try:
        past = (recent or Recent()).past(reader, game_id)
    except (LookupError, ValueError, TypeError) as error:
        raise Damaged(f"The log of game {game_id} cannot be followed; {LOOK_FIRST}", game_id) from error
    due_rows = reader.due_of(game_id)
    expires = {due.seat: due.due_at for due in due_rows if due.kind == "expiry"}
    closes = next((due.due_at for due in due_rows if due.kind == "closing"), "")
    return Case(
        row,
        reader.seats(game_id),
        past.story,
        reader.sayings(game_id),
        expires,
        reader.former(game_id),
        closes,
    )


def case_without_log(reader: Reader, game_id: str) -> Case:
    """Return what is known of a game whose log cannot be read: its table and its people."""
    row = reader.game(game_id)
    if row is None:
        raise LookupError(f"there is no game {game_id}")
    return Case(row, reader.seats(game_id), Story(), (), {})


def snapshot_of(
    reader: Reader, case: Case, to: SeatRow, reply_address: str, *, zone: str, now: str
) -> Snapshot:
    """The game as this seat sees it; `zone` is the server's, for players of whom no other is known."""
    table, choice = view(case.game, to.seat), reader.choice(to.player_id)
    said = ahead_at(reader, case.row.game_id, to.seat)
    return Snapshot(
        game_id=case.row.game_id,
        table_name=case.row.table_name,
        kept_names=case.names,
        table=table,
        reply_address=reply_address,
        zone=zone_for(choice, zone),
        now=now,
        since=case.story.asked_since,
        expires=case.expires.get(to.seat, ""),
        closes=case.closes,
        sequel=_sequel(reader, case),
        has_next=table.is_over and is_opened(reader, case.row.game_id),
        unasked=without_mail(reader, case.row.game_id) if table.is_over else (),
        ahead=standing(said, case.game),
        discreet=choice.discreet,
        ended=_ended(said.auction, case, to.seat),
        disputes=case.story.disputes,
        purses=purses((step.event for step in case.story.steps), case.game.players),
    )


def _ended(given: Given | None, case: Case, seat: int) -> Given | None:
    """Return what a seat had said for the auction and a card has ended, until its player moves again."""
    if given is None or not has_ended(given, case.game):
        return None
    turned = (step.version for step in reversed(case.story.steps) if type(step.event) is CardsTurned)
    return given if case.story.last_move(seat) < next(turned, 0) else None


def occasion_of(
    reader: Reader,
    case: Case,
    to: SeatRow,
    notices: Sequence[Notice],
    game: Snapshot,
    answer: Answer | None = None,
    blocks: Sequence[Block] = (),
    aside: Block | None = None,
) -> Occasion:
    """Return what notices tell a seat; `blocks` were asked for, `aside` is a question beside the game."""
    if answer is not None and not is_in_auction(case.game, to.seat):
        answer = answer.out_of_auction()
    again = _said_again(reader, to, notices, answer)
    kinds = {notice.kind for notice in notices}
    if answer is not None and "resend" in answer.show:
        notices = [*notices, *_still_true(reader, case, to, again)]
        kinds = {notice.kind for notice in notices} | occasions_now(game.table, to.seat)
    only = _filter_of(reader, case, to, again)
    spoke = last_word(case.story, to.seat, orders_at(reader, case.row.game_id, to.seat))
    history, since_letter = _history(reader, case, to, kinds, game.zone, only, again, spoke)
    version = len(case.story.steps)
    history += _said_since(case, to, only, version)
    told = reader.reported_until(to.game_id, to.seat)
    told_else = reader.reported_until(to.game_id, to.seat, again)
    is_first = told_else is None or told_else < case.story.round_began
    has_spoken = answer is not None and answer.changed and _was_the_last_word(reader, notices, spoke)
    steps = at_once(case.story, to.seat, spoke, version) if has_spoken else []
    return Occasion(
        game=game,
        kinds=kinds,
        answer=answer,
        history=history,
        since_letter=since_letter,
        at_once=told_of(case.story, steps, case.names, to.seat, only, game.zone),
        told_until=version if steps and told is not None and told >= spoke.before else None,
        speeches=_speeches(case, to, only, answer),
        has_moved=case.story.has_moved(to.seat),
        ending=_ending(reader, case, kinds),
        blocks=blocks,
        aside=aside,
        arrivals=[*_arrivals(case, notices), *_disputes(case, game, notices)],
        denied=_denied(case, notices),
        hosts_since=case.story.new_host(to.seat, _versions(notices, Lobby)),
        rung=next((one.rung for one in reversed(notices) if isinstance(one, Reminder | Lobby)), ""),
        timeouts=case.story.timeouts(to.seat, _versions(notices, TimedOut)),
        changes=case.story.changes(to.seat, _versions(notices, Absent)),
        sale=case.story.sale if is_first or case.game.phase == "placing" else None,
        is_first=is_first,
        sack=case.story.last_sack if is_first else None,
        made=made(case.story, to.seat, spoke) if has_spoken else None,
        absence=_absence(case, to.seat, told or 0),
    )


def _absence(case: Case, seat: int, told: int) -> Step | None:
    """Return the newest absence of another player that began to be known after this version, or ended."""
    later = reversed(case.story.steps[told:])
    words = (step for step in later if isinstance(step.event, AbsenceDeclared | AbsenceEnded))
    return next((step for step in words if getattr(step.event, "seat", seat) != seat), None)


def _sequel(reader: Reader, case: Case) -> Sequel | None:
    """Return what there is to say of the game of which a table that has not begun is the rematch."""
    game = case.game
    came = None if game.has_begun else before(reader, case.row.game_id)
    if came is None:
        return None
    return Sequel(
        game.options.start_seat, [one_line(row.name, NAME_LIMIT) or FORMER for row in came.not_asked]
    )


def is_empty(occasion: Occasion) -> bool:
    """Return True if a letter would be about news or words, and there are none that its reader wants."""
    if occasion.kinds == {"absent"}:
        return not occasion.changes
    if not occasion.kinds or not occasion.kinds <= {"news", "talk"}:
        return False
    has_news = "news" in occasion.kinds and not occasion.game.table.is_over and occasion.history
    return not (occasion.speeches or has_news)


def _arrivals(case: Case, notices: Sequence[Notice]) -> list[str]:
    """Say who plays on for whom, and who does not want to."""
    told: list[str] = []
    for notice in notices:
        if isinstance(notice, Newcomer):
            row = next((row for row in reversed(case.former) if row.version <= notice.version), None)
            if row is not None:
                who = names_then(case.names, case.former, row.version)[row.seat]
                whom = one_line(row.name, NAME_LIMIT) or FORMER
                told.append(phrase("lobby.substitute.newcomer", who=who, whom=whom))
        elif isinstance(notice, TurnedDown) and not notice.is_erased:
            who = seat_names(case.names)[notice.vacant]
            name = one_line(notice.name, NAME_LIMIT)
            told.append(phrase("lobby.substitute.turned_down", name=name, who=who))
    return told


def _denied(case: Case, notices: Sequence[Notice]) -> tuple[int, str] | None:
    """Return who denies a move, and which, '' of one that is not in the open; else whose dispute is over."""
    for notice in reversed(notices):
        if isinstance(notice, Disputed) and not notice.is_erased:
            return notice.by, notice.move
    over = [step for until in _versions(notices, Settled) for step in case.story.settled(until)]
    if not over or not isinstance(event := over[-1].event, DisputeSettled):
        return None
    denied = over[-1].before.denied
    return event.seat, "" if denied is None else move_text(denied.event)


def _disputes(case: Case, game: Snapshot, notices: Sequence[Notice]) -> Iterator[str]:
    """Say which move is denied and what is kept of it, and how a dispute has ended."""
    names = seat_names(case.names)
    for notice in notices:
        if isinstance(notice, Disputed) and not notice.is_erased:
            who, move = names[notice.by], phrase("people.dispute.some.card")
            if notice.move:
                move = phrase("people.dispute.in_round", move=notice.move, round=notice.round)
            yield phrase("events.dispute_raised.other", who=who, move=move)
            yield phrase(f"people.dispute.others.{notice.verdict}")
            open_ = next((one for one in game.table.disputes if one.seat == notice.by), None)
            if game.table.still is not None and game.table.still[1] > game.now:
                yield phrase("people.dispute.still", until=until(game.table.still[1], game.zone))
            if game.table.is_over:
                yield phrase("people.dispute.closed")
            elif open_ is not None:
                how = "host" if game.table.host == game.seat else "other"
                # A host settles no dispute of their own.
                how = "own" if game.table.host == notice.by else how
                for key in (how, *([] if game.table.paused_until else ["goes_on"]), "vote"):
                    yield phrase(f"people.dispute.ends.{key}", who=who, until=until(open_.lapses, game.zone))
        elif isinstance(notice, Settled):
            for step in case.story.settled(notice.version):
                event = step.event
                assert isinstance(event, DisputeSettled)
                if event.how == "handed_over":
                    whose = "own" if event.seat == game.seat else "other"
                    yield phrase(f"people.dispute.handed_over.{whose}", who=names[event.seat])
                else:
                    yield describe(event, names, you=game.seat, before=step.before)
                # Who hosts only since then is told more.
                is_told = any(isinstance(one, Absent) for one in notices)
                if event.how == "handed_over" and game.table.host == game.seat and not is_told:
                    yield phrase("mails.absent.substitute", who=names[event.seat])


def delivered_by(reader: Reader, case: Case, to: SeatRow, occasion: Occasion) -> Delivered:
    """Return what a letter tells: all that was said, and what happened so far, if it shows that."""
    head = len(case.story.steps) if "history" in parts_of(occasion) else occasion.told_until
    heard = reader.delivered(to.game_id, to.seat)
    said = {step.version for step in case.story.steps if type(step.envelope.data) is PlayerSaid}
    said |= {saying.version for saying in case.sayings}
    if not _has_joined(case, to):
        # They will hear it when they have.
        said = set()
    return Delivered(to.game_id, to.seat, head, tuple(sorted(said - heard)))


def _said_again(reader: Reader, to: SeatRow, notices: Sequence[Notice], answer: Answer | None) -> int | None:
    """Return the letter that this one repeats, in case it got lost: what it told counts as not told."""
    if answer is not None and "resend" in answer.show:
        return last_letter(reader, to)
    reminder = next((notice for notice in reversed(notices) if isinstance(notice, Reminder)), None)
    if reminder is None or any(isinstance(notice, Turn) for notice in notices):
        return None
    told = reader.telling(to.game_id, to.seat, reminder.turn)
    return None if told is None else told.letter_id


def _still_true(reader: Reader, case: Case, to: SeatRow, letter_id: int | None) -> list[Notice]:
    """Return the notices of a letter to this seat that have not been dealt with since."""
    if letter_id is None:
        return []
    told = load_all(reader.notices_in(letter_id))
    ours = (one for one in told if (one.game_id, one.seat) == (to.game_id, to.seat))
    return [one for one in ours if one.tells_game() and not one.is_stale(case.game)]


def last_letter(reader: Reader, to: SeatRow) -> int | None:
    """The newest letter to a seat that tells of its game, and is more than an answer."""
    for letter_id in reader.letters_about(to.game_id, to.seat, _LOOKED_THROUGH):
        rows = [row for row in reader.notices_in(letter_id) if row.kind in KINDS]
        if any(row.game_id == to.game_id and KINDS[row.kind].tells_game() for row in rows):
            return letter_id
    return None


def _filter_of(reader: Reader, case: Case, to: SeatRow, again: int | None) -> HistoryFilter:
    came = case.story.came(to.seat)
    sayings = [one for one in case.sayings if one.version > came]
    heard = reader.delivered(to.game_id, to.seat, again)
    hears = reader.choice(to.player_id).hears and _has_joined(case, to)
    return HistoryFilter.of(sayings, hears, case.former, heard)


def _has_joined(case: Case, to: SeatRow) -> bool:
    """Return True if the reader wants to be here: anybody may invite anybody, and only then say something."""
    return case.game.seats[to.seat].answer == "joined"


def _speeches(case: Case, to: SeatRow, only: HistoryFilter, answer: Answer | None) -> list[Speech]:
    """Return the words that the reader has not heard yet, unless all are shown, or the reader has left."""
    if not case.game.is_in(to.seat):
        return []
    if answer is not None and "history" in answer.show:
        return []
    return unheard(case.sayings, case.names, to.seat, only)


def _said_since(case: Case, to: SeatRow, only: HistoryFilter, version: int) -> list[Speech]:
    """Return the words that the reader has not heard yet and that are in no log: the game was over then."""
    after = [one for one in case.sayings if one.version > version] if case.game.is_in(to.seat) else []
    return unheard(after, case.names, to.seat, only)


def _history(
    reader: Reader,
    case: Case,
    to: SeatRow,
    occasions: set[str],
    zone: str,
    only: HistoryFilter,
    again: int | None,
    spoke: Spoke,
) -> tuple[list[Told], bool]:
    """Tell what came since the seat's last move; on NOTIFY ALL, or if asked early, since the last letter."""
    came = case.story.came(to.seat)
    told = reader.reported_until(to.game_id, to.seat, again)
    # A reminder says it all again, in case the letter before it got lost.
    is_curious = reader.choice(to.player_id).notify == "all" and "reminder" not in occasions
    if is_curious and told is not None:
        return since_version(case.story, case.names, to.seat, max(told, came), only, zone), True
    version = max(told or 0, came)
    since = max(spoke.by_hand, version)
    missed = [
        step
        for step in aside_before(case.story, to.seat, since)
        if step.version > (came if isinstance(step.event, PlayerSaid) else version)
    ]
    return since_last_move(case.story, case.names, to.seat, only, missed, zone, since), since > spoke.by_hand


def _was_the_last_word(reader: Reader, notices: Sequence[Notice], spoke: Spoke) -> bool:
    """Return True if the mail that is answered was its player's last word.

    Then the answer tells what came of it until now: a move that an order made, and one that somebody made in
    the same moment, look alike.
    """
    answers = [notice for notice in notices if isinstance(notice, AnswerNotice)]
    mail = reader.mail(answers[-1].mail_id) if answers else None
    return mail is not None and spoke.at >= mail.received_at


def _versions(notices: Sequence[Notice], kind: type[Notice]) -> list[int]:
    return [notice.version for notice in notices if isinstance(notice, kind)]


def _ending(reader: Reader, case: Case, occasions: set[str]) -> Ending | None:
    if "result" not in occasions or case.game.phase != "ended":
        return None
    data = export_of(reader, case)
    export = data if data is not None and len(data) <= MAX_ATTACHED else None
    return ending_of(case.story, export, case.former)


def evidence_for_file(reader: Reader, case: Case) -> Evidence | None:
    """Return what a file of the game is made of; None if there is no log, or it is not what was written."""
    game_id = case.row.game_id
    evidence = evidence_of(reader, game_id)
    flaw = None if evidence is None else not_as_written(evidence)
    if flaw is None:
        return evidence
    log.error(
        "version %d of game %s is not what was written, so a letter goes without its file; %s",
        flaw.version,
        game_id,
        LOOK_FIRST,
    )
    return None


def export_of(reader: Reader, case: Case) -> bytes | None:
    """Return a game as a file that can be audited; None if there can be none."""
    evidence = evidence_for_file(reader, case)
    if evidence is None:
        return None
    former = [(row.version, row.seat, row.name) for row in case.former]
    is_over = case.game.is_over
    return exported(evidence, case.names, case.row.table_name, is_over=is_over, former=former)
