import type { Span, Text } from './scan.ts';
import { codesOf, isDigit, isHexDigit, isLower, isSeparator, isUpper, skip } from './scan.ts';

/** Stands for a number, an instant or an id: one mark for all, because a random id may be all digits. */
export const VARIABLE = '#';

/** How many letters of a to f are a number in base 16: hardly a word is spelled with those alone. */
const MIN_HEX_LETTERS = 8;

/** How many letters and digits are more than a number with its unit. */
const MIN_ID_LETTERS = 10;

/** A shorter word without a digit may be a name, however it looks. */
const MIN_RANDOM_LETTERS = 16;

/** More consonants in a row than words have. */
const MANY_CONSONANTS = 6;

/** Words of two letters within names, as in `isInOrder`; other text between two capitals is random. */
const SHORT_WORDS: ReadonlySet<string> = new Set(
  'Or Of Is In At As On To Do No By If Id Re Go Up My Js Ts Db Io Ip Ui Tx or of is in at as on to do no by if id go'.split(
    ' ',
  ),
);

/** Words between the numbers of an instant. */
const DATE_WORDS: ReadonlySet<string> = new Set([
  ...'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun'.split(' '),
  ...'January February March April June July August September October November December'.split(' '),
  ...'Monday Tuesday Wednesday Thursday Friday Saturday Sunday AM PM am pm GMT UTC'.split(' '),
]);

/** What a character may be. */
const SEPARATOR = 1;
const DIGIT = 2;
const LOWER = 4;
const UPPER = 8;
const VOWEL = 16;
const HEX = 32;

const VOWELS = codesOf('aeiouyAEIOUY');

/** Returns whether a word belongs to an instant if a number is beside it. */
export function isDateWord(word: string): boolean {
  return DATE_WORDS.has(word);
}

/** Returns a word with `#` for what varies in it: `order-42` is `order-#`, `k3J9x2` is `#`, `timeout` stays. */
export function maskWord(text: Text, span: Span): string {
  const facts = look(text, span);
  const hasSegments = facts.letters < span.end - span.start;
  if (has(facts, DIGIT)) return facts.isHex || !hasSegments ? VARIABLE : maskSegments(text, span);
  if (looksRandom(facts)) return VARIABLE;
  const isHexInside = hasSegments && split(text, span).some((segment) => isHexRun(look(text, segment)));
  return isHexInside ? maskSegments(text, span) : text.slice(span.start, span.end);
}

/**
 * Keeps the segments that are words, because ids have names before and behind them. If the first other one is a random id of
 * more than its digits, or has small letters and capitals from there on, nothing is kept: such ids have separators, too.
 */
function maskSegments(text: Text, span: Span): string {
  const segments = split(text, span).map((segment) => ({ ...segment, isPlain: isPlain(text, segment) }));
  const first = segments.find(({ isPlain }) => !isPlain) ?? span;
  const { letters, isHex } = look(text, first);
  const rest = look(text, { start: first.start, end: span.end });
  if ((has(rest, LOWER) && has(rest, UPPER)) || (letters >= MIN_ID_LETTERS && !isHex)) return VARIABLE;
  let [masked, end] = ['', span.start];
  for (const segment of segments) {
    const separator = text.slice(end, segment.start);
    if (segment.isPlain) masked += separator + text.slice(segment.start, segment.end);
    else if (!masked.endsWith(VARIABLE)) masked += (masked && separator) + VARIABLE;
    end = segment.end;
  }
  return masked;
}

function split(text: Text, { start, end }: Span): readonly Span[] {
  const segments: Span[] = [];
  for (let next = start; next < end; ) {
    const from = skip(text, { start: next, end }, isSeparator);
    next = skip(text, { start: from, end }, (code) => !isSeparator(code));
    if (next > from) segments.push({ start: from, end: next });
  }
  return segments;
}

/** Returns whether a segment is a word: two letters or more, one of them a vowel, no capital but the first ones. */
function isPlain(text: Text, span: Span): boolean {
  const facts = look(text, span);
  const { letters, isHex, humps } = facts;
  return !has(facts, DIGIT) && letters >= 2 && has(facts, VOWEL) && humps === 0 && !(isHex && letters >= 4);
}

function looksRandom(facts: WordFacts): boolean {
  const { letters, shortHumps, consonants } = facts;
  return (
    isHexRun(facts) || (letters >= MIN_RANDOM_LETTERS && (shortHumps > 0 || consonants >= MANY_CONSONANTS))
  );
}

/** Returns whether letters are a number in base 16: of one case, as those are. */
function isHexRun(facts: WordFacts): boolean {
  if (!facts.isHex || facts.letters < MIN_HEX_LETTERS) return false;
  return !(has(facts, LOWER) && has(facts, UPPER));
}

function has({ seen }: WordFacts, flag: number): boolean {
  return (seen & flag) !== 0;
}

/** What one pass over a word finds. */
interface WordFacts {
  /** The flags of all of its characters. */
  readonly seen: number;
  /** How many characters it has that are no separators. */
  readonly letters: number;
  /** Nothing but digits of base 16 and separators. */
  readonly isHex: boolean;
  /** The most consonants in a row. */
  readonly consonants: number;
  /** How often a capital follows a small letter, as in camelCase. */
  readonly humps: number;
  /** How often that one is preceded by two letters that are no word. */
  readonly shortHumps: number;
}

function look(text: Text, { start, end }: Span): WordFacts {
  let seen = 0;
  let isHex = true;
  let letters = 0;
  let run = 0; // of consonants
  let consonants = 0;
  let small = 0; // letters since the last capital
  let humps = 0;
  let shortHumps = 0;
  for (let index = start; index < end; index += 1) {
    const flags = flagsOf(text.charCodeAt(index));
    seen |= flags;
    if ((flags & (HEX | SEPARATOR)) === 0) isHex = false;
    if ((flags & SEPARATOR) === 0) letters += 1;
    run = (flags & (SEPARATOR | DIGIT | VOWEL)) === 0 ? run + 1 : 0;
    if (run > consonants) consonants = run;
    if ((flags & UPPER) !== 0 && small > 0) humps += 1;
    if ((flags & UPPER) !== 0 && small === 1 && !isShortWord(text, index)) shortHumps += 1;
    small = (flags & LOWER) === 0 ? 0 : small + 1;
  }
  return { seen, letters, isHex, consonants, humps, shortHumps };
}

function isShortWord(text: Text, end: number): boolean {
  return SHORT_WORDS.has(text.slice(end - 2, end));
}

const FLAGS: readonly number[] = Array.from({ length: 0x80 }, (_, code) => computeFlags(code));

/** Every word of every message passes here, so the flags of ASCII are looked up. */
function flagsOf(code: number): number {
  return FLAGS[code] ?? LOWER | VOWEL; // beyond ASCII a letter may be either
}

function computeFlags(code: number): number {
  return (
    (isSeparator(code) ? SEPARATOR : 0) |
    (isDigit(code) ? DIGIT : 0) |
    (isLower(code) ? LOWER : 0) |
    (isUpper(code) ? UPPER : 0) |
    (VOWELS.has(code) ? VOWEL : 0) |
    (isHexDigit(code) ? HEX : 0)
  );
}
