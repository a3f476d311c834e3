// SHA-256 (FIPS 180-4) and HMAC (RFC 2104), at once and in plain numbers: a file: page may lack crypto.subtle.

const SHA_START = new Uint32Array(8);
const SHA_STEPS = new Uint32Array(64);

// The constants are fractions of the roots of the first primes.
for (let number = 2, count = 0; count < 64; number++) {
  let divisor = 2;
  while (number % divisor) divisor++;
  if (divisor < number) continue;
  if (count < 8) SHA_START[count] = Math.sqrt(number) * 2 ** 32;
  SHA_STEPS[count++] = Math.cbrt(number) * 2 ** 32;
}

const rotated = (word, bits) => (word >>> bits) | (word << (32 - bits));

export function sha256(bytes) {
  const end = ((bytes.length + 8) >> 6) * 64 + 64;
  const padded = new Uint8Array(end);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setUint32(end - 8, Math.floor(bytes.length / 2 ** 29));
  words.setUint32(end - 4, bytes.length << 3);
  const hash = SHA_START.slice();
  const w = new Uint32Array(64);
  for (let block = 0; block < end; block += 64) {
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      if (i < 16) w[i] = words.getUint32(block + 4 * i);
      else {
        const x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3)) +
          (rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10));
      }
      const one = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + SHA_STEPS[i] + w[i];
      const two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = (d + one) | 0;
      d = c, c = b, b = a, a = (one + two) | 0;
    }
    hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d;
    hash[4] += e, hash[5] += f, hash[6] += g, hash[7] += h;
  }
  const out = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => out.setUint32(4 * i, word));
  return new Uint8Array(out.buffer);
}

export function hmac(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(joined(block.map((byte) => byte ^ 0x36), message));
  return sha256(joined(block.map((byte) => byte ^ 0x5c), inner));
}

export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

export const utf8 = (text) => new TextEncoder().encode(text);
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
export const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
