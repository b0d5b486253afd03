import { isEnd } from '../../lifecycle/run-state.ts';
import type { Run } from '../run.ts';
import type { KeyAnswer, SubmitAnswer, Unique } from '../submission.ts';
import { keepableMs } from './storable/instants.ts';

/** Which run has a unique key, as brokers keep it. */
export interface KeyHolder {
  /** The id of the run that has the key. */
  readonly id: string;
  /** Until when it has the key, as submitted; a number is the instant at which the time ends. */
  readonly until: Unique['until'];
}

/** Returns the holder of the key of a submission that is made now. Its instant is whole, rounded up. */
export function keyHolder(id: string, { until }: Unique, now: number): KeyHolder {
  return { id, until: typeof until === 'number' ? keepableMs(now + until) : until };
}

/**
 * Returns whether the holder still has its key. Brokers look at the run when they need to know, so that claims and settlements need
 * not.
 *
 * @param run - the run of the holder's id; `undefined` when it is forgotten
 */
export function hasKey({ until }: KeyHolder, run: KeyedRun | undefined, now: number): boolean {
  if (typeof until === 'number') return until > now;
  if (run === undefined || run.redrives > 0 || isEnd(run.state)) return false;
  return until === 'ended' || run.epoch === 0;
}

/** What decides whether a run has its key. */
type KeyedRun = Pick<Run, 'state' | 'epoch' | 'redrives'>;

/** How many other keys a unique submission looks at, to forget those that no run has any longer. */
export const KEYS_LOOKED_AT = 2;

/** Returns the answer that a server gave by a letter and, where it names a run, the id of that. */
export function uniqueAnswer(word: 'created' | 'exists' | KeyAnswer['type'], id: string): SubmitAnswer {
  return word === 'kept' || word === 'replaced' ? { type: word, id } : word;
}
