import type { Beat, Run } from '@retry/core/broker';
import type { AnyTask } from '../task/task.ts';
import type { WorkerSettings } from './options.ts';

/** The most expired runs that one look of the cleaner takes. */
const MOST_EXPIRED = 1_000;

/** Runs of known tasks whose lease has run out, but for those that this worker still holds itself. */
export async function findSilent(
  { broker, tasks }: WorkerSettings,
  isMine: (claim: Beat) => boolean,
): Promise<readonly { readonly task: AnyTask; readonly run: Run<'started'> }[]> {
  const expired = await broker.findExpired(MOST_EXPIRED);
  return expired.flatMap((run) => {
    const task = tasks.get(run.lane);
    return task === undefined || isMine(run) ? [] : [{ task, run: run as Run<'started'> }]; // expired runs are started
  });
}
