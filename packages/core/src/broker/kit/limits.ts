import { MAX_INSTANT_AT } from '../../duration.ts';
import { isRetryError } from '../../errors.ts';
import type { EndRequest } from '../acts.ts';
import type { Run } from '../run.ts';
import type { Settlement } from '../settlement.ts';
import type { SpentError, Submission } from '../submission.ts';

/** About how many bytes one call carries at most, in either direction. A single run may be larger. */
export const MAX_BATCH_BYTES = 8_388_608;

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

const NO_ERRORS: readonly [] = [];

/** What an error has besides its texts, about: instants, codes, worker and reason. */
const FACTS_BYTES = 256;

/** Returns about how many bytes a run has in a request or reply. Counts characters, because most text is ASCII. */
export function runBytes({ payload, result = '', retry = '', errors }: Run): number {
  return 256 + payload.length + result.length + retry.length + errorsBytes(errors);
}

function errorsBytes(
  errors: readonly (SpentError & { readonly stack?: string | undefined })[] = NO_ERRORS,
): number {
  let bytes = 0;
  for (const { name, message, stack = '' } of errors)
    bytes += name.length + message.length + stack.length + FACTS_BYTES;
  return bytes;
}

/** Returns about how many bytes a submission has in a request. */
export function submissionBytes({ payload, retry = '', context = '', spent }: Submission): number {
  return 256 + payload.length + retry.length + context.length + errorsBytes(spent?.errors);
}

/** Returns about how many bytes a settlement has in a request: no payload, but that of the run that it submits. */
export function settlementBytes({ next, submit }: Settlement): number {
  const bytes = runBytes(next) - next.payload.length;
  return submit === undefined ? bytes : bytes + submissionBytes(submit);
}

/** Returns about how many bytes the request of an operator's end has. */
export function endBytes(request: EndRequest): number {
  if (request.as === 'completed') return 256 + request.result.length;
  const { name, message, stack = '' } = request.error;
  return 256 + name.length + message.length + stack.length;
}

/** Returns the leading runs that fit into one batch, at least one. */
export function sizedPage<Kept extends Run>(runs: readonly Kept[]): readonly Kept[] {
  let bytes = 0;
  const end = runs.findIndex((run, index) => {
    bytes += runBytes(run);
    return index > 0 && bytes > MAX_BATCH_BYTES;
  });
  return end === -1 ? runs : runs.slice(0, end);
}

/**
 * Returns an instant or a delay that every broker can store: whole milliseconds, `0 ≤ ms ≤ MAX_INSTANT_AT`. Fractions
 * are rounded up, so that nothing is early.
 */
export function keepableMs(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), MAX_INSTANT_AT);
}

/** Codes of our own errors about wrong input: the same input would be refused again. */
const REFUSING_CODES = ['INVALID_OPTIONS', 'INVALID_SETTLEMENT', 'UNKEEPABLE_TEXT'] as const;

/** Returns whether the error, of the runtime or of ours, is about the input: sent again, it fails again. */
export function isRefusedInput(error: unknown): boolean {
  try {
    if (error instanceof TypeError || error instanceof RangeError || isTooLong(error)) return true;
    return REFUSING_CODES.some((code) => isRetryError(error, code));
  } catch {
    return false; // an error that cannot be read does not blame the input
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG';
}
