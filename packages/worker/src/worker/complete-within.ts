import type { Run } from '@retry/core/broker';
import { LeaseLostError } from '../errors.ts';
import { sleep } from '../sleep.ts';
import type { AnyTask, Completion } from '../task/task.ts';
import { within } from '../within.ts';
import type { Execution } from './execution.ts';
import type { WorkerSettings } from './options.ts';
import { settleOutcome } from './settle-outcome.ts';
import { writeResult } from './write-result.ts';

/** What completing inside a transaction takes. */
interface Completing extends Pick<WorkerSettings, 'broker' | 'random'> {
  /** By the clock of the broker, in epoch ms. */
  readonly now: () => number;
}

/**
 * Settles a run as completed inside a transaction of its handler's: it holds once that commits.
 *
 * @throws {LeaseLostError} when another worker holds the run: let it roll the transaction back
 */
export async function completeWithin(
  { broker, random, now }: Completing,
  claim: { readonly task: AnyTask; readonly run: Run<'started'> },
  { tx, result }: Completion,
): Promise<void> {
  const outcome = { type: 'completed', result: writeResult(result, claim.task.maxResultBytes) } as const;
  const { settlement } = settleOutcome(claim.task, claim.run, outcome, { now: now(), random });
  const { settled } = await within(broker, tx).settleAndClaim({ settle: [settlement] });
  if (settled[0] !== 'ok' && settled[0] !== 'already') throw new LeaseLostError();
}

/** How long to wait before asking once more a broker that failed, in ms. */
const ASK_AGAIN_MS = 1_000;

interface Asking extends Pick<WorkerSettings, 'broker' | 'clock'> {
  readonly onError: (error: unknown) => void;
}

/**
 * Whether the transaction has committed in which the handler of this run completed it. Asks until the broker answers, or
 * until the execution has ended otherwise: then it no longer matters.
 */
export async function hasCommitted(
  { broker, clock, onError }: Asking,
  execution: Execution,
): Promise<boolean> {
  const { id, epoch } = execution.run;
  while (!execution.hasEnded) {
    try {
      const [run] = await broker.get([id]);
      // Only ended runs are forgotten.
      return run === undefined || (run.state === 'completed' && run.epoch === epoch);
    } catch (error) {
      onError(error);
      await sleep(clock, ASK_AGAIN_MS, execution.signal);
    }
  }
  return false;
}
