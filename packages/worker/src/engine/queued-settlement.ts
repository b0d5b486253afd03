import type { SettleAnswer, Settlement } from '@retry/core/broker';
import { FIRST_LOCKED_PAUSE_MS, nextLockedPauseMs } from '../broker.ts';
import { StalledError } from '../errors.ts';
import type { WorkerSettings } from '../options.ts';
import { sleep } from '../sleep.ts';
import type { WorkerContext } from './worker-context.ts';

/** Whether a settlement was sent before: the answer to one that was sent again may be about an earlier sending. */
export type Sending = 'once' | 'again';

/** A settlement on its way to the broker. */
export interface QueuedSettlement {
  readonly settlement: Settlement;
  /** The place of its run among all that the worker has claimed; absent for a claim of another worker. */
  readonly order?: number | undefined;
  /**
   * Called once, unless the worker gives up. `refused`: the broker accepts neither the settlement nor any of its
   * replacements.
   */
  readonly onAnswer: (answer: SettleAnswer | 'refused', sent: Sending) => void;
  /** The settlements to send when the broker refuses this one for good, in this order until one is accepted. */
  readonly replacements?: (error: unknown) => readonly QueuedSettlement[];
}

/**
 * Settles a run alone that the open transaction of its handler may have locked: those that were sent with it would wait for the
 * transaction, too. While the run is locked it is asked for again, for a lease time; then its lease is left to expire. Never rejects.
 *
 * @param givingUp - aborts when nothing that is locked is to be asked for any more
 * @returns `'others'` when it is to be settled by an exchange, with others
 */
export async function settleAlone(
  queued: QueuedSettlement,
  worker: WorkerContext,
  givingUp: AbortSignal,
): Promise<'others' | 'done'> {
  const { clock, leaseMs } = worker.settings;
  const endsAt = clock.now() + leaseMs;
  for (let pauseMs = FIRST_LOCKED_PAUSE_MS; ; pauseMs = nextLockedPauseMs(pauseMs)) {
    const answer = await ask(queued, worker.settings);
    if (answer === 'others') return 'others';
    if (answer !== 'locked') {
      queued.onAnswer(answer, 'once');
      return 'done';
    }
    if (givingUp.aborted) return 'done';
    if (clock.now() >= endsAt) return leave(queued, worker);
    await sleep(clock, pauseMs, givingUp);
  }
}

/** Whatever fails is left to an exchange, which sends it again, divides it and replaces it. */
async function ask(
  { settlement }: QueuedSettlement,
  { broker }: WorkerSettings,
): Promise<SettleAnswer | 'others'> {
  try {
    const { settled } = await broker.exchange({ settle: [settlement], whenLocked: 'answer' });
    return settled[0] ?? 'others';
  } catch {
    return 'others';
  }
}

function leave(queued: QueuedSettlement, worker: WorkerContext): 'done' {
  const { id, epoch } = queued.settlement;
  const error = new StalledError('the transaction in which its handler completed it is still open');
  worker.emitError(error, `settling run ${id}, epoch ${epoch}: its lease is left to expire`);
  queued.onAnswer('refused', 'again');
  return 'done';
}
