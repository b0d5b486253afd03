import type { Audit } from '@retry/core/broker';
import { byEnd } from '@retry/core/broker/kit';
import type { EndState, RunState } from '@retry/core/lifecycle';
import { DEAD_LETTER_STATES, END_STATES } from '@retry/core/lifecycle';
import { walk } from '../record/deque.ts';
import { countWrongGroups } from '../record/error-groups.ts';
import { scheduledEntries, submittedEntries } from '../record/lanes.ts';
import type { Entry, Store } from '../record/store.ts';

/** Counts the runs of each list, whatever state they are in, and compares the counts. */
export function auditStore(store: Store): Audit {
  const { created, forgotten } = store;
  const seen = new Set<Entry>();
  let wrong = 0;
  const count = (entries: Iterable<Entry>, ...states: readonly RunState[]): number => {
    let counted = 0;
    for (const entry of entries) {
      counted++;
      if (seen.has(entry) || !states.includes(entry.run.state) || !isKnown(store, entry)) wrong++;
      seen.add(entry);
    }
    return counted;
  };
  const submitted = count(submittedEntries(store), 'submitted');
  const scheduled = count(scheduledEntries(store), 'scheduled');
  const started = count(store.leases, 'started');
  const ends =
    count(walk(store.finished), ...END_STATES) +
    count(store.awaited, ...END_STATES) +
    count(walk(store.deadLetters), ...DEAD_LETTER_STATES);
  const kept = submitted + scheduled + started + ends;
  const inNoList = [...store.entries.values()].filter((entry) => !seen.has(entry)).length;
  const unbalanced = Math.abs(created - kept - forgotten) + wrong + inNoList + countWrongFigures(store);
  return { created, submitted, scheduled, started, ended: countEnded(store), forgotten, unbalanced };
}

function isKnown(store: Store, entry: Entry): boolean {
  return store.entries.get(entry.run.id) === entry;
}

function countEnded({ finished, awaited, deadLetters }: Store): Record<EndState, number> {
  const ended = byEnd(() => 0);
  for (const entries of [walk(finished), awaited, walk(deadLetters)]) {
    for (const { run } of entries) if (run.state in ended) ended[run.state as EndState]++; // checked by `in`
  }
  return ended;
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
