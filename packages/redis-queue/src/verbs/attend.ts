import type { LaneDepth } from '@retry/core/broker';
import { depthsScript, namesScript } from '../scripts/lua-code.ts';
import { fromTag, toTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript } from '../store/store.ts';

/** Lanes whose depths are read in one call. */
const STEP = 500;

/** Returns the lanes that may have runs that wait. */
export async function readNames(store: Store): Promise<readonly string[]> {
  const tags = (await runListScript(store, namesScript, [...store.retention])) as readonly string[]; // what our own script returns
  return tags.map(fromTag);
}

/** Counts the runs that wait in each of these lanes; lanes without any are forgotten. */
export async function countDepths(store: Store, lanes: readonly string[]): Promise<readonly LaneDepth[]> {
  const depths: LaneDepth[] = [];
  for (let from = 0; from < lanes.length; from += STEP) {
    const some = lanes.slice(from, from + STEP);
    const tags = some.map(toTag);
    const reply = await runListScript(store, depthsScript, [...store.retention, pack(tags)], tags);
    const waiting = reply as readonly number[]; // one for each lane
    depths.push(...some.map((lane, index) => ({ lane, waiting: waiting[index] ?? 0 })));
  }
  return depths;
}
