"""One letter a day about all games of a player, and letters about every event."""

from __future__ import annotations

from dataclasses import replace
from email.message import EmailMessage

from felix_async.address import Token, decode_token, token_in
from felix_async.clock import text_of
from felix_async.game.commands import Bid, Pass, Play, Say
from felix_async.schedule.tick import tick
from felix_events.store.rows import Choice, Notify
from felix_notifiers.content.offers import offers_in
from felix_notifiers.outbox.alerts import alert_text, digest_text
from felix_notifiers.outbox.channel import TryAgain
from games import Room
from notifiers.office import Post, owe, place_all, recipients
from notifiers.sheets import MAILBOX, Html, an_answer, part
from table import ANNA, BEN, CARA, DAN

BENS = "ben@players.test"


def choose(post: Post, notify: Notify, *, hears: bool = True, player: str = "ben-1") -> None:
    """What a player wants to be told."""
    post.do(lambda tx: tx.choose(Choice(player, notify, hears)))


def two_games(post: Post) -> tuple[str, str]:
    """Two games in which everybody has to place a card, and Ben wants one mail a day."""
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
def test_what_is_owed_in_all_games_is_one_mail_at_the_time_of_the_digest(post: Post) -> None:
    two_games(post)
    post.claim()
    assert recipients(post.letters()).count(BENS) == 2, "the invitations do not wait"
    mail = digest(post)
    assert str(mail["Subject"]) == "[felix] Your games on Fri 2 Jan"
    text = text_of_mail(mail)
    assert "There is news from 2 of your tables. It is your turn at 2 of them." in text
    assert post.unsettled() == 0


def test_each_table_has_its_own_answers_that_go_to_its_own_address(post: Post) -> None:
    first, second = two_games(post)
    mail = digest(post)
    links = Html(part(mail, "html")).links
    assert len(links) == 18
    assert [token_of(link.address).game_id for link in links] == [first] * 9 + [second] * 9
    text = part(mail, "plain")
    for game_id in (first, second):
        assert f"Thursday club {game_id}: Your turn: round 1 of 9, place a card\n" in text
    addresses = {link.address.replace("%2B", "+") for link in links}
    assert all(address in "".join(text.split()) for address in addresses)


def test_an_answer_to_the_digest_is_about_the_first_table_where_it_is_the_readers_turn(post: Post) -> None:
    first, second = two_games(post)
    place_all(post, first)  # Anna bids first there, so Ben is not asked
    owe(post, first, BEN, "cancelled")
    mail = digest(post)
    assert token_of(str(mail["Reply-To"])).game_id == second
    assert f"If you answer this mail, your answer is about Thursday club {second}." in text_of_mail(mail)
    assert text_of_mail(mail).index(f"club {second}: Your turn") < text_of_mail(mail).index(f"club {first}: ")


def test_news_of_one_table_alone_is_told_as_to_everybody_else(post: Post) -> None:
    first, second = two_games(post)
    place(post.room, first, BEN)
    mail = digest(post)
    assert str(mail["Subject"]) == f"[Thursday club {second}] Your turn: round 1, place a card"


def test_where_all_was_done_meanwhile_there_is_no_mail(post: Post) -> None:
    first, second = two_games(post)
    place(post.room, first, BEN)
    place(post.room, second, BEN)
    post.wait(days=1)
    post.claim()
    assert recipients(post.letters()).count(BENS) == 2, "the invitations alone"
    assert post.unsettled() == 0


def test_an_answer_does_not_wait_for_the_digest(post: Post) -> None:
    first, _ = two_games(post)
    owe(post, first, BEN, "answer", about="1", payload=an_answer(("HAND", "done", ".")).to_json())
    post.claim()
    assert recipients(post.letters()).count(BENS) == 3


def test_a_reminder_waits_for_the_digest(post: Post) -> None:
    two_games(post)
    digest(post)
    post.wait(hours=5)
    tick(post.do, post.room.service)
    before = len(post.letters())
    post.claim()
    assert BENS not in recipients(post.letters()[before:])


def test_the_digest_belongs_to_the_thread_of_its_first_table(post: Post) -> None:
    first, _ = two_games(post)
    mail = digest(post)
    letter = post.letters()[-1]
    roots = [one.message_id for one in post.letters() if (one.game_id, one.recipient) == (first, BENS)]
    assert letter.recipient == BENS or BENS in recipients(post.letters())
    assert mail["References"] == roots[0]
    assert token_of(str(mail["List-Unsubscribe"]).partition(":")[2].partition("?")[0]).game_id == first


def test_a_result_in_a_digest_brings_its_file(post: Post) -> None:
    first, second = two_games(post)
    post.room.play(first)
    mail = digest(post)
    assert [file.get_filename() for file in mail.iter_attachments()] == [f"felix-{first}.jsonl"]
    assert token_of(str(mail["Reply-To"])).game_id == second
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
    mine = next(one for one in post.letters() if one.recipient == BENS and b"Your games on" in one.raw)
    assert mine.state == "ready", "one of the two tables still waits"
    place(post.room, second, BEN)
    post.wait(minutes=10)
    post.tray.answers = []
    post.send()
    mine = next(one for one in post.letters() if one.letter_id == mine.letter_id)
    assert (mine.state, mine.note) == ("dropped", "not sent: what it asks for was done meanwhile")


def test_the_same_digest_is_written_the_same_way(post: Post) -> None:
    """A letter's bytes follow from what it is about, so that a crash cannot send two different ones."""
    two_games(post)
    post.wait(days=1)

    def written() -> bytes:
        class Undone(Exception):
            pass

        try:
            with post.room.store.write() as tx:
                for game_id in post.sender.owing(tx):
                    post.sender.claim(tx, game_id)
                raw = next(one.raw for one in tx.letters() if b"Your games on" in one.raw)
                raise Undone
        except Undone:
            return raw

    assert written() == written()


def many_games(post: Post, count: int) -> list[str]:
    """So many games in which everybody has to place a card; Ben wants one mail a day."""
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
    subjects = [str(mail["Subject"]).partition("] ")[2] for mail in bens(post)]
    assert [subject.partition(",")[2] for subject in subjects] == [" mail 1 of 2", " mail 2 of 2"]


def test_one_digest_is_not_numbered(post: Post) -> None:
    many_games(post, 3)
    (mail,) = bens(post)
    assert "mail 1" not in str(mail["Subject"])


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


def test_who_wants_every_event_is_told_what_others_did(post: Post) -> None:
    game_id = bidding(post)
    before = len(post.letters())
    post.move(game_id, Bid(seat=ANNA, amount=2))
    (mail,) = dans(post, before)
    assert str(mail["Subject"]).endswith("News from the table")
    text = text_of_mail(mail)
    assert "Since my last mail to you: - Anna bid 2 mice." in text
    assert "Now waiting for Ben to bid or pass, since" in text
    assert "Round 1, the row left to right" in text


def test_no_news_is_told_twice(post: Post) -> None:
    game_id = bidding(post)
    before = len(post.letters())
    post.move(game_id, Bid(seat=ANNA, amount=2))
    dans(post, before)
    between = len(post.letters())
    post.move(game_id, Bid(seat=BEN, amount=3))
    (mail,) = dans(post, between)
    assert "Ben bid 3 mice." in text_of_mail(mail)
    assert "- Anna bid" not in text_of_mail(mail)


def test_what_happened_between_owing_and_writing_is_not_told_twice(post: Post) -> None:
    """The letter about Cara's card was written when Dan had placed, and the row was turned."""
    bidding(post)
    news = [mail for mail in post.mails() if "dan@players.test" in str(mail["To"])][-1]
    assert "was turned over." in text_of_mail(news)


def test_several_events_and_the_turn_are_one_mail(post: Post) -> None:
    game_id = bidding(post)
    before = len(post.letters())
    post.move(game_id, Bid(seat=ANNA, amount=2), Bid(seat=BEN, amount=3), Pass(seat=CARA))
    (mail,) = dans(post, before)
    assert str(mail["Subject"]).endswith("Your turn: round 1, bid or pass")
    assert "Anna bid 2 mice. - Ben bid 3 mice. - Cara passed" in text_of_mail(mail)


def test_what_came_of_the_own_move_is_news(post: Post) -> None:
    game_id = bidding(post)
    post.move(game_id, Bid(seat=ANNA, amount=2), Bid(seat=BEN, amount=3), Bid(seat=CARA, amount=4))
    before = len(post.letters())
    dans(post, before)
    post.move(game_id, Pass(seat=DAN))
    between = len(post.letters())
    post.move(game_id, Pass(seat=ANNA))
    (mail,) = dans(post, between)
    text = text_of_mail(mail)
    assert "You passed and took 2 mice." in text
    assert "turned over." in text
    assert "Anna passed" in text


def test_whoever_wants_turns_only_gets_no_news(post: Post) -> None:
    game_id = bidding(post, "turns")
    before = len(post.letters())
    post.move(game_id, Bid(seat=ANNA, amount=2))
    assert dans(post, before) == []


def test_words_that_the_reader_does_not_hear_are_no_news(post: Post) -> None:
    game_id = bidding(post, hears=False)
    before = len(post.letters())
    post.move(game_id, Say(seat=ANNA, text_hash="0" * 64))
    assert dans(post, before) == []
    assert post.unsettled() == 0


# ---- short notices ----------------------------------------------------------------------------------
def test_the_short_notice_of_a_digest_names_no_table() -> None:
    assert digest_text({"turn"}) == "It is your turn in your games of felix. The mail has the tables."
    assert digest_text({"result"}) == "There is news from your games of felix. The mail has the rest."


def test_the_short_notices_of_news_and_answers() -> None:
    assert alert_text({"news"}, "Club") == "There is news from Club (felix). The mail has the rest."
    assert alert_text({"news", "turn"}, "Club") == "It is your turn at Club (felix). The mail has the table."
    assert alert_text({"lobby"}, "Club") is not None
    assert alert_text({"claim"}, "Club") is None


def test_the_time_of_a_digest_is_the_one_that_was_set(post: Post) -> None:
    post.room.service.hours = replace(post.room.service.hours, digest_at=post.room.clock.now.time())
    two_games(post)
    post.wait(hours=23, minutes=59)
    before = len(post.letters())
    post.claim()
    assert BENS not in recipients(post.letters()[before:]), text_of(post.room.clock.now)
