"""Machines that answer each other's mail: after a bounded number of mails there is silence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import make_msgid

import pytest

from real.conftest import NewTown
from real.daemons import until
from real.far_servers import FarServer, Taken
from real.town import Felix, Town

pytestmark = pytest.mark.slow

MOST_ANSWERS = 21
"""Answers in an hour to a seat that says nothing useful, and one that says so."""


def is_silent(town: Town, felixes: Sequence[Felix]) -> bool:
    """Return True if nothing is on its way anywhere, so that nothing can ever come of it again."""

    def all_so_far() -> list[int]:
        return [len(felix.mails()) + len(felix.letters()) for felix in felixes]

    before = all_so_far()
    at_rest = all(felix.at_rest() for felix in felixes) and not town.postfix.queue()
    return at_rest and all(felix.at_rest() for felix in felixes) and all_so_far() == before


# ---- a player's auto-responder ----------------------------------------------------------------------------
def an_auto_reply(mail: Taken, headers: dict[str, str], text: str) -> EmailMessage:
    """What a program answers for somebody who is away."""
    asked = message_from_bytes(mail.raw, policy=policy.default)
    reply = EmailMessage()
    reply["From"] = mail.recipient
    reply["To"] = str(asked["Reply-To"])
    reply["Subject"] = f"Re: {asked['Subject']}"
    reply["Message-ID"] = make_msgid(domain=mail.recipient.partition("@")[2])
    for name, value in headers.items():
        del reply[name]
        reply[name] = value
    reply.set_content(text)
    return reply


def responder(town: Town, headers: dict[str, str], text: str, envelope: str | None = None) -> FarServer:
    """A server where somebody is always away; it answers every mail, those of machines too."""

    def answer(mail: Taken) -> None:
        reply = an_auto_reply(mail, headers, text)
        sender = mail.recipient if envelope is None else envelope
        town.postfix.send(sender, str(reply["To"]), reply.as_bytes(policy=policy.SMTP))

    return FarServer(react=answer)


@pytest.mark.parametrize(
    ("headers", "envelope"),
    [
        pytest.param({"Auto-Submitted": "auto-replied"}, "", id="as RFC 3834 has it"),
        pytest.param({"Precedence": "bulk"}, None, id="an old one"),
        pytest.param({"Subject": "Out of office: back on Monday"}, None, id="told by its subject alone"),
    ],
)
def test_a_machine_that_says_so_is_neither_obeyed_nor_answered(
    town: Town, headers: dict[str, str], envelope: str | None
) -> None:
    felix = town.felix()
    game_id = felix.new("anna", "ben", "cara")
    with responder(town, headers, "JOIN\n\nI am away.", envelope).listening() as far:
        town.postfix.routes.transports[town.players_domain] = far.route
        with felix.serving():
            until(lambda: len(far.taken) == 3 and is_silent(town, [felix]), "silence")
    assert {mail.state for mail in felix.mails()} == {"ignored"}
    assert len(felix.mails()) == 3
    assert len(felix.letters()) == 3, "the invitations"
    assert [event["type"] for event in felix.events(game_id)][-1] == "player_invited"


def test_a_machine_that_hides_it_gets_some_answers_and_then_none(town: Town) -> None:
    felix = town.felix()
    felix.new("anna", "ben", "cara")
    with responder(town, {}, "I am away until Monday.").listening() as far:
        town.postfix.routes.transports[town.players_domain] = far.route
        with felix.serving():
            until(lambda: len(far.taken) > 3 and is_silent(town, [felix]), "silence")
    for name in ("anna", "ben", "cara"):
        letters = [letter for letter in felix.letters() if letter.recipient == town.address(name)]
        assert 2 < len(letters) <= 1 + MOST_ANSWERS


# ---- two servers of felix ---------------------------------------------------------------------------------
def two_felixes(new_town: NewTown, names: tuple[str, str]) -> tuple[Felix, Felix, list[str]]:
    """Two servers, a game on each, and the address that its first player writes to."""
    towns = new_town(), new_town()
    felixes = towns[0].felix(), towns[1].felix()
    tokens = []
    for felix, name in zip(felixes, names, strict=True):
        tokens.append(felix.token_address(felix.new(name, "ben", "cara"), 0))
    return felixes[0], felixes[1], tokens


def test_two_servers_whose_players_mail_is_forwarded_to_each_other_say_nothing(new_town: NewTown) -> None:
    one, other, tokens = two_felixes(new_town, ("abe", "bea"))
    aliases = one.town.postfix.routes.aliases
    aliases[one.town.address("abe")], aliases[other.town.address("bea")] = tokens[1], tokens[0]
    with one.serving(), other.serving():
        until(lambda: one.mails() and other.mails() and is_silent(one.town, [one, other]), "silence")
    for felix in (one, other):
        assert [mail.state for mail in felix.mails()] == ["ignored"]
        assert len(felix.letters()) == 3, "the invitations"


def test_two_servers_made_to_look_like_players_to_each_other_fall_silent(new_town: NewTown) -> None:
    """Something between them writes every mail anew, as the other's player, without a sign of a machine."""
    one, other, tokens = two_felixes(new_town, ("abe", "bea"))
    postfix = one.town.postfix

    def pass_on(to: str, sender: str) -> Callable[[Taken], None]:
        def react(mail: Taken) -> None:
            message = EmailMessage()
            message["From"], message["To"] = sender, to
            message["Message-ID"] = make_msgid(domain=sender.partition("@")[2])
            message["Subject"] = "Re: our game"
            text = message_from_bytes(mail.raw, policy=policy.default).get_body(("plain",))
            assert text is not None
            # Without the marker line, and each line set in, so that none of them is an order by itself.
            message.set_content(re.sub("^", "said: ", text.get_content().partition("\n\n")[2], flags=re.M))
            postfix.send(sender, to, message.as_bytes(policy=policy.SMTP))

        return react

    abe, bea = one.town.address("abe"), other.town.address("bea")
    far = [FarServer(react=pass_on(tokens[1], bea)), FarServer(react=pass_on(tokens[0], abe))]
    with far[0].listening(), far[1].listening():
        postfix.routes.transports["way-one.test"] = far[0].route
        postfix.routes.transports["way-other.test"] = far[1].route
        postfix.routes.aliases[abe], postfix.routes.aliases[bea] = "x@way-one.test", "x@way-other.test"
        with one.serving(), other.serving():
            until(lambda: len(far[0].taken) > 2 and is_silent(one.town, [one, other]), "silence")
    for server in far:
        assert 2 < len(server.taken) <= 1 + MOST_ANSWERS
