import type { Attendance, LaneDepth } from '@retry/core/broker';
import { keepableMs, writeFacts } from '@retry/core/broker/kit';
import { ATTENDANCE } from '../record/requests.ts';
import { attendScript, depthsScript } from '../scripts/attend.ts';
import { fromTag, toTag } from '../store/keys.ts';
import type { Packed } from '../store/pack.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript } from '../store/store.ts';

/** Lanes whose depths are read in one call. */
const STEP = 500;

/** Records that a worker is alive. Returns the lanes that have waiting runs and no worker. */
export async function attend(store: Store, attendance?: Attendance): Promise<readonly LaneDepth[]> {
  const { worker = '', ttlMs = -1, lanes = [], facts } = attendance ?? {};
  const values: Readonly<Record<(typeof ATTENDANCE)[number], Packed>> = {
    worker,
    ttlMs: ttlMs > 0 ? keepableMs(ttlMs) : ttlMs,
    lanes: lanes.map(toTag),
    facts: writeFacts(facts),
  };
  const asked = pack(ATTENDANCE.map((name) => values[name]));
  const reply = await runListScript(store, attendScript, [...store.retention, asked]);
  const tags = reply as readonly string[]; // what our own script returns
  const depths: LaneDepth[] = [];
  for (let from = 0; from < tags.length; from += STEP)
    depths.push(...(await readDepths(store, tags.slice(from, from + STEP))));
  return depths;
}

async function readDepths(store: Store, tags: readonly string[]): Promise<readonly LaneDepth[]> {
  const reply = await runListScript(store, depthsScript, [...store.retention, pack(tags)], tags);
  const waiting = reply as readonly number[]; // one for each lane
  const depths = tags.map((tag, index) => ({ lane: fromTag(tag), waiting: waiting[index] ?? 0 }));
  return depths.filter((depth) => depth.waiting > 0);
}
