import type { KeyAnswer, Unique } from '@retry/core/broker';
import { keepableMs } from '@retry/core/broker/kit';
import type { Storage } from './storage.ts';
import { ENDED } from './storage.ts';

/** Creates the step that gives a unique key to a run which is about to be added, or returns that another run keeps it. */
export function createTakeKey({ runs, move }: Storage) {
  /** Which run has a key, and until when by its submission. */
  const holders = new Map<string, { readonly id: string; readonly until: Unique['until'] }>();

  function isTaken(key: string, now: number): boolean {
    const holder = holders.get(key);
    if (holder === undefined) return false;
    if (typeof holder.until === 'number') return holder.until > now;
    const run = runs.get(holder.id)?.run;
    if (run === undefined || ENDED.includes(run.state)) return false;
    if (run.redrives > 0) return false;
    return holder.until === 'ended' || run.epoch === 0;
  }

  return (id: string, { key, until, onConflict }: Unique, now: number): 'created' | KeyAnswer => {
    const other = isTaken(key, now) ? holders.get(key)?.id : undefined;
    if (other !== undefined && onConflict === 'keep') return { type: 'kept', id: other };
    holders.set(key, { id, until: typeof until === 'number' ? keepableMs(now + until) : until });
    const kept = runs.get(other ?? '');
    if (kept === undefined || (kept.run.state !== 'submitted' && kept.run.state !== 'scheduled'))
      return 'created';
    move(kept, { type: 'cancel', at: now });
    return { type: 'replaced', id: kept.run.id };
  };
}
