/** What a scanner needs of a text; a string has it, and one that counts has it, too. */
export interface Text {
  readonly length: number;
  readonly charCodeAt: (index: number) => number;
  readonly slice: (start: number, end: number) => string;
}

/** Returns the mark that closes a quotation; `undefined` for what opens none. */
export function closerOf(code: number): number | undefined {
  if (code === 0x22 || code === 0x27 || code === 0x60) return code;
  if (code === 0xab) return 0xbb;
  return code === 0x2018 || code === 0x201c ? code + 1 : undefined;
}

/** Control characters count as spaces: a title has none. */
export function isSpace(code: number): boolean {
  if (code < 0x7f) return code <= 0x20;
  return (
    code <= 0xa0 || (code >= 0x2000 && code <= 0x200b) || [0x2028, 0x2029, 0x3000, 0xfeff].includes(code)
  );
}

/** Capital letters of ASCII. */
export function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

/** Letters of other alphabets are lower case here: all that is not ASCII, but the blocks of punctuation. */
export function isLower(code: number): boolean {
  if (code < 0xc0) return code >= 0x61 && code <= 0x7a;
  return !(code >= 0x2000 && code <= 0x206f) && !(code >= 0x3000 && code <= 0x303f) && code !== 0xfeff;
}

/** Digits of ASCII. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Letters and digits. */
export function isLetterOrDigit(code: number): boolean {
  return isLower(code) || isUpper(code) || isDigit(code);
}

/** What joins the parts of a name or id: `_` and `-`. */
export function isSeparator(code: number): boolean {
  return code === 0x5f || code === 0x2d;
}

/** What names and ids consist of. */
export function isWordPart(code: number): boolean {
  return isLetterOrDigit(code) || isSeparator(code);
}

/** Hexadecimal digits, in either case. */
export function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

/** Returns the codes of some characters. */
export function codesOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)));
}

/** A piece of a text: `start ≤ end`, the end not included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the first index in the span at which the test fails, or its end. */
export function skip(text: Text, { start, end }: Span, test: (code: number) => boolean): number {
  let index = start;
  while (index < end && test(text.charCodeAt(index))) index += 1;
  return index;
}

/** Returns the end of a span without these characters at its end. */
export function trimEnd(text: Text, { start, end }: Span, codes: ReadonlySet<number>): number {
  let index = end;
  while (index > start && codes.has(text.charCodeAt(index - 1))) index -= 1;
  return index;
}
