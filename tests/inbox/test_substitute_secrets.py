"""Who learns what, where a seat changes hands: by the bytes of the mails."""

from __future__ import annotations

from email.message import EmailMessage
from email.utils import parseaddr

import pytest

from felix_async.game.cards import card_text
from felix_async.game.commands import Leave
from felix_async.inbox.delivery import is_ours
from felix_events.store.rows import Choice, Notify
from inbox.postbag import MAILBOX, a_mail
from inbox.substituting import ANNA, BEN, CARA, DAN, DORA, Succession, a_succession, late, text_of

BENS = "ben@players.test"
KINDS = ("plain", "html")


def words(mail: EmailMessage) -> str:
    """Both parts of a mail, in one line."""
    parts = [mail.get_body((kind,)) for kind in KINDS]
    return " ".join(" ".join(part.get_content() for part in parts if part is not None).split())


def with_hands(seed: str) -> tuple[Succession, str, str]:
    """A game whose cards follow from a seed: what Dora is asked, and her hand when she is in."""
    succession = a_succession(seed=seed)
    letter = succession.offered()
    asked = words(letter)
    for secret in (
        succession.bag.game_id,
        parseaddr(str(letter["Reply-To"]))[1],
        parseaddr(str(letter["Reply-To"]))[1].replace("+", "%2B"),
    ):
        asked = asked.replace(secret, "…")
    hand = ", ".join(map(card_text, succession.bag.game.seats[BEN].hand))
    return succession, asked, hand


def test_what_is_asked_does_not_depend_on_any_card() -> None:
    """Two games of other cards: the words of the offer are the same."""
    (_, one, hand), (_, other, others) = with_hands("one"), with_hands("other")
    assert hand != others
    assert one == other


def test_until_the_answer_no_mail_to_that_address_shows_a_hand() -> None:
    succession = a_succession()
    letter = succession.offered()
    mails = [letter]
    for text in ("HAND", "STATUS", "RESEND", "HISTORY"):
        succession.reply(letter, text, DORA)
        mails += succession.letters_to(DORA)
    assert len(mails) == 4
    for mail in mails:
        assert "Your hand" not in words(mail)
        assert "Won so far" not in words(mail)
        assert "placed a card" not in words(mail)


def test_the_letter_to_who_is_asked_holds_no_address_of_anybody_and_no_key_that_moves() -> None:
    succession = a_succession()
    raw = succession.offered().as_bytes()
    assert b"players.test" not in raw
    keys = [succession.bag.address(seat, turn) for seat in range(4) for turn in range(4)]
    assert all(key.encode() not in raw for key in keys)


def test_the_old_key_is_void_at_once() -> None:
    succession = a_succession()
    key = succession.bag.address(BEN)
    succession.taken()
    size = succession.bag.size
    mail_id = late(succession, key, "PLAY 8\nUP TO 9\nNEXT 11\nSTATUS\nHAND", BENS)
    assert succession.bag.mail(mail_id).state == "quarantined"
    assert (succession.bag.size, succession.deliver()) == (size, [])


def test_the_listener_refuses_the_old_key() -> None:
    """So whoever writes there hears it from their own mail server."""
    succession = a_succession()
    key = succession.bag.address(BEN)
    succession.taken()
    with succession.bag.room.store.read() as reader:
        assert not is_ours(reader, key, MAILBOX)
        assert is_ours(reader, succession.bag.address(BEN), MAILBOX)


def test_the_old_key_is_void_for_answers_to_older_letters_too() -> None:
    """The envelope says only felix; the letter that is answered had the old key."""
    succession = a_succession(leaves=False)
    succession.bag.send(BEN, "RESEND")
    (letter,) = succession.letters_to(BENS)
    succession.bag.room.do(succession.bag.game_id, Leave(seat=BEN, for_good=False))
    succession.taken()
    raw = a_mail(
        "HAND", sender=BENS, message_id="<old@players.test>", headers=[f"References: {letter['Message-ID']}"]
    )
    mail_id = succession.bag.take(raw, "felix@felix.test", BENS)
    assert succession.bag.mail(mail_id).state == "quarantined"
    assert succession.deliver() == []


def test_the_former_player_hears_who_plays_on_and_nothing_more() -> None:
    """Whatever happens then, to the end of the game and after it."""
    succession = a_succession()
    succession.reply(succession.offered(), "JOIN", DORA)
    mails = succession.letters_to(BENS)
    succession.bag.room.play(succession.bag.game_id, seed="on")
    mails += succession.letters_to(BENS)
    (letter,) = mails
    assert "Dora plays on for you" in words(letter)
    assert "Your hand" not in words(letter)
    assert letter["Reply-To"] is None
    assert DORA not in letter.as_string()


def test_who_wants_no_mail_does_not_even_hear_that() -> None:
    succession = a_succession(leaves=False)
    succession.bag.send(BEN, "STOP")
    succession.deliver()
    succession.reply(succession.offered(), "JOIN", DORA)
    assert succession.letters_to(BENS) == []


def test_who_has_resigned_gets_no_mail_about_the_game_any_more() -> None:
    succession = a_succession()
    succession.bag.room.do(succession.bag.game_id, Leave(seat=BEN, for_good=True))
    succession.deliver()
    succession.reply(succession.offered(), "JOIN", DORA)
    assert succession.letters_to(BENS) == []


def test_the_game_is_none_of_the_former_players_games() -> None:
    succession = a_succession()
    room = succession.bag.room
    other = room.open(3, host=ANNA, command_id="another")
    succession.deliver()
    first = succession.bag.game_id
    succession.taken()
    succession.bag.game_id = other
    text = succession.answer(BEN, "GAMES")
    assert other in text
    assert first not in text


def test_what_was_said_before_reaches_nobody_who_came_later() -> None:
    succession = a_succession(leaves=False)
    bag = succession.bag
    for seat, said in ((BEN, "SAY I hold fifteen"), (CARA, "SAY You never do")):
        bag.send(seat, said)
    bag.room.do(bag.game_id, Leave(seat=BEN, for_good=False))
    succession.deliver()
    letter = succession.taken()
    succession.reply(letter, "HISTORY\nRESEND\nSTATUS", DORA)
    mails = [letter, *succession.letters_to(DORA)]
    bag.send(CARA, "SAY Welcome")
    succession.reply(letter, "HISTORY", DORA)
    mails += succession.letters_to(DORA)
    told = " ".join(map(words, mails))
    assert "fifteen" not in told
    assert "never do" not in told
    assert "Welcome" in told


def test_what_the_former_player_asked_and_was_told_stays_theirs() -> None:
    succession = a_succession(leaves=False)
    bag = succession.bag
    bag.send(BEN, "Play the elephant please\nPLY 8")
    bag.room.do(bag.game_id, Leave(seat=BEN, for_good=False))
    succession.deliver()
    letter = succession.taken()
    succession.reply(letter, "YES", DORA)
    mails = [letter, *succession.letters_to(DORA)]
    assert all("elephant" not in words(mail) for mail in mails)
    assert succession.bag.game.seats[BEN].hand == bag.game.seats[BEN].hand


@pytest.mark.parametrize("notify", ["turns", "all"])
def test_mails_to_who_plays_on_are_those_that_the_seats_player_would_get(notify: Notify) -> None:
    """One game with Dora, one in which Ben himself came back: the words are the same from then on."""

    def mails(succession: Succession, address: str) -> list[str]:
        bag = succession.bag
        with bag.room.store.write() as tx:
            tx.choose(Choice(bag.seat(BEN).player_id, notify))
        start = bag.game.round + 1
        bag.room.play(bag.game_id, seed="both", until=lambda game: game.round == start)
        succession.deliver()
        bag.room.play(bag.game_id, seed="more", until=lambda game: game.round == start + 2)
        told = [text_of(mail) for mail in succession.letters_to(address)]
        return [text.replace("Dora", "Ben") for text in told]

    dora, ben = a_succession(), a_succession()
    dora.taken()
    ben.bag.send(BEN, "STATUS")
    for succession in (dora, ben):
        succession.deliver()
        succession.bag.room.clock.now = dora.bag.room.clock.now
    theirs, own = mails(dora, DORA), mails(ben, BENS)
    assert theirs
    assert [_timeless(text) for text in theirs] == [_timeless(text) for text in own]


def _timeless(text: str) -> str:
    """Without since when somebody is waited for: one mail more or less came before that."""
    return " ".join(line for line in text.splitlines() if "UTC" not in line and "since" not in line)


# ---- being forgotten
def test_the_former_player_may_be_forgotten_and_the_game_goes_on() -> None:
    succession = a_succession()
    room = succession.bag.room
    other = room.open(3, host=ANNA, command_id="another")
    succession.deliver()
    succession.taken()
    first = succession.bag.game_id
    succession.bag.game_id = other
    succession.bag.send(BEN, "FORGET ME")
    (letter,) = succession.letters_to(BENS)
    succession.reply(letter, "YES", BENS)
    succession.deliver()
    succession.bag.game_id = first
    assert [row.name for row in succession.former()] == [""]
    assert succession.bag.seat(BEN).name == "Dora"
    assert "a former player" in succession.answer(CARA, "HISTORY")
    room.play(first, seed="on")
    assert succession.bag.game.phase == "ended"


def test_of_a_forgotten_former_player_no_letter_keeps_the_name() -> None:
    succession = a_succession()
    succession.taken()
    succession.bag.do(lambda tx: tx.forget(succession.former()[0].player_id))
    with succession.bag.room.store.read() as reader:
        kept = b" ".join(letter.raw for letter in reader.letters())
        told = " ".join(notice.payload for notice in reader.notices(succession.bag.game_id))
    assert b"Ben" not in kept
    assert BENS not in told


def test_who_plays_on_may_be_forgotten_as_well() -> None:
    succession = a_succession()
    letter = succession.taken()
    succession.reply(letter, "FORGET ME", DORA)
    (question,) = succession.letters_to(DORA)
    succession.reply(question, "YES", DORA)
    (farewell,) = succession.letters_to(DORA)
    assert "erased" in str(farewell["Subject"])
    assert (succession.bag.seat(BEN).name, succession.bag.seat(BEN).secret) == ("", b"")
    assert succession.bag.game.seats[BEN].gone
    with succession.bag.room.store.read() as reader:
        assert all(DORA not in letter.recipient for letter in reader.letters())
        assert all(DORA not in question.text for question in reader.questions(succession.bag.game_id, BEN))


def test_the_seat_of_somebody_who_was_forgotten_can_be_offered() -> None:
    succession = a_succession()
    letter = succession.taken()
    succession.reply(letter, "FORGET ME", DORA)
    (question,) = succession.letters_to(DORA)
    succession.reply(question, "YES", DORA)
    succession.deliver()
    succession.bag.send(ANNA, "SUBSTITUTE a former player: Emil emil@example.org")
    (offer,) = succession.letters_to("emil@example.org")
    assert "You would play for a former player" in words(offer)
    succession.reply(offer, "JOIN", "emil@example.org")
    assert succession.bag.seat(BEN).name == "Emil"


def test_the_next_game_is_with_who_played_to_the_end() -> None:
    succession = a_succession()
    succession.taken()
    succession.bag.room.play(succession.bag.game_id, seed="on")
    succession.deliver()
    succession.bag.write(ANNA, "REMATCH")
    succession.bag.work()
    invited = {str(mail["To"]) for mail in succession.deliver()}
    assert f"Dora <{DORA}>" in invited
    assert all(BENS not in one for one in invited)
    assert succession.bag.seat(DAN).name == "Dan"
