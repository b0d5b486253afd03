import type { KeyAnswer, Submission, SubmitAnswer, Unique } from '@retry/core/broker';
import type { KeyHolder } from '@retry/core/broker/kit';
import { hasKey, keyHolder, submittedRun } from '@retry/core/broker/kit';
import type { Storage } from './storage.ts';
import { isWaiting } from './storage.ts';

/** Creates the verb that keeps a new run, unless its id is known or another run has its unique key. */
export function createSubmit({ runs, knownKeys, add, move }: Storage) {
  const holders = new Map<string, KeyHolder>();

  function takeKey(id: string, unique: Unique, now: number): 'created' | KeyAnswer {
    const holder = holders.get(unique.key);
    const other = holder && runs.get(holder.id);
    const isTaken = holder !== undefined && hasKey(holder, other?.run, now);
    if (isTaken && unique.onConflict === 'keep') return { type: 'kept', id: holder.id };
    holders.set(unique.key, keyHolder(id, unique, now));
    if (!isTaken || other === undefined || !isWaiting(other.run)) return 'created';
    move(other, { type: 'cancel', at: now });
    return { type: 'replaced', id: holder.id };
  }

  return (submission: Submission, now: number): SubmitAnswer => {
    const { id, unique } = submission;
    if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';
    const answer = unique === undefined ? 'created' : takeKey(id, unique, now);
    if (answer !== 'created' && answer.type === 'kept') return answer;
    add(submission, submittedRun(submission, now));
    return answer;
  };
}
