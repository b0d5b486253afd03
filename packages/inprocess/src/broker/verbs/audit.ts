import type { Audit } from '@retry/core/broker';
import { countStates } from '@retry/core/broker/kit';
import type { RunState } from '@retry/core/lifecycle';
import { DEAD_LETTER_STATES, END_STATES } from '@retry/core/lifecycle';
import { walk } from '../record/deque.ts';
import { countWrongGroups } from '../record/error-groups.ts';
import { scheduledEntries, submittedEntries } from '../record/lanes.ts';
import type { Entry, Store } from '../record/store.ts';

/** Counts the runs by their states, and compares that with the lists that they are in. */
export function auditStore(store: Store): Audit {
  const { created, forgotten, entries } = store;
  const counts = countStates([...entries.values()].map(({ run }) => run));
  const unbalanced = Math.abs(created - entries.size - forgotten) + countMisplaced(store);
  return { created, ...counts, forgotten, unbalanced: unbalanced + countWrongFigures(store) };
}

/** Returns how many runs are in no list, in several, or in one of other states. */
function countMisplaced(store: Store): number {
  const seen = new Set<Entry>();
  let wrong = 0;
  const look = (entries: Iterable<Entry>, ...states: readonly RunState[]): void => {
    for (const entry of entries) {
      if (seen.has(entry) || !states.includes(entry.run.state) || !isKnown(store, entry)) wrong++;
      seen.add(entry);
    }
  };
  look(submittedEntries(store), 'submitted');
  look(scheduledEntries(store), 'scheduled');
  look(store.leases, 'started');
  look(walk(store.finished), ...END_STATES);
  look(store.awaited, ...END_STATES);
  look(walk(store.deadLetters), ...DEAD_LETTER_STATES);
  return wrong + [...store.entries.values()].filter((entry) => !seen.has(entry)).length;
}

function isKnown(store: Store, entry: Entry): boolean {
  return store.entries.get(entry.run.id) === entry;
}

/** Returns by how much the figures that are kept differ from what they count. */
function countWrongFigures(store: Store): number {
  return countWrongSlots(store) + countWrongTurns(store) + countWrongGroups(store);
}

/** Returns how many turns are not of a run in its lane, and how many runs are behind a turn of another key, or miscounted. */
function countWrongTurns({ lanes }: Store): number {
  let wrong = 0;
  for (const { turns, behindCount } of lanes.values()) {
    let counted = 0;
    for (const [key, { holder, behind }] of turns) {
      if (holder.location !== 'ready' || holder.run.fairnessKey !== key) wrong++;
      for (const entry of walk(behind)) {
        counted++;
        if (entry.location !== 'behind' || entry.run.fairnessKey !== key) wrong++;
      }
    }
    wrong += Math.abs(counted - behindCount);
  }
  return wrong;
}

/** Returns by how much the slots that keys have counted differ from those that runs have. */
function countWrongSlots({ keys, entries }: Store): number {
  const taken = new Map<string, number>();
  for (const { hasSlot, hasLaneSlot, run } of entries.values()) {
    for (const key of [hasSlot ? run.concurrency?.key : undefined, hasLaneSlot ? run.lane : undefined])
      if (key !== undefined) taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  let wrong = 0;
  for (const [name, key] of keys) {
    wrong += Math.abs(key.slotsTaken - (taken.get(name) ?? 0));
    taken.delete(name);
  }
  return [...taken.values()].reduce((sum, count) => sum + count, wrong);
}
