"""Answers to plain language: taken as something, asked back, not understood once and twice, dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from felix_async.clock import later
from felix_async.follow_up.answer import Answer, Verdict
from felix_async.game.commands import Bid, Play
from felix_async.game.rules import Refusal
from felix_async.game.views import view
from felix_async.language.words import DONE
from felix_async.text import plain
from felix_notifiers.content.occasion import Occasion
from notifiers.sheets import an_answer, snapshot
from notifiers.timed import in_auction
from table import ANNA, BEN, CARA, Table, a_game

NOW: Final = "2026-11-22T16:40:00.000000Z"
PAUSE: Final = 120
TOO_LONG: Final = "SAY " + "I had the whole row in my hands, and then that dog came along, as ever. " * 4


@cache
def heard() -> dict[str, Occasion]:
    """Each situation by its name."""
    outbid = a_game(start=ANNA).in_round(5).with_mice({BEN: 7}).in_auction(top_bid=3, by=ANNA)
    placing = a_game(start=CARA).in_round(4).with_hands({BEN: [-8, -5, 0, 5, 8, "small_dog"]})
    return {**_taken(outbid, placing), **_asked(outbid, placing), **_unread(outbid, placing)}


def _taken(outbid: Table, placing: Table) -> dict[str, Occasion]:
    four = taken("haha ok Ruth, 4 for me :)", "BID 4", "BID 5", "PASS", "WAIT")
    talk = taken("nah I'm out, I'll take the mice", "PASS", "BID 4", "WAIT", "SAY well played, Anna")
    at_once = taken("the 5 please", "PLAY 5", pause=0)
    dropped = said("", "refused", order="PLAY 8")
    undone = said("", "done", order="BID 4", offers=["BID 4", "BID 5", "PASS"])
    clocked = in_auction().occasion("answer")
    until = later(clocked.game.now, PAUSE)
    by_the_clock = said("4 for me", "taken", order="BID 4", due_at=until, offers=["BID 5", "PASS", "WAIT"])
    return {
        "taken": answered(outbid, four),
        "taken, by the clock": replace(clocked, answer=by_the_clock),
        "taken, a card": answered(placing, taken("bunny it is", "PLAY RABBIT", "PLAY 5", "WAIT")),
        "taken, talk is offered": answered(outbid, talk.model_copy(update={"show": ["say"]})),
        "taken, talk is long": answered(outbid, talk.model_copy(update={"offers": ["WAIT", TOO_LONG]})),
        "taken, done at once": answered(placing.after(Play(seat=BEN, card=5)), at_once),
        "taken, the pause is long": answered(outbid, taken("4", "BID 4", "PASS", "WAIT", pause=3600)),
        "taken, the pause is short": answered(outbid, taken("4", "BID 4", "PASS", "WAIT", pause=5)),
        "taken, with a limit": answered(outbid, taken("6 tops", "UP TO 6", "BID 6", "PASS", "WAIT")),
        "taken, dropped as the game moved on": answered(a_game(start=CARA).in_round(4).in_auction(), dropped),
        "taken, and taken back": answered(outbid, undone),
    }


def _asked(outbid: Table, placing: Table) -> dict[str, Occasion]:
    two = said("the 8 or the 5, hmm", "asked", doubt="several", offers=["PLAY 8", "PLAY 5"])
    condition = said("pass if Anna goes on", "asked", doubt="condition", offers=["BID 4", "PASS"])
    too_high = said("9 then", "asked", doubt="too high", offers=["BID 7", "BID 4", "PASS"])
    not_in_hand = said("the 15", "asked", doubt="not in hand", offers=["PLAY 8", "PLAY 5"])
    limit = said("6 or so", "asked", doubt="hesitation", offers=["UP TO 6", "BID 6", "PASS"])
    too_low = an_answer(
        ("BID 3", "refused", str(Refusal("bid/too_low", {"amount": 3, "least": 4}))), code="bid/too_low"
    )
    why = str(Refusal("card/not_in_hand", {"card": plain("11")}))
    gone = an_answer(("PLAY 11", "refused", why), code="card/not_in_hand")
    beside = an_answer(("BID 4", "done", DONE["BID"]), ("STATUS", "done", DONE["STATUS"]), show=["status"])
    bid = outbid.after(Bid(seat=BEN, amount=4))
    by_the_clock = replace(in_auction().occasion("answer"), answer=limit)
    return {
        "asked: two cards": answered(placing, two),
        "asked: by the clock": by_the_clock,
        "asked: a condition": answered(outbid, condition),
        "asked: too high": answered(outbid, too_high),
        "asked: not in hand": answered(placing, not_in_hand),
        "asked: a limit": answered(outbid, limit),
        "refused: too low": answered(outbid, too_low),
        "refused: not in hand": answered(placing, gone),
        "done, and a question answered": answered(bid, beside),
    }


def _unread(outbid: Table, placing: Table) -> dict[str, Occasion]:
    once = said("hmm tricky, the mice look nice", "not understood", tries=1, offers=["PASS", "BID 4"])
    twice = said("well you know", "not understood", tries=2, offers=["PASS"])
    only_talk = said("thanks everyone, great fun", "asked", offers=["SAY thanks everyone, great fun"])
    great = said("great fun!", "not understood", tries=1, offers=["SAY great fun!"])
    waits = taken("", "BID 4").lines[0]
    lost = said("lovely weather", "not understood")
    lost = lost.model_copy(update={"lines": [waits, *lost.lines]})
    return {
        "only talk": answered(outbid, only_talk.model_copy(update={"show": ["say"]})),
        "only talk, cards": answered(placing, great.model_copy(update={"show": ["say"]})),
        "not understood, while something waits": answered(outbid, lost),
        "not understood once": answered(outbid, once),
        "not understood once, cards": answered(placing, said("woof", "not understood", tries=1)),
        "not understood twice": answered(outbid, twice),
        "not understood twice, cards": answered(placing, said("woof I say", "not understood", tries=2)),
    }


def taken(words: str, order: str, *offers: str, pause: int = PAUSE) -> Answer:
    """The answer to words that were taken as this order, which waits for so many seconds."""
    due_at = later(NOW, pause) if pause else ""
    return said(words, "taken", order=order, due_at=due_at, offers=offers)


def said(
    words: str,
    verdict: Verdict,
    why: str = "",
    *,
    order: str = "",
    due_at: str = "",
    offers: Sequence[str] = (),
    **fields: Any,
) -> Answer:
    """The answer to one line."""
    answer = an_answer((words, verdict, why))
    line = answer.lines[0].model_copy(update={"order": order, "due_at": due_at})
    return answer.model_copy(update={"lines": [line], "offers": list(offers), **fields})


def answered(table: Table, answer: Answer) -> Occasion:
    """Ben's mail with this answer."""
    game = snapshot(view(table.game, BEN), now=NOW)
    return Occasion(game=game, kinds={"answer"}, answer=answer)
