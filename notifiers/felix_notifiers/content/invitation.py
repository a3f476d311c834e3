"""An invitation: who plays, what Felix is, with its animals, and how this table plays it.

It is read by people who may never have heard of Felix, on the way to something else: RULES tells the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from felix_async.follow_up.decisions import LAST_CALL
from felix_async.language.clock_terms import terms_text
from felix_async.language.phrases import first_capital, phrase
from felix_async.pictures.pictures import Face, face_of
from felix_async.time.times import until
from felix_events.model import Card
from felix_notifiers.content import layout, lobby
from felix_notifiers.content.harmless import table_name
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Sequel, Snapshot

_SHOWN: Final[Sequence[Card]] = (15, -8, 0, "large_dog")
"""The best of each kind of card, and the worst cat."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """The game, its players, a few of the cards, and the terms of this table."""

    game: str
    cards: Sequence[Face]
    terms: str

    def text(self) -> str:
        return layout.paragraphs([self.game, self.terms])

    def bare(self) -> Invitation:
        """Without drawings."""
        return replace(self, cards=[face.bare() for face in self.cards])


def is_invitation(occasion: Occasion) -> bool:
    """Return True if the mail asks its reader to join."""
    kinds = occasion.kinds
    asks = bool(kinds & {"invitation", "reminder"}) and not kinds & {"lobby", "withdrawn"}
    return asks and occasion.game.table.phase == "inviting"


def invitation_of(occasion: Occasion) -> Invitation:
    """Return the invitation; who played with the same players before knows what Felix is."""
    game = occasion.game
    if game.sequel is not None:
        told = _sequel(game, game.sequel)
    else:
        told = [_players(game), phrase("lobby.invitation.game")]
    return Invitation(" ".join(told), list(map(face_of, _SHOWN)), " ".join(_terms(occasion)))


def seal(game: Snapshot) -> str:
    """Felix's own part in the draw, sealed: what an invitation says in small print."""
    return phrase("lobby.invitation.seal", commitment=game.table.commitment)


def _players(game: Snapshot) -> str:
    """Say with whom the reader would play, or whom they host."""
    names = lobby.still_in(game)
    is_host = game.table.host == game.seat
    return phrase("lobby.invitation.host" if is_host else "lobby.invitation.players", names=names)


def _sequel(game: Snapshot, sequel: Sequel) -> list[str]:
    """Say that it is the next game of these players, who starts, and who was not asked."""
    name = table_name(game.table_name)
    again = phrase("lobby.invitation.again_table", table=name) if name else phrase("lobby.invitation.again")
    told = [_players(game), again]
    if sequel.start == game.seat:
        told.append(phrase("lobby.invitation.again_you_start"))
    elif sequel.start is not None:
        told.append(phrase("lobby.invitation.again_start", who=game.who(sequel.start)))
    if sequel.not_asked:
        told.append(phrase("lobby.invitation.not_asked", names=sequel.not_asked))
    return told


def _terms(occasion: Occasion) -> list[str]:
    """Say how much time there is, what is unusual at this table, and by when to answer."""
    game = occasion.game
    table = game.table
    if table.clock is not None:
        told = [phrase("lobby.invitation.clock", terms=first_capital(terms_text(table.clock)))]
    else:
        told = [phrase("lobby.invitation.no_clock")] if game.sequel is None else []
    if lobby.is_other_edition(table):
        told.append(phrase("lobby.invitation.rules", edition=lobby.edition(table)))
    if lobby.is_in_turn(table):
        told.append(phrase("lobby.invitation.in_turn"))
    if game.expires:
        is_last, moment = occasion.rung == LAST_CALL, until(game.expires, game.zone)
        told.append(
            phrase("lobby.invitation.last_call" if is_last else "lobby.invitation.expires", moment=moment)
        )
    return told
