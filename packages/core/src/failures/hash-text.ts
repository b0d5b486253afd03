/** The offset basis of FNV-1a for 64 bits, as two halves of 32. */
const BASIS = { high: 0xcb_f2_9c_e4, low: 0x84_22_23_25 };

/** The prime is 2^40 + 0x1b3. */
const PRIME = 0x1b3;

const HALF = 2 ** 32;

/**
 * Returns the FNV-1a hash of the text's UTF-8 bytes: 64 bits as 16 hexadecimal digits. It is not meant to withstand
 * forgery, and needs no library in any language.
 *
 * Times the prime is times 0x1b3, plus a shift by 40 bits: by 8 from the low half into the high one.
 *
 * @see docs/sources.md#fingerprints
 */
export function hashText(text: string): string {
  let { high, low } = BASIS;
  for (const byte of utf8(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * PRIME; // below 2^41, so it is exact
    high = (high * PRIME + Math.floor(product / HALF) + ((mixed << 8) >>> 0)) % HALF;
    low = product % HALF;
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
}

/** Returns the bytes of well-formed text. */
function utf8(text: string): readonly number[] {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    if (point < 0x80) bytes.push(point);
    else bytes.push(...bytesOf(point));
    if (point > 0xffff) index += 1; // the second half of a surrogate pair
  }
  return bytes;
}

/** The bytes of a character beyond ASCII: the first has as many leading ones as there are bytes, the others one. */
function bytesOf(point: number): readonly number[] {
  const rest = [0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)];
  if (point < 0x800) return [0xc0 | (point >> 6), ...rest.slice(1)];
  if (point < 0x10000) return [0xe0 | (point >> 12), ...rest];
  return [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 0x3f), ...rest];
}
