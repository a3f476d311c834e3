"""The rows of a store: plain values without rules. Times are text as in `felix_async.clock`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

GameKind = Literal["played", "local", "simulated", "imported"]
"""Games by mail or at the desk, games at a terminal against the computer, and two that nobody plays here."""
QuestionKind = Literal["sender", "order", "address", "moved", "forget", "substitute"]
QuestionState = Literal["open", "yes", "no", "dropped"]
Stopped = Literal["", "bounces", "asked", "moved"]
Greeted = Literal["told", "refused", "opened"]
Notify = Literal["all", "turns", "mine", "daily"]
LOST = "somebody else plays in this seat now"
"""The note of a letter that was dropped because its reader has lost the seat."""
CUT = "cut down to its orders in "
"""The note of a mail of which only what proves orders is left; the games follow, with spaces between them."""
DEFAULT_QUIET = "22:00-08:00"
"""The quiet hours of everybody who chose none (`felix_async.time.quiet_hours`)."""
MadeGood = Literal["outage", "ahead"]
HeldState = Literal["waiting", "confirmed", "released"]
MailState = Literal["new", "done", "ignored", "duplicate", "quarantined"]
LetterState = Literal["ready", "sent", "failed", "dropped"]


@dataclass(frozen=True, slots=True)
class Sealed:
    """An event's bytes, ready to be appended, and its private record if it has one."""

    body: bytes
    private_record: bytes | None = None


@dataclass(frozen=True, slots=True)
class LogRow:
    """An event's bytes, the tree's range after it (`felix_events.tree`), and its private record."""

    version: int
    body: bytes
    range_: bytes
    private_record: bytes | None


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game outside its log. `state`, `size` and `clock` follow from the log: the last is
    the terms in its `clock_set`, as they stand there, '' for a game without one. `seed` is secret.

    `rematch_of` is the id of the game that it follows, '' for none; `opened_by` the seat whose player opened
    the table by mail, None for one of the operator.
    """

    game_id: str
    table_name: str
    kind: GameKind
    created_at: str
    seed: bytes | None = field(repr=False)
    state: str = "inviting"
    size: int = 0
    clock: str = ""
    rematch_of: str = ""
    opened_by: int | None = None

    @property
    def is_over(self) -> bool:
        """Return True if nothing can be asked of this game any more."""
        return self.state in ("ended", "abandoned")


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A player at a seat: the name as it is now, the address (None: gets no mail), the secret of its tokens.

    Letters go to `address`: the one that the player chose, else the oldest of their own, if it is not
    stopped. `addresses` are those that they write from, the adopted ones last. A person who was forgotten has
    the name '' and the secret b"": nobody can write for that seat.
    """

    game_id: str
    seat: int
    player_id: str
    name: str
    address: str | None
    secret: bytes = field(repr=False)
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Former:
    """Somebody whose seat another one has taken: the name as it was then, '' once they were forgotten.

    All that happened in that seat before `version` of the log was theirs.
    """

    game_id: str
    seat: int
    player_id: str
    name: str
    version: int


@dataclass(frozen=True, slots=True)
class AddressRow:
    """One mail address of a player. `score` counts bounces as they stood at `scored_at` (they decay).

    `stopped` says that no mail goes there, and why: it bounces, its reader asked for it, or letters go to
    another address of this player now. That other one is `chosen`.
    """

    address: str
    player_id: str
    score: float = 0.0
    scored_at: str = ""
    stopped: Stopped = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The wishes of a player, which news and when: every event, turns and results, or one letter a day.

    Who wants `mine` gets what `turns` brings, but for what asks ahead of their turn.
    `hears` says whether the lines that others say reach them. `zone` is the time zone that they confirmed,
    `offset` the one that their newest message came from (`felix_async.time.zones`; '' if it is not known),
    `quiet` the hours in which they want no mail that can wait ('': none). `asked_zone` says that they were
    asked where they are: that is done once. `discreet` keeps cards and bids out of a mail's subject and first
    line, `receipts` asks for an answer to every order.
    """

    player_id: str
    notify: Notify = "turns"
    hears: bool = True
    zone: str = ""
    offset: str = ""
    quiet: str = DEFAULT_QUIET
    asked_zone: bool = False
    discreet: bool = False
    receipts: bool = False


@dataclass(frozen=True, slots=True)
class Saying:
    """A line that a seat said at a version of the log, which holds no more than its salted hash."""

    game_id: str
    version: int
    seat: int
    salt: bytes = field(repr=False)
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Delivered:
    """The news in a letter to a seat: all that happened up to `head` of the log, and what was said there.

    Without a `head` it told nothing of what happened. `sayings` are versions of the log; if somebody does
    not hear what others say, that counts as told.
    """

    game_id: str
    seat: int
    head: int | None = None
    sayings: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """Something felix asked a seat: is this address yours (`sender`), did you mean this (`order`), shall
    letters go to this address (`address`), or come back to it (`moved`), shall all that is known of you be
    erased (`forget`); or somebody else, whether they play on in this seat (`substitute`).

    `number` counts a seat's questions from 1, `turn` is the decision that was before the seat then,
    `mail_id` the message that gave rise to it, `text` the order, the address, or a name and an address. An
    order that was taken from a message, and not asked about, is done at `due_at` if nobody says otherwise. It
    is about the row as it lay open in this `round`, with so many cards `turned`; 0 and 0 if about none.
    """

    game_id: str
    seat: int
    kind: QuestionKind
    turn: int
    mail_id: int
    text: str
    asked_at: str
    number: int = 0
    state: QuestionState = "open"
    due_at: str = ""
    round: int = 0
    turned: int = 0


@dataclass(frozen=True, slots=True)
class Held:
    """A message that waits for a player to say whether it was theirs, or did; `provider` as in `Belief`.

    `keyless`: it had no token, and its writer was asked about it.
    """

    mail_id: int
    player_id: str
    sender: str
    provider: str = ""
    state: HeldState = "waiting"
    keyless: bool = False


@dataclass(frozen=True, slots=True)
class Belief:
    """That mail from an address is the player's if it comes by this provider, since when they said so.

    A provider is what our own mail server saw of it (`felix_async.reading.authentication`).
    """

    player_id: str
    address: str
    provider: str
    since: str


@dataclass(frozen=True, slots=True)
class Mail:
    """A message as it came in. `sender` is the envelope's, `key` shows a message delivered twice (once read).

    `player_id` is whose message it was, once that is known. An erased mail is empty: `raw` is b"". So is one
    that was cut down (`games_of_cut`): its Message-ID and order lines are in `evidence`. `sha256` is always
    that of what came in. `retried`: the operator wants it dealt with once more, with more patience.
    """

    mail_id: int
    received_at: str
    recipient: str
    sender: str
    raw: bytes = field(repr=False)
    sha256: str
    state: MailState = "new"
    tries: int = 0
    key: str | None = None
    note: str = ""
    player_id: str | None = None
    retried: bool = False
    evidence: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Greeting:
    """The answer to a mail of somebody who plays nowhere: `told` what felix is, or that a table was `refused`
    or `opened`. Of the `address` and of its `domain` a hash is kept, which needs the server's secret.
    """

    address: bytes
    domain: bytes
    mail_id: int
    what: Greeted
    at: str


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """News that a seat is to get because of an event: one for each (game, version, seat, kind, about).

    `felix_async.follow_up.kinds` knows what `kind`, `about` and `payload` (JSON) mean.
    """

    game_id: str
    version: int
    seat: int
    kind: str
    due_at: str
    turn: int = 0
    about: str = ""
    payload: str = "{}"
    notice_id: int = 0


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail, rendered once and frozen: every try sends these bytes. One to a stranger is about no game ('').

    `sender` is the envelope's, for bounces; '' if none are wanted. A letter is dropped if nobody
    needs it any more before it was sent. An erased one has no bytes, or only the header fields by which an
    answer to it is known (`naming.is_cut`). `maybe_arrived`: the other side did not answer a try.
    """

    game_id: str
    seat: int
    recipient: str
    message_id: str
    raw: bytes = field(repr=False)
    created_at: str
    next_at: str
    state: LetterState = "ready"
    tries: int = 0
    note: str = ""
    sender: str = ""
    letter_id: int = 0
    maybe_arrived: bool = False


Change = tuple[str, Sequence[Any] | dict[str, Any]]
"""A statement, and its values."""


@dataclass(frozen=True, slots=True)
class ForgetStep:
    """Some rows that were looked at, up to `until` of a stage, and what is to be erased there."""

    player_id: str
    stage: str
    until: int
    changes: Sequence[Change] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A game that cannot be read, since when, and what is wrong with it."""

    game_id: str
    since: str
    why: str


def games_of_cut(note: str) -> list[str]:
    """The games that a mail with this note was cut down for; none if it was not cut."""
    return note.removeprefix(CUT).split() if note.startswith(CUT) else []


def lane_of(address: str) -> str:
    """The domain of an address: letters to one of them do not wait for those to another."""
    return address.rpartition("@")[2].lower()


@dataclass(frozen=True, slots=True)
class Due:
    """At `due_at`, look at this seat's turn again. A projection of the log."""

    game_id: str
    seat: int
    kind: str
    turn: int
    due_at: str


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
