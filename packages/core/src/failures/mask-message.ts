import { isDateWord, maskWord, VARIABLE } from './mask-word.ts';
import type { Span, Text } from './scan.ts';
import { closerOf, codesOf, isDigit, isLetterOrDigit, isSpace, isWordPart, skip, trimEnd } from './scan.ts';

const QUOTED = "'…'";
const URL = '<url>';
const EMAIL = '<email>';
const PATH = '<path>';

/**
 * What stands between variable parts of a list. Of several in a row, with nothing but these between them, one is left: a list has any
 * length.
 */
const JOINERS = codesOf(' ,.:;/+-_');

/** They end a chunk, unless it is a URL. Quotation marks do, too. */
const DELIMITERS = codesOf('()[]{}<>|,;=');

/** They may follow a chunk in a sentence. */
const PUNCTUATION = codesOf('.:!?');

/** They may follow a URL in a sentence, and be within it. */
const URL_PUNCTUATION = codesOf('.:!?()[]{}<>|,;=');

/** Before a number they are its sign, its point, or the colons of an address: -5, +5, .5, ::1 */
const SIGNS = codesOf('+-.:');

const SLASHES = codesOf('/\\');

/**
 * Returns a message as one line with marks for what varies from error to error: `#` for numbers, instants and ids, `'…'`,
 * `<url>`, `<email>` and `<path>`.
 *
 * One pass from left to right: characters of a chunk are read a limited number of times, so the time is linear.
 */
export function maskMessage(text: Text): string {
  const scanner: Scanner = { text, closed: new Set(), pieces: [], joiners: '', dateAt: -1, braces: 0 };
  for (let index = 0; index < text.length; ) index = maskNext(scanner, index);
  flush(scanner);
  return scanner.pieces.join('').trim();
}

/** The state of one pass. */
interface Scanner {
  readonly text: Text;
  /** Closing marks that do not occur any more; each is searched to the end of the text once. */
  readonly closed: Set<number>;
  /** The masked text. */
  readonly pieces: string[];
  /** What follows it, and is dropped if what comes next varies as its end does. */
  joiners: string;
  /** Where in the joiners the name of a day or month begins; -1 without one. */
  dateAt: number;
  /** Open braces: only in an object are quoted names keys. */
  braces: number;
  /** Closes a key. */
  keyEnd?: number;
}

/** Masks what begins at the index. @returns where the next piece begins, after the index */
function maskNext(scanner: Scanner, index: number): number {
  const { text } = scanner;
  const code = text.charCodeAt(index);
  if (isSpace(code)) {
    write(scanner, ' ');
    return skip(text, { start: index, end: text.length }, isSpace);
  }
  if (code === 0x7b) scanner.braces += 1;
  if (code === 0x7d) scanner.braces = Math.max(scanner.braces - 1, 0);
  const end = index === scanner.keyEnd ? -1 : quotationEnd(scanner, index);
  if (end !== -1 && !isKey(scanner, { start: index, end })) {
    vary(scanner, QUOTED);
    return end;
  }
  if (end !== -1) scanner.keyEnd = end - 1;
  if (end !== -1 || isDelimiter(code)) {
    write(scanner, text.slice(index, index + 1));
    return index + 1;
  }
  return maskChunk(scanner, index);
}

/** Returns where the quotation that begins at the index ends; -1 if none begins there. */
function quotationEnd({ text, closed }: Scanner, index: number): number {
  const code = text.charCodeAt(index);
  const closer = closerOf(code);
  if (closer === undefined || closed.has(closer)) return -1;
  // The apostrophe of `can't` opens nothing.
  if (code === 0x27 && index > 0 && isLetterOrDigit(text.charCodeAt(index - 1))) return -1;
  for (let end = index + 1; end < text.length; end += 1) {
    const found = text.charCodeAt(end);
    if (found === closer && !isApostrophe(text, end)) return end + 1;
    if (found === 0x5c) end += 1; // the character after a backslash closes nothing
  }
  closed.add(closer);
  return -1;
}

function isApostrophe(text: Text, index: number): boolean {
  const next = index + 1;
  return text.charCodeAt(index) === 0x27 && next < text.length && isLetterOrDigit(text.charCodeAt(next));
}

/** Returns whether a quotation is a key of JSON: part of the template, as names in a sentence are. */
function isKey(scanner: Scanner, { start, end }: Span): boolean {
  const { text, joiners, braces } = scanner;
  if (braces === 0 || text.charCodeAt(start) !== 0x22) return false;
  const before = joiners.trimEnd().slice(-1) || lastPiece(scanner);
  if (before !== '{' && before !== ',') return false;
  const next = skip(text, { start: end, end: text.length }, isSpace);
  return next < text.length && text.charCodeAt(next) === 0x3a;
}

function isDelimiter(code: number): boolean {
  return DELIMITERS.has(code) || closerOf(code) !== undefined;
}

function maskChunk(scanner: Scanner, start: number): number {
  const { text } = scanner;
  const isPart = (code: number): boolean => !isSpace(code) && !isDelimiter(code);
  const whole = { start, end: skip(text, { start, end: text.length }, isPart) };
  const chunk = { start, end: trimEnd(text, whole, PUNCTUATION) };
  const shape = shapeOf(text, chunk);
  if (shape === 'words') return maskWords(scanner, whole);
  vary(scanner, { url: URL, email: EMAIL, path: PATH }[shape]);
  return shape === 'url' ? urlEnd(text, chunk) : chunk.end;
}

/** A URL may have delimiters in it; those at its end belong to the sentence. */
function urlEnd(text: Text, { start, end }: Span): number {
  const isPart = (code: number): boolean =>
    !isSpace(code) && code !== 0x3c && code !== 0x3e && closerOf(code) === undefined;
  const last = skip(text, { start: end, end: text.length }, isPart);
  return Math.max(trimEnd(text, { start, end: last }, URL_PUNCTUATION), end);
}

type Shape = 'words' | 'url' | 'email' | 'path';

function shapeOf(text: Text, { start, end }: Span): Shape {
  let [slashes, at, dot] = [0, -1, -1];
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x2f) slashes += 1;
    if (code === 0x2f && index > start + 1 && isAfterScheme(text, index)) return 'url';
    if (code === 0x40) at = index;
    if (code === 0x2e) dot = index;
  }
  if (at > start && isDomain(text, { start: at + 1, end })) return 'email';
  return isPath(text, { start, end }, { slashes, dot }) ? 'path' : 'words';
}

/** Returns whether this slash is the second one of `://`. */
function isAfterScheme(text: Text, index: number): boolean {
  return text.charCodeAt(index - 1) === 0x2f && text.charCodeAt(index - 2) === 0x3a;
}

/** Letters, digits, dots and hyphens that end with a letter: `react@18.2.0` is no address. */
function isDomain(text: Text, span: Span): boolean {
  const isPart = (code: number): boolean => isWordPart(code) || code === 0x2e;
  if (span.end === span.start || skip(text, span, isPart) < span.end) return false;
  const last = text.charCodeAt(span.end - 1);
  return isLetterOrDigit(last) && !isDigit(last);
}

interface PathFacts {
  readonly slashes: number;
  /** The index of the last dot; -1 without one. */
  readonly dot: number;
}

/**
 * `/etc/hosts`, `./a`, `../a`, `~/a`, `C:\a`, `\\server`; or begins with a word and has two slashes, or one and a suffix:
 * neither `application/json` nor 1/2/3.
 */
function isPath(text: Text, span: Span, { slashes, dot }: PathFacts): boolean {
  const { start, end } = span;
  const first = skip(text, span, (code) => code === 0x2e || code === 0x7e);
  if (first + 1 < end && first - start <= 2 && SLASHES.has(text.charCodeAt(first))) return true;
  const drive = start + 2 < end && text.charCodeAt(start + 1) === 0x3a;
  if (drive && SLASHES.has(text.charCodeAt(start + 2))) return true;
  if (slashes === 0 || !isLetterOrDigit(text.charCodeAt(start))) return false;
  const wordEnd = skip(text, span, isWordPart);
  if (wordEnd - start < 2 || maskWord(text, { start, end: wordEnd }).includes(VARIABLE)) return false;
  return slashes > 1 || (dot > start && isSuffix(text, { start: dot + 1, end }));
}

/** A letter and up to four letters or digits, then perhaps a line and a column. */
function isSuffix(text: Text, { start, end }: Span): boolean {
  const suffixEnd = skip(text, { start, end }, isLetterOrDigit);
  if (suffixEnd === start || suffixEnd > start + 5 || isDigit(text.charCodeAt(start))) return false;
  return skip(text, { start: suffixEnd, end }, (code) => code === 0x3a || isDigit(code)) === end;
}

/** Masks the words of a chunk, and keeps what is between them. @returns its end */
function maskWords(scanner: Scanner, { start, end }: Span): number {
  const { text } = scanner;
  for (let index = start; index < end; ) {
    // A hyphen before a number is a sign.
    const from = skip(text, { start: index, end }, (code) => code === 0x2d);
    const next = skip(text, { start: from, end }, isWordPart);
    if (from > index) write(scanner, text.slice(index, from));
    if (next > from) writeWord(scanner, { start: from, end: next });
    else if (next < end) write(scanner, text.slice(next, next + 1));
    index = next > from ? next : next + 1;
  }
  return end;
}

function writeWord(scanner: Scanner, span: Span): void {
  const masked = maskWord(scanner.text, span);
  if (masked === VARIABLE) vary(scanner, VARIABLE);
  else if (isDateWord(masked)) writeDateWord(scanner, masked);
  else write(scanner, masked);
}

/** Drops the name of a day or month behind a number, and keeps it in mind before one. */
function writeDateWord(scanner: Scanner, word: string): void {
  if (lastPiece(scanner).endsWith(VARIABLE)) {
    scanner.joiners = '';
    return;
  }
  if (scanner.dateAt === -1) scanner.dateAt = scanner.joiners.length;
  scanner.joiners += word;
}

/** Writes a word, or one or more joiners. */
function write(scanner: Scanner, text: string): void {
  if (JOINERS.has(text.charCodeAt(0))) {
    scanner.joiners += text;
    return;
  }
  flush(scanner);
  scanner.pieces.push(text);
}

/** Writes a mark, unless the same one is the last. */
function vary(scanner: Scanner, mark: string): void {
  const { joiners, dateAt } = scanner;
  const last = lastPiece(scanner);
  if (!last.endsWith(mark)) {
    const before = mark === VARIABLE && dateAt !== -1 ? joiners.slice(0, dateAt) : joiners;
    scanner.joiners = mark === VARIABLE ? withoutSign(before, last) : before;
    flush(scanner);
    scanner.pieces.push(mark);
  }
  scanner.joiners = '';
  scanner.dateAt = -1;
}

/** Returns the joiners before a number without those that belong to it. */
function withoutSign(joiners: string, last: string): string {
  const isWordBefore = last !== '' && isLetterOrDigit(last.charCodeAt(last.length - 1));
  const signAt = trimEnd(joiners, { start: isWordBefore ? 1 : 0, end: joiners.length }, SIGNS);
  return joiners.slice(0, Math.max(signAt, Math.min(joiners.length, isWordBefore ? 1 : 0)));
}

function flush(scanner: Scanner): void {
  if (scanner.joiners !== '') scanner.pieces.push(scanner.joiners);
  scanner.joiners = '';
  scanner.dateAt = -1;
}

function lastPiece({ pieces }: Scanner): string {
  return pieces.at(-1) ?? '';
}
