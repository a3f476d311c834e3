"""The message about a game to one of its seats: a turn, an invitation, a result, an answer, or several.

Simultaneous news are told in one mail; each occasion says which sections it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from felix_async.language.words import MARKER
from felix_async.pictures.pictures import face_of
from felix_events.model import SackSold
from felix_notifiers.content import ahead, asked, deadline, standing, wording
from felix_notifiers.content.answered import Answered, said_of
from felix_notifiers.content.answers import (
    Answers,
    Question,
    Waiting,
    intro_of,
    is_for_good,
    options_of,
    words_of,
)
from felix_notifiers.content.block import Block
from felix_notifiers.content.ending import Ending
from felix_notifiers.content.everybody import everybody_of
from felix_notifiers.content.forward import forward_of, share_of
from felix_notifiers.content.glance import LOCKED_SCREEN, Glance
from felix_notifiers.content.heard import heard_of, once_more, talk_of, turn_of
from felix_notifiers.content.history import History, Speech, Talk
from felix_notifiers.content.invitation import invitation_of, is_invitation, seal
from felix_notifiers.content.mail import Mail, Section
from felix_notifiers.content.moves import Option, ReplyTo
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.opening import Head, Opening, Small
from felix_notifiers.content.orders import orders_of
from felix_notifiers.content.result import afterwards, moments_of, sacks_of, scores_of
from felix_notifiers.content.sale import sale_of
from felix_notifiers.content.subjects import glance_for, reply_subject
from felix_notifiers.content.table import Hand, Table, table_of
from felix_notifiers.content.worth import rule_hint, worth_of
from felix_notifiers.mails.parts import TURN, Part, is_aside, is_for_host, is_the_end, parts_of


def mail_of(occasion: Occasion) -> Mail:
    """Write the mail about a game. ValueError for a view that no seat has."""
    game = occasion.game
    glance = glance_for(occasion)
    to = ReplyTo(game.reply_address, reply_subject(glance.subject))
    sections = [one for one in _sections(occasion, glance, to) if one is not None]
    return Mail(glance, sections, wording.footer(game.label, game.table))


def _sections(occasion: Occasion, glance: Glance, to: ReplyTo) -> list[Section | None]:
    """The sections from top to bottom: what is asked, the row and the answers, and then the rest.

    None stands for a section that this mail does not have.
    """
    game, answer = occasion.game, occasion.answer
    heard = heard_of(occasion, to)
    show = parts_of(occasion, heard)
    is_turn, is_opened, is_help = show >= TURN, "forward" in show, "help" in show
    ending = occasion.ending if "ending" in show else None
    until, then = _times(occasion)
    waiting = "" if is_turn else _waiting(occasion, show)
    is_private = game.discreet or game.table.phase in ("placing", "bidding")
    room = LOCKED_SCREEN - len(f"{glance.preview} {MARKER} {waiting}") if is_private else 0
    offered = _offered(occasion, show, to)
    last = [option for option in offered if option.rank == "destructive"] if is_opened else []
    options, words = [option for option in offered if option not in last], words_of(occasion, to)
    is_bidding = is_turn and bool(options) and game.table.phase == "bidding"
    limits = ahead.limits_beside(game, to) if is_bidding and game.is_asked else ()
    again = wording.after_the_end(occasion) if "ending" in show else ()
    told = _told(occasion, offered, to, heard)
    is_done = all(isinstance(one, Answered) and one.is_done for one in told)
    is_below = is_done and (is_turn or is_opened)
    hand = _hand(occasion, show, options, to, is_bidding=is_bidding)
    is_hand_asked = answer is not None and "hand" in answer.show
    has_scores = "scores" in show and any(score is not None for score in game.table.scores)
    sacks = None if ending is None else sacks_of(game, ending)
    is_word_after = game.table.is_over and bool(occasion.kinds) and occasion.kinds <= {"news", "talk"}
    small = _small(occasion, ending)
    return [
        Head(glance.headline, *game.public.place, until, room=room),
        share_of(game) if is_opened else None,
        Waiting(waiting) if waiting else None,
        *([] if is_below else told),
        Opening([*occasion.arrivals, *wording.opening(occasion)]),
        invitation_of(occasion) if is_invitation(occasion) else None,
        asked.now(game, to) if is_help else None,
        *occasion.blocks,
        scores_of(game, ending) if has_scores else None,
        _table(occasion, show),
        worth_of(game, is_first=occasion.is_first) if "table" in show else None,
        hand if is_hand_asked else None,
        Answers(again, words, options, intro_of(game, options, words), limits),
        Waiting(then if options or words else ""),
        *(told if is_below else []),
        *_story(occasion, show),
        None if is_hand_asked else hand,
        *_standing(occasion, show),
        forward_of(game) if is_opened else None,
        Answers(options=last, intro=intro_of(game, last, ())) if is_opened else None,
        afterwards(to, "SAY", "NEW") if ending is not None else None,
        moments_of(game, ending) if ending is not None and ending.moments else None,
        sacks if sacks is not None and sacks.lines else None,
        orders_of(game, to) if is_help else None,
        afterwards(to, "SAY") if is_word_after else None,
        occasion.aside,
        talk_of(answer, to),
        Small(small) if small else None,
    ]


def _offered(occasion: Occasion, show: Set[Part], to: ReplyTo) -> list[Option]:
    """The answers on offer; first what was said for another row, to be said again."""
    if "moves" not in show or is_for_good(occasion):
        return []
    is_end, for_host = is_the_end(occasion), is_for_host(occasion)
    options = options_of(occasion, to, is_end=is_end, is_for_host=for_host)
    orders = {option.order for option in options}
    return [*(one for one in once_more(occasion.answer, to) if one.order not in orders), *options]


def _times(occasion: Occasion) -> tuple[str, str]:
    """Return until when the reader has time, and what comes then; both '' where no time matters."""
    game, answer = occasion.game, occasion.answer
    lines = () if answer is None else answer.lines
    is_taken = any(line.verdict == "taken" for line in lines) and not game.table.paused_until
    is_told = answer is not None and "time" in answer.show
    is_timed = bool(game.table.paused_until) or not is_aside(occasion.kinds)
    if is_taken or is_told or not is_timed:
        return "", ""
    return deadline.until_when(game), deadline.afterwards(game, is_known=not occasion.is_first)


def _told(
    occasion: Occasion, options: Sequence[Option], to: ReplyTo, heard: Question | None
) -> Sequence[Section]:
    """Return what became of the reader's mail: what was taken, or is asked, above what else was done."""
    said = said_of(occasion, options, to, heard)
    asks = [one for one in (heard, turn_of(occasion, heard, to)) if one is not None]
    told: list[Section] = [*asks, *([Answered(said)] if said else [])]
    return told if heard is not None and heard.lines else told[::-1]


def _table(occasion: Occasion, show: Set[Part]) -> Table:
    """The row; at a table that is not in play, also what there is to say of it."""
    if "table" not in show:
        return Table()
    game = occasion.game
    return table_of(game, [] if game.table.phase in ("placing", "bidding") else standing.facts(game))


def _story(occasion: Occasion, show: Set[Part]) -> Iterator[Section]:
    """The story since then, and the talk; a result tells of each round in its own way."""
    if "history" in show:
        told = occasion.history
        title = wording.HISTORY if occasion.has_moved else wording.SO_FAR
        title = wording.NEWS if occasion.since_letter else title
    else:
        told = [*occasion.at_once, *occasion.speeches]
        title = wording.NEXT_UP
    if "history" in show and occasion.sale is not None and isinstance(sold := occasion.sale.event, SackSold):
        yield sale_of(occasion.game, sold, occasion.sale.before)
    paragraphs = [one for one in told if isinstance(one, str)]
    speeches = [one for one in told if isinstance(one, Speech)]
    if paragraphs and "ending" not in show:
        yield History(title, paragraphs)
    if speeches:
        yield Talk(speeches)


def _hand(
    occasion: Occasion, show: Set[Part], options: Sequence[Option], to: ReplyTo, *, is_bidding: bool
) -> Hand:
    """The reader's own; cards that may be tapped are not shown twice unless asked for."""
    game = occasion.game
    if "hand" not in show or _is_early(occasion):
        return Hand()
    is_asked = occasion.answer is not None and "hand" in occasion.answer.show
    is_offered = any(option.face for option in options)
    cards = [face_of(card) for card in game.own.hand] if is_asked or not is_offered else []
    own = standing.belongings(game) if is_asked or not show >= TURN else []
    following = ahead.next_cards(game, to) if is_bidding else []
    is_typed = game.ahead.card is None and not wording.is_known(game.table)
    typed = ahead.next_typed(following) if is_typed else ""
    return Hand(cards, [*own, *ahead.said(game)], not is_offered, following, ahead.next_tapped(game), typed)


def _standing(occasion: Occasion, show: Set[Part]) -> Iterator[Section]:
    """The mice and cats of all, and what else is worth knowing of a table in play.

    The answer to STATUS also says who is who; the one that opens a table has told its rules and its clock.
    """
    game, answer = occasion.game, occasion.answer
    is_status = answer is not None and "status" in answer.show
    is_asked = answer is not None and "mice" in answer.show
    is_new = occasion.is_first or game.table.phase == "placing"
    if is_asked or is_status or ("table" in show and is_new):
        yield everybody_of(game, has_bank=is_status or is_asked)
    if "table" in show and game.table.phase in ("placing", "bidding"):
        # A hand that is shown says it.
        said = ahead.said(game) if is_status and "hand" not in show else []
        hint = rule_hint(game) if occasion.is_first else ""
        yield Small([*filter(None, [hint]), *standing.facts(game), *said])
    if is_status and "forward" not in show:
        yield Block(lines=standing.roles(game))


def _is_early(occasion: Occasion) -> bool:
    """Return True if this asks ahead of the turn: the hand stands in mails that must be answered."""
    return "early" in occasion.kinds and occasion.game.is_early


def _waiting(occasion: Occasion, show: Set[Part]) -> str:
    """Say who is waited for, and who is away if that is not said below the table."""
    game = occasion.game
    # Whose answer is missing at a table that has not begun is said below it.
    if "waiting" not in show or ("table" in show and game.table.phase == "inviting"):
        return ""
    away = [] if "table" in show else deadline.absences(game)
    return " ".join(filter(None, [standing.waiting(game), *away]))


def _small(occasion: Occasion, ending: Ending | None) -> list[str]:
    """Return the small print, for checking the draw later."""
    game = occasion.game
    if ending is not None:
        return [wording.file_of(ending)]
    own = [line.small for line in occasion.answer.lines if line.small] if occasion.answer is not None else []
    return [*([seal(game)] if is_invitation(occasion) else []), *own]
