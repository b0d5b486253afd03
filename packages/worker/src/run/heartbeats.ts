import type { HeartbeatAnswer } from '@retry/core/broker';
import { isRefused } from '../broker.ts';
import type { WorkerSettings } from '../options.ts';
import type { Execution } from './execution.ts';

/** The most leases that one call extends. */
const MAX_LEASES = 1_000;

interface HeartbeatPort extends Pick<WorkerSettings, 'broker' | 'clock' | 'leaseMs'> {
  readonly onAnswer: (execution: Execution, answer: HeartbeatAnswer | undefined) => void;
  readonly onError: (error: unknown) => void;
}

/** Extends the leases of all executions. A call that fails does not prevent the others. Never rejects. */
export async function sendHeartbeats(executions: readonly Execution[], port: HeartbeatPort): Promise<void> {
  for (let first = 0; first < executions.length; first += MAX_LEASES) {
    await sendBatch(executions.slice(first, first + MAX_LEASES), port);
  }
}

/** Divides a call that the broker refuses, so that one bad lease does not cost the others. */
async function sendBatch(executions: readonly Execution[], port: HeartbeatPort): Promise<void> {
  const { broker, clock, leaseMs, onAnswer, onError } = port;
  const leases = executions.map(({ run: { id, epoch } }) => ({ id, epoch }));
  const leasedUntil = clock.now() + leaseMs;
  try {
    const answers = await broker.heartbeat(leases, leaseMs);
    for (const [index, execution] of executions.entries()) {
      const answer = answers[index];
      if (answer === 'ok' || answer === 'cancel') execution.noteRenewed(leasedUntil);
      onAnswer(execution, answer);
    }
  } catch (error) {
    if (executions.length === 1 || !isRefused(broker, error)) return onError(error);
    const middle = Math.ceil(executions.length / 2);
    await sendBatch(executions.slice(0, middle), port);
    await sendBatch(executions.slice(middle), port);
  }
}
