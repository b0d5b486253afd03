import pg from 'pg';
import { createCall } from '../../../packages/postgres/src/driver/call.ts';
import { prepareStatements } from '../../../packages/postgres/src/driver/prepared.ts';
import type { ClaimedRows } from '../../../packages/postgres/src/schema/rows.ts';
import { NO_CLAIM } from '../../../packages/postgres/src/verbs/settle-and-claim.ts';

/** How many completed runs are kept, as by the broker. */
const KEEP_FINISHED = 1_000;

/** How long keys are known, as by the broker. */
const KEEP_KEYS_MS = 86_400_000;

/** How many claims can be repeated, as by the broker. */
const REPLIES_KEPT = 3;

type Claimed = Pick<ClaimedRows, 'at' | 'ids' | 'laneSeqs'>;

const NOTHING: Claimed = { at: 0, ids: [], laneSeqs: [] };

/**
 * Returns the runs per second that the statement of the Postgres broker allows: a loop sends it and does nothing else, two
 * exchanges of a batch at the same time. How much slower a queue is, is the cost of everything but the database.
 */
export async function ownCeiling(
  url: string,
  schema: string,
  { lane, count, batch }: { lane: string; count: number; batch: number },
): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const call = createCall(prepareStatements(pool), schema);
  const answered: string[] = [];
  let lowSeq = -1;
  let done = 0;
  let requests = 0;
  const exchange = async ({ at, ids, laneSeqs }: Claimed): Promise<Claimed> => {
    const request = String(requests++);
    const reply = await call('settle_and_claim', {
      ...{ ids, laneSeqs, onlyIfExpired: false, notify: true },
      epochs: ids.map(() => 1),
      destinations: 'C'.repeat(ids.length),
      startedAts: ids.map(() => at),
      instants: ids.map(() => at),
      delaysMs: null,
      errorNames: null,
      results: null,
      records: null,
      ...NO_CLAIM,
      ...{ worker: 'w', request, limit: batch, leaseMs: 30_000 },
      endedRequests: answered.length > REPLIES_KEPT ? answered.splice(0, 1) : null,
      lanes: [lane],
      laneLimits: [batch],
      lowSeqs: [lowSeq],
      lowRunAts: [0],
      ...{ keepFinished: KEEP_FINISHED, trimFrom: 1, keepKeysMs: KEEP_KEYS_MS },
    });
    const { claimed } = JSON.parse(reply ?? '') as { readonly claimed: readonly Claimed[] }; // what the function builds
    const next = claimed[0] ?? NOTHING;
    answered.push(request);
    lowSeq = Math.max(lowSeq, ...next.laneSeqs);
    done += ids.length;
    return next;
  };
  const workOff = async (): Promise<void> => {
    let claimed = await exchange(NOTHING);
    while (claimed.ids.length > 0) claimed = await exchange(claimed);
  };
  const startedAt = performance.now();
  await Promise.all([workOff(), workOff()]);
  const ms = performance.now() - startedAt;
  await pool.end();
  if (done !== count) throw new Error(`${done} of ${count} runs were completed`);
  return (count / ms) * 1_000;
}
