import type { Run } from '../run.ts';
import type { Spent } from '../spent.ts';
import type { RunDraft } from './copy-run.ts';

/**
 * Writes into a run what it brought along, until a redrive resets the attempts. Afterwards the first start is that of the run: the one
 * it brought along where it was settled before, until a settlement has another one. A broker that keeps `spent` as one text that
 * never changes calls it whenever it has read a run.
 */
export function carrySpent(run: RunDraft, spent: Spent | undefined): void {
  if (spent === undefined || run.resetAt !== undefined) return;
  run.firstStartedAt = spent.firstStartedAt ?? run.firstStartedAt;
  run.carried = spent.attempts;
  if (run.errors.length === 0) run.errors = errorsOf(spent);
}

/** Attempts of another place have the epoch 0: no claim of this run made them. */
function errorsOf({ errors = [] }: Spent): Run['errors'] {
  return errors.map((error) => ({ ...error, epoch: 0 }));
}
