import type { Concurrency, Submission } from '@retry/core/broker';
import { keepableMs } from '@retry/core/broker';
import { fromTag, toTag } from './keys.ts';
import { APART, isKeptApart } from './large.ts';

/** What never changes of a run. */
export interface Body {
  /** When it was submitted. */
  readonly submittedAt: number;
  readonly lane: string;
  /** `APART` where it is kept apart. */
  readonly payload: string;
  readonly concurrency: Concurrency | undefined;
}

/** What is kept of a run that cannot be read. */
export class UnreadableError extends Error {}

/** Where no notes follow, and where they do. */
const LETTERS = { none: '-=', wait: 'wW', claim: 'cC' } as const;
const SUBMITTED_AT = /^\d{13}/;

/**
 * The body of a run, without the instant that the server puts before it: a letter for its concurrency; notes, if there are
 * any; limit and key of the concurrency; lane and payload. Fields end with a zero character. Of the notes, `k` says
 * that the id is a name, `p` that the payload is kept apart, and a number how long its result waits to be collected.
 */
export function encodeBody(submission: Submission): string {
  const { lane, payload, concurrency } = submission;
  const notes = notesOf(submission);
  const letter = LETTERS[concurrency?.whenFull ?? 'none'][notes === '' ? 0 : 1];
  const head = notes === '' ? letter : `${letter}${notes}\0`;
  const key = concurrency === undefined ? '' : `${concurrency.limit}\0${toTag(concurrency.key)}\0`;
  return `${head}${key}${toTag(lane)}\0${isKeptApart(payload) ? APART : payload}`;
}

function notesOf({ payload, keyed, keepResultMs }: Submission): string {
  const keep = keepResultMs === undefined ? '' : `${keepableMs(keepResultMs)}`;
  return `${keyed === true ? 'k' : ''}${isKeptApart(payload) ? 'p' : ''}${keep}`;
}

/** Reads what {@link encodeBody} wrote. @throws {UnreadableError} where it did not */
export function decodeBody(text: string): Body {
  const letter = text[13] ?? ' ';
  if (!SUBMITTED_AT.test(text) || !'-=wWcC'.includes(letter)) throw new UnreadableError('its body');
  const submittedAt = Number(text.slice(0, 13));
  const from = '=WC'.includes(letter) ? endOf(text, 14) + 1 : 14;
  if (letter === '-' || letter === '=')
    return { submittedAt, ...decodeRest(text, from), concurrency: undefined };
  const first = endOf(text, from);
  const second = endOf(text, first + 1);
  const concurrency: Concurrency = {
    key: fromTag(text.slice(first + 1, second)),
    limit: Number(text.slice(from, first)),
    whenFull: letter === 'w' || letter === 'W' ? 'wait' : 'claim',
  };
  return { submittedAt, ...decodeRest(text, second + 1), concurrency };
}

function decodeRest(text: string, from: number): { readonly lane: string; readonly payload: string } {
  const zero = endOf(text, from);
  return { lane: fromTag(text.slice(from, zero)), payload: text.slice(zero + 1) };
}

/** Where the field that begins here ends. */
function endOf(text: string, from: number): number {
  const zero = text.indexOf('\0', from);
  if (zero === -1) throw new UnreadableError('its body');
  return zero;
}

const PAYLOAD_APART = /^\d{13}[=WC][^\0]*p/;

/** Whether the payload of the body is kept apart. */
export function hasPayloadApart(text: string): boolean {
  return text[13] !== '-' && PAYLOAD_APART.test(text);
}
