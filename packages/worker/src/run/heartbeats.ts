import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { isRefused } from '../broker.ts';
import type { WorkerSettings } from '../options.ts';

/** The most leases that one call extends. */
const MAX_LEASES = 1_000;

/** A claim whose lease is extended. */
export interface Leased {
  readonly run: HeartbeatRequest;
  /** Called with the answer; the lease lasts until that instant of the worker's clock, at least, if it was extended. */
  readonly noteHeartbeat: (answer: HeartbeatAnswer | undefined, leasedUntil: number) => void;
}

interface HeartbeatPort extends Pick<WorkerSettings, 'broker' | 'clock' | 'leaseMs'> {
  readonly onError: (error: unknown) => void;
}

/** Extends all these leases. A call that fails does not prevent the others. Never rejects. */
export async function sendHeartbeats(leases: readonly Leased[], port: HeartbeatPort): Promise<void> {
  for (let first = 0; first < leases.length; first += MAX_LEASES) {
    await sendBatch(leases.slice(first, first + MAX_LEASES), port);
  }
}

/** Divides a call that the broker refuses, so that one bad lease does not cost the others. */
async function sendBatch(leases: readonly Leased[], port: HeartbeatPort): Promise<void> {
  const { broker, clock, leaseMs, onError } = port;
  const beats = leases.map(({ run: { id, epoch } }) => ({ id, epoch }));
  const leasedUntil = clock.now() + leaseMs;
  try {
    const answers = await broker.heartbeat(beats, leaseMs);
    for (const [index, lease] of leases.entries()) lease.noteHeartbeat(answers[index], leasedUntil);
  } catch (error) {
    if (leases.length === 1 || !isRefused(broker, error)) return onError(error);
    const middle = Math.ceil(leases.length / 2);
    await sendBatch(leases.slice(0, middle), port);
    await sendBatch(leases.slice(middle), port);
  }
}
