import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { readAnswers } from '../record/answers.ts';
import { epochText } from '../record/encode-record.ts';
import { cancelRequestsScript, heartbeatScript } from '../scripts/heartbeat.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Extends leases; a lease never shrinks. */
export async function heartbeat(
  store: Store,
  leases: readonly HeartbeatRequest[],
  leaseMs: number,
): Promise<readonly HeartbeatAnswer[]> {
  if (leases.length === 0) return [];
  const packed = pack(leases.flatMap(({ id, epoch }) => [id, epochText(epoch)]));
  return readAnswers('heartbeat', await runScript(store, heartbeatScript, [`${leaseMs}`, packed]));
}

/** Returns those of the leases that have a cancel request. */
export async function findCancelRequests(
  store: Store,
  leases: readonly HeartbeatRequest[],
): Promise<readonly HeartbeatRequest[]> {
  if (leases.length === 0) return [];
  const packed = pack(leases.flatMap(({ id, epoch }) => [id, epochText(epoch)]));
  const answers = readAnswers('cancelRequest', await runScript(store, cancelRequestsScript, [packed]));
  return leases.filter((_, index) => answers[index] === 'requested');
}
