// The draws of a game, from its seed and the players' words: events/README.md, "The draws".

import {hex, hmac, joined, sha256, utf8} from "./sha256.mjs";

export const commitment = (gameId, seed) => hex(sha256(joined(utf8("felix-seed-1" + gameId), seed)));

// `contributions` are by seat, null where nobody joined.
export const drawKey = (gameId, seed, contributions) => hmac(seed, utf8(JSON.stringify([gameId, contributions])));

// The numbers of one draw: unsigned 64-bit ones, four a block.
export function* stream(key, label) {
  for (let index = 0; ; index++) {
    const counter = new DataView(new ArrayBuffer(8));
    counter.setUint32(4, index);
    const block = new DataView(hmac(key, joined(utf8(label), [0], new Uint8Array(counter.buffer))).buffer);
    for (let at = 0; at < 32; at += 8) yield block.getBigUint64(at);
  }
}

// A number from 0 to n - 1, each as likely as the others.
export function below(numbers, n) {
  const limit = 2n ** 64n - (2n ** 64n % BigInt(n));
  let number;
  do number = numbers.next().value;
  while (number >= limit);
  return Number(number % BigInt(n));
}

export function shuffled(numbers, items) {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = below(numbers, last + 1);
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}
