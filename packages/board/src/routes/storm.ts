import type { LaneFigures, LaneRates } from '@retry/core/broker';
import type { LaneStorm, StormAnswer, StormFigures } from '../api.ts';
import type { Desk } from './call.ts';
import { taskOf } from './groups.ts';
import { figuresOf } from './overview.ts';

/** From this share of retries on, they make an outage worse; fewer starts than these say nothing. */
const RETRY_SHARE_LINE = 0.1;
const MIN_STARTS = 20;

/** `GET storm`. */
export async function storm(desk: Desk): Promise<StormAnswer> {
  const [{ lanes: report }, { findings }] = await Promise.all([
    figuresOf(desk)({ lanes: {} }),
    desk.queue.health({ retryShare: RETRY_SHARE_LINE, minStarts: MIN_STARTS }),
  ]);
  const lanes = report.lanes.flatMap((lane) => laneStorm(desk, lane));
  lanes.sort((one, other) => other.retriesPerSecond - one.retriesPerSecond);
  const rates = report.lanes.flatMap((lane) => lane.rates ?? []);
  return {
    at: report.at,
    ...(rates.length > 0 && { all: stormFigures(rates) }),
    ...{ lanes, retryShareLine: RETRY_SHARE_LINE, minStarts: MIN_STARTS, holds: report.holds },
    findings: findings.filter(({ code }) => code === 'RETRY_SHARE'),
  };
}

function laneStorm(desk: Desk, { lane, rates, holds }: LaneFigures): readonly LaneStorm[] {
  if (rates === undefined || rates.starts.count === 0) return [];
  const { task, version = '' } = taskOf(lane);
  const breaker = breakerOf(desk, lane, holds);
  return [{ lane, task, version, holds, ...stormFigures([rates]), ...(breaker && { breaker }) }];
}

/** An open one is in the queue: a hold of its own. That a lane has one at all only its task says. */
function breakerOf({ tasks }: Desk, lane: string, holds: LaneFigures['holds']): LaneStorm['breaker'] {
  if (holds.some(({ source }) => source === 'circuit-breaker')) return 'open';
  const task = tasks.get(lane);
  return task && (task.circuitBreaker === undefined ? 'none' : 'closed');
}

/** Adds up what lanes start. Shares are of attempts, as `queue.health` judges them: workers count in windows of their own. */
function stormFigures(lanes: readonly LaneRates[]): StormFigures {
  const sum = (kind: 'starts' | 'retries', figure: 'count' | 'perSecond'): number =>
    lanes.reduce((total, rates) => total + rates[kind][figure], 0);
  const [starts, retries] = [sum('starts', 'count'), sum('retries', 'count')];
  const firsts = starts - retries;
  return {
    starts,
    startsPerSecond: sum('starts', 'perSecond'),
    retriesPerSecond: sum('retries', 'perSecond'),
    retryShare: starts === 0 ? 0 : retries / starts,
    amplification: firsts > 0 ? starts / firsts : starts === 0 ? 1 : null,
  };
}
