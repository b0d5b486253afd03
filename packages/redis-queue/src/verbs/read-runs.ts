import type { Run } from '@retry/core/broker';
import { pack } from '../pack.ts';
import { decodeRun } from '../record.ts';
import { expiredScript } from '../scripts/leases.ts';
import { getScript } from '../scripts/reads.ts';
import { stackReader } from '../stack.ts';
import type { Store } from '../store.ts';
import { runScript } from '../store.ts';

type Texts = readonly (string | null)[];

/** A run as it is kept, with the text of its record to compare it by later. */
export interface KeptRun {
  readonly run: Run;
  readonly record: string | null;
}

/** The runs of these ids as they are kept at one instant. */
export async function readKept(
  store: Store,
  ids: readonly string[],
): Promise<{ readonly now: number; readonly kept: readonly (KeptRun | undefined)[] }> {
  const reply = await runScript(store, getScript, [pack(ids)]);
  const [now, bodies, records, stacks] = reply as readonly [number, Texts, Texts, Texts]; // what our own script returns
  return { now, kept: decodeKept(ids, bodies, records, stacks) };
}

/** The runs of these ids. */
export async function getRuns(store: Store, ids: readonly string[]): Promise<readonly (Run | undefined)[]> {
  if (ids.length === 0) return [];
  return (await readKept(store, ids)).kept.map((found) => found?.run);
}

/** Started runs whose lease has run out, longest ago first. */
export async function findExpiredRuns(store: Store, limit: number): Promise<readonly Run[]> {
  const reply = await runScript(store, expiredScript, [`${Math.max(0, Math.floor(limit))}`]);
  const [ids, bodies, records, stacks] = reply as readonly [readonly string[], Texts, Texts, Texts]; // as above
  return decodeKept(ids, bodies, records, stacks).flatMap((found) =>
    found === undefined ? [] : [found.run],
  );
}

function decodeKept(
  ids: readonly string[],
  bodies: Texts,
  records: Texts,
  stacks: Texts,
): readonly (KeptRun | undefined)[] {
  const stackOf = stackReader(stacks);
  return ids.map((id, index) => {
    const body = bodies[index] ?? null;
    const record = records[index] ?? null;
    const stack = stackOf(record);
    return body === null ? undefined : { run: decodeRun(id, body, record, stack), record };
  });
}
