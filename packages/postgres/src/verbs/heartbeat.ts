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

/** Answers as a heartbeat does, and only reads. */
export function readLeases(
  database: Pick<Database, 'call'>,
  leases: readonly HeartbeatRequest[],
): Promise<readonly HeartbeatAnswer[]> {
  return inChunks(
    leases,
    async (chunk) =>
      readAnswers('heartbeat', (await database.call('read_leases', leaseArguments(chunk))) ?? ''),
    { count: MAX_LEASES },
  );
}

function leaseArguments(leases: readonly HeartbeatRequest[]) {
  return { ids: leases.map(({ id }) => id), epochs: leases.map(({ epoch }) => toEpoch(epoch)) };
}
