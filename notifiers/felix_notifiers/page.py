"""A mail before it has a form: what it shows, section by section.

Both templates lay out the same page, so the text part and the HTML part cannot say different things. Every
text in a page is harmless, but not escaped yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from felix_async.answer import Answer
from felix_async.words import MARKER
from felix_async.words.phrases import first_capital
from felix_notifiers import wording
from felix_notifiers.drawing import Face, MiceCard, Place, face_of, mouse_cards_of, row_of
from felix_notifiers.forward import forward_text
from felix_notifiers.harmless import LINE_LIMIT, one_line, seat_names, table_label, table_name
from felix_notifiers.moves import mailto, moves_of
from felix_notifiers.scene import Scene
from felix_notifiers.sheet import Sheet
from felix_notifiers.subjects import answer_subject, reply_subject, subject_of, topic_of

Section = Literal["history", "table", "hand", "moves", "scores", "waiting", "help", "forward"]
_TURN: Final[frozenset[Section]] = frozenset({"history", "table", "hand", "moves"})
_WHY_LIMIT: Final = 2 * LINE_LIMIT


@dataclass(frozen=True, slots=True)
class Option:
    """An answer to type or to tap; `face` where it places a card."""

    words: str
    url: str
    face: Face | None


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A line of the result."""

    name: str
    cats: str
    mice: str
    total: str


@dataclass(frozen=True, slots=True)
class Said:
    """A line of the reader's mail, how it went, and why."""

    line: str
    verdict: str
    why: str
    done: bool


@dataclass(frozen=True, slots=True)
class Page:
    """A mail, section by section; an empty section is left out.

    `deadline` is a line about the time that is left to answer; it stands out where it is set. `ledger` is
    what lies on the table in mice, `mouse_cards` the same mouse cards to be drawn.
    """

    subject: str
    headline: str
    greeting: str
    opening: list[str]
    footer: str
    deadline: str = ""
    said: list[Said] = field(default_factory=list)
    asked: str = ""
    history: list[str] = field(default_factory=list)
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
    help: wording.Help | None = None
    forward: list[str] = field(default_factory=list)
    marker: str = MARKER


def page_of(sheet: Sheet) -> Page:
    """What the mail of this sheet shows."""
    table = sheet.table
    if not isinstance(table.viewer, int):
        raise ValueError(f"a letter is for a seat, not for {table.viewer!r}")
    scene = Scene(table, seat_names(sheet.names), table.viewer)
    label = table_label(sheet.table_name, sheet.game_id)
    topic = topic_of(table, sheet.occasions)
    subject = _subject(sheet, label, topic)
    if "question" in sheet.occasions:
        return _question(sheet, scene, label)
    show = _sections(sheet, scene)
    yes_no = _yes_no(sheet.answer, sheet.reply_address, reply_subject(subject))
    options = _options(scene, sheet.reply_address, reply_subject(subject)) if "moves" in show else []
    return Page(
        subject=subject,
        headline=topic,
        greeting=wording.greeting(scene.name),
        opening=wording.opening(scene, table_name(sheet.table_name), sheet.occasions),
        said=_said(sheet.answer),
        asked=one_line(sheet.answer.asks_text) if sheet.answer is not None else "",
        history=list(sheet.history) if "history" in show else [],
        row_title=wording.row_title(table.round),
        row=row_of(scene) if "table" in show else [],
        facts=wording.facts(scene) if "table" in show else [],
        ledger=wording.money(scene) if "table" in show else [],
        mouse_cards=mouse_cards_of(scene) if "table" in show else [],
        hand=[face_of(card) for card in scene.own.hand] if "hand" in show else [],
        own=wording.belongings(scene) if "hand" in show else [],
        advice=wording.advice(scene) if "moves" in show else [],
        yes_no=yes_no,
        options=options,
        intro=wording.intro(scene, len(options), len(yes_no)),
        waiting=wording.waiting(scene) if "waiting" in show else "",
        scores=_scores(scene) if "scores" in show else [],
        tie=wording.tie(scene) if "scores" in show else "",
        help=wording.HELP_LINES if "help" in show else None,
        forward=forward_text(scene, label, sheet.reply_address) if "forward" in show else [],
        footer=wording.footer(label, table),
    )


def _question(sheet: Sheet, scene: Scene, label: str) -> Page:
    """Was that you? Nothing of the game stands in it: whoever can read this mail may be somebody else."""
    topic = topic_of(scene.table, sheet.occasions)
    subject = subject_of(label, topic)
    return Page(
        subject=subject,
        headline=topic,
        greeting=wording.greeting(scene.name),
        opening=wording.was_that_you(one_line(sheet.claimed), is_theirs=sheet.claims_own),
        footer=wording.footer(label),
        yes_no=[_word(wording.YES, sheet.reply_address, reply_subject(subject))],
        intro=wording.ASK_INTRO,
    )


def _yes_no(answer: Answer | None, address: str, subject: str) -> list[Option]:
    """YES and NO, where the answer to a mail asks something back."""
    words = (wording.YES, wording.NO) if answer is not None and answer.asks else ()
    return [_word(word, address, subject) for word in words]


def _word(word: str, address: str, subject: str) -> Option:
    return Option(word, mailto(address, subject, word), None)


def _sections(sheet: Sheet, scene: Scene) -> set[Section]:
    """What this mail shows: what its occasions call for, and what was asked for."""
    occasions, answer, over = sheet.occasions, sheet.answer, scene.table.is_over
    show: set[Section] = set()
    if occasions & {"turn", "reminder"} and scene.is_asked and scene.table.phase != "inviting":
        show |= _TURN
    if "result" in occasions:
        show |= {"history", "scores"}
    if scene.is_asked:
        show |= {"moves"}
    if answer is not None:
        show |= set() if show >= _TURN else {"waiting"}
        show |= {"table"} if "status" in answer.show else set()
        show |= {"hand"} if "hand" in answer.show else set()
        show |= {"help"} if "help" in answer.show else set()
        show |= {"forward"} if "forward" in answer.show and scene.table.phase == "inviting" else set()
    elif not occasions:
        show |= {"history", "table", "hand", "waiting"}
    if over and "table" in show:
        show |= {"scores"}
    return show


def _subject(sheet: Sheet, label: str, topic: str) -> str:
    """An answer alone keeps the subject that it answers, so that the thread keeps its name."""
    if sheet.answer is not None and not sheet.occasions - {"answer"}:
        theirs = answer_subject(label, one_line(sheet.answer.subject))
        if theirs is not None:
            return theirs
    return subject_of(label, topic)


def _said(answer: Answer | None) -> list[Said]:
    return [
        Said(
            one_line(line.text),
            wording.VERDICTS[line.verdict],
            one_line(line.why, _WHY_LIMIT),
            line.verdict == "done",
        )
        for line in (answer.lines if answer is not None else [])
    ]


def _options(scene: Scene, address: str, subject: str) -> list[Option]:
    return [
        Option(move.words, move.url, None if move.card is None else face_of(move.card))
        for move in moves_of(scene.table, scene.seat, address, subject)
    ]


def _scores(scene: Scene) -> list[ScoreLine]:
    """The result, the winners first, then by total and by cats."""
    scores = {seat: score for seat, score in enumerate(scene.table.scores) if score is not None}
    ranked = sorted(
        scores,
        key=lambda seat: (seat not in scene.table.winners, -scores[seat].total, -scores[seat].cats, seat),
    )
    return [
        ScoreLine(
            first_capital(scene.who(seat)) if seat == scene.seat else scene.who(seat),
            wording.points(scores[seat].cats),
            str(scores[seat].mice),
            wording.points(scores[seat].total),
        )
        for seat in ranked
    ]
