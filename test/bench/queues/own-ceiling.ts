import pg from 'pg';
import { callFunction } from '../../../packages/postgres/src/driver/database.ts';
import { prepareStatements } from '../../../packages/postgres/src/driver/prepared.ts';

/** Completed runs that are kept, as the broker keeps them. */
const KEPT = 1_000;

/** How long keys are known, as the broker has it. */
const KEEP_KEYS_MS = 86_400_000;

/** Claims that can be asked for again, as the broker remembers them. */
const REMEMBERED = 3;

interface Claimed {
  readonly at: number;
  readonly ids: readonly string[];
  readonly ords: readonly number[];
}

const NOTHING: Claimed = { at: 0, ids: [], ords: [] };

/**
 * Runs per second through the statement of the Postgres broker, sent by a loop that does nothing else: two exchanges of
 * a batch in flight. What a queue stays behind it is the cost of everything but the database.
 */
export async function ownCeiling(
  url: string,
  schema: string,
  { lane, count, batch }: { lane: string; count: number; batch: number },
): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const client = prepareStatements(pool);
  const asked: string[] = [];
  let low = -1;
  let done = 0;
  const exchange = async ({ at, ids, ords }: Claimed): Promise<Claimed> => {
    const all = (value: number): string => arrayOf(ids.map(() => value));
    const settle = [arrayOf(ids), all(1), arrayOf(ords), 'C'.repeat(ids.length), false, all(at), all(at)];
    const over = asked.length > REMEMBERED ? arrayOf(asked.splice(0, 1)) : null;
    const request = String(requests++);
    const claim = [
      'w',
      request,
      null,
      over,
      batch,
      arrayOf([lane]),
      arrayOf([batch]),
      arrayOf([low]),
      arrayOf([0]),
      30_000,
    ];
    const values = [...settle, null, null, null, null, true, ...claim, KEPT, 1, KEEP_KEYS_MS];
    const answer = await callFunction(client, schema, { name: 'exchange', values });
    const { claimed } = JSON.parse(answer ?? '') as { readonly claimed: readonly Claimed[] };
    const next = claimed[0] ?? NOTHING;
    asked.push(request);
    low = Math.max(low, ...next.ords);
    done += ids.length;
    return next;
  };
  let requests = 0;
  const goOn = async (): Promise<void> => {
    let claimed = await exchange(NOTHING);
    while (claimed.ids.length > 0) claimed = await exchange(claimed);
  };
  const startedAt = performance.now();
  await Promise.all([goOn(), goOn()]);
  const ms = performance.now() - startedAt;
  await pool.end();
  if (done !== count) throw new Error(`${done} of ${count} runs were completed`);
  return (count / ms) * 1_000;
}

function arrayOf(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}
