"""The contract of a store: protocols that one suite of tests holds every store to.

A store keeps logs, and in the same transactions all that must not drift apart from them. It knows no rules.
    with store.write() as tx:                     # all of it happens, or nothing
        tx.append("k7m2p", 36, [Sealed(body)])    # VersionConflict if the log is not at 36
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from felix_events.store.errors import Damaged as Damaged
from felix_events.store.errors import StoreError as StoreError
from felix_events.store.errors import VersionConflict as VersionConflict
from felix_events.store.looking import LookedAt
from felix_events.store.rows import (
    AddressRow,
    Backlog,
    Belief,
    Choice,
    Delivered,
    Due,
    ForgetStep,
    Former,
    GameLine,
    GameRow,
    Held,
    Letter,
    LetterLine,
    LetterState,
    LogRow,
    MadeGood,
    Mail,
    MailLine,
    MailState,
    NoticeRow,
    Question,
    QuestionState,
    Saying,
    Sealed,
    SeatRow,
    Trouble,
)
from felix_events.store.strangers import GreetingsAsked, GreetingsWritten


class Reader(GreetingsAsked, LookedAt, Protocol):
    """The questions that a store answers."""

    def bodies(self, game_id: str, after: int = 0, until: int | None = None) -> list[bytes]:
        """The events' bytes in order, from version `after` + 1 on, up to version `until`."""

    def log(self, game_id: str) -> list[LogRow]:
        """The whole log of a game, or of a seat (see `felix_events.envelope.seat_log_id`), in order."""

    def head(self, game_id: str) -> tuple[int, bytes]:
        """Return the log's version and the tree's range there; (0, b"") if there is no such log."""

    def heads(self, log_ids: Sequence[str]) -> dict[str, tuple[int, bytes]]:
        """Return the heads of several logs, of those that there are."""

    def logs(self) -> list[str]:
        """The ids of all games that have a log or are known, sorted; a seat's own log is its game's."""

    def game(self, game_id: str) -> GameRow | None:
        """Return a game, None if there is none."""

    def games(self, since: str = "") -> list[GameRow]:
        """All games that were created after that, the oldest first."""

    def game_lines(self) -> list[GameLine]:
        """All games without their logs, the oldest first."""

    def seats(self, game_id: str) -> list[SeatRow]:
        """A game's seats, in seat order."""

    def seats_of(self, player_id: str) -> list[SeatRow]:
        """The seats of a player, the newest game first."""

    def former(self, game_id: str) -> list[Former]:
        """Whose seats at this table somebody else has taken, in the order in which that happened."""

    def former_of(self, player_id: str) -> list[Former]:
        """The seats that this player has lost to somebody else."""

    def co_players(self, player_id: str) -> list[SeatRow]:
        """The newest seat in a game with this player of everybody who shared one, the newest first.

        Without those who were forgotten; those who have lost the seat come last, without a secret."""

    def player_at(self, address: str) -> str | None:
        """The id of the player with this mail address."""

    def addresses(self, player_id: str | None = None) -> list[AddressRow]:
        """A player's mail addresses, the chosen one first, then the oldest; or everybody's by age."""

    def choice(self, player_id: str) -> Choice:
        """Return the choices of a player, the defaults if they made none."""

    def choices_at(self, game_id: str) -> dict[int, Choice]:
        """By seat, what those players of a game chose who chose something other than the default."""

    def sayings(self, game_id: str) -> list[Saying]:
        """Return the lines that were said in a game, in order."""

    def mails(self, state: MailState | None = None, sha256: str | None = None) -> list[Mail]:
        """The mails in the order of arrival; those in a state, or whose bytes have, or had, this hash."""

    def mail(self, mail_id: int) -> Mail | None:
        """Return a received mail, None if there is none."""

    def mail_lines(
        self, limit: int, state: MailState | None = None, before: int | None = None
    ) -> list[MailLine]:
        """The newest received messages without their bytes; those with an id below `before`."""

    def letter_lines(
        self,
        limit: int,
        state: LetterState | None = None,
        before: int | None = None,
        game_id: str | None = None,
    ) -> list[LetterLine]:
        """The newest letters without their bytes; those with an id below `before`."""

    def backlog(self) -> Backlog:
        """How many messages and letters wait for somebody."""

    def next_mail(self, after: int = 0) -> Mail | None:
        """Return the oldest new mail of those with an id above `after`."""

    def mail_with(self, key: str) -> Mail | None:
        """A message already dealt with that has this key."""

    def outcome(self, command_id: str) -> str | None:
        """Return the outcome of a command (JSON), None if it was not handled yet."""

    def pending(self, now: str, game_id: str | None = None) -> list[NoticeRow]:
        """Notices that are due and not settled, of one game or of all, the oldest first."""

    def pending_for(self, player_id: str, now: str) -> list[NoticeRow]:
        """Notices that are due and not settled, of all seats of a player, the oldest first."""

    def notices(self, game_id: str, since: str = "") -> list[NoticeRow]:
        """The notices of a game, settled or not, that became due after `since`, in the order of owing."""

    def letters(self, state: LetterState | None = None) -> list[Letter]:
        """Letters, in the order in which they were frozen."""

    def letter(self, letter_id: int) -> Letter | None:
        """Return a letter, None if there is none."""

    def letter_with(self, message_id: str) -> Letter | None:
        """The letter with this Message-ID, brackets and all."""

    def letter_lives(self, message_id: str) -> bool | None:
        """Return False if the letter with this Message-ID failed or was dropped, None if there is none."""

    def has_written(self, player_id: str) -> bool:
        """Return True if a message of this player was ever dealt with."""

    def rematches(self, game_id: str) -> list[GameRow]:
        """The games that were opened as a rematch of this one, the oldest first."""

    def made_good(self, game_id: str, kind: MadeGood, since: str) -> str | None:
        """Until when a game has got back an outage that began then, or lost what a clock ahead gave it."""

    def questions(self, game_id: str, seat: int) -> list[Question]:
        """Return the questions to a seat, in order, answered or not."""

    def questions_due(self, now: str, limit: int) -> list[Question]:
        """Open questions that answer themselves by then, the earliest first."""

    def letters_due(self, now: str, limit: int) -> list[Letter]:
        """Letters that are ready and whose time has come."""

    def letters_in_turn(self, now: str, limit: int, without: Collection[str] = ()) -> list[Letter]:
        """Due letters: the oldest of each lane, then the second of each, …; but none of those `without`."""

    def notices_in(self, letter_id: int) -> list[NoticeRow]:
        """The notices that became this letter, in the order in which they were owed."""

    def letters_about(self, game_id: str, seat: int, limit: int) -> list[int]:
        """The newest letters that live (not failed nor dropped) and tell a seat of its game, newest first."""

    def reported_until(self, game_id: str, seat: int, before: int | None = None) -> int | None:
        """Return how far letters that live, and came before `before`, told a seat what happened."""

    def delivered(self, game_id: str, seat: int, before: int | None = None) -> set[int]:
        """The versions of what was said that stand in such letters to a seat."""

    def telling(self, game_id: str, seat: int, turn: int) -> Letter | None:
        """The newest letter that tells a seat of this decision; None if there is none yet."""

    def reminded(self, game_id: str, seat: int, turn: int) -> list[str]:
        """Return the `about` of all reminders of a decision to a seat, in order."""

    def due(self, now: str, limit: int) -> list[Due]:
        """Due rows whose time has come, the earliest first."""

    def due_of(self, game_id: str) -> list[Due]:
        """All due rows of a game, by seat."""

    def secret(self, name: str) -> bytes | None:
        """A secret of this server."""

    def last_beat(self) -> str | None:
        """Return when a server last worked on this store; None if none ever did."""

    def troubles(self) -> list[Trouble]:
        """The games that could not be read, by id."""

    def trouble(self, game_id: str) -> Trouble | None:
        """Return the trouble with a game, None if there is none."""

    def forgettings(self) -> list[str]:
        """Whom this store has begun to forget, and not ended to."""

    def is_left_over(self, player_id: str, letter_id: int) -> bool:
        """Return True if this letter, or a notice in it, waited as this player was forgotten."""

    def next_forget_step(self, player_id: str) -> ForgetStep | None:
        """Return the rows to erase next of somebody; None once none are left."""

    def mails_kept(self, after: int, limit: int) -> list[MailLine]:
        """The oldest messages that have their bytes, with ids above `after`."""

    def letters_kept(self, after: int, limit: int) -> list[LetterLine]:
        """The oldest letters that have their bytes, with ids above `after`."""

    def undone_kept(self) -> list[MailLine]:
        """Mails that have their bytes, of which nothing was done and no player is asked; the newest first."""

    def held(self, mail_id: int) -> Held | None:
        """A message that waits, or has waited, for its player; None if it never did."""

    def is_confirmed(self, mail_id: int) -> bool:
        """Return True if the player said that a held mail is theirs."""

    def beliefs(self, player_id: str | None = None) -> list[Belief]:
        """Return the senders that a player, or everybody, has vouched for, sorted."""


class Tx(Reader, GreetingsWritten, Protocol):
    """An open transaction: what it writes is there as a whole once it ends well, and never in part."""

    def savepoint(self) -> AbstractContextManager[None]:
        """A part that is undone alone when it raises; the exception goes on."""

    def append(self, game_id: str, expected: int, events: Sequence[Sealed]) -> tuple[int, bytes]:
        """Add events after version `expected`; the new head. Raises VersionConflict."""

    def add_game(self, game: GameRow) -> None:
        """Enter a game; StoreError if the id is taken."""

    def note_game(self, game_id: str, state: str, size: int) -> None:
        """Bring the game's projection up to its log."""

    def add_seat(self, seat: SeatRow) -> None:
        """Enter a player at a seat (`address` is kept with the player, see `add_player`)."""

    def add_player(self, player_id: str, address: str) -> None:
        """Enter a player's mail address; StoreError if it is another player's."""

    def rotate_secret(self, game_id: str, seat: int, secret: bytes) -> None:
        """Give a seat a new secret: every address that was made with the old one is void."""

    def reseat(self, seat: SeatRow, version: int) -> None:
        """Let somebody else have a seat, from this version of the log on; with its old secret go all tokens.

        The player before is `former` now. Questions to the seat are dropped and emptied, its notices are
        settled, letters to it that wait or failed are dropped; but a farewell still goes out, and what such a
        letter told of other tables is owed again. `seat.address` is not looked at, see `add_player`.
        """

    def adopt(self, player_id: str, address: str) -> None:
        """Note that the player writes from this address, too: no mail goes there, and another may own it."""

    def note_address(self, row: AddressRow) -> None:
        """Keep the score of an address, and whether mail to it is stopped."""

    def move_mail(self, player_id: str, address: str) -> None:
        """Letters to this player go to this address from now on; StoreError if it is another player's.

        It is entered if it is new, chosen, no longer stopped, its bounces forgotten. The player's other
        addresses get no letters and still say who writes: `moved`, unless they were stopped before."""

    def choose(self, choice: Choice) -> None:
        """Keep what a player chose, in place of what they chose before."""

    def keep_saying(self, saying: Saying) -> None:
        """Keep what a seat said, once for each version of the log."""

    def forget(self, player_id: str) -> None:
        """Erase a person; the games that they played stay sound, with a seat that nobody can write for.

        Gone are addresses, choices, sayings, the name and the secret of their seats, questions and notices to
        them, mails of theirs and letters to them; mails of others that hold an address, or are by people at
        their tables and name them or repeat a line of theirs: what proves moves of others stays (`cutting`).
        Letters to others keep what an answer is known by; those that wait go if they are forgotten once more.
        These stay: the log, with opaque ids and hashes; messages that come later; a name in what others said;
        an address that another player writes from; backups, exports.
        """

    def ask(self, question: Question) -> int:
        """Keep a question; its number among those of the seat."""

    def settle_question(self, question: Question, state: QuestionState) -> None:
        """Say how a question was answered."""

    def put_off_question(self, question: Question, due_at: str) -> None:
        """Let an open question answer itself at another time."""

    def keep_mail(self, received_at: str, recipient: str, sender: str, raw: bytes) -> int:
        """Keep a received mail; its id."""

    def settle_mail(self, mail_id: int, state: MailState, *, key: str | None = None, note: str = "") -> None:
        """Say what became of a message."""

    def attribute_mail(self, mail_id: int, player_id: str) -> None:
        """Say whose message this was, so that it goes with them when they are forgotten."""

    def requeue_mail(self, mail_id: int, note: str, *, retried: bool = False) -> None:
        """Let a message be dealt with as if it were new, its tries forgotten; `retried` by the operator."""

    def try_mail(self, mail_id: int, note: str) -> None:
        """Count one failed try to deal with a message."""

    def remember(self, command_id: str, game_id: str, outcome: str) -> None:
        """Keep what came of a command, so that it is not done twice."""

    def enqueue(self, notice: NoticeRow) -> bool:
        """Enqueue a notice; False if it is pending or settled already."""

    def bring_forward(self, player_id: str, now: str) -> None:
        """Make all pending notices to this player due at `now`."""

    def settle(self, notice_ids: Iterable[int], letter_id: int | None) -> None:
        """Notices are in this letter now, or (None) dropped because they went stale."""

    def freeze(self, letter: Letter) -> int:
        """Keep a letter; its id."""

    def keep_delivered(self, letter_id: int, delivered: Delivered) -> None:
        """Note what a letter told, of one of the games that it is about."""

    def mark_letter(
        self, letter_id: int, state: LetterState, *, next_at: str, note: str = "", maybe_arrived: bool = False
    ) -> None:
        """Count a try to send a letter, and say how it went."""

    def note_alert(self, letter_id: int) -> bool:
        """Note that a short notice tells of this letter; False if one did before."""

    def count_bounce(self, game_id: str, seat: int, report: str) -> bool:
        """Note a bounce that came to a seat, by the letter or the report; False if it was counted before."""

    def make_good(self, game_id: str, kind: MadeGood, since: str, until: str) -> None:
        """Note that this has been made good in a game, so that it is not done twice."""

    def end_letter(self, letter_id: int, state: Literal["failed", "dropped"], note: str) -> None:
        """Note that a letter came back, or is not needed any more; counts no try."""

    def give_up_letters(self, frozen_before: str, note: str, lane: str | None = None) -> int:
        """Ready letters from before then have failed, those to one lane or all; how many."""

    def requeue_letter(self, letter_id: int, next_at: str, note: str, *, maybe_arrived: bool = False) -> None:
        """Let a letter be tried again at `next_at`, its tries forgotten."""

    def set_due(self, game_id: str, rows: Iterable[Due]) -> None:
        """Replace all due rows of a game."""

    def clear_due(self, row: Due) -> None:
        """Take a due row away."""

    def beat(self, at: str) -> None:
        """Note that the server works at `at`, in place of what was noted before."""

    def keep_secret(self, name: str, value: bytes) -> None:
        """Keep a secret of this server, once."""

    def renew_secret(self, name: str, value: bytes) -> None:
        """Put a secret of this server in the place of the one that was kept, or keep it."""

    def note_trouble(self, trouble: Trouble) -> bool:
        """Note that a game cannot be read; False if that is known already."""

    def end_trouble(self, game_id: str) -> None:
        """The game can be read again."""

    def begin_to_forget(
        self, player_id: str, letters: Iterable[int] = (), notices: Iterable[int] = ()
    ) -> None:
        """Do what must hold at once, and note that the rest is to be done.

        These `letters` and `notices` wait and may name the player: they go once they are sent.
        """

    def do_forget_step(self, step: ForgetStep) -> None:
        """Erase what was found."""

    def end_forgetting(self, player_id: str) -> None:
        """Nothing is left to be done for this person."""

    def forget_letter(self, letter_id: int, player_id: str, *, is_theirs: bool) -> None:
        """Erase a letter that waited while somebody was forgotten, and has gone."""

    def drop_mail_bytes(self, mail_id: int) -> None:
        """Keep of a mail that it came and what became of it, but not its bytes: `raw` is b"" from now on."""

    def drop_letter_bytes(self, letter_id: int) -> None:
        """Keep of a letter that it was written and what became of it, but not its bytes."""

    def hold(self, mail_id: int, player_id: str, sender: str, provider: str = "") -> None:
        """Hold a message for a player's seat until they say whether `sender` is them."""

    def note_keyless(self, mail_id: int) -> None:
        """Note that a held mail had no token, and that its writer was asked about it."""

    def confirm_held(
        self, player_id: str, sender: str, only: int | None = None, provider: str | None = None
    ) -> list[int]:
        """Give the player the held messages of this sender, `provider` or `only` one; those that changed."""

    def release_held(self, player_id: str, sender: str, provider: str | None = None) -> None:
        """No mail of this sender, by this provider or any, waits any more for this player's word."""

    def believe(self, belief: Belief) -> None:
        """Mail from this address, by this provider, is this player's."""

    def doubt(self, player_id: str, address: str | None = None, provider: str | None = None) -> int:
        """It is no longer, for this address and provider, or for all of them; how many were forgotten."""


class Store(Protocol):
    """Games in a file or in memory."""

    def read(self) -> AbstractContextManager[Reader]:
        """A view of what is committed."""

    def write(self) -> AbstractContextManager[Tx]:
        """The one transaction that may write now; it commits when the block ends, or undoes it all.

        A store keeps other writers out until then: `add_seat`, `add_player` and `ask` number rows by it.
        """

    def close(self) -> None:
        """Let go of files; the store is not used afterwards."""
