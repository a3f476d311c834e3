"""The origin of a command, what came of it, and the bytes by which a log keeps both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson

from felix_async.game.table import Refusal
from felix_events.envelope import (
    MOST_OF_ID,
    MOST_OF_LINE,
    Actor,
    Channel,
    Private,
    PrivateV2,
    encode_envelope,
    encode_private,
)
from felix_events.model import Event
from felix_events.store.rows import Sealed

Entropy = Callable[[int], bytes]
"""Gives so many unpredictable bytes: `os.urandom`, or a seeded stream in tests and simulations."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a command. Its `command_id` names it for ever; the rest goes into the private record.

    `turn` is the decision that it answers; None if it does not say (the host's desk). `line` is the line as
    it was written, `message_id` that of its mail, `grammar` the number of the reader of plain words, and
    `inferred` says that it was read by that one.
    """

    command_id: str
    actor: Actor
    channel: Channel
    mail_sha256: str | None = None
    order: str | None = None
    turn: int | None = None
    line: str | None = None
    message_id: str | None = None
    grammar: int | None = None
    inferred: bool = False


def taken_cause(game_id: str, seat: int) -> str:
    """Return how the command ids begin of orders of a seat that were taken first, and done after a pause."""
    return f"taken/{game_id}/{seat}/"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a command: the log's version then, the number of events, or a refusal.

    `repeated` says that the command had been handled before, with this outcome.
    """

    version: int
    events: int = 0
    refusal: Refusal | None = None
    repeated: bool = False

    def dump(self, game_id: str) -> str:
        """Return it as the store keeps it beside the id of its command."""
        fields: dict[str, object] = {"game_id": game_id, "version": self.version, "events": self.events}
        if self.refusal is not None:
            fields |= {"code": self.refusal.code, "details": self.refusal.details}
        return orjson.dumps(fields).decode()

    @classmethod
    def load(cls, text: str) -> Outcome:
        """Return the outcome of a command that was handled before."""
        fields = orjson.loads(text)
        refusal = Refusal(fields["code"], fields["details"]) if "code" in fields else None
        return cls(fields["version"], fields["events"], refusal, repeated=True)


def private_record(records: int, origin: Origin, entropy: Entropy) -> tuple[bytes, str]:
    """Return the private record of a command by the schema that its table agreed on, and its hash."""
    salt = entropy(16).hex()
    if records == 1:
        return encode_private(
            Private(
                salt=salt,
                channel=origin.channel,
                cause=origin.command_id,
                mail_sha256=origin.mail_sha256,
                order=origin.order,
            )
        )
    return encode_private(
        PrivateV2(
            salt=salt,
            channel=origin.channel,
            cause=origin.command_id,
            mail_sha256=origin.mail_sha256,
            order=origin.order,
            schema=2,
            line=None if origin.line is None else origin.line[:MOST_OF_LINE],
            message_id=None if origin.message_id is None else origin.message_id[:MOST_OF_ID],
            grammar=origin.grammar,
            inferred=origin.inferred,
        )
    )


def seal(
    events: Sequence[Event],
    private: tuple[bytes, str],
    *,
    game_id: str,
    version: int,
    at: str,
    actor: Actor,
    entropy: Entropy,
) -> list[Sealed]:
    """Return the bytes of a step that comes after this version.

    Its first event is the command's, with the private record; the others follow by the rules.
    """
    record, private_hash = private
    return [
        Sealed(
            encode_envelope(
                event,
                game_id=game_id,
                version=version + step,
                at=at,
                actor=actor if step == 1 else "rules",
                salt=entropy(16).hex() if event.secret else None,
                private=private_hash if step == 1 else None,
            ),
            record if step == 1 else None,
        )
        for step, event in enumerate(events, 1)
    ]
