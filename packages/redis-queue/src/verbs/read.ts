import type { Reading, Run, SeenRun } from '@retry/core/broker';
import { TRIMMED_MARK } from '../record/changes.ts';
import { stateOfRecord } from '../record/decode-record.ts';
import { readScript } from '../scripts/lua-code.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript } from '../store/store.ts';
import type { KeptRun, ReadReply } from './get.ts';
import { decodeKept } from './get.ts';

type ReadSeen = readonly [now: number, read: ReadReply, seen: readonly (string | null)[]];

/** Reads runs without their payloads, each of them atomically, in as many replies as they need. */
export async function readRuns(store: Store, ids: readonly string[]): Promise<Reading> {
  const runs: (SeenRun | undefined)[] = [];
  let now = 0;
  do {
    const left = runs.length === 0 ? ids : ids.slice(runs.length);
    const reply = await runListScript(store, readScript, [...store.retention, pack(left)]);
    const [at, read, seen] = reply as ReadSeen; // what our own script returns
    now = at;
    runs.push(...decodeKept(left, read, 'omit').map((kept, index) => kept && seenRun(kept, seen[index])));
  } while (runs.length < ids.length);
  return { now, runs };
}

function seenRun({ run, record, isUnreadable }: KeptRun, seen: string | null | undefined): SeenRun {
  const isTrimmed = seen?.endsWith(TRIMMED_MARK) === true;
  if (!isUnreadable) return { run: isTrimmed ? { ...run, trimmed: ['payload'] } : run, seen: seen ?? '' };
  const inState: Run = { ...run, state: stateOfRecord(record) };
  return { run: inState, seen: seen ?? '', isUnreadable };
}
