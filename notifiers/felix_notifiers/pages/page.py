"""A mail before it has a form: what it shows, section by section.

Both templates lay out the same page, so the text part and the HTML part cannot say different things. Every
text in a page is harmless, but not escaped yet.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from felix_async.answer import AnsweredLine
from felix_async.grammar import Order
from felix_async.words import MARKER, WORD_OF
from felix_async.words.phrases import first_capital, phrase
from felix_events.store.rows import NoticeKind
from felix_notifiers.content import asked, deadline, lobby, wording
from felix_notifiers.content.ending import Sack, absence_text, hand_text, sack_outcome, sack_row, sack_title
from felix_notifiers.content.forward import forward_text
from felix_notifiers.content.harmless import LINE_LIMIT, one_line, seat_names, table_label
from felix_notifiers.content.moves import link_for, mailto, moves_of
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Block, Link, Sheet, Told
from felix_notifiers.content.subjects import answer_subject, reply_subject, subject_of, topic_of
from felix_notifiers.content.ways_out import may_go_again, ways_on, ways_out, zones_near
from felix_notifiers.pages.drawing import Face, MiceCard, Place, face_of, mouse_cards_of, row_of

Section = Literal["history", "table", "hand", "moves", "scores", "ending", "waiting", "help", "forward"]
_ASIDE: Final[frozenset[NoticeKind]] = frozenset({"vote", "paused", "absent"})
_TURN: Final[frozenset[Section]] = frozenset({"history", "table", "hand", "moves"})
_WHY_LIMIT: Final = 2 * LINE_LIMIT
_FEW: Final = 3
"""Ways out that stand below a line in any case."""


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to type or to tap; `face` where it places a card."""

    words: str
    url: str
    face: Face | None


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A line of the result; those who share a rank have the same."""

    rank: str
    name: str
    cats: str
    mice: str
    total: str


@dataclass(frozen=True, slots=True)
class SackLine:
    """What became of the row of a round: its cards to be drawn, the same as text, and how it ended."""

    title: str
    row: list[Place]
    text: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the reader's mail, how it went, why, and what may be written instead."""

    line: str
    verdict: str
    why: str
    done: bool
    ways: list[Option] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Page:
    """A mail, section by section; an empty section is left out.

    A digest has `games`, a page with a `title` for each of several games. `small` is small print.
    `deadline` is a line about the time that is left to answer; it stands out where it is set, and below it
    `reserve`, the time beyond that. `ledger` is what lies on the table in mice, `mouse_cards` the same mouse
    cards to be drawn. `blocks` are what was asked for, `more` what may be asked besides. `aside` is a
    question that has nothing to do with the table.
    """

    subject: str
    headline: str
    greeting: str
    opening: list[str]
    footer: str
    deadline: str = ""
    reserve: str = ""
    said: list[Said] = field(default_factory=list)
    asked: str = ""
    history: list[Told] = field(default_factory=list)
    history_title: str = wording.HISTORY
    row_title: str = ""
    row: list[Place] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    ledger: list[wording.Entry] = field(default_factory=list)
    mouse_cards: list[MiceCard] = field(default_factory=list)
    hand: list[Face] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)
    yes_no: list[Option] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    intro: wording.Intro = field(default_factory=wording.Intro)
    waiting: str = ""
    scores: list[ScoreLine] = field(default_factory=list)
    tie: str = ""
    absences: list[str] = field(default_factory=list)
    sacks: list[SackLine] = field(default_factory=list)
    hands: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    small: list[str] = field(default_factory=list)
    title: str = ""
    games: list[Page] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    help: wording.Help | None = None
    forward: list[str] = field(default_factory=list)
    aside: Block | None = None
    more: list[Link] = field(default_factory=list)
    marker: str = MARKER


def page_of(sheet: Sheet) -> Page:
    """What the mail of this sheet shows."""
    table = sheet.table
    if not isinstance(table.viewer, int):
        raise ValueError(f"a letter is for a seat, not for {table.viewer!r}")
    scene = Scene(table, seat_names(sheet.names), table.viewer, sheet.zone)
    label = table_label(sheet.table_name, sheet.game_id)
    topic = topic_of(table, sheet.occasions)
    subject = _subject(sheet, label, topic)
    if "claim" in sheet.occasions:
        return _claim(sheet, label, subject)
    if "question" in sheet.occasions:
        return _question(sheet, scene, label, subject)
    show = _sections(sheet, scene)
    ending = sheet.ending if "ending" in show else None
    yes_no = _words(sheet, scene, reply_subject(subject))
    options = _options(sheet, scene, show, reply_subject(subject))
    is_help = "help" in show
    is_timed = bool(table.paused_until) or not _is_aside(sheet.occasions)
    now = [asked.now(scene, sheet.reply_address, reply_subject(subject))] if is_help else []
    return Page(
        subject=subject,
        headline=topic,
        greeting=wording.greeting(scene.name),
        opening=_opening(scene, sheet),
        deadline=deadline.line(scene, sheet.now) if is_timed else "",
        reserve=deadline.reserve(scene, sheet.now) if is_timed else "",
        said=_said(scene, sheet, options, reply_subject(subject)),
        asked=one_line(sheet.answer.asks_text) if sheet.answer is not None else "",
        history=list(sheet.history) if "history" in show else [],
        history_title=wording.NEWS if sheet.since_letter else wording.HISTORY,
        row_title=wording.row_title(table.round),
        row=row_of(scene) if "table" in show else [],
        facts=_facts(scene, sheet) if "table" in show else [],
        ledger=wording.money(scene) if "table" in show else [],
        mouse_cards=mouse_cards_of(scene) if "table" in show else [],
        hand=[face_of(card) for card in scene.own.hand] if "hand" in show else [],
        own=wording.belongings(scene) if "hand" in show else [],
        advice=wording.advice(scene) if "moves" in show else [],
        yes_no=yes_no,
        options=options,
        intro=_intro(scene, options, yes_no),
        waiting=_waiting(scene, sheet, show),
        scores=_scores(scene) if "scores" in show else [],
        tie=wording.tie(scene) if "scores" in show else "",
        absences=[absence_text(one, scene) for one in ending.absences] if ending else [],
        sacks=[_sack(sack, scene) for sack in ending.sacks] if ending else [],
        hands=[hand_text(hand, scene) for hand in ending.hands] if ending else [],
        after=wording.after_the_end(ending, may_go_again=may_go_again(table)) if "ending" in show else [],
        small=[lobby.seal(scene)] if _is_invitation(sheet, scene) else [],
        help=wording.HELP_LINES if is_help else None,
        blocks=[*now, *sheet.blocks],
        more=[asked.rules_link(sheet.reply_address, reply_subject(subject))] if is_help else [],
        forward=forward_text(scene, label, sheet.reply_address) if "forward" in show else [],
        aside=sheet.aside,
        footer=wording.footer(label, table),
    )


def _question(sheet: Sheet, scene: Scene, label: str, subject: str) -> Page:
    """Was that you? Nothing of the game stands in it: whoever can read this mail may be somebody else."""
    opening = wording.was_that_you(one_line(sheet.claimed), sheet.claimed_orders, is_theirs=sheet.claims_own)
    return _asking(sheet, wording.greeting(scene.name), opening, label, subject, wording.ASK_INTRO)


def _claim(sheet: Sheet, label: str, subject: str) -> Page:
    """Is this you? Who reads it may be a stranger, and is told the name of the table and nothing else."""
    opening = wording.is_this_you(label)
    return _asking(sheet, wording.TO_NOBODY, opening, label, subject, wording.CLAIM_INTRO)


def _asking(
    sheet: Sheet, greeting: str, opening: list[str], label: str, subject: str, intro: wording.Intro
) -> Page:
    return Page(
        subject=subject,
        headline=topic_of(sheet.table, sheet.occasions),
        greeting=greeting,
        opening=opening,
        footer=wording.footer(label),
        yes_no=[_word(wording.YES, sheet.reply_address, reply_subject(subject))],
        intro=intro,
    )


def _opening(scene: Scene, sheet: Sheet) -> list[str]:
    """What a mail begins with; a cancellation has a word for the host."""
    opening = [*sheet.arrivals, *wording.opening(scene, sheet)]
    again = lobby.left_over(scene) if "cancelled" in sheet.occasions else []
    return [*opening, phrase("mails.opening.again", names=again)] if again else opening


def _waiting(scene: Scene, sheet: Sheet, show: set[Section]) -> str:
    """Who is waited for, and who is away, where that is not said below the table."""
    if "waiting" not in show:
        return ""
    away = [] if "table" in show else deadline.absences(scene, sheet.now)
    return " ".join(filter(None, [wording.waiting(scene, sheet.since), *away]))


def _facts(scene: Scene, sheet: Sheet) -> list[str]:
    """What there is to say below the table; who asks how it stands hears also who is who."""
    is_asked = sheet.answer is not None and "status" in sheet.answer.show
    return [*wording.facts(scene, sheet.now), *(wording.roles(scene, sheet.now) if is_asked else [])]


def _intro(scene: Scene, options: list[Option], yes_no: list[Option]) -> wording.Intro:
    """How to answer; an answer of several lines is the only one."""
    intro = wording.intro(scene, len(options), len(yes_no))
    is_long = any("\n" in option.words for option in options)
    return replace(intro, write=wording.WRITE_ALL) if is_long else intro


def _is_invitation(sheet: Sheet, scene: Scene) -> bool:
    return bool(sheet.occasions & {"invitation", "reminder"}) and scene.table.phase == "inviting"


def _words(sheet: Sheet, scene: Scene, subject: str) -> list[Option]:
    """YES and NO, where the answer to a mail asks something back; and what to write where players vote, where
    the game pauses, or where the computer plays for the reader.
    """
    words: list[str] = []
    if sheet.answer is not None and sheet.answer.asks:
        words += [wording.YES, wording.NO]
    if "vote" in sheet.occasions:
        words += [deadline.BALLOTS[vote.on] for vote in deadline.asked_of(scene)]
    if "paused" in sheet.occasions and scene.table.paused_until:
        words.append(deadline.RESUME)
    if sheet.lapses and scene.table.seats[scene.seat].computer and not scene.table.is_over:
        words.append(WORD_OF["STATUS"])
    return [_word(word, sheet.reply_address, subject) for word in words]


def _word(word: str, address: str, subject: str) -> Option:
    return Option(word, mailto(address, subject, word), None)


def _sections(sheet: Sheet, scene: Scene) -> set[Section]:
    """What this mail shows: what its occasions call for, and what was asked for."""
    occasions, answer, over = sheet.occasions, sheet.answer, scene.table.is_over
    show: set[Section] = set()
    if occasions & {"turn", "reminder"} and scene.is_asked and scene.table.phase != "inviting":
        show |= _TURN
    if "result" in occasions:
        show |= {"history", "scores", "ending"}
    if "lobby" in occasions and not over:
        show |= {"table"}
    if "resumed" in occasions and scene.is_asked and not over:
        show |= _TURN
    if occasions & {"news", "timed_out", "newcomer"} and not over and not show >= _TURN:
        show |= {"history", "table", "waiting"}
    if occasions & {"absent", "vote", "resumed"} and not over and not show >= _TURN:
        show |= {"waiting"}
    if (
        (scene.is_asked and not _is_aside(occasions))
        or occasions & {"result", "cancelled"}
        or _is_for_host(sheet, scene)
    ):
        show |= {"moves"}
    if answer is not None:
        if scene.is_asked and any(line.code == "turn/stale" for line in answer.lines):
            # The answer was to an older table, so this mail shows how it is now.
            show |= _TURN
        show |= set() if show >= _TURN else {"waiting"}
        show |= {"table"} if "status" in answer.show else set()
        show |= {"hand"} if "hand" in answer.show else set()
        show |= {"help"} if "help" in answer.show else set()
        show |= {"forward"} if "forward" in answer.show and scene.table.phase == "inviting" else set()
        if "resend" in answer.show and not occasions - {"answer"}:
            show |= {"history", "table", "hand", "waiting"}
    elif not occasions:
        show |= {"history", "table", "hand", "waiting"}
    if over and "table" in show:
        show |= {"scores"}
    return show


def _is_aside(occasions: Set[NoticeKind]) -> bool:
    """Whether the mail is about a vote, or for the host, and nothing else: moves have mails of their own."""
    return bool(occasions) and occasions <= _ASIDE


def _is_for_host(sheet: Sheet, scene: Scene) -> bool:
    """Whether the mail tells the host who has answered: unasked, or asked for once the game can begin."""
    is_status = sheet.answer is not None and "status" in sheet.answer.show
    return "lobby" in sheet.occasions or (is_status and Order("START") in lobby.host_orders(scene))


def _subject(sheet: Sheet, label: str, topic: str) -> str:
    """An answer alone keeps the subject that it answers, so that the thread keeps its name."""
    if sheet.answer is not None and not sheet.occasions - {"answer"}:
        theirs = answer_subject(label, one_line(sheet.answer.subject))
        if theirs is not None:
            return theirs
    return subject_of(label, topic)


def _said(scene: Scene, sheet: Sheet, below: Sequence[Option], subject: str) -> list[Said]:
    """The reader's lines; each way out is offered once, below the first line that it helps.

    A whole hand is not shown twice: where it is among the likely answers `below`, that is enough. Where felix
    asks whether an order was meant, YES and NO are the way out of what was not clear.
    """
    offered: set[Order] = set()
    shown = {option.words for option in below}
    said: list[Said] = []
    if sheet.answer is None:
        return said
    for line in sheet.answer.lines:
        ways = _ways(scene, sheet, line, is_asking=bool(sheet.answer.asks))
        if len(ways) > _FEW:
            ways = [way for way in ways if str(way) not in shown]
        ways = [way for way in ways if way not in offered]
        offered |= set(ways)
        said.append(
            Said(
                one_line(line.text),
                wording.VERDICTS[line.verdict],
                one_line(line.why, _WHY_LIMIT),
                line.verdict == "done",
                [_word(str(way), sheet.reply_address, subject) for way in ways],
            )
        )
    return said


def _ways(scene: Scene, sheet: Sheet, line: AnsweredLine, *, is_asking: bool) -> list[Order]:
    """What may be written instead of a line that came to nothing."""
    if line.code == "zone/nearest":
        return zones_near(line.text)
    if line.verdict == "refused":
        return ways_out(scene.table, scene.seat, scene.names, line.code, has_next=sheet.has_next)
    is_unclear = line.verdict in ("not understood", "ambiguous") and not is_asking
    return ways_on(scene.table, scene.seat, line.text) if is_unclear else []


def _options(sheet: Sheet, scene: Scene, show: set[Section], subject: str) -> list[Option]:
    """What the reader may answer, the most likely first."""
    if "moves" not in show:
        return []
    address, occasions = sheet.reply_address, sheet.occasions
    moves = moves_of(scene.table, scene.seat, address, subject)
    if "result" in occasions and may_go_again(scene.table):
        moves.append(link_for(Order("REMATCH"), address, subject))
    if _is_for_host(sheet, scene):
        moves += [link_for(order, address, subject) for order in lobby.host_orders(scene)]
    options = [
        Option(move.words, move.url, None if move.card is None else face_of(move.card)) for move in moves
    ]
    if "cancelled" in occasions and (names := lobby.left_over(scene)):
        options.append(_word(lobby.new_game(names), address, subject))
    return options


def _sack(sack: Sack, scene: Scene) -> SackLine:
    return SackLine(
        sack_title(sack),
        [Place(face_of(card), scene.who(owner), "") for owner, card in sack.row],
        sack_row(sack, scene),
        sack_outcome(sack, scene),
    )


def _scores(scene: Scene) -> list[ScoreLine]:
    """The result, the winners first, then by total and by cats."""
    scores = {seat: score for seat, score in enumerate(scene.table.scores) if score is not None}
    worth = {seat: (score.total, score.cats) for seat, score in scores.items()}
    ranked = sorted(
        scores,
        key=lambda seat: (seat not in scene.table.winners, -scores[seat].total, -scores[seat].cats, seat),
    )
    return [
        ScoreLine(
            f"{1 + sum(other > worth[seat] for other in worth.values())}.",
            first_capital(scene.who(seat)) if seat == scene.seat else scene.who(seat),
            wording.points(scores[seat].cats),
            str(scores[seat].mice),
            wording.points(scores[seat].total),
        )
        for seat in ranked
    ]
