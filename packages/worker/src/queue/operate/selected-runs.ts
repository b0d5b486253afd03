import type { Broker, Run, RunEnd } from '@retry/core/broker';
import { discardRuns, inBatches, redriveRuns } from '@retry/core/broker/kit';

/** The most runs of one call. */
export const MAX_SELECTED_TOGETHER = 1_000;

/** A run that was selected, with the end that it had then: one that has another end since then is left as it is. */
export type SelectedRun = Pick<Run, 'id' | 'endedAt' | 'redrives'>;

/** Returns what is kept of a run while others are selected. */
export function selected({ id, endedAt, redrives }: Run): SelectedRun {
  return { id, redrives, ...(endedAt !== undefined && { endedAt }) };
}

/** Sends selected runs back to their lanes. @returns the ids of those that were redriven */
export function redriveSelected(
  broker: Broker,
  runs: readonly SelectedRun[],
  { keepAttempts }: { readonly keepAttempts: boolean },
): Promise<readonly string[]> {
  return changeSelected(runs, 'redriven', (ids, ends) => redriveRuns(broker, ids, { keepAttempts, ends }));
}

/** Deletes selected runs. @returns the ids of those that were deleted */
export function discardSelected(broker: Broker, runs: readonly SelectedRun[]): Promise<readonly string[]> {
  return changeSelected(runs, 'discarded', (ids, ends) => discardRuns(broker, ids, { ends }));
}

/** Changes runs that still have the ends with which they were selected. @returns the ids of those for which that was the answer */
async function changeSelected(
  runs: readonly SelectedRun[],
  wanted: 'redriven' | 'discarded',
  change: (ids: readonly string[], ends: ReadonlyMap<string, RunEnd>) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const batch of inBatches(runs, { count: MAX_SELECTED_TOGETHER })) {
    const ends = new Map(batch.map(({ id, ...end }) => [id, end]));
    const ids = [...ends.keys()];
    const answers = await change(ids, ends);
    changed.push(...ids.filter((_, index) => answers[index] === wanted));
  }
  return changed;
}
