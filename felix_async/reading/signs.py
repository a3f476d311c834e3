"""Describes what a line looks like: a quote, an attribution, a header of an older message, a signature.

Mail programs speak every language, so the form counts before the words: a date and an address before a
colon, a word and a colon several times in a row, a few words between rows of dashes. The words below only
help if the form alone says too little. All functions take lines as `bare` leaves them, or a `Line`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final, Literal

from felix_async.language.grammar import Order, read_line
from felix_async.language.words import GREETINGS, LIST_WORDS, MARKER, NEAR_ORDERS
from felix_async.reading.line import Line

MAX_ATTRIBUTION: Final = 4
"""Lines of `On … wrote:`; the longest names and addresses are wrapped so often."""
MAX_ATTRIBUTION_CHARS: Final = 600
MAX_HEADERS: Final = 10
_GREETING_WORDS: Final = 4
"""A line of more words than these is no mere greeting."""


def small(text: str) -> str:
    """The text in small letters, in which words are looked for: to ignore case costs five times as much.

    Of the two letters i of Turkish there is one.
    """
    return text.lower().replace("i\u0307", "i").replace("ı", "i")


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("ı", "i"))


_QUOTED: Final = re.compile(r"[>|»›¦]|[A-Za-z]{1,4}>(?!\S*@)")
_ADDRESS: Final = re.compile(r"(?<=[^\s@<>])@[^\s@<>]+\.[^\s@<>]")
_YEAR: Final = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DATE: Final = re.compile(
    r"(?<!\d)(?:\d{4}[-./年년]\s?\d{1,2}[-./月월]\s?\d{1,2}|\d{1,2}[-./ ]+\d{1,2}[-./ ]+\d{2,4})(?!\d)"
)
_DAY: Final = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_TIME: Final = _words(r"(?<!\d)\d{1,2} ?[:.h時点시] ?\d{2}(?!\d)|(?<!\d)\d{1,2} ?[ap]\.?m\b")
_WROTE: Final = _words(
    r"\b(?:wrote|writes|schrieb|schreibt|geschrieben|écrit|ecrit|escribió|escribio|escreveu|scritto|scrisse|"
    r"schreef|geschreven|skrev|skreiv|kirjoitti|napisał|napisała|napisal|napsal|napsala|napísal|írta|"
    r"a scris|rašė|rakstīja|kirjutas|napisao|napisala|je napisal|написал|написала|написав|пише|пишет|написа|"
    r"έγραψε|yazdı|şunları yazdı|viết|đã viết|menulis|tulis|scribsit|skrifaði)\b"
    r"|كتب|כתב|نوشت|写道|寫道|写了|作成|님이|เขียน|ने लिखा",
)
_SAID: Final = _words(r"\b(?:said|says|sagt|sagte|dit|dijo|disse|ha detto|zei|sade|sagde)\b.*:$")
_OPENS: Final = _words(
    r"(?:on|am|le|el|il|op|den|em|dnia|w dniu|dne|på|el día|no dia|in data|à la date|στις|в|on behalf)\b.*\d",
)
_HEADER: Final = re.compile(
    r"[*_\s]*(?P<key>[^\W\d_](?:[^\d:<>@\"(){}\[\]]{0,26}[^\s\d:<>@\"(){}\[\]*])?)"
    r"\s?\*{0,2}\s?:(?!//)\s?\*{0,2}(?P<value>.*)"
)
_FROM: Final = _words(
    r"(?:from|von|de|da|van|fra|från|od|от|от кого|від|lähettäjä|feladó|kimden|gönderen|από|من|מאת|"
    r"发件人|寄件者|差出人|보낸 ?사람|expéditeur|remitente|mittente|afzender|nadawca|odesílatel|sender|"
    r"absender|expeditor|de la|dari|pengirim|จาก|từ)",
)
_DASHED: Final = re.compile(r"[-=_*~—–]{3,}\s*(?P<words>[^\W\d_].{1,80}?)\s*[-=_*~—–]{3,}")
_FORWARDED: Final = _words(
    r"forward|weitergeleitet|transf[eé]r|reenviad|encaminhad|inoltrat|doorgestuurd|vidarebefordr|videresend|"
    r"przekazan|přepos|przesłan|továbbít|välitet|edelleenl|переслан|пересыла|iletilen|προωθ|转发|轉寄|転送|전달|"
    r"redirecționat|الموجهة|הועבר",
)
_BEGIN_FORWARDED: Final = re.compile(r"[^:>@\d]{6,60}:")
_RULE: Final = re.compile(r"(?:[-_=*~#+.·—–─━] ?){2,}|[—–]|\[?(?:\.\.\.|…)\]?")
_DEVICE: Final = _words(
    r"iphone|ipad|ipod|android|outlook|blackberry|samsung|galaxy|huawei|xiaomi|nokia|windows|yahoo|gmail|proton|"
    r"k-9|gmx|web\.de|mail|phone|handy|mobil|telefon|smartphone|device|tablet|\bapp\b|thunderbird|wiko|pixel|sony|"
    r"mobiel|telefoon|teléfono|móvil|celular|komór|телефон|айфон|スマート|手机|手機|휴대",
)
_SENT: Final = _words(
    r"^\W*(?:sent (?:from|via|using|with|by|through|on the go)|get \S+ for|gesendet|von mein\w* .*gesendet|"
    r"envoy[ée]+|enviad[oa]|obt[eé]n|obter|obtenir|inviato|scarica|verzonden|verstuurd|outlook voor|"
    r"skickat|sendt|hent|lähetetty|hanki|wysłan[eoay]|odesláno|odoslané|trimis|poslano|отправлено|надіслано|στάλθηκε|dikirim|"
    r"typed (?:on|with)|written on|diese (?:nachricht|mail) wurde .*gesendet|von unterwegs)"
    r"|küldve|gönderildi|أُ?رسلت من|נשלח מ|から送信|发自|發自|从我的.{0,20}发送|傳送|传送|"
    r"에서 보냄|ส่งจาก|đã gửi từ",
)
_SIGN_OFF: Final = _words(
    r"(?:(?:with )?(?:best|kind|kindest|warm|warmest|many|my best)? ?(?:regards|wishes)|sincerely(?: yours)?|"
    r"yours(?: (?:sincerely|truly|faithfully))?|all the best|many thanks|best|cheers|"
    r"(?:mit )?(?:freundliche[nm]?|beste[nm]?|liebe[nm]?|viele[nm]?|herzliche[nm]?|schöne[nm]?)? ?"
    r"(?:grüße[n]?|grüsse[n]?|gruß|gruss)|mfg|lg|vg|hochachtungsvoll|(?:bien )?cordialement|"
    r"bien à (?:vous|toi)|(?:un )?saludos?|atentamente|cumprimentos|atenciosamente|abraços|"
    r"(?:cordiali |distinti )?saluti|"
    r"(?:met )?vriendelijke groet(?:en)?|(?:hartelijke )?groet(?:en|jes)?|(?:med )?vänliga? hälsning(?:ar)?|"
    r"mvh|(?:med )?(?:venlig|vennlig) hilsen|hilsen|terveisin|pozdrawiam|z poważaniem|s pozdravem|s úctou|"
    r"üdvözlettel|с уважением|з повагою|saygılarımla|με εκτίμηση|φιλικά|مع تحياتي|בכבוד רב|בברכה|cu stimă)"
    r"\W*",
)
_THANKED: Final = _words(
    r"(?:thank(?:s| you),|děkuj(?:i|eme)|s přáním hezkého dne|dbh|(?:de )?bedste hilsner|kh|knus|"
    r"(?:på forhånd )?tak|(?:muchas )?gracias|cordialmente|salutations|bonne (?:réception|journée)|bedankt|"
    r"dank u|z powazaniem|(?:bästa )?hälsningar|감사합니다|고맙습니다|안부 전합니다|좋은 하루 되세요|"
    r"此致|敬礼|谢谢.{0,6}|祝好)\W*"
    r"|-[^\W\d_][^\d@:]{0,40}",
)
"""More often at the end of a mail than above an order: thanks, and a name behind a dash."""
_ADVERTISED: Final = _words(r"outlook .*\b(?:ios|android)\b")
_BANNER: Final = _words(
    r"external (?:sender|e-?mail|source|message)|intended (?:only |solely )?(?:for|recipient)|"
    r"outside (?:of )?(?:the|your|our|this) (?:organi[sz]ation|company)|"
    r"confidential|legally privileged|you don't often get e-?mail|"
    r"(?:do )?not click|virus[- ]free|viren(?:frei|geprüft)|if you (?:have )?received? this|disclaimer|"
    r"vertraulich|confidentiel|confidencial|riservat|vertrouwelijk|poufn|fortrolig|konfidenti|luottamuksel|"
    r"destinataire|destinatari[oa]|конфиденциальн|unsubscribe|mailing list|before printing|avast|"
    r"reply to this e-?mail directly|you are receiving this",
)


def is_quoted(line: str) -> bool:
    """Return True if a mail program marked it as a quote, by a sign or by initials (`AB> …`)."""
    return _QUOTED.match(line) is not None


def is_marker(line: str) -> bool:
    """Return True if it is the line of ours above which an answer is written."""
    return MARKER.strip("- ").lower() in line.lower()


def is_sign(line: str) -> bool:
    """Return True if a signature begins below it; the blank of `-- ` is often eaten."""
    return line in ("--", "-- ")


def is_rule(line: str) -> bool:
    """Return True for a row of dashes, dots or stars: what is below it may be somebody else's."""
    return _RULE.fullmatch(line) is not None


def is_sent_from(line: str) -> bool:
    """Return True if a phone or a program signed here: `Sent from my …`."""
    if len(line) > 120:
        return False
    text = small(line)
    if _SENT.search(text) is None:
        return _ADVERTISED.search(text) is not None
    return _DEVICE.search(text) is not None or text.startswith(("sent from my", "von unterwegs"))


def is_sign_off(line: str) -> bool:
    """Return True if somebody takes leave here, and a name and more may follow."""
    return len(line) <= 60 and _SIGN_OFF.fullmatch(small(line)) is not None


def is_farewell(line: str) -> bool:
    """Return True if what stands below is more likely a signature, or an older mail, than an order.

    >>> is_farewell("Tak,"), is_farewell("-Anna"), is_farewell("On Monday Anna wrote:"), is_farewell("-8")
    (True, True, True, False)
    """
    is_end = is_sign_off(line) or (len(line) <= 60 and _THANKED.fullmatch(small(line)) is not None)
    return is_end or (line.endswith(":") and tells_of_another(line))


def is_greeting(line: str) -> bool:
    """Return True if somebody is only greeted in a cleaned line: a few words, the first of which say so.

    >>> is_greeting("Hi felix,"), is_greeting("Hilda")
    (True, False)
    """
    words = line.lower().replace(",", " ").replace("!", " ").split()
    greeted = any(words[: len(words_of)] == words_of for words_of in map(str.split, GREETINGS))
    return greeted and len(words) <= _GREETING_WORDS and "@" not in line


def tells_of_another(line: str) -> bool:
    """Return True if it may tell what somebody wrote or said, below.

    >>> tells_of_another("Anna wrote:"), tells_of_another("My move:")
    (True, False)
    """
    return any(words.search(small(line)) is not None for words in (_WROTE, _SAID))


def is_torn_attribution(line: str) -> bool:
    """Return True if it looks like a part of a torn attribution: a date, and an address or `<`."""
    return _has_date(line) and (line.endswith("<") or _ADDRESS.search(line) is not None)


def is_banner(line: str) -> bool:
    """Return True if a company's or a list's server wrote it: a warning, a disclaimer, a footer.

    A word alone by which players mean STOP is asked about, and is none.
    """
    return _BANNER.search(small(line)) is not None and line.strip(" \t.!").lower() not in NEAR_ORDERS["STOP"]


def separator(line: Line) -> Literal["quoted", "forwarded"] | None:
    """Tell what begins below `-----Original Message-----` and its like; None if the line is none of these."""
    found = _DASHED.match(line.bare)
    if found is not None and not is_order(line):
        return "forwarded" if _FORWARDED.search(small(found["words"])) else "quoted"
    if _BEGIN_FORWARDED.fullmatch(line.bare) and _FORWARDED.search(small(line.bare)):
        return "forwarded"
    return None


def is_order(line: Line) -> bool:
    """Return True if it would be an order; no sign of a mail program is."""
    read = line.read if line.bare == line.clean else read_line(line.bare)
    return isinstance(read, Order)


def header_block(lines: Sequence[Line]) -> Literal["sure", "likely"] | None:
    """Return True if these lines begin with the headers of an older mail, in whatever language.

    Two or more in a row of the form `Word: value`, with an address or a date among the values; headers may be
    wrapped once, and blank lines may stand between them. A list of friends looks like them, and is none.
    """
    first = _HEADER.match(lines[0].bare)
    if first is None or is_order(lines[0]) or _is_apart(lines, first):
        return None
    addresses = dates = headers = strangers = 0
    is_from = _is_from(first)
    is_list = not is_from
    said = [line for line in lines[: 2 * MAX_HEADERS] if line.bare][:MAX_HEADERS]
    # Headers below a row of dashes belong to it, and not to a `Card: 8` above it.
    for line in [one.bare for one in takewhile(lambda one: not _is_dashed(one), said)]:
        header = _HEADER.match(line)
        if header:
            headers += 1
            strangers = 0
            is_from |= _is_from(header)
            is_list &= not is_from and _is_entry(header)
        else:
            strangers += 1
            if strangers > 1:
                break
        addresses += _ADDRESS.search(line) is not None
        dates += _has_date(line)
    if is_list and not dates:
        return None
    if headers >= 2 and addresses and dates:
        return "sure"
    if headers >= 3 and (dates or (addresses and is_from)):
        return "sure"
    if (
        (headers >= 2 and (addresses or dates))
        or (headers >= 3 and is_from)
        or (_is_from(first) and _ADDRESS.search(first["value"]))
    ):
        return "likely"
    return None


def _is_apart(lines: Sequence[Line], first: re.Match[str]) -> bool:
    """Return True if the headers begin below a blank line: a `Card: 8` above their From is none of them."""
    paragraph = [line.bare for line in takewhile(lambda one: one.bare, lines)]
    below = next((line.bare for line in lines[len(paragraph) :] if line.bare), "")
    begins = _HEADER.match(below)
    has_facts = any(_ADDRESS.search(line) is not None or _has_date(line) for line in paragraph)
    return begins is not None and _is_from(begins) and not (_is_from(first) or has_facts)


def _is_dashed(line: Line) -> bool:
    return separator(line) is not None or is_rule(line.bare)


def _is_from(header: re.Match[str]) -> bool:
    return _FROM.fullmatch(small(header["key"].strip(" *"))) is not None


def _is_entry(header: re.Match[str]) -> bool:
    """Return True if it may be in the list below a NEW: a friend and an address, or an option.

    The headers of an older mail are never these alone: there is a date among them, or a subject.
    """
    return header["key"].strip(" *").lower() in LIST_WORDS or _ADDRESS.search(header["value"]) is not None


def attribution_start(lines: Sequence[Line], end: int, *, quote_follows: bool) -> int | None:
    """The first line of the attribution that ends in this one; None if none does."""
    if is_order(lines[end]):
        return None
    start = end
    while not _attributes(" ".join(line.bare for line in lines[start : end + 1]), quote_follows):
        start -= 1
        if start < 0 or end - start >= MAX_ATTRIBUTION or not _may_open(lines[start]):
            return None
    for above in range(start - 1, max(end - MAX_ATTRIBUTION, -1), -1):
        if not _may_open(lines[above]):
            break
        if _opens(lines[above]):
            start = above
    return start


def may_attribute(text: str) -> bool:
    """Return True if a text tells of somebody who wrote, or of a message: a date, a time or an address."""
    words = small(text)
    return bool(_has_date(text) or _WROTE.search(words) or _TIME.search(words) or _ADDRESS.search(text))


def may_end_attribution(line: str) -> bool:
    """Return True if it is worth to look for an attribution that ends here."""
    return line.rstrip("> ").endswith(":") or "@" in line or _WROTE.search(small(line)) is not None


def _attributes(text: str, quote_follows: bool) -> bool:
    if len(text) > MAX_ATTRIBUTION_CHARS:
        return False
    ends = text.rstrip("> ").endswith(":")
    has_address = _ADDRESS.search(text) is not None
    if ends and (has_address or quote_follows):
        return True
    words = small(text)
    has_date, has_time = _has_date(text), _TIME.search(words) is not None
    if not (has_date or has_time):
        return False
    if ends:
        return (has_date and has_time and len(text) < 200) or _WROTE.search(words) is not None
    if has_address and quote_follows:
        return True
    # `Am 20.06.24 um 16:20 schrieb felix`, whose colon was lost.
    lost = has_time and _DATE.search(text) is not None and _OPENS.match(words) is not None
    return (has_address or quote_follows or lost) and _WROTE.search(words) is not None


def _has_date(text: str) -> bool:
    return _DATE.search(text) is not None or (
        _YEAR.search(text) is not None and _DAY.search(text) is not None
    )


def _may_open(line: Line) -> bool:
    return bool(line.bare) and not is_quoted(line.bare) and not is_order(line)


def _opens(line: Line) -> bool:
    """Return True if it surely belongs to the attribution below: it has a date, a time or an address."""
    text, words = line.bare, small(line.bare)
    if not _may_open(line) or text.endswith((".", "!", "?")):
        return False
    return bool(_has_date(text) or _TIME.search(words) or _ADDRESS.search(text) or _OPENS.match(words))
