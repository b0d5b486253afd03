import type { Mutant } from './mutants.ts';

/** Mistakes with slots that runs keep while they wait to start again, one each. */
export const ORDER_MUTANTS: readonly Mutant[] = [
  {
    name: 'frees the slot of a run that waits for its retry',
    caughtBy: 'holdWhileRetrying lets no run overtake one that waits again after: retry',
    from: "if (kept.run.state !== 'started' && !keepsSlot)",
    to: "if (kept.run.state !== 'started')",
  },
  {
    name: 'keeps a slot only in the lane, not on the schedule',
    caughtBy: 'holdWhileRetrying frees the slot once when the waiting run ends by: cancel',
    from: 'WAITING.includes(kept.run.state)',
    to: "kept.run.state === 'submitted'",
  },
  {
    name: 'keeps a slot beyond the end',
    caughtBy: 'holdWhileRetrying frees the slot once when the waiting run ends by: cancel',
    from: 'kept.run.concurrency?.holdWhileRetrying === true && WAITING.includes(kept.run.state)',
    to: 'kept.run.concurrency?.holdWhileRetrying === true',
  },
  {
    name: 'keeps slots of runs without the option',
    caughtBy: 'holdWhileRetrying counts for runs of the key without it, which free their slots as ever',
    from: 'kept.run.concurrency?.holdWhileRetrying === true && WAITING',
    to: 'kept.run.concurrency !== undefined && WAITING',
  },
  {
    name: 'lets a run that keeps its slot wait for a free one',
    caughtBy: 'holdWhileRetrying keeps the order over many attempts, releases and stalls',
    from: 'concurrency !== undefined && !kept.takesSlot && countOf(concurrency.key) >=',
    to: 'concurrency !== undefined && countOf(concurrency.key) >=',
  },
];
