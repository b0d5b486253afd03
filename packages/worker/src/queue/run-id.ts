import { randomFillSync } from 'node:crypto';

/** The digits in the order of their bytes, in which stores compare ids. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = DIGITS.length;

/** An instant repeats in the year 2081: then ids are still random, and ascend anew. */
const INSTANT_DIGITS = 7;
const COUNT_DIGITS = 2;
const RANDOM_DIGITS = 10;
const INSTANTS = BASE ** INSTANT_DIGITS;
const MAX_PER_MS = BASE ** COUNT_DIGITS - 1;

/** How many bytes are drawn at a time: for 198 ids. */
const POOL_BYTES = 2_048;

/** The digit that each byte stands for; none for the last eight, so that each digit is as likely as another. */
const DIGIT_OF_BYTE: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 4 * BASE ? digit(byte) : '',
);

const pool = Buffer.alloc(POOL_BYTES);
let poolDigits = '';
let nextDigit = 0;

let latestMs: number;
let count: number;
/** What the ids of one millisecond begin with. */
let prefix: string;
begin(0);

/**
 * Returns the id of a new run: the instant, a count and 59 random bits in 19 letters and digits. Ids of one process ascend, so that
 * a store with a sorted index appends to it rather than writing everywhere. A UUID would be as unique, and is 17 characters
 * longer: stores keep it up to four times while its run waits.
 *
 * @param tag - text without `}` that goes before it in braces: runs of one tag are kept together
 */
export function createRunId(tag?: string): string {
  const now = Date.now();
  if (now > latestMs) begin(now);
  else if (count === MAX_PER_MS)
    begin(latestMs + 1); // ahead of the clock rather than out of order
  else count += 1;
  const id = prefix + digit(count / BASE) + digit(count) + randomDigits();
  return tag === undefined ? id : `{${tag}}${id}`;
}

function begin(atMs: number): void {
  latestMs = atMs;
  count = 0;
  prefix = '';
  for (let rest = atMs % INSTANTS; prefix.length < INSTANT_DIGITS; rest = Math.floor(rest / BASE))
    prefix = digit(rest) + prefix;
}

/** The last digit of the whole part of a number. */
function digit(number: number): string {
  return DIGITS.charAt(number % BASE);
}

/** Bytes are drawn for many ids at a time, which takes a fifth of the time. */
function randomDigits(): string {
  if (nextDigit + RANDOM_DIGITS > poolDigits.length) {
    poolDigits = '';
    for (const byte of randomFillSync(pool)) poolDigits += DIGIT_OF_BYTE[byte] ?? '';
    nextDigit = 0;
  }
  const from = nextDigit;
  nextDigit += RANDOM_DIGITS;
  return poolDigits.slice(from, nextDigit);
}
