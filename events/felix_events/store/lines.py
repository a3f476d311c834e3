"""Rows for lists: what is known of a game without its log, of a mail or a letter without its bytes, and how
much lies about.
"""

from __future__ import annotations

from dataclasses import dataclass

from felix_events.store.rows import Due, GameKind, LetterState, MailState


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game as a list shows it: its players by seat, '' for one who was forgotten, and who is hurried until
    when, or until when all rest (the due rows `deadline` and `resume`, by seat). `clock` is as in `GameRow`.
    """

    game_id: str
    table_name: str
    kind: GameKind
    created_at: str
    state: str
    size: int
    clock: str
    names: tuple[str, ...]
    due: tuple[Due, ...]


@dataclass(frozen=True, slots=True)
class MailLine:
    """A received mail as a list shows it; `size` counts its bytes, `player_id` is as in `Mail`."""

    mail_id: int
    received_at: str
    recipient: str
    sender: str
    size: int
    state: MailState
    tries: int
    note: str
    player_id: str | None


@dataclass(frozen=True, slots=True)
class LetterLine:
    """A letter as a list shows it; `size` counts its bytes."""

    letter_id: int
    game_id: str
    seat: int
    recipient: str
    created_at: str
    next_at: str
    size: int
    state: LetterState
    tries: int
    note: str


@dataclass(frozen=True, slots=True)
class Backlog:
    """How much waits for felix (`new`, `ready`) and for the operator (`quarantined`, `failed`)."""

    new: int
    quarantined: int
    ready: int
    failed: int
