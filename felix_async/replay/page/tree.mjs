// The Merkle tree of RFC 6962, section 2.1.

import {joined, sha256} from "./sha256.mjs";

// A line is hashed for its check, for the root, and once more for the verdict.
const LEAVES = new WeakMap();

export function leaf(bytes) {
  if (!LEAVES.has(bytes)) LEAVES.set(bytes, sha256(joined([0], bytes)));
  return LEAVES.get(bytes);
}

export function root(leaves) {
  if (leaves.length < 2) return leaves[0] ?? sha256([]);
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return sha256(joined([1], root(leaves.slice(0, half)), root(leaves.slice(half))));
}
