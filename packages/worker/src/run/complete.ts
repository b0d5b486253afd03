import type { Run } from '@retry/core/broker';
import { within } from '../broker.ts';
import { LeaseLostError } from '../errors.ts';
import type { WorkerSettings } from '../options.ts';
import { settleOutcome } from '../settle/settle-outcome.ts';
import { sleep } from '../sleep.ts';
import { writeResult } from '../task/payload.ts';
import type { AnyTask, Completion } from '../task/task.ts';

interface CompletionPort extends Pick<WorkerSettings, 'broker' | 'random'> {
  /** Now by the broker's clock, in epoch ms. */
  readonly now: () => number;
}

/**
 * Prepares the settlement of a run as completed inside a transaction of its handler; it takes effect when that commits.
 *
 * @returns sends it. Rejects with a `LeaseLostError` when another worker holds the run: the handler has to roll the transaction back
 * @throws {PayloadError} for a result that cannot be stored
 * @throws {InvalidOptionsError} for a transaction that the broker cannot join
 */
export function completeWithin(
  { broker, random, now }: CompletionPort,
  claim: { readonly task: AnyTask; readonly run: Run<'started'> },
  { tx, result }: Completion,
): () => Promise<void> {
  const outcome = { type: 'completed', result: writeResult(result, claim.task.maxResultBytes) } as const;
  const joined = within(broker, tx);
  const { settlement } = settleOutcome(claim.task, claim.run, outcome, { now: now(), random });
  return async () => {
    const { settled } = await joined.exchange({ settle: [settlement] });
    if (settled[0] !== 'ok' && settled[0] !== 'already') throw new LeaseLostError();
  };
}

/** How long to wait before asking a broker again that failed, in ms. */
const ASK_AGAIN_MS = 1_000;

interface CommitPort extends Pick<WorkerSettings, 'broker' | 'clock'> {
  readonly onError: (error: unknown) => void;
}

/**
 * Whether the transaction has been committed in which the handler completed this run. Asks until the broker answers, or until
 * the execution has ended for another reason: then the answer no longer matters.
 */
export async function hasCommitted(
  { broker, clock, onError }: CommitPort,
  execution: { readonly run: Run<'started'>; readonly hasEnded: boolean },
): Promise<boolean> {
  const { id, epoch } = execution.run;
  while (!execution.hasEnded) {
    try {
      const [run] = await broker.get([id]);
      // Only runs that have ended are ever forgotten.
      return run === undefined || (run.state === 'completed' && run.epoch === epoch);
    } catch (error) {
      onError(error);
      await sleep(clock, ASK_AGAIN_MS); // not until its signal aborts: that may have been long ago
    }
  }
  return false;
}
