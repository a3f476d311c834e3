"""The Merkle tree over a log (RFC 6962, section 2.1), grown one leaf at a time.

    leaf(data)  = SHA-256(0x00 || data)
    node(l, r)  = SHA-256(0x01 || l || r)
    root of n leaves = node(root of the first k, root of the rest), k the largest power of two below n

A *range* is all that is needed to grow a tree of n leaves: the roots of its complete subtrees, left to
right, one for each 1 in the binary form of n, 32 bytes each, joined. A log of 150 events needs at most
8 of them. Storing the range beside each event makes every root a few hashes away.

>>> grown = extend(b"", 0, leaf(b"first"))
>>> range_root(grown) == leaf(b"first")
True
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

EMPTY_ROOT = sha256().digest()
"""The root of a tree without leaves (RFC 6962: the hash of an empty string)."""


def leaf(data: bytes) -> bytes:
    """The 32-byte hash of one event's stored bytes."""
    return sha256(b"\x00" + data).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The 32-byte hash of two neighbouring subtrees."""
    return sha256(b"\x01" + left + right).digest()


def extend(range_: bytes, size: int, leaf_hash: bytes) -> bytes:
    """The range of `size + 1` leaves, from the range of `size` and the next leaf's hash.

    Raises ValueError if the range cannot belong to a tree of that size.
    """
    if len(range_) != 32 * size.bit_count():
        raise ValueError(f"a tree of {size} leaves needs {size.bit_count()} hashes, not {len(range_) / 32:g}")
    end = len(range_)
    grown = leaf_hash
    while size & 1:
        grown = node(range_[end - 32 : end], grown)
        end -= 32
        size >>= 1
    return range_[:end] + grown


def range_root(range_: bytes) -> bytes:
    """The root of the tree that a range stands for."""
    if not range_:
        return EMPTY_ROOT
    end = len(range_) - 32
    root = range_[end:]
    while end:
        root = node(range_[end - 32 : end], root)
        end -= 32
    return root


def tree_root(leaves: Iterable[bytes]) -> bytes:
    """The root over leaf hashes (already hashed by `leaf`), first to last."""
    range_ = b""
    for size, leaf_hash in enumerate(leaves):
        range_ = extend(range_, size, leaf_hash)
    return range_root(range_)
