import type { Run } from '../run.ts';
import type { Spent } from '../spent.ts';
import type { RunDraft } from './copy-run.ts';

/**
 * Writes into a run what it brought along, as far as that still counts: the attempts and errors until a redrive resets them, and
 * the first start for good. A broker that keeps `spent` as one text that never changes calls it whenever it has read a run.
 */
export function carrySpent(run: RunDraft, spent: Spent | undefined): void {
  if (spent === undefined) return;
  run.firstStartedAt = spent.firstStartedAt ?? run.firstStartedAt;
  run.carried = run.resetAt === undefined ? spent.attempts : 0;
  if (run.resetAt === undefined && run.errors.length === 0) run.errors = errorsOf(spent);
}

/** Attempts of another place have the epoch 0: no claim of this run made them. */
function errorsOf({ errors = [] }: Spent): Run['errors'] {
  return errors.map((error) => ({ ...error, epoch: 0 }));
}
