import type { Run } from '@retry/core/broker';
import type { Entry, Lane } from './store.ts';

/** Creates an entry that is in no list yet. */
export function createEntry(run: Run, lane: Lane): Entry {
  return {
    run,
    lane,
    location: 'none',
    hasSlot: false,
    hasLaneSlot: false,
    parking: undefined,
    isKeyed: false,
    readRun: undefined,
    reading: 0,
    keepResultMs: undefined,
    rank: 0,
    order: 0,
    index: 0,
    previous: undefined,
    next: undefined,
  };
}
