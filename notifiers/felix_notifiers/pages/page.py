"""A mail before it has a form: what it shows, section by section.

Both templates lay out the same page, so the text part and the HTML part cannot say different things. Every
text in a page is harmless, but not escaped yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from felix_async.language.words import MARKER
from felix_notifiers.content import asked, deadline, lobby, standing, wording
from felix_notifiers.content.ending import Ending, absence_text
from felix_notifiers.content.forward import forward_text
from felix_notifiers.content.harmless import one_line, seat_names, table_label
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Block, Link, Sheet, Speech, Told
from felix_notifiers.content.subjects import (
    answer_subject,
    asking_topic,
    headline_of,
    reply_subject,
    subject_of,
    topic_of,
)
from felix_notifiers.pages.answered import Said, said_of
from felix_notifiers.pages.drawing import Face, MiceCard, Place, face_of, mouse_cards_of, row_of
from felix_notifiers.pages.guide import Help, fitting_help
from felix_notifiers.pages.options import (
    Option,
    intro_of,
    is_asking,
    is_for_good,
    options_of,
    word_option,
    words_of,
)
from felix_notifiers.pages.result import HandLine, SackLine, ScoreLine, hand_line, sack_line, score_lines
from felix_notifiers.pages.sections import Section, is_aside, sections_of


@dataclass(frozen=True, slots=True)
class Page:
    """A mail, section by section; an empty section is left out.

    A digest has `games`, a page with a `title` for each of several games. `small` is small print.
    `lead` is the headline for the text part, which has none, where nothing else says it.
    `deadline` is a line about the time that is left to answer; it stands out where it is set, and below it
    `reserve`, the time beyond that and what comes then. `asked` is what felix asks back, with `yes_no` to
    answer it; `is_for_good` says that a YES cannot be taken back. `purse` stands right above the answers, and
    `hand` and `own` below them then. `ledger` is what lies on the table in mice, `mouse_cards` the same mouse
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
    lead: str = ""
    asked: str = ""
    is_for_good: bool = False
    history: list[Told] = field(default_factory=list)
    history_title: str = wording.HISTORY
    row_title: str = ""
    row: list[Place] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    ledger: list[standing.Entry] = field(default_factory=list)
    mouse_cards: list[MiceCard] = field(default_factory=list)
    hand: list[Face] = field(default_factory=list)
    purse: str = ""
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
    hands: list[HandLine] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    small: list[str] = field(default_factory=list)
    title: str = ""
    games: list[Page] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    help: Help | None = None
    forward: list[str] = field(default_factory=list)
    aside: Block | None = None
    more: list[Link] = field(default_factory=list)
    marker: str = MARKER

    @property
    def offers_hand(self) -> bool:
        """Whether the answers are cards of the hand, which need not be shown beside them."""
        return any(option.face for option in self.options)

    @property
    def before_answers(self) -> list[str]:
        """What stands right above the answers: the purse, what may be done, and what comes after the end."""
        advice = [" ".join(filter(None, (self.purse, *self.advice)))]
        return [*filter(None, advice), *self.after]


def page_of(sheet: Sheet) -> Page:
    """What the mail of this sheet shows."""
    table = sheet.table
    if not isinstance(table.viewer, int):
        raise ValueError(f"a letter is for a seat, not for {table.viewer!r}")
    scene = Scene(table, seat_names(sheet.names), table.viewer, sheet.zone)
    label = table_label(sheet.table_name, sheet.game_id)
    asking = asking_topic(sheet.claims) if "question" in sheet.occasions else ""
    topic = asking or topic_of(table, sheet.occasions, sheet.rung)
    headline = headline_of(table, topic)
    subject = topic if sheet.is_apart else _subject(sheet, label, topic)
    if "claim" in sheet.occasions:
        return _claim(sheet, label, subject)
    if "question" in sheet.occasions:
        return _question(sheet, scene, label, subject)
    show = sections_of(sheet, scene)
    ending = sheet.ending if "ending" in show else None
    yes_no = words_of(sheet, scene, reply_subject(subject))
    options = options_of(sheet, scene, show, reply_subject(subject))
    is_help = "help" in show
    has_purse = bool(options) and scene.own.choices.may_pass and "hand" in show
    is_timed = bool(table.paused_until) or not is_aside(sheet.occasions)
    now = [asked.now(scene, sheet.reply_address, reply_subject(subject))] if is_help else []
    return Page(
        subject=subject,
        headline=headline,
        lead=headline if headline != topic else "",
        greeting=wording.greeting(scene.name),
        opening=[*sheet.arrivals, *wording.opening(scene, sheet)],
        deadline=deadline.line(scene, sheet.now) if is_timed else "",
        reserve=deadline.reserve(scene, sheet.now) if is_timed else "",
        said=said_of(scene, sheet, options, reply_subject(subject)),
        asked=one_line(sheet.answer.asks_text) if sheet.answer is not None and is_asking(sheet) else "",
        is_for_good=is_for_good(sheet),
        history=_history(sheet, show),
        history_title=_history_title(sheet, show),
        row_title=standing.row_title(table.round),
        row=row_of(scene) if "table" in show else [],
        facts=_facts(scene, sheet) if "table" in show else [],
        ledger=standing.money(scene) if "table" in show else [],
        mouse_cards=mouse_cards_of(scene) if "table" in show else [],
        hand=[face_of(card) for card in scene.own.hand] if _shows_hand(sheet, show, options) else [],
        purse=standing.purse(scene) if has_purse else "",
        own=standing.belongings(scene, has_purse=has_purse) if "hand" in show else [],
        advice=standing.advice(scene) if "moves" in show and not is_for_good(sheet) else [],
        yes_no=yes_no,
        options=options,
        intro=intro_of(scene, options, yes_no),
        waiting=_waiting(scene, sheet, show),
        scores=score_lines(scene) if "scores" in show else [],
        tie=standing.tie(scene) if "scores" in show else "",
        absences=[absence_text(one, scene) for one in ending.absences] if ending else [],
        sacks=[sack_line(sack, scene) for sack in ending.sacks] if ending else [],
        hands=[hand_line(hand, scene) for hand in ending.hands] if ending else [],
        after=wording.after_the_end(scene, sheet) if "ending" in show else [],
        small=_small(sheet, scene, ending),
        help=fitting_help(scene) if is_help else None,
        blocks=[*now, *sheet.blocks],
        more=[asked.rules_link(sheet.reply_address, reply_subject(subject))] if is_help else [],
        forward=forward_text(scene, label, sheet.reply_address) if "forward" in show else [],
        aside=sheet.aside,
        footer=wording.footer(label, table),
    )


def _history(sheet: Sheet, show: set[Section]) -> list[Told]:
    """What happened; beside a result, which tells of each round, only what was said."""
    if "history" not in show:
        return list(sheet.speeches)
    return (
        [told for told in sheet.history if isinstance(told, Speech)]
        if "ending" in show
        else list(sheet.history)
    )


def _shows_hand(sheet: Sheet, show: set[Section], options: list[Option]) -> bool:
    """Whether the hand is shown by itself: cards that may be tapped are not shown twice unless asked for."""
    is_asked = sheet.answer is not None and "hand" in sheet.answer.show
    return "hand" in show and (is_asked or not any(option.face for option in options))


def _history_title(sheet: Sheet, show: set[Section]) -> str:
    if "history" not in show:
        return wording.SAID
    if sheet.since_letter:
        return wording.NEWS
    return wording.HISTORY if sheet.has_moved else wording.SO_FAR


def _question(sheet: Sheet, scene: Scene, label: str, subject: str) -> Page:
    """Was that you? Nothing of the game stands in it: whoever can read this mail may be somebody else."""
    opening = wording.was_that_you(sheet)
    return _asking(sheet, wording.greeting(scene.name), opening, label, subject)


def _claim(sheet: Sheet, label: str, subject: str) -> Page:
    """Is this you? Who reads it may be a stranger, and is told the name of the table and nothing else."""
    opening = wording.is_this_you(label, sheet.claims)
    if sheet.claims == "taken":
        topic = topic_of(sheet.table, sheet.occasions)
        footer = wording.footer(label)
        return Page(subject, topic, wording.TO_NOBODY, opening, footer, marker="")
    return _asking(sheet, wording.TO_NOBODY, opening, label, subject)


def _asking(sheet: Sheet, greeting: str, opening: list[str], label: str, subject: str) -> Page:
    return Page(
        subject=subject,
        headline=asking_topic(sheet.claims) or topic_of(sheet.table, sheet.occasions),
        greeting=greeting,
        opening=opening,
        footer="felix" if sheet.is_apart else wording.footer(label),
        yes_no=[word_option(wording.YES, sheet.reply_address, reply_subject(subject))],
        intro=wording.CONFIRM_INTRO,
    )


def _waiting(scene: Scene, sheet: Sheet, show: set[Section]) -> str:
    """Who is waited for, and who is away, where that is not said below the table."""
    if "waiting" not in show:
        return ""
    away = [] if "table" in show else deadline.absences(scene, sheet.now)
    return " ".join(filter(None, [standing.waiting(scene, sheet.since), *away]))


def _facts(scene: Scene, sheet: Sheet) -> list[str]:
    """What there is to say below the table; who asks how it stands hears also who is who.

    The answer that opens a table has told its rules and its clock already.
    """
    shown = [] if sheet.answer is None else sheet.answer.show
    has_terms = "forward" not in shown
    roles = standing.roles(scene, sheet.now, has_terms=has_terms) if "status" in shown else []
    return [*standing.facts(scene, sheet.now), *roles]


def _small(sheet: Sheet, scene: Scene, ending: Ending | None) -> list[str]:
    """What is there for whoever wants to check the draw later."""
    if ending is not None:
        return [wording.file_of(ending)]
    own = [line.small for line in sheet.answer.lines if line.small] if sheet.answer is not None else []
    return [*([lobby.seal(scene)] if _is_invitation(sheet, scene) else []), *own]


def _is_invitation(sheet: Sheet, scene: Scene) -> bool:
    return bool(sheet.occasions & {"invitation", "reminder"}) and scene.table.phase == "inviting"


def _subject(sheet: Sheet, label: str, topic: str) -> str:
    """An answer alone keeps the subject that it answers, so that the thread keeps its name."""
    if sheet.answer is not None and not sheet.occasions - {"answer"}:
        theirs = answer_subject(label, one_line(sheet.answer.subject))
        if theirs is not None:
            return theirs
    return subject_of(label, topic)
