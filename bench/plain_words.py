"""Ordinary answers in plain words, read in the situation of their writer.

Both sides begin with the same bytes: a mail as people answer, with felix's letter quoted below. The yardstick
parses it with the standard library and separates the reply from the quote; what the reply means is nobody's
business there.
"""

from __future__ import annotations

from email import message_from_bytes
from email.message import Message
from itertools import cycle
from typing import Final

from mailparser_reply import EmailReplyParser

from bench.measure import Rounds, by_turns
from felix_async.meaning.situation import Situation
from felix_async.reading.reader import read_mail
from felix_cli.heard import heard

_BIDDING: Final = Situation("bidding", mice=15, high=6, least=7, most=15, high_bidder="Dan")
_PLACING: Final = Situation("placing", plays=(-8, 0, 3, 5, 11, 15, "large_dog"), mice=15)
_ANSWERS: Final = (
    (_BIDDING, "Hi all, I'll bid 8 please :) lovely weather here, we had breakfast outside"),
    (_BIDDING, "nah im out"),
    (_BIDDING, "Too rich for me, I'll take the mice.\n\nBest wishes\nHelen"),
    (_BIDDING, "ok ok, one more than Dan then. And how many mice have the others?"),
    (_PLACING, "the 5 please, and the rabbit next round"),
    (_PLACING, "Dear Felix,\n\nI think it is time for the large dog.\n\nKind regards,\nArthur"),
    (_PLACING, "5? no wait, the 11. Sorry for being slow, exams are killing me"),
    (_PLACING, "What does the large dog do again?\n\nSent from my iPhone"),
)
_LETTER: Final = """Hello Ben,

Your turn: round 1 of 9, bid or pass.

Since your last move:

- Cara passed and took 2 mice.
- The -5 was turned over.
- Dan bid 6 mice.
- Anna passed and took 4 mice.

Round 1, the row left to right:

  1.  11         Anna  passed
  2.  -5         you   bid 4, your turn
  3.  rabbit     Cara  passed
  4.  face down  Dan   bid 6, the highest

  Highest bid  6 mice, by Dan
  Mouse cards  2 (taken), 4 (taken), 6; who passes next takes 6 mice
  Bank         15 mice

Answer this mail with one of these lines:

  BID 7
  BID 8
  PASS

Your hand: -8, rabbit, 3, 5, 11, 15, large dog, small dog.
"""


def a_mail(answer: str) -> bytes:
    """Return the mail with which this is answered."""
    quoted = "\n".join(f"> {line}".rstrip() for line in _LETTER.splitlines())
    head = "From: Ben <ben@players.test>\nSubject: Re: Your turn\nIn-Reply-To: <a@felix.test>"
    kind = "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8"
    above = "On Fri, Nov 20, 2026 at 12:00 felix <felix@felix.test> wrote:"
    return f"{head}\n{kind}\n\n{answer}\n\n{above}\n{quoted}\n".encode()


def plain_words_rounds() -> Rounds:
    """Rounds of the row: seconds of processor time for one mail on each side."""
    mails = [(situation, a_mail(answer)) for situation, answer in _ANSWERS]
    ours, theirs = cycle(mails), cycle(mails)
    parser = EmailReplyParser(languages=["en"])

    def read_in_situation() -> object:
        situation, raw = next(ours)
        return heard(read_mail(raw).said, situation)

    def separate() -> object:
        message: Message = message_from_bytes(next(theirs)[1])
        text = bytes(message.get_payload(decode=True) or b"").decode()
        return parser.read(text).latest_reply

    yield from by_turns(read_in_situation, separate, runs=len(mails) * 4)
