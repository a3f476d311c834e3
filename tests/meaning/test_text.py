"""A text as sentences and clauses, and the phrases in it."""

from __future__ import annotations

from each import each
from felix_async.meaning.phrases import Phrases
from felix_async.meaning.text import MAX_CHARACTERS, MAX_LINES, MAX_TOKENS, Text, text_of


def clauses(text: str) -> list[str]:
    """The clauses of a text, each as its words read."""
    read = text_of(text.split("\n"))
    return [" ".join(read.words(clause)) for clause in read.clauses]


def sentences(text: str) -> list[str]:
    """The sentences of a text, as they were written."""
    read = text_of(text.split("\n"))
    return [read.said(sentence) for sentence in read.sentences]


def number(text: Text, at: int) -> int | None:
    """A slot for numbers."""
    return at + 1 if text.tokens[at].value is not None else None


@each(
    ("text", "values"),
    [
        ("-8", [-8]),
        ("− 5", [-5]),
        ("–8 (yes, really)", [-8]),
        ("+1", [1]),
        ("5️⃣", [5]),
        ("🔟", [10]),
        ("**7**", [7]),
        ("b=11", [11]),
        ("minus8", [8]),
        ("twelve", [12]),
        ("round-8", [8]),
        ("at 7:30", []),
        ("5.5", []),
        ("8,50 EUR", []),
        ("£12", []),
        ("the 8th", []),
        ("we lost 3:1", []),
        ("5pm", []),
        ("98 %", []),
        ("35°C", []),
        ("1²", []),
        ("+44 20 7946", [44, 20, 7946]),
        ("0171-5559204", []),
        ("0xB", []),
        ("123456", []),
    ],
)
def test_whole_numbers_have_a_value(text: str, values: list[int]) -> None:
    assert [token.value for token in text_of([text]).tokens if token.value is not None] == values


@each(
    ("text", "words"),
    [
        ("I'll pass pls", ["i will pass please"]),
        ("dont gimme that", ["do not give me that"]),
        ("Passsss", ["pass"]),
        ("the 5, please", ["the 5", "please"]),
        ("5 / next: 8", ["5", "next", "8"]),
        ("5 - it is", ["5", "it is"]),
        ("all-in", ["all in"]),
        ("I like it but no", ["i like it", "but no"]),
        ("Tom (my son) says 5", ["tom", "my son", "says 5"]),
        ("ok 👍 7", ["okay", "7"]),
    ],
)
def test_clauses_end_at_marks_and_joints(text: str, words: list[str]) -> None:
    assert clauses(text) == words


@each(
    ("text", "said"),
    [
        ("Hi! 5?? ok...", ["Hi!", "5??", "ok..."]),
        ("one\ntwo", ["one", "two"]),
        ("Pass (put that down!) sorry. Pass.", ["Pass (put that down!)", "sorry.", "Pass."]),
        ('He said "bid 7." No.', ['He said "bid 7."', "No."]),
        ("5 😂 Great", ["5 😂", "Great"]),
        (
            "this is a long line that a mail program has broken right in the middle\nof it. Pass",
            ["this is a long line that a mail program has broken right in the middle of it.", "Pass"],
        ),
    ],
)
def test_sentences_end_at_marks_and_lines(text: str, said: list[str]) -> None:
    assert sentences(text) == said


def test_quotations_and_brackets_are_known() -> None:
    text = text_of(['he said "bid 7" (or 8)'])
    assert [text.tokens[at].word for at in sorted(text.quoted)] == ["bid", "7"]
    assert [text.tokens[at].word for at in sorted(text.aside)] == ["or", "8"]


def test_each_token_knows_its_sentence_and_its_clause() -> None:
    text = text_of(["a, b. c"])
    assert text.sentence_of == (0, 0, 0, 0, 1)
    assert text.clause_of == (0, -1, 1, -1, 2)


def test_what_is_struck_out_is_not_read() -> None:
    assert clauses("~~BID 7~~ BID 8") == ["bid 8"]


@each(
    "lines",
    [
        ["a"] * (MAX_LINES + 1),
        ["ab cd " * 50] * (MAX_CHARACTERS // 300 + 1),
        ["a" * 1001],
        [". " * 499] * 3,
    ],
)
def test_a_text_that_is_too_long_is_cut(lines: list[str]) -> None:
    text = text_of(lines)
    assert text.is_cut
    assert len(text.tokens) <= MAX_TOKENS


@each(
    ("phrase", "text", "said"),
    [
        ("i'm out", "So I'm out!", "I'm out"),
        ("too (rich|dear) for (me|my blood)", "too dear for me", "too dear for me"),
        ("(you|u) (can)? have it", "u can have it", "u can have it"),
        ("let ** go", "let it all go", "let it all go"),
        ("go to {n}", "I go to 7 now", "go to 7"),
        ("all in", "ALL-IN!", "ALL-IN"),
    ],
)
def test_a_phrase_is_found(phrase: str, text: str, said: str) -> None:
    read = text_of([text])
    found = next(Phrases({"it": [phrase]}).find(read, {"n": number}))
    assert read.between(found.start, found.end) == said


@each(
    ("phrase", "text"),
    [("i'm out", "I'm. Out"), ("all in", "all, in"), ("a b", "a\nb"), ("go to {n}", "go to x")],
)
def test_marks_and_ends_break_a_phrase(phrase: str, text: str) -> None:
    assert not list(Phrases({"it": [phrase]}).find(text_of(text.split("\n")), {"n": number}))


def test_the_longest_phrase_is_found() -> None:
    found = list(
        Phrases({"short": ["i pass"], "long": ["i pass the {n}"]}).find(
            text_of(["I pass the 5"]), {"n": number}
        )
    )
    assert [(phrase.key, phrase.slots) for phrase in found] == [("long", {"n": (3, 4)})]


@each("words", ["count me out", "out you go", "me or you", "you and me", "go out and count"])
def test_of_phrases_that_are_as_long_the_first_is_found(words: str) -> None:
    options = [" ".join(f"({word}|other{number})" for word in words.split()) for number in range(3)]
    first, *others = (words.replace(word, f"({word}|x|y)") for word in words.split())
    phrases = Phrases({"first": [first], "second": [*others, *options]})
    assert [found.key for found in phrases.find(text_of([words]))] == ["first"]
