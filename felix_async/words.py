"""The words that players read and write: orders, refusals, the marker line.

Everything a player may type, and every sentence that answers it, is here or in the templates of
`felix_notifiers`; no rule looks at a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from felix_events.model import Card

MARKER: Final = "-- write above this line --"
"""Everything from an unquoted marker line on is ours, not the player's."""

MOVES: Final = ("PLAY", "BID", "PASS")
ANSWERS: Final = ("JOIN", "DECLINE")
QUESTIONS: Final = ("STATUS", "HAND", "HELP")
"""Orders that change nothing; they are always welcome."""
REPLIES: Final = ("YES", "NO")
"""Answers to a question that felix asked."""
ABOUT_MAIL: Final = ("STOP",)
ORDERS: Final = (*MOVES, *ANSWERS, *QUESTIONS, *REPLIES, *ABOUT_MAIL)
CONTINUATIONS: Final = ("IF", "THEN", "UNTIL", "ALL", "AND", "ON")
"""A line that begins with one of these belongs to the line before it: a mail program has wrapped it."""
LOOP_HEADER: Final = "X-Felix-Loop"
"""Every mail of a felix server carries this header; a mail that has it is never acted on."""
AWAY_SUBJECTS: Final = (
    "out of office",
    "out-of-office",
    "auto:",
    "automatic response",
    "auto response",
    "autoresponder",
    "vacation reply",
    "vacation:",
    "away from",
    "abwesend",
    "abwesenheit:",
    "ich bin nicht im büro",
    "out of the office",
    "automatic reply",
    "auto-reply",
    "autoreply",
    "abwesenheitsnotiz",
    "automatische antwort",
    "réponse automatique",
    "respuesta automática",
    "risposta automatica",
    "automatisch antwoord",
)
"""How the subjects of out-of-office mails begin."""
STOP_WORDS: Final = frozenset(
    {"end", "thanks", "thank you", "thx", "cheers", "regards", "best regards", "kind regards", "all the best"}
)
"""A line of these alone ends the reading, as a signature does."""

CARD_WORDS: Final[Mapping[str, Card]] = {
    "rabbit": 0,
    "bunny": 0,
    "large dog": "large_dog",
    "large": "large_dog",
    "big dog": "large_dog",
    "big": "large_dog",
    "small dog": "small_dog",
    "small": "small_dog",
    "little dog": "small_dog",
}
"""Cards that have a name instead of a number; a hyphen may stand for the blank."""
DOG: Final = "dog"
"""A dog without a size."""
NUMBER_WORDS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
"""The numbers that people spell out, from 0 on."""
MINUS: Final = "minus"
PLUS: Final = "plus"
OR: Final = "or"
MICE: Final = ("mice", "mouse")
ARTICLES: Final = ("the", "my", "a", "an")
PLEASE: Final = ("please", "pls", "plz")
COURTESIES: Final = (*PLEASE, "thanks", "thank you", "thx")
"""Allowed after a question and after YES or NO, where they cannot change what is meant."""

NEAR_ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "PLAY": ("paly", "plya", "ply", "pla", "plau", "plays", "playing", "put", "put down", "place", "lay",
             "my card", "my card is"),
    "BID": ("bit", "bidd", "bdi", "bd", "bids", "bidding", "bet", "offer", "my bid", "my bid is",
            "my offer is", "bid is", "bid of", "a bid of", "bid to", "raise to"),
    "PASS": ("pas", "pss", "psas", "apss", "passs", "paas", "oass", "passe", "paso", "passo", "passing",
             "skip", "no bid", "i'm out", "im out", "i am out"),
    "JOIN": ("jion", "joni", "joim", "joining", "accept", "i'm in", "im in", "i am in", "count me in"),
    "DECLINE": ("declne", "declin", "decine", "deline", "delcine", "declining"),
    "STATUS": ("staus", "stauts", "sttaus", "statsu", "statu", "satus", "stats"),
    "HAND": ("hadn", "hnad", "hands", "my hand", "my cards", "cards", "show hand", "show my hand",
             "show me my hand", "show my cards", "show me my cards"),
    "HELP": ("hlep", "hepl", "hlp", "halp", "help me", "orders", "commands"),
    "STOP": ("stpo", "sotp", "stopp", "unsubscribe", "stop mail", "stop mails", "no more mail",
             "no more mails"),
}  # fmt: skip
"""Slips and other words for an order: felix asks about them, it does not act on them.

Written out and not computed: with words this short, one letter makes another order, or plain English.
"""
NEAR_CARDS: Final[Mapping[str, Card]] = {
    "rabit": 0,
    "rabitt": 0,
    "rabbitt": 0,
    "rabbbit": 0,
    "rabbid": 0,
    "bunnny": 0,
    "buny": 0,
    "hare": 0,
    "largedog": "large_dog",
    "bigdog": "large_dog",
    "dog large": "large_dog",
    "dog big": "large_dog",
    "larg dog": "large_dog",
    "smalldog": "small_dog",
    "dog small": "small_dog",
    "smal dog": "small_dog",
}
NEAR_ARTICLES: Final = ("card", "the card", "my card", "cat", "the cat", "my cat", "number")
KINDS: Final = ("card", "cat", "points")
"""What may be said after a card's number."""
AFTER_YES: Final = (
    "that's me", "that is me", "that was me", "it's me", "it is me", "it was me", "this is me", "this was me",
    "i did", "of course", "sure", "indeed",
)  # fmt: skip
"""What people add to a YES without changing it."""
BEFORE_AN_ORDER: Final = (
    *COURTESIES, "hi", "hello", "hey", "dear", "felix", "ok", "okay", "oh", "well", "so", "right", "alright",
    "hm", "hmm", "sorry", "yes", "now", "again", "this time", "this round", "i", "i'll", "i will", "i'm",
    "i am", "i would like to", "i'd like to", "i want to", "i wanna", "i have to", "i must", "i think",
    "i guess", "let me", "let's", "my move", "my move is", "my order", "my order is", "my answer",
    "my answer is",
)  # fmt: skip
AFTER_AN_ORDER: Final = (
    *COURTESIES, "cheers", "felix", "again", "this time", "this round", "for now", "for me", "for the sack",
    "too", "as well", "i guess", "i think", "sorry", "ok", "okay", "instead", "in all", "in total",
    "of course", "it is",
)  # fmt: skip
"""Words around an order that make it a sentence. A sentence is asked about."""

REFUSALS: Final[Mapping[str, str]] = {
    "game/unknown": "There is no such game.",
    "game/imported": "This game was imported to be looked at; it cannot be played on here.",
    "game/exists": "This game exists already.",
    "game/over": "This game is over. There is nothing left to move.",
    "game/not_started": "The game has not started yet. You will get a mail when it does.",
    "game/already_started": "The game has started already.",
    "table/size": "Felix is for 3 to 5 players, not for {players}.",
    "table/player_twice": "A player can have one seat only, and somebody is named twice.",
    "seat/unknown": "There is no such seat: this table has {seats}, counted from 0.",
    "seat/already_joined": "You are in already. You will get a mail when the game starts.",
    "seat/joined": "You have joined this game already, so you cannot decline it now.",
    "card/not_in_hand": "That card ({card}) is not in your hand. Write PLAY and a card that is.",
    "row/complete": "All cards of this round are placed, so yours stays where it is.",
    "auction/not_open": "You cannot bid or pass yet: cards are still being placed. Write PLAY and a card.",
    "turn/not_yours": "It is not your turn to bid. You will get a mail when it is.",
    "turn/already_passed": "You have passed this round, so you are out until the next one.",
    "turn/stale": "That was an answer to an older mail, and the game has moved on since. Nothing was done.",
    "bid/too_low": "A bid of {amount} is too low. Bid {least} or more, or PASS.",
    "bid/above_mice": "You have {mice} mice, so you cannot bid {amount}. You can always PASS.",
    "bid/last_pays_one": "Everybody else has passed: the sack costs exactly 1 mouse. Write BID 1, or PASS.",
    "question/none": "I have not asked you anything just now. Write an order on a line of its own, or HELP.",
    "question/closed": "That question is settled already. Nothing was done.",
    "question/yes_or_no": "Please answer that mail with YES or NO, and send orders in answer to a turn mail.",
    "address/taken": "The address {address} belongs to another player here, so it cannot be yours, too.",
}
"""Refusal code -> the sentence for the one who asked."""

MISUNDERSTOOD: Final[Mapping[str, str]] = {
    "order/unknown": "I did not understand this line. Write one order on a line of its own, or HELP.",
    "order/no_card": "PLAY needs one card: -8 -5 0 3 5 8 11 15, LARGE DOG or SMALL DOG.",
    "order/no_card_like_that": "There is no such card. The cards are -8 -5 0 (rabbit) 3 5 8 11 15, "
    "LARGE DOG and SMALL DOG.",
    "order/which_dog": "Which dog do you mean? Write PLAY LARGE DOG or PLAY SMALL DOG.",
    "order/no_amount": "BID needs one whole number, for example BID 5.",
    "order/too_much": "{word} stands alone on its line.",
    "order/did_you_mean": "Did you mean {order}? Answer YES.",
    "order/bid_or_play": "Do you mean BID {number} or PLAY {number}? Write the one you mean.",
    "order/which_one": "That may be several orders. Write the one that counts, alone on its line.",
    "mail/no_order": "I found no order in your mail. Write one on a line of its own, or HELP.",
    "mail/no_text": "I found no text in your mail. Please send your order as text.",
}
"""Code -> why a line, or a whole mail, could not be read."""

EXPECTED: Final[Mapping[str, str]] = {
    "order": "an order",
    "card": "a card",
    "number": "a whole number",
    "end": "the end of the line",
}
"""What should have stood where the reading of a line failed."""

DONE: Final[Mapping[str, str]] = {
    "PLAY": "Your card lies face down.",
    "BID": "Your bid stands.",
    "PASS": "You are out of this round's auction.",
    "JOIN": "You are in.",
    "DECLINE": "You have given the invitation back.",
    "STATUS": "The table is below.",
    "HAND": "Your hand is below.",
    "HELP": "The orders are below.",
    "STOP": "You get no more mail. The game waits for you when it is your turn. To come back, answer any"
    " older mail with an order, for example STATUS.",
}
"""Order -> what it did, for the one who wrote it."""
CONTRIBUTED: Final = "Your part in the draw of the cards is {hash}: the SHA-256 of your mail's id and words."
BESIDE_AN_ORDER: Final = "I left this line aside, because of the other order. Send it alone if you mean it."
WHICH_ORDER: Final = "I was not sure which of these you meant. Write one order on a line of its own."
NOTHING_MEANT: Final = "Fine, I did nothing."
YOURS_NOW: Final = "The address {address} is yours now, and I read the mail that came from there."
NOT_YOURS: Final = "Good, then that mail stays where it is, and nothing was done."
WHICH_GAME: Final = (
    "I could not tell which game this is about. Please answer the latest mail that you got about it: the"
    " address there is the key to your seat. You can also just answer this mail."
)
NO_MORE_ANSWERS: Final = "I got many mails without an order, so I stop answering those until {time} UTC."
LEFT_ASIDE: Final = "I had stopped reading by then."
STILL_OPEN: Final = "My question about the mail from {address} is still open: answer that mail with YES."
MORE_LINES: Final = "There were {count} more lines, which I did not read as orders."
ALREADY_DONE: Final = "That is so already."

UNDERSTOOD: Final[Mapping[str, str]] = {
    "order": "This is an order.",
    "subject": "This is an order, in the subject.",
    "stop": "I stopped reading here.",
    "again": "You said so above.",
}
"""Why a line of a mail is an order, or none."""
ASKED: Final[Mapping[str, str]] = {
    "doubtful": "I am not sure that you wrote this line. Did you mean {order}?",
    "after": "This comes after text that I did not understand. Did you mean {order}?",
    "another": "There is another move above. Did you mean {order} instead?",
    "conflict": "There are different orders around text that is not yours. Did you mean {order}?",
    "meant": "I am not sure what this says. Did you mean {order}?",
}
"""Why felix asks about an order instead of obeying it."""
NOT_WRITTEN: Final[Mapping[str, str]] = {
    "doubtful": "Perhaps you did not write this, and it holds no order.",
    "quoted": "This is quoted from another mail.",
    "attribution": "This tells whose mail is quoted.",
    "signature": "This is a signature.",
    "forwarded": "This is a forwarded mail.",
    "below the marker": "This stands below the line above which you write.",
    "next part": "Another part of the mail begins here.",
}
"""Place of a line -> why it is no order."""

HELP: Final = """\
Answer a mail from felix with one order on a line of its own:

  PLAY 11       put a card face down (-8 -5 0 3 5 8 11 15, LARGE DOG, SMALL DOG)
  BID 5         bid 5 mice in all
  PASS          leave the auction of this round
  HAND          your cards and your mice
  STATUS        the table, and who is waited for
  JOIN          take your seat; words of your own may follow
  DECLINE       turn an invitation down
  HELP          this list
  YES           yes, where felix asked you something
  NO            no, where felix asked you something
  STOP          no more mail to you

You may exchange your card until the last player has placed one.
"""
