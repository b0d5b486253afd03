import type { Audit } from '@retry/core/broker';
import type { EndState, RunState } from '@retry/core/lifecycle';
import { walk } from './deque.ts';
import type { Entry } from './entry.ts';
import type { Store } from './store.ts';

const DEAD: readonly EndState[] = ['failed', 'stalled', 'rateLimited'];
const ENDS: readonly EndState[] = ['completed', 'cancelled', 'dropped', ...DEAD];

/** Counts the runs where they stand, whatever the runs say of themselves, and compares. */
export function auditStore(store: Store): Audit {
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
  const submitted = count(waitingEntries(store), 'submitted');
  const scheduled = count(scheduledEntries(store), 'scheduled');
  const started = count(store.leases, 'started');
  const ends =
    count(walk(store.finished), ...ENDS) +
    count(store.awaited, ...ENDS) +
    count(walk(store.deadLetters), ...DEAD);
  const kept = submitted + scheduled + started + ends;
  const placeless = [...store.entries.values()].filter((entry) => !seen.has(entry)).length;
  const unbalanced = Math.abs(store.created - kept - store.forgotten) + wrong + placeless + strayHolds(store);
  const { created, forgotten } = store;
  return { created, submitted, scheduled, started, ended: countEnded(store), forgotten, unbalanced };
}

function isKnown(store: Store, entry: Entry): boolean {
  return store.entries.get(entry.run.id) === entry;
}

function* waitingEntries(store: Store): Generator<Entry> {
  for (const { ready, returned } of store.lanes.values()) {
    yield* walk(ready);
    yield* returned;
  }
  for (const { parkings } of store.keys.values()) {
    for (const { parked } of parkings) yield* parked;
  }
}

function* scheduledEntries(store: Store): Generator<Entry> {
  for (const { scheduled } of store.lanes.values()) yield* scheduled;
}

function countEnded({ finished, awaited, deadLetters }: Store): Record<EndState, number> {
  const ended = { completed: 0, failed: 0, cancelled: 0, stalled: 0, dropped: 0, rateLimited: 0 };
  for (const entries of [walk(finished), awaited, walk(deadLetters)]) {
    for (const { run } of entries) if (run.state in ended) ended[run.state as EndState]++; // just asked
  }
  return ended;
}

/** Starts that a concurrency key counts for no started run, or does not count. */
function strayHolds({ keys, leases }: Store): number {
  const held = new Map<string, number>();
  for (const { holdsKey, run } of leases) {
    const key = holdsKey ? run.concurrency?.key : undefined;
    if (key !== undefined) held.set(key, (held.get(key) ?? 0) + 1);
  }
  let stray = 0;
  for (const [name, key] of keys) {
    stray += Math.abs(key.held - (held.get(name) ?? 0));
    held.delete(name);
  }
  return [...held.values()].reduce((sum, count) => sum + count, stray);
}
