import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { readAnswers } from '@retry/core/broker/kit';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import { toEpoch, upToWhole } from '../driver/sql-values.ts';

/** The most leases of one statement that only reads. */
const MAX_LEASES = 5_000;

/** Extends leases. */
export function heartbeat(
  database: Pick<Database, 'call'>,
  leases: readonly HeartbeatRequest[],
  leaseMs: number,
): Promise<readonly HeartbeatAnswer[]> {
  return inChunks(leases, async (chunk) => {
    const given = { ...leaseArguments(chunk), leaseMs: upToWhole(leaseMs) };
    return readAnswers('heartbeat', (await database.call('heartbeat', given)) ?? '');
  });
}

/** Returns those of the leases that have a cancel request. */
export async function findCancelRequests(
  database: Database,
  leases: readonly HeartbeatRequest[],
): Promise<readonly HeartbeatRequest[]> {
  const answers = await inChunks(
    leases,
    async (chunk) =>
      readAnswers('heartbeat', (await database.call('find_cancel_requests', leaseArguments(chunk))) ?? ''),
    { maxItems: MAX_LEASES },
  );
  return leases.filter((_, index) => answers[index] === 'cancel');
}

function leaseArguments(leases: readonly HeartbeatRequest[]) {
  return { ids: leases.map(({ id }) => id), epochs: leases.map(({ epoch }) => toEpoch(epoch)) };
}
