"""The mail about a game to one of its seats: a turn, an invitation, a result, an answer, or several at once.

What happened at the same time is told in one mail; each occasion says which sections it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final, Literal

from felix_async.text import Harmless
from felix_notifiers.content import asked, deadline, lobby, standing, wording
from felix_notifiers.content.answered import Answered, said_of
from felix_notifiers.content.answers import (
    Answers,
    Question,
    Waiting,
    intro_of,
    is_asking,
    is_for_good,
    options_of,
    words_of,
)
from felix_notifiers.content.ending import Ending
from felix_notifiers.content.forward import forward_of
from felix_notifiers.content.harmless import one_line, seat_names, table_label
from felix_notifiers.content.history import History, Speech
from felix_notifiers.content.mail import Mail, Section
from felix_notifiers.content.moves import Option, ReplyTo, may_exchange
from felix_notifiers.content.opening import Head, Opening, Small
from felix_notifiers.content.orders import orders_of
from felix_notifiers.content.pictures import face_of
from felix_notifiers.content.result import hands_of, sacks_of, scores_of
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Sheet
from felix_notifiers.content.subjects import answer_subject, headline_of, reply_subject, subject_of, topic_of
from felix_notifiers.content.table import Hand, Table, table_of

Part = Literal["history", "table", "hand", "moves", "scores", "ending", "waiting", "help", "forward"]
_ASIDE: Final[frozenset[str]] = frozenset({"vote", "paused", "absent"})
_TURN: Final[frozenset[Part]] = frozenset({"history", "table", "hand", "moves"})


def mail_of(sheet: Sheet) -> Mail:
    """Write the mail about a game. ValueError if nobody at the table reads it."""
    table = sheet.table
    if not isinstance(table.viewer, int):
        raise ValueError(f"a letter is for a seat, not for {table.viewer!r}")
    scene = Scene(table, seat_names(sheet.names), table.viewer, sheet.zone)
    label = table_label(sheet.table_name, sheet.game_id)
    topic = topic_of(table, sheet.occasions, sheet.rung)
    subject = _subject(sheet, label, topic)
    to = ReplyTo(sheet.reply_address, reply_subject(subject))
    return Mail(subject, [*_sections(scene, sheet, label, topic, to)], wording.footer(label, table))


def _sections(scene: Scene, sheet: Sheet, label: Harmless, topic: str, to: ReplyTo) -> Iterator[Section]:
    """The sections from top to bottom."""
    show, ending, answer = parts_of(scene, sheet), sheet.ending, sheet.answer
    has_ending = "ending" in show
    words = words_of(scene, sheet, to)
    options: list[Option] = []
    if "moves" in show and not is_for_good(sheet):
        is_end, for_host = _is_end(sheet), _is_for_host(scene, sheet)
        options = options_of(scene, sheet, to, is_end=is_end, is_for_host=for_host)
    intro = intro_of(scene, options, words)

    headline = headline_of(scene.table, topic)
    is_timed = bool(scene.table.paused_until) or not _is_aside(sheet.occasions)
    until = deadline.line(scene, sheet.now) if is_timed else ""
    yield Head(
        headline, wording.greeting(scene.name), until, deadline.reserve(scene, sheet.now) if is_timed else ""
    )
    if said := said_of(scene, sheet, options, to):
        yield Answered(said)
    question = one_line(answer.asks_text) if answer is not None and is_asking(sheet) else ""
    if question:
        yield Question(question, words, intro, is_for_good(sheet))
    lead = headline if headline != topic else ""
    yield Opening([*sheet.arrivals, *wording.opening(scene, sheet)], lead)
    if "help" in show:
        yield asked.now(scene, to)
    yield from sheet.blocks
    if "scores" in show and any(score is not None for score in scene.table.scores):
        yield scores_of(scene, ending if has_ending else None)
    if history := _history(sheet, show):
        yield history
    yield table_of(scene, _facts(scene, sheet)) if "table" in show else Table()
    has_purse = bool(options) and scene.own.choices.may_pass and "hand" in show
    hand = _hand(scene, sheet, show, options, has_purse=has_purse)
    if not has_purse:
        yield hand
    yield Waiting(_waiting(scene, sheet, show))
    yield Answers(
        _before_answers(scene, sheet, show, has_purse=has_purse),
        [] if question else words,
        options,
        intro,
        is_second=bool(question),
    )
    if has_purse:
        yield hand
    if "forward" in show:
        yield forward_of(scene, label, sheet.reply_address)
    if has_ending and ending is not None:
        yield from (one for one in (sacks_of(scene, ending), hands_of(scene, ending)) if one.lines)
    if "help" in show:
        yield orders_of(scene, to)
    if sheet.aside is not None:
        yield sheet.aside
    if small := _small(scene, sheet, ending if has_ending else None):
        yield Small(small)


def _history(sheet: Sheet, show: Set[Part]) -> History | None:
    """What happened; beside a result, which tells of each round, only what was said."""
    lines = sheet.history if "history" in show else sheet.speeches
    if "history" in show and "ending" in show:
        lines = [told for told in lines if isinstance(told, Speech)]
    if "history" not in show:
        title = wording.SAID
    elif sheet.since_letter:
        title = wording.NEWS
    else:
        title = wording.HISTORY if sheet.has_moved else wording.SO_FAR
    return History(title, lines) if lines else None


def _facts(scene: Scene, sheet: Sheet) -> list[str]:
    """What there is to say below the table; who asks how it stands hears also who is who.

    The answer that opens a table has told its rules and its clock already.
    """
    shown = [] if sheet.answer is None else sheet.answer.show
    has_terms = "forward" not in shown
    roles = standing.roles(scene, sheet.now, has_terms=has_terms) if "status" in shown else []
    return [*standing.facts(scene, sheet.now), *roles]


def _hand(scene: Scene, sheet: Sheet, show: Set[Part], options: Sequence[Option], *, has_purse: bool) -> Hand:
    """The reader's own; cards that may be tapped are not shown twice unless asked for."""
    if "hand" not in show:
        return Hand()
    is_offered = any(option.face for option in options)
    is_asked = sheet.answer is not None and "hand" in sheet.answer.show
    cards = [face_of(card) for card in scene.own.hand] if is_asked or not is_offered else []
    return Hand(cards, standing.belongings(scene, has_purse=has_purse), is_drawn=not is_offered)


def _waiting(scene: Scene, sheet: Sheet, show: Set[Part]) -> str:
    """Who is waited for, and who is away if that is not said below the table."""
    if "waiting" not in show:
        return ""
    away = [] if "table" in show else deadline.absences(scene, sheet.now)
    return " ".join(filter(None, [standing.waiting(scene, sheet.since), *away]))


def _before_answers(scene: Scene, sheet: Sheet, show: Set[Part], *, has_purse: bool) -> list[str]:
    """The purse, what may be done, and what comes after the end."""
    advice = standing.advice(scene) if "moves" in show and not is_for_good(sheet) else []
    purse = [standing.purse(scene)] if has_purse else []
    after = wording.after_the_end(scene, sheet) if "ending" in show else []
    return [*filter(None, [" ".join([*purse, *advice])]), *after]


def _small(scene: Scene, sheet: Sheet, ending: Ending | None) -> list[str]:
    """What is there for whoever wants to check the draw later."""
    if ending is not None:
        return [wording.file_of(ending)]
    is_invitation = sheet.occasions & {"invitation", "reminder"} and scene.table.phase == "inviting"
    own = [line.small for line in sheet.answer.lines if line.small] if sheet.answer is not None else []
    return [*([lobby.seal(scene)] if is_invitation else []), *own]


def _subject(sheet: Sheet, label: Harmless, topic: str) -> str:
    """An answer alone keeps the subject that it answers, so that the thread keeps its name."""
    if sheet.answer is not None and not sheet.occasions - {"answer"}:
        theirs = answer_subject(label, one_line(sheet.answer.subject))
        if theirs is not None:
            return theirs
    return subject_of(label, topic)


# ---- which parts a mail has --------------------------------------------------------------------------


def parts_of(scene: Scene, sheet: Sheet) -> set[Part]:
    """What this mail shows: what its occasions call for, and what was asked for."""
    occasions, answer, over = sheet.occasions, sheet.answer, scene.table.is_over
    show: set[Part] = set()
    if occasions & {"turn", "reminder"} and scene.is_asked and scene.table.phase != "inviting":
        show |= _TURN
    if "result" in occasions:
        show |= {"history", "scores", "ending"}
    if "lobby" in occasions and not over:
        show |= {"table"}
    if occasions & {"resumed", "newcomer"} and scene.is_asked and not over:
        show |= _TURN
    if occasions & {"news", "timed_out", "newcomer"} and not over and not show >= _TURN:
        show |= {"history", "table", "waiting"}
    if "timed_out" in occasions and may_exchange(scene):
        show |= {"hand", "moves"}
    if occasions & {"absent", "vote", "resumed"} and not over and not show >= _TURN:
        show |= {"waiting"}
    if (scene.is_asked and not _is_aside(occasions)) or _is_end(sheet) or _is_for_host(scene, sheet):
        show |= {"moves"}
    if answer is not None:
        if scene.is_asked and any(line.code == "turn/stale" for line in answer.lines):
            # The answer was to an older table, so this mail shows how it is now.
            show |= _TURN
        show |= set() if show >= _TURN else {"waiting"}
        if scene.table.seats[scene.seat].gone and "status" not in answer.show:
            # Whoever has left for good need not be told what goes on there.
            show -= {"waiting"}
        show |= {"table"} if "status" in answer.show else set()
        show |= {"hand"} if "hand" in answer.show else set()
        show |= {"help"} if "help" in answer.show else set()
        show |= {"forward"} if "forward" in answer.show and scene.table.phase == "inviting" else set()
        if "resend" in answer.show and not occasions - {"answer"}:
            show |= _looks(scene)
        if "resend" in answer.show and "lobby" in occasions and scene.table.asked:
            show |= {"forward"}
    elif not occasions:
        show |= _looks(scene)
    if over and "table" in show:
        show |= {"scores"}
    return show


def _looks(scene: Scene) -> set[Part]:
    """What a mail shows that nothing called for."""
    if scene.table.phase == "inviting":
        return {"history", "table", "waiting"}
    return {"history", "table", "hand", "waiting"}


def _is_end(sheet: Sheet) -> bool:
    """Whether the mail tells the end of a game, or that there is none to come."""
    is_lost = "withdrawn" in sheet.occasions and sheet.table.phase == "abandoned"
    return bool(sheet.occasions & {"result", "cancelled"}) or is_lost


def _is_aside(occasions: Set[str]) -> bool:
    """Whether the mail is about a vote, or for the host, and nothing else: moves have mails of their own."""
    return bool(occasions) and occasions <= _ASIDE


def _is_for_host(scene: Scene, sheet: Sheet) -> bool:
    """Whether the mail tells the host who has answered: unasked, or asked for."""
    is_status = sheet.answer is not None and "status" in sheet.answer.show
    return "lobby" in sheet.occasions or (is_status and bool(lobby.host_orders(scene)))
