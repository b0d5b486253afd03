import type { Concurrency, Run } from '@retry/core/broker';
import { fromTag, toTag } from './keys.ts';

/** What never changes of a run. */
export interface Body {
  /** The text of when it was submitted, 13 digits. */
  readonly at: string;
  readonly lane: string;
  readonly payload: string;
  readonly concurrency: Concurrency | undefined;
}

/**
 * The body of a run, without the instant that the server puts before it: `-`, or the concurrency, then lane and
 * payload. Fields end with a zero character.
 */
export function encodeBody({
  lane,
  payload,
  concurrency,
}: Pick<Run, 'lane' | 'payload' | 'concurrency'>): string {
  if (concurrency === undefined) return `-${toTag(lane)}\0${payload}`;
  const { key, limit, whenFull } = concurrency;
  const letter = whenFull === 'wait' ? 'w' : 'c';
  return `${letter}${limit}\0${toTag(key)}\0${toTag(lane)}\0${payload}`;
}

/** Reads what {@link encodeBody} wrote. */
export function decodeBody(text: string): Body {
  const at = text.slice(0, 13);
  if (text[13] === '-') return { at, ...decodeRest(text, 14), concurrency: undefined };
  const first = text.indexOf('\0', 14);
  const second = text.indexOf('\0', first + 1);
  const concurrency: Concurrency = {
    key: fromTag(text.slice(first + 1, second)),
    limit: Number(text.slice(14, first)),
    whenFull: text[13] === 'w' ? 'wait' : 'claim',
  };
  return { at, ...decodeRest(text, second + 1), concurrency };
}

function decodeRest(text: string, from: number): { readonly lane: string; readonly payload: string } {
  const zero = text.indexOf('\0', from);
  return { lane: fromTag(text.slice(from, zero)), payload: text.slice(zero + 1) };
}
