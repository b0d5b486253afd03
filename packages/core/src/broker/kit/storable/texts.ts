/** The longest id, key, lane or name, in bytes of UTF-8. */
const MAX_TEXT_BYTES = 512;

/**
 * Returns what is wrong with a name (an id, a key, a lane, a task); `undefined` when nothing is. Names are 1 to 512 bytes
 * of well-formed Unicode without U+0000: every broker can store and compare those. Other text may be longer.
 */
export function textProblem(text: unknown, maxBytes: number = MAX_TEXT_BYTES): string | undefined {
  if (typeof text !== 'string') return 'must be text';
  if (text === '') return 'must not be empty';
  // Checked first: a text of megabytes is not searched.
  if (text.length > maxBytes) return tooLong(maxBytes);
  if (isUsualText(text)) return undefined;
  if (text.includes('\0')) return 'must not contain U+0000';
  if (LONE_SURROGATE.test(text)) return 'must be well-formed Unicode (it has half a surrogate pair)';
  return utf8Bytes(text) > maxBytes ? tooLong(maxBytes) : undefined;
}

/** ASCII without U+0000, as most names are: one loop takes a third of the time of the searches for what else may be wrong. */
function isUsualText(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0 || code > 0x7f) return false;
  }
  return true;
}

function tooLong(maxBytes: number): string {
  return `must be at most ${maxBytes} bytes of UTF-8`;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Bytes of UTF-8; core uses no runtime's encoder. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // A pair of surrogates is two units and four bytes, so each counts two.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** Compares texts by their UTF-16 units. */
export function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Compares texts by their bytes in UTF-8, which is the order of their code points. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (one !== other) return codePointRank(one) - codePointRank(other);
  }
  return left.length - right.length;
}

/** Halves of surrogate pairs are code points after all others, though not by their numbers. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
