import type { LaneFigures } from '@retry/core/broker';
import type { DueTimeline, LaneAttempts, RetriesAnswer } from '../api.ts';
import type { Desk } from './call.ts';
import { taskOf } from './groups.ts';
import { figuresOf } from './overview.ts';

const MAX_LANES = 20;
const NEAR = { bucketMs: 5_000, buckets: 120 };
const FAR = { bucketMs: 600_000, buckets: 144 };

/** `GET retries`. @param lane - only this one */
export async function retries(desk: Desk, lane?: string): Promise<RetriesAnswer> {
  const figures = figuresOf(desk);
  const lanes = lane === undefined ? {} : { lanes: [lane] };
  const { lanes: report } = await figures({ lanes });
  const busy = report.lanes
    .filter((each) => runsOf(each) > 0)
    .sort((one, other) => runsOf(other) - runsOf(one));
  const due = async (spans: typeof NEAR): Promise<DueTimeline> => {
    const from = Math.floor(report.at);
    const { dueTimes } = await figures({ dueTimes: { from, ...spans, ...lanes } });
    return { ...dueTimes, from, bucketMs: spans.bucketMs };
  };
  const attempts = busy.slice(0, MAX_LANES).map((each) => keptAttempts(desk, each.lane));
  const [near, far, ...counted] = await Promise.all([due(NEAR), due(FAR), ...attempts]);
  const otherLanes = Math.max(busy.length - MAX_LANES, 0);
  return { at: report.at, attempts: counted, otherLanes, near, far };
}

/** Returns the attempts of a lane; where they are read every second, those of some seconds ago. */
function keptAttempts(desk: Desk, lane: string): Promise<LaneAttempts> {
  return desk.attempts.getOr(lane, async () => {
    const { task, version = '' } = taskOf(lane);
    const { attempts: counts } = await figuresOf(desk)({ attempts: { lane } });
    return { lane, task, version, ...counts };
  });
}

function runsOf({ waiting, scheduled }: LaneFigures): number {
  return waiting.count + scheduled.count;
}
