import type { Run } from '@retry/core/broker';
import { LeaseLostError } from '../errors.ts';
import type { AnyTask, Completion } from '../task/task.ts';
import { within } from '../within.ts';
import type { WorkerSettings } from './options.ts';
import { settleOutcome } from './settle-outcome.ts';
import { writeResult } from './write-result.ts';

/**
 * Settles a run as completed inside a transaction of its handler's. The worker settles it once more when the handler
 * has returned, and hears that this is done already; or it is not, because the transaction was rolled back.
 *
 * @throws {LeaseLostError} when somebody else holds the run: let it roll the transaction back
 */
export async function completeWithin(
  {
    broker,
    random,
    now,
  }: Pick<WorkerSettings, 'broker' | 'random'> & {
    /** By the clock of the broker, in epoch ms. */
    readonly now: () => number;
  },
  claim: { readonly task: AnyTask; readonly run: Run<'started'> },
  { tx, result }: Completion,
): Promise<void> {
  const outcome = { type: 'completed', result: writeResult(result) } as const;
  const { settlement } = settleOutcome(claim.task, claim.run, outcome, { now: now(), random });
  const { settled } = await within(broker, tx).exchange({ settle: [settlement] });
  if (settled[0] !== 'ok' && settled[0] !== 'already') throw new LeaseLostError();
}
