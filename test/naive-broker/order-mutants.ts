import type { Mutant } from './mutants.ts';

/** Mistakes with slots that runs keep while they wait to start again, one each. */
export const ORDER_MUTANTS: readonly Mutant[] = [
  {
    name: 'frees the slot of a run that waits for its retry',
    caughtBy: 'holdWhileRetrying lets no run overtake one that waits again after: retry',
    from: 'keepsSlot ? kept.slots.slice(0, 1) : []',
    to: '[]',
  },
  {
    name: 'keeps a slot only in the lane, not on the schedule',
    caughtBy: 'holdWhileRetrying frees the slot once when the waiting run ends by: cancel',
    from: 'concurrency?.holdWhileRetrying === true && isWaiting(next)',
    to: "concurrency?.holdWhileRetrying === true && state === 'submitted'",
  },
  {
    name: 'keeps a slot beyond the end',
    caughtBy: 'holdWhileRetrying frees the slot once when the waiting run ends by: cancel',
    from: 'concurrency?.holdWhileRetrying === true && isWaiting(next)',
    to: 'concurrency?.holdWhileRetrying === true',
  },
  {
    name: 'keeps slots of runs without the option',
    caughtBy: 'holdWhileRetrying counts for runs of the key without it, which free their slots as ever',
    from: 'concurrency?.holdWhileRetrying === true && isWaiting(next)',
    to: 'concurrency !== undefined && isWaiting(next)',
  },
  {
    name: 'lets a run that keeps its slot wait for a free one',
    caughtBy: 'holdWhileRetrying keeps the order over many attempts, releases and stalls',
    from: 'const isKeyFull = !hasSlot && isFull(concurrency);',
    to: 'const isKeyFull = isFull(concurrency);',
  },
];
