"""One letter a day about all games of a player, and letters about every event."""

from __future__ import annotations

from email.message import EmailMessage
from email.utils import parseaddr

from felix_async.address import Token, decode_token, token_in
from felix_async.game.commands import Bid, Pass, Play, Say
from felix_events.store.rows import Choice, Notify
from felix_notifiers.content.offers import offers_in
from felix_notifiers.outbox.alerts import digest_text
from felix_notifiers.outbox.channel import TryAgain
from games import Room
from notifiers.office import Post, place_all
from notifiers.sheets import MAILBOX, part
from table import ANNA, BEN

BENS = "ben@players.test"


def choose(post: Post, notify: Notify, *, hears: bool = True, player: str = "ben-1") -> None:
    """What a player wants to be told."""
    post.do(lambda tx: tx.choose(Choice(player, notify, hears)))


def two_games(post: Post) -> tuple[str, str]:
    """Two games in which everybody has to place a card, and Ben wants one a day."""
    choose(post, "daily")
    games = [post.open(4, start=start, command_id=f"create-{start}") for start in (ANNA, BEN)]
    post.claim()
    for game_id in games:
        post.room.join_all(game_id)
    return games[0], games[1]


def digest(post: Post) -> EmailMessage:
    """The mail to Ben when it is time for the digests."""
    post.wait(days=1)
    before = len(post.letters())
    post.claim()
    (mail,) = [mail for mail in post.mails()[before:] if BENS in str(mail["To"])]
    return mail


def text_of_mail(mail: EmailMessage) -> str:
    """The text part, on one line."""
    return " ".join(part(mail, "plain").split())


def token_of(address: str) -> Token:
    """What an address stands for."""
    token = decode_token(token_in(address.replace("%2B", "+"), MAILBOX) or "")
    assert token is not None
    return token


def place(room: Room, game_id: str, seat: int) -> None:
    """The seat places its first card."""
    room.do(game_id, Play(seat=seat, card=room.game(game_id).seats[seat].hand[0]))


# ---- one letter a day -------------------------------------------------------------------------------
def test_a_result_in_a_digest_brings_its_file(post: Post) -> None:
    first, second = two_games(post)
    post.room.play(first)
    mail = digest(post)
    assert [file.get_filename() for file in mail.iter_attachments()] == [f"felix-{first}.jsonl"]
    assert token_of(parseaddr(str(mail["Reply-To"]))[1]).game_id == second
    assert "REMATCH" in offers_in(mail)


def test_a_digest_that_waited_until_all_was_done_is_dropped(post: Post) -> None:
    first, second = two_games(post)
    post.wait(days=1)
    post.tray.answers = [TryAgain("450 4.2.1 busy")] * 20
    post.send()
    place(post.room, first, BEN)
    post.wait(minutes=2)
    post.tray.answers = [TryAgain("450 4.2.1 busy")] * 20
    post.send()
    mine = next(one for one in post.letters() if one.recipient == BENS and b"Your tables, " in one.raw)
    assert mine.state == "ready", "one of the two tables still waits"
    place(post.room, second, BEN)
    post.wait(minutes=10)
    post.tray.answers = []
    post.send()
    mine = next(one for one in post.letters() if one.letter_id == mine.letter_id)
    assert (mine.state, mine.note) == ("dropped", "not sent: what it asks for was done meanwhile")


def many_games(post: Post, count: int) -> list[str]:
    """So many games in which everybody has to place a card; Ben wants one a day."""
    choose(post, "daily")
    games = [post.started(command_id=f"table {number}") for number in range(count)]
    post.claim()
    return games


def bens(post: Post) -> list[EmailMessage]:
    post.wait(days=1)
    before = len(post.letters())
    post.claim()
    return [mail for mail in post.mails()[before:] if BENS in str(mail["To"])]


def test_several_digests_of_a_day_are_numbered(post: Post) -> None:
    many_games(post, 8)
    subjects = [str(mail["Subject"]) for mail in bens(post)]
    assert [subject[-9:] for subject in subjects] == [" (1 of 2)", " (2 of 2)"]


def test_a_digest_says_in_a_line_how_it_stands_at_the_other_tables(post: Post) -> None:
    first, *_ = many_games(post, 3)
    place(post.room, first, BEN)
    (mail,) = bens(post)
    text = text_of_mail(mail)
    assert f"Your other tables: - Thursday club {first}: round 1 of 9, waiting for" in text
    assert text.count("round 1 of 9, waiting") == 1


# ---- every event ------------------------------------------------------------------------------------
def bidding(post: Post, notify: Notify = "all", *, hears: bool = True) -> str:
    """An auction that Anna begins; Dan, the last to be asked, is told as he wants."""
    choose(post, notify, hears=hears, player="dan-1")
    game_id = post.started(start=ANNA)
    post.claim()
    place_all(post, game_id)
    post.claim()
    return game_id


def dans(post: Post, since: int) -> list[EmailMessage]:
    """The mails to Dan after the first so many letters."""
    post.claim()
    return [mail for mail in post.mails()[since:] if "dan@players.test" in str(mail["To"])]


def test_what_happened_between_owing_and_writing_is_not_told_twice(post: Post) -> None:
    """The letter about Anna's bid was written when Ben had passed, and a card turned up."""
    game_id = bidding(post)
    before = len(post.letters())
    post.move(game_id, Bid(seat=ANNA, amount=1))
    post.move(game_id, Pass(seat=BEN))
    (news,) = dans(post, before)
    assert "turned up." in text_of_mail(news)


def test_words_that_the_reader_does_not_hear_are_no_news(post: Post) -> None:
    game_id = bidding(post, hears=False)
    before = len(post.letters())
    post.move(game_id, Say(seat=ANNA, text_hash="0" * 64))
    assert dans(post, before) == []
    assert post.unsettled() == 0


# ---- short notices ----------------------------------------------------------------------------------
def test_the_short_notice_of_a_digest_names_no_table() -> None:
    assert digest_text({"turn"}) == "It is your turn in your games of felix. The e-mail has the tables."
    assert digest_text({"result"}) == "There is news from your games of felix. The e-mail has the rest."
