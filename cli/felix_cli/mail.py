"""Mail: the group of its commands, and `mail preview`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from felix_cli.addresses import addresses, revoke
from felix_cli.explain import explain
from felix_cli.inbox import inbox, quarantine
from felix_cli.letters import letters
from felix_cli.naming import seat_named
from felix_cli.output import print_json
from felix_cli.prune import prune
from felix_cli.receive import receive
from felix_cli.tables import MASKED
from felix_cli.wiring import (
    db_option,
    followed,
    json_option,
    look_up,
    seat_argument,
    target_argument,
    until_option,
)
from felix_notifiers.mails.preview import preview as preview_mail

_NOWHERE: Final = "felix@preview.invalid"


@click.group()
def mail() -> None:
    """Inspect and manage mail, incoming and outgoing.

    \b
    Example:
      felix mail inbox list
    """


for command in (explain, receive, inbox, quarantine, letters, addresses, revoke, prune):
    mail.add_command(command)


@mail.command()
@target_argument
@seat_argument
@until_option
@click.option("--html", is_flag=True, help="The HTML part.  [default: the text part]")
@click.option("--mask-hashes", is_flag=True, help="Blank hashes over salted data, to compare output.")
@json_option
@db_option
def preview(
    target: str, seat: str, until: int | None, html: bool, mask_hashes: bool, as_json: bool, db: Path | None
) -> None:
    """Show the message that a player would get now. Its address cannot be answered.

    \b
    Example:
      felix mail preview k7m2p.jsonl Cara --until 40
    """
    subject = look_up(target, db).whole()
    envelopes, game = followed(subject, until)
    composed = preview_mail(
        envelopes, subject.people, subject.table, seat_named(seat, subject.people), _NOWHERE
    )
    if mask_hashes:
        composed = replace(
            composed,
            text=composed.text.replace(game.commitment, MASKED),
            html=composed.html.replace(game.commitment, MASKED),
        )
    if as_json:
        print_json({"subject": composed.subject, "text": composed.text, "html": composed.html})
    elif html:
        click.echo(composed.html)
    else:
        click.echo(f"Subject: {composed.subject}\n")
        click.echo(composed.text)
