"""The mail about a game to one of its seats: a turn, an invitation, a result, an answer, or several at once.

Simultaneous news are told in one mail; each occasion says which sections it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final, Literal

from felix_async.language.phrases import phrase
from felix_notifiers.content import ahead, asked, deadline, lobby, standing, wording
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
from felix_notifiers.content.ending import Ending
from felix_notifiers.content.forward import forward_of
from felix_notifiers.content.harmless import one_line
from felix_notifiers.content.heard import heard_of, is_about_hand, talk_of, turn_of
from felix_notifiers.content.history import History, Speech
from felix_notifiers.content.mail import Mail, Section
from felix_notifiers.content.moves import Option, ReplyTo, may_exchange
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.opening import Head, Opening, Small
from felix_notifiers.content.orders import orders_of
from felix_notifiers.content.pictures import face_of
from felix_notifiers.content.result import hands_of, sacks_of, scores_of
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.subjects import (
    answer_subject,
    answer_topic,
    headline_of,
    reply_subject,
    subject_of,
    topic_of,
)
from felix_notifiers.content.table import Hand, Table, table_of

Part = Literal["history", "table", "hand", "moves", "scores", "ending", "waiting", "help", "forward"]
_ASIDE: Final[frozenset[str]] = frozenset({"vote", "paused", "absent"})
_TURN: Final[frozenset[Part]] = frozenset({"history", "table", "hand", "moves"})


def mail_of(occasion: Occasion) -> Mail:
    """Write the mail about a game. ValueError for a view that no seat has."""
    game = occasion.game
    topic = answer_topic(occasion) or topic_of(game.table, occasion.kinds, occasion.rung)
    subject = _subject(occasion, topic)
    to = ReplyTo(game.reply_address, reply_subject(subject))
    return Mail(subject, [*_sections(occasion, topic, to)], wording.footer(game.label, game.table))


def _sections(occasion: Occasion, topic: str, to: ReplyTo) -> Iterator[Section]:
    """The sections from top to bottom."""
    game = occasion.game
    heard = heard_of(occasion, to)
    show, ending, answer = parts_of(occasion, heard), occasion.ending, occasion.answer
    has_ending = "ending" in show
    words = words_of(occasion, to)
    options: list[Option] = []
    if "moves" in show and not is_for_good(occasion):
        is_end, for_host = _is_end(occasion), _is_for_host(occasion)
        options = options_of(occasion, to, is_end=is_end, is_for_host=for_host)
    intro = intro_of(game, options, words)

    is_early = game.is_early and topic == phrase("mails.subjects.early", round=game.table.round)
    headline = ahead.headline(game) if is_early else headline_of(game.table, topic)
    is_timed = bool(game.table.paused_until) or not _is_aside(occasion.kinds)
    if answer is not None and "time" in answer.show:
        is_timed = False
    times = (deadline.line(game), deadline.reserve(game)) if is_timed else ("", "")
    # What felix heard comes first: above it, that time runs sounds as if nothing had been got.
    is_heard = heard is not None and bool(heard.asked or heard.told) and not show >= _TURN
    yield Head(headline, wording.greeting(game.name), *(("", "") if is_heard else times))
    said = said_of(occasion, options, to, heard)
    asks = [one for one in (heard, turn_of(occasion, heard, to)) if one is not None]
    told: list[Section] = [*asks, *([Answered(said)] if said else [])]
    # What was taken, or is asked, is told above what else was done.
    yield from told if heard is not None and heard.lines else reversed(told)
    lead = headline if headline != topic else ""
    yield Opening([*occasion.arrivals, *wording.opening(occasion)], lead)
    if "help" in show:
        yield asked.now(game, to)
    yield from occasion.blocks
    if "scores" in show and any(score is not None for score in game.table.scores):
        yield scores_of(game, ending if has_ending else None)
    if history := _history(occasion, show):
        yield history
    yield table_of(game, _facts(occasion)) if "table" in show else Table()
    is_bidding = game.own.choices.may_pass or game.is_early
    has_purse = bool(options) and is_bidding and "hand" in show
    hand = _hand(occasion, show, options, to, has_purse=has_purse)
    if not has_purse:
        yield hand
    is_taken = answer is not None and any(line.verdict == "taken" for line in answer.lines)
    below = " ".join(filter(None, times)) if is_heard and (not is_taken or game.table.paused_until) else ""
    yield Waiting(" ".join(filter(None, [below, _waiting(occasion, show)])))
    yield Answers(
        _before_answers(occasion, show, has_purse=has_purse),
        words,
        options,
        intro,
        is_second=heard is not None or game.is_early,
        limits=ahead.limits_beside(game, to) if has_purse and game.is_asked else (),
    )
    if has_purse:
        yield hand
    if "forward" in show:
        yield forward_of(game)
    if has_ending and ending is not None:
        yield from (one for one in (sacks_of(game, ending), hands_of(game, ending)) if one.lines)
    if "help" in show:
        yield orders_of(game, to)
    if occasion.aside is not None:
        yield occasion.aside
    if talk := talk_of(answer, to):
        yield talk
    if small := _small(occasion, ending if has_ending else None):
        yield Small(small)


def _history(occasion: Occasion, show: Set[Part]) -> History | None:
    """Return what happened; beside a result, which tells of each round, only what was said."""
    lines = occasion.history if "history" in show else occasion.speeches
    if "history" not in show and occasion.at_once:
        return History(wording.NEXT_UP, [*occasion.at_once, *lines])
    if "history" in show and "ending" in show:
        lines = [told for told in lines if isinstance(told, Speech)]
    if "history" not in show:
        title = wording.SAID
    elif occasion.since_letter:
        title = wording.NEWS
    else:
        title = wording.HISTORY if occasion.has_moved else wording.SO_FAR
    return History(title, lines) if lines else None


def _facts(occasion: Occasion) -> list[str]:
    """Return the lines below the table; the answer to STATUS also says who is who.

    The answer that opens a table has told its rules and its clock already.
    """
    game = occasion.game
    shown = [] if occasion.answer is None else occasion.answer.show
    has_terms = "forward" not in shown
    roles = standing.roles(game, has_terms=has_terms) if "status" in shown else []
    # Where the hand is shown, that says it.
    said = ahead.said(game) if "status" in shown and "hand" not in shown else []
    return [*standing.facts(game), *said, *roles]


def _hand(
    occasion: Occasion, show: Set[Part], options: Sequence[Option], to: ReplyTo, *, has_purse: bool
) -> Hand:
    """The reader's own; cards that may be tapped are not shown twice unless asked for."""
    game = occasion.game
    if "hand" not in show:
        return Hand()
    is_offered = any(option.face for option in options)
    is_asked = occasion.answer is not None and "hand" in occasion.answer.show
    cards = [face_of(card) for card in game.own.hand] if is_asked or not is_offered else []
    own = standing.belongings(game, has_purse=has_purse)
    following = ahead.next_cards(game, to) if has_purse else []
    typed = ahead.next_typed(following) if game.ahead.card is None else ""
    return Hand(cards, own, not is_offered, following, ahead.next_tapped(game), typed)


def _waiting(occasion: Occasion, show: Set[Part]) -> str:
    """Say who is waited for, and who is away if that is not said below the table."""
    game = occasion.game
    if "waiting" not in show:
        return ""
    away = [] if "table" in show else deadline.absences(game)
    return " ".join(filter(None, [standing.waiting(game), *away]))


def _before_answers(occasion: Occasion, show: Set[Part], *, has_purse: bool) -> list[str]:
    """The purse, what may be done, and what comes after the end."""
    game = occasion.game
    advice = standing.advice(game) if "moves" in show and not is_for_good(occasion) else []
    if has_purse and game.is_early:
        advice = [ahead.early_advice(game)]
    purse = [*filter(None, [ahead.ended(game)]), standing.purse(game)] if has_purse else []
    after = wording.after_the_end(occasion) if "ending" in show else []
    return [*filter(None, [" ".join([*purse, *advice])]), *after]


def _small(occasion: Occasion, ending: Ending | None) -> list[str]:
    """Return the small print, for checking the draw later."""
    game = occasion.game
    if ending is not None:
        return [wording.file_of(ending)]
    is_invitation = occasion.kinds & {"invitation", "reminder"} and game.table.phase == "inviting"
    own = [line.small for line in occasion.answer.lines if line.small] if occasion.answer is not None else []
    return [*([lobby.seal(game)] if is_invitation else []), *own]


def _subject(occasion: Occasion, topic: str) -> str:
    """An answer alone keeps the subject that it answers, so that the thread keeps its name.

    One to plain language has its own: whoever sees no more of it knows if they have to look.
    """
    answer = occasion.answer
    if answer is not None and not occasion.kinds - {"answer"} and not answer_topic(occasion):
        theirs = answer_subject(occasion.game.label, one_line(answer.subject))
        if theirs is not None:
            return theirs
    return subject_of(occasion.game.label, topic)


# ---- which parts a mail has --------------------------------------------------------------------------


def parts_of(occasion: Occasion, heard: Question | None = None) -> set[Part]:
    """Return the parts that the kinds of notices call for, and those that were asked for.

    What felix `heard` in plain language has its own answers, and says what is waited for.
    """
    game = occasion.game
    occasions, answer, over = occasion.kinds, occasion.answer, game.table.is_over
    show: set[Part] = set()
    if "early" in occasions and game.is_early:
        show |= _TURN
    if occasions & {"turn", "reminder"} and game.is_asked and game.table.phase != "inviting":
        show |= _TURN
    if "result" in occasions:
        show |= {"history", "scores", "ending"}
    if "lobby" in occasions and not over:
        show |= {"table"}
    if occasions & {"resumed", "newcomer"} and game.is_asked and not over:
        show |= _TURN
    if occasions & {"news", "timed_out", "newcomer"} and not over and not show >= _TURN:
        show |= {"history", "table", "waiting"}
    if "timed_out" in occasions and may_exchange(game):
        show |= {"hand", "moves"}
    if occasions & {"absent", "vote", "resumed"} and not over and not show >= _TURN:
        show |= {"waiting"}
    if (game.is_asked and not _is_aside(occasions)) or _is_end(occasion) or _is_for_host(occasion):
        show |= {"moves"}
    if answer is not None:
        if occasion.is_behind and (game.is_asked or game.is_early):
            show |= _TURN | {"moves"}
        show |= set() if show >= _TURN else {"waiting"}
        if heard is not None and heard.options and not occasion.is_behind:
            show -= {"moves", "waiting"}
        elif heard is not None and not show >= _TURN:
            show -= {"moves"}
        if game.table.seats[game.seat].gone and "status" not in answer.show:
            # Whoever has left for good need not be told what goes on there.
            show -= {"waiting"}
        show |= {"table"} if "status" in answer.show else set()
        show |= {"hand"} if "hand" in answer.show or is_about_hand(answer) else set()
        show |= {"help"} if "help" in answer.show else set()
        show |= {"forward"} if "forward" in answer.show and game.table.phase == "inviting" else set()
        if "resend" in answer.show and not occasions - {"answer"}:
            show |= _looks(game)
        if "resend" in answer.show and "lobby" in occasions and game.table.asked:
            show |= {"forward"}
    elif not occasions:
        show |= _looks(game)
    if over and "table" in show:
        show |= {"scores"}
    return show


def _looks(game: Snapshot) -> set[Part]:
    """Return the parts of a mail that nothing called for."""
    if game.table.phase == "inviting":
        return {"history", "table", "waiting"}
    return {"history", "table", "hand", "waiting"}


def _is_end(occasion: Occasion) -> bool:
    """Return True if the mail tells the end of a game, or that it will not begin."""
    is_lost = "withdrawn" in occasion.kinds and occasion.game.table.phase == "abandoned"
    return bool(occasion.kinds & {"result", "cancelled"}) or is_lost


def _is_aside(occasions: Set[str]) -> bool:
    """Return True if the mail is only about a vote, or for the host: moves have mails of their own."""
    return bool(occasions) and occasions <= _ASIDE


def _is_for_host(occasion: Occasion) -> bool:
    """Return True if the mail tells the host who has answered."""
    game = occasion.game
    is_status = occasion.answer is not None and "status" in occasion.answer.show
    return "lobby" in occasion.kinds or (is_status and bool(lobby.host_orders(game)))
