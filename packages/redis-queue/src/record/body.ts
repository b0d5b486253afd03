import type { Concurrency, Submission } from '@retry/core/broker';
import { keepableMs } from '@retry/core/broker/kit';
import { fromTag, toTag } from '../store/keys.ts';
import { APART, isKeptApart } from './apart.ts';
import { ALL_KINDS, BODY, BODY_KINDS, NOTED_KINDS, NOTES } from './layout.ts';
import { UnreadableError } from './unreadable.ts';

/** The part of a run that never changes. */
export interface Body {
  /** When it was first submitted. */
  readonly createdAt: number;
  readonly lane: string;
  /** `APART` where it is kept apart. */
  readonly payload: string;
  readonly concurrency: Concurrency | undefined;
}

/**
 * Writes the body of a run, without the instant that the server puts before it. Fields that end with a zero character follow
 * one another:
 *
 * 1. the letter of its kind and, if it has any, its notes: whether the caller chose the id, whether the payload is kept apart,
 *    and for how long its result waits to be collected
 * 2. limit and key of the concurrency, if it has one
 * 3. the lane, and the payload to the end
 */
export function encodeBody(submission: Submission): string {
  const { lane, payload, concurrency } = submission;
  const notes = notesOf(submission);
  const kind = BODY_KINDS[concurrency?.whenFull ?? 'none'];
  const head = notes === '' ? kind.plain : `${kind.noted}${notes}\0`;
  const key = concurrency === undefined ? '' : `${concurrency.limit}\0${toTag(concurrency.key)}\0`;
  return `${head}${key}${toTag(lane)}\0${isKeptApart(payload) ? APART : payload}`;
}

function notesOf({ payload, keyed, keepResultMs }: Submission): string {
  const keep = keepResultMs === undefined ? '' : `${keepableMs(keepResultMs)}`;
  return `${keyed === true ? NOTES.keyed : ''}${isKeptApart(payload) ? NOTES.payloadApart : ''}${keep}`;
}

/** Reads what {@link encodeBody} wrote. @throws {UnreadableError} where it did not */
export function decodeBody(text: string): Body {
  const kind = kindOf(text);
  if (!CREATED_AT.test(text) || !ALL_KINDS.includes(kind)) throw new UnreadableError('its body');
  const createdAt = Number(text.slice(0, BODY.fields.createdAt.end));
  const from = NOTED_KINDS.includes(kind) ? endOf(text, BODY.length) + 1 : BODY.length;
  const whenFull = WHEN_FULL.get(kind);
  if (whenFull === undefined) return { createdAt, ...decodeRest(text, from), concurrency: undefined };
  const first = endOf(text, from);
  const second = endOf(text, first + 1);
  const key = fromTag(text.slice(first + 1, second));
  const concurrency: Concurrency = { key, limit: Number(text.slice(from, first)), whenFull };
  return { createdAt, ...decodeRest(text, second + 1), concurrency };
}

/** Whether the payload of the body is kept apart. */
export function hasPayloadApart(text: string): boolean {
  const kind = kindOf(text);
  if (kind === BODY_KINDS.none.plain || !NOTED_KINDS.includes(kind)) return false;
  const end = text.indexOf('\0', BODY.length);
  return text.slice(BODY.length, end === -1 ? undefined : end).includes(NOTES.payloadApart);
}

const CREATED_AT = new RegExp(`^\\d{${BODY.fields.createdAt.end}}`);
const WHEN_FULL: ReadonlyMap<string, Concurrency['whenFull']> = new Map([
  [BODY_KINDS.wait.plain, 'wait'],
  [BODY_KINDS.wait.noted, 'wait'],
  [BODY_KINDS.claim.plain, 'claim'],
  [BODY_KINDS.claim.noted, 'claim'],
]);

function kindOf(text: string): string {
  return text[BODY.fields.kind.from] ?? '';
}

function decodeRest(text: string, from: number): { readonly lane: string; readonly payload: string } {
  const zero = endOf(text, from);
  return { lane: fromTag(text.slice(from, zero)), payload: text.slice(zero + 1) };
}

/** Returns the index where the field that begins at `from` ends. */
function endOf(text: string, from: number): number {
  const zero = text.indexOf('\0', from);
  if (zero === -1) throw new UnreadableError('its body');
  return zero;
}
