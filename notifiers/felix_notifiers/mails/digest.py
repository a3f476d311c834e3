"""One message about several games: a part for each, the most urgent first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from felix_async.language.phrases import phrase
from felix_async.time.times import day_text
from felix_notifiers.content.answers import Answers, Question
from felix_notifiers.content.block import Block
from felix_notifiers.content.everybody import Everybody
from felix_notifiers.content.glance import letter_glance
from felix_notifiers.content.invitation import Invitation
from felix_notifiers.content.mail import Mail, Section
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.opening import Head, Small
from felix_notifiers.content.result import Sacks, Scores
from felix_notifiers.content.sale import Sale
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.table import Hand, Table
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.render import rendered

_LEFT_OUT: Final = (Everybody, Hand, Sacks, Small)
"""The sections of a mail about one table that a digest leaves to its STATUS, HAND and HISTORY."""
_NO_HURRY: Final = "9999"
"""Sorts behind every time."""
_WHOLE: Final = 82_000
"""So many bytes of HTML webmail shows whole, beside the text part and the headers."""
MOST_GAMES: Final = 6
"""Games of one digest: webmail cuts off what is longer."""


def digest_of(
    occasions: Sequence[Occasion], now: str, others: Sequence[str] = (), number: int = 1, count: int = 1
) -> Mail:
    """The sections of several mails, the `number`th digest of `count` on that day.

    The answer to it is about the game of the first occasion; `others` are lines about other tables.
    """
    first = occasions[0].game
    day = day_text(now, first.zone)
    if count > 1:
        subject = phrase("glance.subject.numbered", day=day, number=number, count=count)
    else:
        subject = phrase("glance.subject.digest", day=day)
    turns, early = sum(map(_is_turn, occasions)), sum(map(_is_early, occasions))
    key = "digest_turn" if turns else "digest_early" if early else "digest"
    glance = letter_glance(key, subject, turns=turns, early=early, tables=len(occasions))
    reply = phrase("mails.digest.reply" if turns else "mails.digest.reply_done", label=first.label)
    parts = [_part(occasion, is_first=occasion.game is first) for occasion in occasions]
    listed = [Block(phrase("mails.digest.others"), lines=others)] if others else []
    mail = Mail(glance, [Head(glance.headline), Small([reply])], phrase("mails.frame.about_several"))
    # The first tables have drawings, as many as fit.
    for drawn in reversed(range(len(parts) + 1)):
        told = [*chain(*parts[:drawn]), *map(_bare, chain(*parts[drawn:]))]
        whole = replace(mail, sections=[*mail.sections, *told, *listed])
        if len(rendered(whole).sent_html) <= _WHOLE:
            break
    return whole


def turn_first(occasion: Occasion) -> tuple[bool, bool, str]:
    """The key to sort by: games that wait for the reader, by when the time is up, then those that will."""
    return not _is_turn(occasion), not _is_early(occasion), _due_at(occasion.game)


def _due_at(game: Snapshot) -> str:
    """Until when the reader has time without touching a reserve that is not running yet."""
    deadline = game.table.seats[game.seat].time.deadline
    if deadline is None or game.table.paused_until:
        return _NO_HURRY
    return deadline.reserve_from if game.now < deadline.reserve_from else deadline.at


def _is_turn(occasion: Occasion) -> bool:
    return occasion.game.seat in occasion.game.table.asked


def _is_early(occasion: Occasion) -> bool:
    return "early" in occasion.kinds and occasion.game.is_early


def _part(occasion: Occasion, *, is_first: bool) -> list[Section]:
    """The sections about one table."""
    told = [one for one in mail_of(occasion).sections if not isinstance(one, _LEFT_OUT)]
    return [_as_part(one, occasion.game, is_first=is_first) for one in told]


def _bare(section: Section) -> Section:
    """The section without drawings."""
    return section.bare() if isinstance(section, Table | Answers) else section


def _as_part(section: Section, game: Snapshot, *, is_first: bool) -> Section:
    """A section of the part about its table, and with the address for typed answers."""
    write = phrase(f"mails.digest.write_{'here' if is_first else 'to'}", address=game.reply_address)
    match section:
        case Head():
            name = game.public.name
            title = phrase("mails.digest.title", table=name, headline=section.headline)
            return replace(section, title=title, table=name, room=0)
        case Question():
            return replace(section, intro=replace(section.intro, write=write))
        case Sale():
            return section.in_words()
        case Answers():
            return replace(section, intro=replace(section.intro, write=write))
        case Scores() | Invitation():
            return section.bare()
        case _:
            return section
