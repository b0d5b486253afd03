import type { LaneCounts } from '@retry/core/broker/kit';
import { LANE_FIGURES } from '../../record/requests.ts';
import { laneCountsScript, startedByLaneScript, waitingLanesScript } from '../../scripts/lua-code.ts';
import { fromTag, toTag } from '../../store/keys.ts';
import { laneHash } from '../../store/lane-hash.ts';
import { pack } from '../../store/pack.ts';
import type { Store } from '../../store/store.ts';
import { runListScript } from '../../store/store.ts';

/** Lanes that are counted in one call: some milliseconds of work. */
const STEP = 250;

type Figures = Readonly<Record<(typeof LANE_FIGURES)[number], number>>;

/** Returns the lanes that may have runs that wait. */
export async function readLaneNames(store: Store): Promise<readonly string[]> {
  const tags = (await runListScript(store, waitingLanesScript, [])) as readonly string[]; // what our own script returns
  return tags.map(fromTag);
}

/** Counts what is in each of these lanes. */
export async function countLanes(
  store: Store,
  lanes: readonly string[],
): Promise<{ readonly at: number; readonly counts: readonly LaneCounts[] }> {
  const tags = lanes.map(toTag);
  const started = await countStarted(store);
  const counts: LaneCounts[] = [];
  let at = 0;
  for (let from = 0; from === 0 || from < tags.length; from += STEP) {
    const some = tags.slice(from, from + STEP);
    const reply = await runListScript(store, laneCountsScript, [pack(some)], some);
    const [now, figures] = reply as readonly [number, readonly (readonly number[])[]]; // what our own script returns
    at = now;
    for (const [index, values] of figures.entries())
      counts.push(toCounts(lanes[from + index] ?? '', nameFigures(values), started));
  }
  return { at, counts };
}

interface Started {
  readonly byHash: ReadonlyMap<string, number>;
  readonly isComplete: boolean;
}

async function countStarted(store: Store): Promise<Started> {
  const reply = await runListScript(store, startedByLaneScript, []);
  const [isComplete, flat] = reply as readonly [number, readonly (string | number)[]]; // what our own script returns
  const byHash = new Map<string, number>();
  for (let index = 0; index < flat.length; index += 2) byHash.set(`${flat[index]}`, Number(flat[index + 1]));
  return { byHash, isComplete: isComplete === 1 };
}

function nameFigures(values: readonly number[]): Figures {
  return Object.fromEntries(LANE_FIGURES.map((name, index) => [name, values[index] ?? 0])) as Figures; // one for each name
}

function toCounts(lane: string, figures: Figures, { byHash, isComplete }: Started): LaneCounts {
  const { claimableSince, ...counted } = figures;
  const all = (count: number) => ({ count, isComplete: true });
  return {
    lane,
    waiting: all(counted.waiting),
    parked: all(counted.parked),
    scheduled: all(counted.scheduled),
    due: all(counted.due),
    started: { count: byHash.get(laneHash(toTag(lane))) ?? 0, isComplete },
    claimableSince: claimableSince < 0 ? undefined : claimableSince,
  };
}
