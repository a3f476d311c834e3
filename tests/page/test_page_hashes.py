"""SHA-256, HMAC, the tree and the draws in JavaScript give what Python gives."""

from __future__ import annotations

import hmac
from hashlib import sha256
from random import Random

from felix_async.draw import Dice, commit
from felix_async.game.cards import PET_CARDS
from felix_events.tree import leaf, tree_root
from page.node import asked, base64, needs_node

pytestmark = needs_node
DRAWN = Random("page")
SEEDS = [DRAWN.randbytes(32) for _ in range(20)]
WORDS = ["a" * 64, None, "c" * 64]


def test_sha256_of_every_length_up_to_three_blocks() -> None:
    messages = [DRAWN.randbytes(length) for length in range(200)]
    found = asked("return questions.map((q) => m.hex(m.sha256(bytes(q))));", [*map(base64, messages)])
    assert found == [sha256(message).hexdigest() for message in messages]


def test_sha256_of_a_long_message() -> None:
    message = DRAWN.randbytes(100_003)
    assert asked("return m.hex(m.sha256(bytes(questions)));", base64(message)) == (
        sha256(message).hexdigest()
    )


def test_hmac_with_keys_shorter_and_longer_than_a_block() -> None:
    pairs = [(DRAWN.randbytes(length), DRAWN.randbytes(77)) for length in (0, 1, 32, 63, 64, 65, 200)]
    script = "return questions.map(([key, text]) => m.hex(m.hmac(bytes(key), bytes(text))));"
    found = asked(script, [[base64(key), base64(text)] for key, text in pairs])
    assert found == [hmac.digest(key, text, "sha256").hex() for key, text in pairs]


def test_hexadecimal_digits_there_and_back() -> None:
    assert asked("return m.hex(m.unhex(questions));", "00ff10") == "00ff10"


def test_the_tree_of_every_size_up_to_forty() -> None:
    bodies = [DRAWN.randbytes(size) for size in range(40)]
    script = """
        const all = questions.map((q) => m.leaf(bytes(q)));
        return [...all, null].map((_, size) => Array.from(m.root(all.slice(0, size))));
    """
    found = [bytes(root) for root in asked(script, [*map(base64, bodies)])]
    assert found == [tree_root(map(leaf, bodies[:size])) for size in range(41)]


def test_a_commitment_to_a_seed() -> None:
    script = "return questions.map((q) => m.commitment('k7m2p', bytes(q)));"
    found = asked(script, [*map(base64, SEEDS)])
    assert found == [commit("k7m2p", seed) for seed in SEEDS]


def test_a_number_below_each_n() -> None:
    script = """
        return questions.seeds.map((seed) => {
          const numbers = m.stream(m.drawKey("k7m2p", bytes(seed), questions.words), "timeout/3/1");
          return Array.from({length: 30}, (_, n) => m.below(numbers, n + 1));
        });
    """
    found = asked(script, {"seeds": [*map(base64, SEEDS)], "words": WORDS})
    for seed, numbers in zip(SEEDS, found, strict=True):
        stream = Dice("k7m2p", seed).stream(WORDS, "timeout/3/1")
        assert numbers == [stream.below(n + 1) for n in range(30)]


def test_a_number_beyond_the_last_whole_multiple_is_passed_over() -> None:
    script = "return m.below([2n ** 64n - 1n, 2n ** 64n - 2n, 5n].values(), questions);"
    assert asked(script, 3) == (2**64 - 2) % 3


def test_a_shuffled_pile() -> None:
    script = """
        return questions.seeds.map((seed) =>
          m.shuffled(m.stream(m.drawKey("k7m2p", bytes(seed), questions.words), "dummy"), questions.cards));
    """
    found = asked(script, {"seeds": [*map(base64, SEEDS)], "words": WORDS, "cards": PET_CARDS})
    assert found == [Dice("k7m2p", seed).stream(WORDS, "dummy").shuffled(PET_CARDS) for seed in SEEDS]
