import type { Broker, Run, RunEnd } from '@retry/core/broker';
import { discardRuns } from '@retry/core/broker/kit';
import { inBatches } from '../../batches.ts';

/** The most runs of one call. */
export const MAX_SELECTED_TOGETHER = 1_000;

/** A run that was selected, with the end that it had then: one that has another end since then is left as it is. */
export type SelectedRun = Pick<Run, 'id' | 'endedAt' | 'redrives'>;

/** Returns what is kept of a run while others are selected. */
export function selected({ id, endedAt, redrives }: Run): SelectedRun {
  return { id, redrives, ...(endedAt !== undefined && { endedAt }) };
}

/** Returns the ends of runs by their ids, as brokers take them. */
export function endsOf(runs: readonly SelectedRun[]): ReadonlyMap<string, RunEnd> {
  return new Map(runs.map(({ id, ...end }) => [id, end]));
}

/** Deletes selected runs. @returns the ids of those that were deleted */
export async function discardSelected(
  broker: Broker,
  runs: readonly SelectedRun[],
): Promise<readonly string[]> {
  const discarded: string[] = [];
  for (const batch of inBatches(runs, { count: MAX_SELECTED_TOGETHER })) {
    const ends = endsOf(batch);
    const ids = [...ends.keys()];
    const answers = await discardRuns(broker, ids, { ends });
    discarded.push(...ids.filter((_, index) => answers[index] === 'discarded'));
  }
  return discarded;
}
