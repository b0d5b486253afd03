import type { LaneFigures } from '@retry/core/broker';
import type { LaneStorm, StormAnswer, StormFigures } from '../api.ts';
import type { Desk } from './call.ts';
import { taskOf } from './groups.ts';
import { figuresOf } from './overview.ts';

/** From this share of retries on, they make an outage worse; fewer starts than these say nothing. */
const RETRY_SHARE_LINE = 0.1;
const MIN_STARTS = 20;

/** `GET storm`. */
export async function storm(desk: Desk): Promise<StormAnswer> {
  const [{ lanes: report }, holds, { findings }] = await Promise.all([
    figuresOf(desk)({ lanes: {} }),
    desk.queue.holds(),
    desk.queue.health({ retryShare: RETRY_SHARE_LINE, minStarts: MIN_STARTS }),
  ]);
  const lanes = report.lanes.flatMap((lane) => laneStorm(desk, lane));
  lanes.sort((one, other) => other.retriesPerSecond - one.retriesPerSecond);
  const sum = (key: 'startsPerSecond' | 'retriesPerSecond'): number =>
    lanes.reduce((total, lane) => total + lane[key], 0);
  return {
    at: report.at,
    ...(report.lanes.some(({ rates }) => rates) && {
      all: stormFigures(sum('startsPerSecond'), sum('retriesPerSecond')),
    }),
    ...{ lanes, retryShareLine: RETRY_SHARE_LINE, minStarts: MIN_STARTS, holds },
    findings: findings.filter(({ code }) => code === 'RETRY_SHARE'),
  };
}

function laneStorm(desk: Desk, { lane, rates, holds }: LaneFigures): readonly LaneStorm[] {
  if (rates === undefined || rates.starts.perSecond === 0) return [];
  const { task, version = '' } = taskOf(lane);
  const { starts, retries } = rates;
  const figures = stormFigures(starts.perSecond, retries.perSecond);
  const breaker = breakerOf(desk, lane, holds);
  return [{ lane, task, version, windowMs: starts.windowMs, holds, ...figures, ...(breaker && { breaker }) }];
}

/** An open one is in the queue: a hold of its own. That a lane has one at all only its task says. */
function breakerOf({ tasks }: Desk, lane: string, holds: LaneFigures['holds']): LaneStorm['breaker'] {
  if (holds.some(({ source }) => source === 'circuit-breaker')) return 'open';
  const task = tasks.get(lane);
  return task && (task.circuitBreaker === undefined ? 'none' : 'closed');
}

/** @param starts - per second, `retries ≤ starts` */
function stormFigures(starts: number, retries: number): StormFigures {
  const firsts = starts - retries;
  return {
    startsPerSecond: starts,
    retriesPerSecond: retries,
    retryShare: starts === 0 ? 0 : retries / starts,
    amplification: firsts > 0 ? starts / firsts : starts === 0 ? 1 : null,
  };
}
