"""Every kind of mail once, for 3, 4 and 5 players: what the gallery shows, and what its tests look at.

Most of them are cut out of games that computer players played to the end, so that the history is a true one;
the rare ones are set up with the language of the rules tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache
from typing import Final

from felix_async.follow_up.answer import Answer, Section
from felix_async.game.commands import Bid, Leave, Pass, Play
from felix_async.game.folding import fold
from felix_async.game.rules import Refusal
from felix_async.game.state import Game
from felix_async.game.story import NewHost, Story
from felix_async.game.views import View, view
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, MISUNDERSTOOD, REFUSALS
from felix_events import model as m
from felix_notifiers.content import asked
from felix_notifiers.content.ending import ending_of
from felix_notifiers.content.history import Speech, Told, since_last_move
from felix_notifiers.content.mail import Composed, Mail
from felix_notifiers.content.moves import ReplyTo
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Sequel
from felix_notifiers.mails import courtesy, operator, replayed
from felix_notifiers.mails.digest import digest_of
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.question import is_this_you
from felix_notifiers.mails.render import rendered
from felix_notifiers.mails.welcome import welcome
from gallery import moments
from gallery.advance import in_advance
from gallery.heard import heard
from gallery.seats import LABEL, changing, offers
from gallery.timely import timely
from games import NAMES, TABLE_NAME, Played, a_declined_game, a_game_played
from notifiers.sheets import (
    MAILBOX,
    REPLY_ADDRESS,
    an_answer,
    changed,
    in_short,
    snapshot,
    the_question,
    true_purses,
)
from table import ANNA, BEN, CARA, DAN, GAME_ID, SEED, Table, a_game, a_hosted_invitation, an_invitation

SEATS: Final = (3, 4, 5)
HOSTILE: Final = (
    "Bartholomäus-Maximilian Featherstonehaugh",
    '<b onclick="x">Ben</b>',
    "Ann\u202ea\u0301\u0301\u0301\u0301\u0301",
    "猫" * 28,
    "Donaudampfschifffahrtsgesellschaft",
)
"""Names that are too long, are markup, would turn the writing round, or are twice as wide as they look."""
LONG_NAMES: Final = ("Maximiliane von Hohenstein-Gaul", "Bartholomew", "Christopher James", "Dan", "Eleonora")
EVENING: Final = "2026-11-17T18:00:00.000000Z"
DIGEST_TABLES: Final = ("Thursday club", "The cats of the Upper Lower Street 17b", "")
REFUSED: Final = an_answer(
    ("HAND", "done", DONE["HAND"]),
    ("BID 3", "refused", str(Refusal("bid/too_low", {"amount": 3, "least": 6}))),
    ("BDI 6", "not understood", MISUNDERSTOOD["order/unknown"]),
    ("play dog", "ambiguous", MISUNDERSTOOD["order/which_dog"]),
    ("See you on Thursday, " * 8, "ignored", ""),
    show=["hand"],
    code="bid/too_low",
)
DID_YOU_MEAN: Final = MISUNDERSTOOD["order/did_you_mean"].format(order="PASS")
ASKING: Final = an_answer(("psas", "asked", DID_YOU_MEAN)).model_copy(
    update={"asks": 2, "asks_text": DID_YOU_MEAN}
)


@cache
def occasions() -> dict[str, Occasion]:
    """Each situation by its name."""
    return {
        **dict(_every_table()),
        **_rare(),
        **_around_the_start(),
        **_news(),
        **_answers(),
        **_asked(),
        **heard(),
        **timely(),
        **changing(),
        **in_advance(),
    }


@cache
def sections() -> dict[str, Mail]:
    """Each mail by the name of its situation, section by section."""
    others = [f"{TABLE_NAME} {GAME_ID}: round 2 of 9, waiting for Cara and Dan"]
    return {
        **{name: mail_of(occasion) for name, occasion in occasions().items()},
        "digest": digest_of(_digest(), "2026-11-20T17:00:00.000000Z", others),
        **_questions(),
        **offers(),
        **_beside_the_game(),
    }


@cache
def mails() -> dict[str, Composed]:
    """Each mail in both its forms."""
    return {name: rendered(mail) for name, mail in sections().items()}


def _questions() -> dict[str, Mail]:
    """To somebody who may be a stranger."""
    address, guests = "ben.smith@phone.test", ("Ben", "Dora <dora@friends.test>")
    return {
        "claim: is this your address": is_this_you(label=LABEL, whose="other", reply_address=REPLY_ADDRESS),
        "claim: the address of another player": is_this_you(label=LABEL, whose="taken", reply_address=""),
        "question: was that you": the_question(address),
        "question: was that you, own address": the_question(address, "own"),
        "question: did you write this NEW": the_question(address, "own", table="Friday club", guests=guests),
        "question: was that you, an address that was left": the_question(address, "moved"),
        "stranger: what felix is": welcome("", MAILBOX),
        "stranger: why no table was opened": welcome(REFUSALS["new/too_few"], MAILBOX),
    }


def _beside_the_game() -> dict[str, Mail]:
    return {
        "farewell to who was forgotten": courtesy.farewell(),
        "mail goes to another address": courtesy.moved(
            label=LABEL, address="ben.smith@phone.test", reply_address=REPLY_ADDRESS
        ),
        "game that cannot be read": courtesy.unreadable(label=LABEL, wrote=True),
        "host: unreachable": operator.unreachable(
            game_id=GAME_ID,
            label=LABEL,
            seat=BEN,
            name="Ben",
            address="ben@players.test",
            why="550 5.1.1 no such user here",
            other=None,
            phase="bidding",
        ),
    }


# ---- for 3, 4 and 5 players -------------------------------------------------------------------------
def _every_table() -> Iterator[tuple[str, Occasion]]:
    for seats in SEATS:
        table = f"{seats} players"
        invited = fold(an_invitation(seats, [ANNA]))
        yield f"{table}: invitation", _set_up(invited, {"invitation"})
        yield f"{table}: place a card", _played(seats, moments.is_asked_to_place)
        yield f"{table}: bid", _played(seats, moments.is_outbid)
        yield f"{table}: bid, nobody has bid yet", _played(seats, moments.bids_first)
        yield (
            f"{table}: last bidder may buy for 1",
            _set_up(_unbid(a_game(seats=seats, start=CARA)), {"turn"}),
        )
        yield f"{table}: round 9", _played(seats, moments.bids_in_the_last_round)
        yield f"{table}: waiting, card placed", _played(seats, moments.has_placed)
        yield f"{table}: waiting, out of the auction", _played(seats, moments.has_passed)
        yield f"{table}: result", _ended(a_game_played(seats))
        declined = a_declined_game(seats)
        yield f"{table}: cancelled", _from_log(declined, declined.size, ANNA, {"cancelled"})
        yield f"{table}: answer to STATUS", _asking(seats, moments.is_outbid, an_answer(show=["status"]))


def _unbid(table: Table) -> Table:
    """Everybody but Ben has passed, and nobody has bid."""
    table = table.in_round(4).in_auction()
    while table.game.to_move != BEN or len(table.game.bidders) > 1:
        to_move = table.game.to_move
        assert to_move is not None
        assert to_move != BEN, "Ben is asked before the others have passed"
        table = table.after(Pass(seat=to_move))
    return table


# ---- the rare ones ----------------------------------------------------------------------------------
def _rare() -> dict[str, Occasion]:
    outbid = a_game(start=ANNA).with_row(15, -8, 0, "large_dog").in_round(6)
    poor = outbid.asking_all().with_mice({BEN: 3}).in_auction(top_bid=5, by=ANNA)
    broke = _unbid(a_game(start=CARA).asking_all().with_mice({BEN: 0}))
    placed = a_game(start=CARA)
    placed = placed.after(Play(seat=BEN, card=placed.game.seats[BEN].hand[4]))
    hostile = a_game(seats=5, start=CARA).with_row(-8, "small_dog", 11, 0, 15).in_round(5)
    hostile = hostile.with_won({BEN: (-8, -5, 3, 15, 11)}).after(Bid(seat=CARA, amount=2), Pass(seat=DAN))
    hostile = hostile.after(Bid(seat=4, amount=12), Bid(seat=ANNA, amount=13))
    tie = _ending((10, 5), (30, 7), (31, 6), (-3, 9), winners=[CARA])
    shared = _ending((0, 1), (10, 5), (10, 5), (-14, 22), winners=[BEN, CARA])
    invited = fold(an_invitation(4, [ANNA, CARA]))
    return {
        "reminder of the invitation": _set_up(invited, {"reminder"}),
        "invitation without a table name": changed(_set_up(invited, {"invitation"}), table_name=""),
        "reminder to bid": _set_up(outbid.in_auction(top_bid=5, by=ANNA), {"reminder"}),
        "too poor to bid": _set_up(poor, {"turn"}),
        "last bidder without a mouse": _set_up(broke, {"turn"}),
        "empty mouse cards": _set_up(a_game(start=BEN).with_empty_mouse_cards(), {"turn"}),
        "first card, round 1": _set_up(a_game(start=CARA), {"turn"}),
        "card placed, may be exchanged": _set_up(placed, {"reminder"}),
        "unbid sack in the history": _played(4, moments.after_an_unbid_sack),
        "long names": changed(
            _set_up(hostile, {"turn"}),
            kept_names=LONG_NAMES,
            table_name="The cats of the Upper Lower Street 17b",
        ),
        "hostile names": changed(
            _set_up(hostile, {"turn"}), kept_names=HOSTILE, table_name="<i>x</i>] \u202e" * 9
        ),
        "result with a tie": _set_up(tie, {"result"}),
        "result that is shared": _set_up(shared, {"result"}),
        "cancelled by the reader": _set_up(_declined_by_ben(), {"cancelled"}),
    }


def _ending(*scores: tuple[int, int], winners: list[int]) -> Game:
    told: list[m.Score | None] = [m.Score(cats=cats, mice=mice, total=cats + mice) for cats, mice in scores]
    end = [m.GameEnded(scores=told, winners=winners), m.SeedRevealed(seed=SEED.hex())]
    return fold([*a_game().in_round(9).events, *end])


def _declined_by_ben() -> Game:
    events = [*an_invitation(4, [ANNA]), m.PlayerDeclined(seat=BEN), m.GameAbandoned(reason="declined")]
    return fold([*events, m.SeedRevealed(seed=SEED.hex())])


def _around_the_start() -> dict[str, Occasion]:
    """Mails to and about a host, and to those who are not in the game."""
    hosted = a_hosted_invitation(5, [ANNA, BEN, CARA])
    by_ben = [event if not isinstance(event, m.HostNamed) else m.HostNamed(seat=BEN) for event in hosted]
    lobby = fold([*by_ben, m.PlayerDeclined(seat=DAN)])
    called_off = fold([*by_ben, m.GameAbandoned(reason="cancelled")])
    declined = fold([*a_hosted_invitation(4, [ANNA]), m.PlayerDeclined(seat=CARA)])
    uninvited = fold([*a_hosted_invitation(5, [ANNA]), m.PlayerUninvited(seat=BEN)])
    expired = fold([*a_hosted_invitation(5, [ANNA]), m.InvitationExpired(seat=BEN)])
    full = _set_up(fold([*by_ben, m.PlayerDeclined(seat=DAN), m.PlayerDeclined(seat=4)]), {"lobby"})
    handed_over = _set_up(fold([*a_hosted_invitation(5, [ANNA, BEN]), m.HostNamed(seat=BEN)]), {"lobby"})
    silent = [
        m.InvitationExpired(seat=ANNA),
        m.InvitationExpired(seat=BEN),
        m.GameAbandoned(reason="expired"),
    ]
    nobody = _set_up(fold([*a_hosted_invitation(4, []), *silent]), {"withdrawn"})
    can_start = an_answer(("STATUS", "done", DONE["STATUS"]), show=["status"])
    expires = "2026-11-27T21:00:00.000000Z"
    return {
        "invitation by a host": changed(_set_up(declined, {"invitation"}), expires=expires),
        "reminder that says when it expires": changed(_set_up(declined, {"reminder"}), expires=expires),
        "host: who has answered": _set_up(lobby, {"lobby"}),
        "host: everybody has answered": changed(full, closes=expires),
        "host: reminder to begin": changed(full, closes=expires, rung="start"),
        "host: handed over": changed(handed_over, hosts_since=NewHost(ANNA, "named")),
        "invitation to another game": changed(
            _set_up(declined, {"invitation"}), expires=expires, sequel=Sequel(ANNA, ["Eve"])
        ),
        "invitation that nobody answered": nobody,
        "host: called off, a new game is offered": _set_up(called_off, {"cancelled"}),
        "invitation taken back": _set_up(uninvited, {"withdrawn"}),
        "invitation expired": _set_up(expired, {"withdrawn"}),
        "answer: status for a host who can begin": _set_up(lobby, {"answer"}, can_start),
    }


def _news() -> dict[str, Occasion]:
    played, version = _moment(4, moments.has_passed)
    news = changed(_from_log(played, version, BEN, {"news"}), since_letter=True)
    said = Speech("Cara says:", "PASS while you can, said the cat. " * 6, "Cara")
    turn = _played(4, moments.is_outbid)
    kind = Speech("Anna says:", "Good game, and thank you all.", "Anna")
    status = an_answer(("BID 9", "refused", REFUSALS["turn/not_yours"]), code="turn/not_yours")
    return {
        "a word after the game": changed(_ended(a_game_played(4)), kinds={"talk"}, speeches=[kind]),
        "answer: with words of others": changed(
            news, kinds={"answer"}, answer=status, speeches=[kind], since_letter=False
        ),
        "news": news,
        "words of others": changed(turn, history=[*turn.history, said]),
        "waiting since": changed(news, since=dict.fromkeys(range(4), EVENING)),
    }


def _digest() -> list[Occasion]:
    """A turn, another one, and a game that is over."""
    told = [
        _played(4, moments.is_outbid),
        _played(5, moments.is_asked_to_place),
        _ended(a_game_played(3)),
    ]
    return [changed(one, table_name=name) for one, name in zip(told, DIGEST_TABLES, strict=True)]


# ---- answers ----------------------------------------------------------------------------------------
def _answers() -> dict[str, Occasion]:
    auction = a_game(start=BEN).in_round(3).in_auction()
    outbid = a_game(start=ANNA).in_round(5).in_auction(top_bid=5, by=ANNA)
    help_asked = an_answer(("HELP", "done", DONE["HELP"]), show=["help"])
    nothing = an_answer(("", "not understood", MISUNDERSTOOD["mail/no_order"]))
    placed = an_answer(("PLAY 8", "done", DONE["PLAY"]))
    everything = an_answer(show=["status", "hand", "help"])
    invited = fold(an_invitation(4, [ANNA]))
    stale = an_answer(("BID 3", "refused", REFUSALS["turn/stale"]), code="turn/stale")
    return {
        "answer: an order for an older mail": _set_up(auction, {"answer"}, stale),
        "answer: done, refused, not understood": _set_up(outbid, {"answer"}, REFUSED),
        "answer: nothing understood": _set_up(a_game(start=ANNA).in_auction(), {"answer"}, nothing),
        "answer: help": _set_up(a_game(), {"answer"}, help_asked),
        "answer: hand": _set_up(outbid, {"answer"}, an_answer(show=["hand"])),
        "answer: everything": _set_up(outbid, {"answer"}, everything),
        "answer: status before the start": _set_up(invited, {"answer"}, an_answer(show=["status"])),
        "answer and the next turn": _set_up(auction, {"answer", "turn"}, placed),
        "answer that asks: did you mean": _set_up(auction, {"answer"}, ASKING),
        "answer that asks, cards on offer": _set_up(a_game(), {"answer"}, ASKING),
    }


def _not_opened() -> Answer:
    """A NEW with a line that cannot be read, and the mail that opens the table without it."""
    answer = an_answer(("NEW; Anna; Zoe; Cara; rules: 2007", "refused", ""), code="new/unknown_line")
    why = REFUSALS["new/unknown_line"].format(line="Zoe")
    told = {"why": why, "instead": "NEW\nAnna\nCara\nrules: 2007"}
    return answer.model_copy(update={"lines": [answer.lines[0].model_copy(update=told)]})


def _asked() -> dict[str, Occasion]:
    """What fills a mail when a player asks for it, or asks for something that cannot be taken back."""
    played, version = _moment(4, moments.is_outbid)
    here = _from_log(played, version, BEN, {"answer"})
    opened = fold([*a_hosted_invitation(4, [BEN]), m.HostNamed(seat=BEN)])
    tables = [
        snapshot(table, NAMES[: len(table.seats)], table_name=name)
        for name, table in ((TABLE_NAME, here.game.table), (DIGEST_TABLES[1], view(opened, BEN)))
    ]
    history = asked.history(Story.of(played.envelopes[:version]), [], NAMES, BEN)
    away = a_game().after(Leave(seat=DAN, for_good=True))
    sure = an_answer(("RESIGN", "asked", phrase("people.sure.asked"))).model_copy(
        update={"asks": 3, "asks_text": phrase("people.sure.resign")}
    )
    new = an_answer(("NEW; Anna; Cara; Dan", "done", DONE["NEW"]), show=["status", "forward"])
    placed, at = _moment(4, moments.has_placed)
    swaps, old = _from_log(placed, at, BEN, {"answer"}), Story.of(placed.envelopes[:at])
    story = Story.of(played.envelopes[:version])
    dogs: list[Section] = ["rules/large_dog", "rules/two_dogs"]
    return {
        "answer: everybody's mice": in_short(here, story, ["mice"]),
        "answer: how long do we have": in_short(swaps, old, ["time"]),
        "answer: was this dealt fairly": in_short(here, story, ["fairness"]),
        "answer: can a card be taken back": in_short(swaps, old, ["undo"]),
        "answer: can a bid be taken back": in_short(here, story, ["undo"]),
        "answer: what dogs do, and whose turn it is": in_short(here, story, [*dogs, "status"]),
        "answer: history": changed(here, answer=an_answer(show=["history"]), blocks=history),
        "answer: rules": changed(here, answer=an_answer(show=["rules"]), blocks=asked.rules(here.game.table)),
        "answer: replay": changed(
            _from_log(played, played.size, BEN, {"answer"}),
            answer=an_answer(show=["replay"]),
            blocks=[replayed.block_of(played.game_id, b"")],
        ),
        "answer: games": changed(here, answer=an_answer(show=["games"]), blocks=asked.games(tables)),
        "answer: a new table": _set_up(opened, {"answer"}, new),
        "answer: no new table": changed(here, answer=_not_opened()),
        "answer: a former player": changed(
            _set_up(away, {"answer"}, an_answer(show=["status"])), kept_names=[*NAMES[:3], ""]
        ),
        "answer that asks: resign for good": changed(here, answer=sure),
        "answer that asks: where are you": changed(
            here,
            answer=an_answer(show=["status"]),
            zone="+01:00",
            since=dict.fromkeys(range(4), EVENING),
            aside=asked.zone("+01:00", EVENING, ReplyTo(REPLY_ADDRESS, "Re: Felix")),
        ),
        "answer: a clock of its own": changed(
            _set_up(fold(an_invitation(4, [ANNA, BEN])), {"answer"}, an_answer(show=["status"])),
            zone="America/St_Johns",
            since=dict.fromkeys(range(4), EVENING),
        ),
    }


# ---- making occasions -------------------------------------------------------------------------------
def _set_up(table: Table | Game, occasions: Set[str], answer: Answer | None = None) -> Occasion:
    """Ben's mail for a table that was set up; there is no log, so nothing has happened before."""
    game = table.game if isinstance(table, Table) else table
    return _occasion(game, NAMES, BEN, occasions, [], answer)


def _played(seats: int, moment: Callable[[View], bool]) -> Occasion:
    """Ben's mail at the first such moment of some game of computer players."""
    played, version = _moment(seats, moment)
    asked = BEN in played.game(version).asked
    table = view(played.game(version), BEN)
    occasions: Set[str] = (
        {"turn"} if (asked and not table.seats[BEN].placed) or table.to_move == BEN else set()
    )
    return _from_log(played, version, BEN, occasions)


def _asking(seats: int, moment: Callable[[View], bool], answer: Answer) -> Occasion:
    played, version = _moment(seats, moment)
    return changed(_from_log(played, version, BEN, {"answer"}), answer=answer)


def _ended(played: Played) -> Occasion:
    occasion = _from_log(played, played.size, BEN, {"result"})
    return changed(occasion, ending=ending_of(Story.of(played.envelopes), export=b""))


@cache
def _moment(seats: int, moment: Callable[[View], bool]) -> tuple[Played, int]:
    for seed in "abcdefgh":
        played = a_game_played(seats, seed=seed)
        for version in played.step_ends():
            if moment(view(played.game(version), BEN)):
                return played, version
    raise LookupError(f"no game of {seats} comes to {moment.__name__}")


def _from_log(played: Played, version: int, seat: int, occasions: Set[str]) -> Occasion:
    history = since_last_move(Story.of(played.envelopes[:version]), played.names, seat)
    occasion = _occasion(played.game(version), played.names, seat, occasions, history)
    story = Story.of(played.envelopes[:version])
    return changed(occasion, has_moved=story.has_moved(seat), sale=story.sale)


def _occasion(
    game: Game,
    names: Sequence[str],
    seat: int,
    kinds: Set[str],
    history: Sequence[Told],
    answer: Answer | None = None,
) -> Occasion:
    seen = snapshot(view(game, seat), names[: len(game.seats)], purses=true_purses(game))
    return Occasion(game=seen, kinds=kinds, answer=answer, history=history)
