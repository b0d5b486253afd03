import { formatDuration } from '@retry/core';
import type { LaneReport, LiveWorker } from '@retry/core/broker';
import type { Finding } from '@retry/worker';
import { pause } from '../clock.ts';
import { figuresOf } from '../connect/figures-of.ts';
import type { Connected } from '../connect/with-queue.ts';
import { taskFilter } from '../runs/task-filter.ts';
import type { DoctorLimits, Fault } from './fault.ts';
import { inShellWords } from './in-shell-words.ts';

/** Clocks of two machines may differ by this, in ms. */
const MAX_SKEW_MS = 1_000;

/** Finds what is wrong with the queue itself: what `queue.health` does, and what shows while it is watched. */
export async function checkQueue(
  { queue, broker }: Connected,
  limits: DoctorLimits,
  now: () => number,
): Promise<readonly Fault[]> {
  const skew = await checkClock(async () => (await broker.exchange({})).now, now);
  const { lanes: before } = await figuresOf(broker)({ lanes: {} });
  await queue.health();
  await pause(limits.watch);
  const { findings } = await queue.health({ audit: true, holdAge: 0, oldestAge: limits.oldestAge });
  const { lanes: after } = await figuresOf(broker)({ lanes: {} });
  return [
    ...skew,
    ...checkHeartbeats(after.workers),
    ...findings.map((finding) => refine(inShellWords(finding, after), before, after)),
  ];
}

/** A worker whose handlers can take the connection of its heartbeats loses the leases of runs that are well. */
function checkHeartbeats(workers: readonly LiveWorker[]): readonly Fault[] {
  const sharing = workers.filter(({ facts }) => facts?.sharesHeartbeatClient === true);
  return sharing.map(({ worker }) => ({
    code: 'SHARED_HEARTBEATS',
    level: 'warning',
    worker,
    sentence: `Worker ${worker} renews its leases by a client that its handlers can take: while they keep it for longer than a lease, their runs start a second time elsewhere.`,
    cure: 'Open its broker by a url, or by a pool of pg: heartbeats then have a connection of their own.',
  }));
}

/** The answer was made at some instant between question and answer; what lies outside is skew. */
async function checkClock(askedNow: () => Promise<number>, now: () => number): Promise<readonly Fault[]> {
  const [sentAt, serverAt, answeredAt] = [now(), await askedNow(), now()];
  const skewMs = serverAt < sentAt ? serverAt - sentAt : Math.max(serverAt - answeredAt, 0);
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return [];
  const side = skewMs > 0 ? 'ahead of' : 'behind';
  return [
    {
      code: 'CLOCK_SKEW',
      level: 'warning',
      figure: Math.abs(skewMs),
      threshold: MAX_SKEW_MS,
      sentence: `The clock of the server is ${formatDuration(Math.abs(skewMs))} ${side} that of this machine.`,
      cure: 'Let both follow a time server (NTP). Runs start by the clock of the server; runAt is often made by others.',
    },
  ];
}

/** Says more than `health` can, which looks once. */
function refine(finding: Finding, before: LaneReport, after: LaneReport): Fault {
  const { code, lane } = finding;
  if (lane === undefined) return finding;
  if (code === 'LANE_WITHOUT_WORKER') return versionWaiting(finding, lane, after) ?? finding;
  if (code === 'OLDEST_AGE') return growing(finding, lane, [before, after]) ?? finding;
  return finding;
}

function versionWaiting(finding: Finding, lane: string, { lanes }: LaneReport): Fault | undefined {
  const { task } = taskFilter(lane);
  const known = lanes.filter((other) => other.workers > 0 && taskFilter(other.lane).task === task);
  if (known.length === 0) return undefined;
  const versions = known.map((other) => other.lane).join(', ');
  return {
    ...finding,
    code: 'VERSION_WAITING',
    sentence: `${runsText(finding)} due in lane ${lane}, but live workers know only ${versions}.`,
    cure: 'Start a worker with this version beside the others until the lane is empty, or cancel the runs.',
  };
}

function runsText({ figure, isComplete }: Finding): string {
  return `${isComplete === false ? 'At least ' : ''}${figure} ${figure === 1 ? 'run is' : 'runs are'}`;
}

function growing(finding: Finding, lane: string, reports: readonly LaneReport[]): Fault | undefined {
  const [before, after] = reports.map(
    ({ lanes }) => lanes.find((other) => other.lane === lane)?.oldestClaimableAgeMs,
  );
  const elapsedMs = (reports[1]?.at ?? 0) - (reports[0]?.at ?? 0);
  if (before === undefined || after === undefined || elapsedMs <= 0) return undefined;
  if (after - before < elapsedMs * 0.9) return undefined;
  return {
    ...finding,
    code: 'OLDEST_AGE_GROWS',
    level: 'critical',
    sentence: `The next run of lane ${lane} has been claimable for ${formatDuration(after)}, and none was claimed while it was watched.`,
  };
}
