import type { LaneConcurrency } from '../../exchange.ts';
import type { Concurrency, Run } from '../../run.ts';

/** Returns a waiting run with the limit that its task has in the claiming worker, unless the run has a key of its own. */
export function limitedByTask(run: Run, { limit, whenFull }: LaneConcurrency): Run {
  const { key, limit: before, whenFull: whenFullBefore } = run.concurrency ?? { key: run.lane };
  if (key !== run.lane || (before === limit && whenFullBefore === whenFull)) return run;
  return { ...run, concurrency: { ...run.concurrency, key, limit, whenFull } };
}

/** What decides whether a run gets its slots. */
interface Wanted {
  readonly run: Pick<Run, 'lane' | 'concurrency'>;
  /** Whether it has kept the slot of its key since it was started before. */
  readonly hasSlot: boolean;
  /** How many slots of a key, or of a lane, are taken. */
  readonly slotsTaken: (key: string) => number;
}

/**
 * Returns the limit that keeps a run from its slots: that of its own key, or that of its lane, of which it needs a slot, too, where the
 * claim limits the lane; one for which runs wait before one over which they are claimed. A run that waits takes neither slot.
 *
 * @param ofTask - the limit that the claim has for the lane, if any
 */
export function fullLimit(
  { run: { lane, concurrency }, hasSlot, slotsTaken }: Wanted,
  ofTask: LaneConcurrency | undefined,
): Concurrency | undefined {
  if (concurrency === undefined) return undefined;
  const isFull = ({ key, limit }: Concurrency): boolean => slotsTaken(key) >= limit;
  const isKeyFull = !hasSlot && isFull(concurrency);
  if (isKeyFull && concurrency.whenFull === 'wait') return concurrency;
  const ofLane = ofTask && { ...ofTask, key: lane };
  const isLaneFull = ofLane !== undefined && concurrency.key !== lane && isFull(ofLane);
  if (isLaneFull && (ofLane.whenFull === 'wait' || !isKeyFull)) return ofLane;
  return isKeyFull ? concurrency : undefined;
}
