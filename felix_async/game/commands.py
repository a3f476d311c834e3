"""What somebody may ask of a game. A command is validated for shape here, and for the rules in `decide`."""

from __future__ import annotations

from felix_events.model import Card, Hash, Options, PlayerId, Record, Ruleset


class Create(Record):
    """Open a table for these players, in seat order, and invite them."""

    ruleset: Ruleset
    seats: list[PlayerId]
    options: Options
    commitment: Hash


class Join(Record):
    """Take the seat; `contribution` is the hash of the player's own words (see `felix_async.draw`)."""

    seat: int
    contribution: Hash


class Decline(Record):
    """Give the invitation back."""

    seat: int


class Play(Record):
    """Put a card face down, or exchange the one that lies there."""

    seat: int
    card: Card


class Bid(Record):
    """Bid so many mice in all."""

    seat: int
    amount: int


class Pass(Record):
    """Leave this round's auction."""

    seat: int


Command = Create | Join | Decline | Play | Bid | Pass
"""Everything that `decide` answers."""
SeatCommand = Join | Decline | Play | Bid | Pass
"""What a player may ask."""
