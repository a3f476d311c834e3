"""What a store keeps of whom to believe: mails that wait for a word of their player, and the words given."""

from __future__ import annotations

from typing import Protocol

from felix_events.store.rows import Belief, Held


class BeliefReader(Protocol):
    """What can be asked of it."""

    def held(self, mail_id: int) -> Held | None:
        """A mail that waits, or has waited, for its player; None if it never did."""

    def is_confirmed(self, mail_id: int) -> bool:
        """Whether the player for whose seat a held mail came has said that it is theirs."""

    def beliefs(self, player_id: str | None = None) -> list[Belief]:
        """From where a player's mail is believed, or everybody's, because they said so; sorted."""


class BeliefTx(Protocol):
    """What can be done to it."""

    def hold(self, mail_id: int, player_id: str, sender: str, provider: str = "") -> None:
        """Note a mail for a player's seat that waits until they say whether `sender` is them."""

    def note_keyless(self, mail_id: int) -> None:
        """Note that a held mail had no token, and that its writer was asked about it."""

    def confirm_held(
        self, player_id: str, sender: str, only: int | None = None, provider: str | None = None
    ) -> list[int]:
        """The held mails of this sender, of this `provider` or `only` one, are this player's; those that
        became so just now.
        """

    def release_held(self, player_id: str, sender: str, provider: str | None = None) -> None:
        """No mail of this sender, by this provider or any, waits any more for this player's word."""

    def believe(self, belief: Belief) -> None:
        """Mail from this address, by this provider, is this player's."""

    def doubt(self, player_id: str, address: str | None = None, provider: str | None = None) -> int:
        """It is no longer, for this address and provider, or for all of them; how many were forgotten."""
