"""The tree is the one of RFC 6962, and a range grows into it."""

from __future__ import annotations

from hashlib import sha256

import pytest

from each import each
from felix_events.tree import EMPTY_ROOT, extend, leaf, node, range_root, tree_root

WORDS = " 00 10 2021 3031 40414243 5051525354555657 606162636465666768696a6b6c6d6e6f"
LEAVES = [bytes.fromhex(data) for data in WORDS.split(" ")]
"""The leaf inputs of Certificate Transparency's published test vectors."""

ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""Their published roots: of the first leaf, of the first two, and so on."""


def by_definition(data: list[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1, word for word."""
    if not data:
        return sha256(b"").digest()
    if len(data) == 1:
        return sha256(b"\x00" + data[0]).digest()
    k = 1
    while k * 2 < len(data):
        k *= 2
    return sha256(b"\x01" + by_definition(data[:k]) + by_definition(data[k:])).digest()


def test_roots_are_the_published_ones() -> None:
    found = [tree_root(leaf(data) for data in LEAVES[:size]).hex() for size in range(1, len(LEAVES) + 1)]
    assert found == ROOTS
    published = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert EMPTY_ROOT.hex() == tree_root([]).hex() == range_root(b"").hex() == published


def test_a_leaf_and_a_node_never_hash_alike() -> None:
    """Each kind starts with a byte of its own, so that a node cannot be passed off as a leaf."""
    left, right = leaf(b"left"), leaf(b"right")
    assert leaf(left + right) != node(left, right)


def test_a_growing_range_has_the_root_of_the_definition() -> None:
    data: list[bytes] = []
    range_ = b""
    for size in range(201):
        assert range_root(range_) == by_definition(data), f"{size} leaves"
        assert size % 20 or tree_root(map(leaf, data)) == range_root(range_), f"{size} leaves"
        data.append(b"event %d" % size)
        range_ = extend(range_, size, leaf(data[-1]))


def test_a_range_has_one_hash_for_each_complete_subtree() -> None:
    """Seven leaves are subtrees of four, two and one, left to right."""
    data = [b"%d" % number for number in range(7)]
    range_ = b""
    for size, item in enumerate(data):
        range_ = extend(range_, size, leaf(item))
    assert range_ == by_definition(data[:4]) + by_definition(data[4:6]) + by_definition(data[6:])


@each(("range_", "size"), [(b"", 1), (leaf(b""), 0), (leaf(b""), 3), (b"short", 2)])
def test_a_range_of_another_size_is_refused(range_: bytes, size: int) -> None:
    with pytest.raises(ValueError, match=f"a tree of {size} leaves needs {size.bit_count()} hashes"):
        extend(range_, size, leaf(b"next"))
