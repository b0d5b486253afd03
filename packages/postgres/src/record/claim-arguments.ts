import type { Claim } from '@retry/core/broker';
import { toCount, upToWhole } from '../driver/sql-values.ts';
import type { ClaimArguments } from '../schema/signatures.ts';
import type { AnsweredClaim, LaneStarts } from './claim-memory.ts';

/** The arguments of an exchange without a claim. */
export const NO_CLAIM: ClaimArguments = {
  worker: null,
  request: null,
  endedRequests: null,
  limit: null,
  lanes: null,
  laneLimits: null,
  lowSeqs: null,
  lowRunAts: null,
  leaseMs: null,
  taskLimits: null,
  taskWaits: null,
  dueLimits: null,
};

/** Returns the arguments of a claim: where it begins to look in each lane, and which claims it replaces. */
export function claimArguments(
  { worker, requestId, limit, lanes, leaseMs, concurrency, dueLimits }: Claim,
  starts: LaneStarts,
  replaced: readonly AnsweredClaim[],
): ClaimArguments {
  return {
    worker,
    request: requestId,
    endedRequests: replaced.length === 0 ? null : replaced.map(({ request }) => request),
    limit: toCount(limit),
    lanes: [...lanes.keys()],
    laneLimits: [...lanes.values()].map(toCount),
    lowSeqs: starts.reads.map(({ from }) => from),
    lowRunAts: starts.lowRunAts,
    leaseMs: upToWhole(leaseMs),
    ...(concurrency === undefined ? NO_TASK_LIMITS : taskLimits(lanes.keys(), concurrency)),
    dueLimits: dueLimits === undefined ? null : [...lanes.keys()].map((lane) => countOf(dueLimits.get(lane))),
  };
}

function countOf(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : toCount(limit);
}

const NO_TASK_LIMITS = { taskLimits: null, taskWaits: null };

/** Returns the limits of the tasks of some lanes, in their order; none if no lane has one. */
function taskLimits(
  lanes: Iterable<string>,
  limits: NonNullable<Claim['concurrency']>,
): Pick<ClaimArguments, 'taskLimits' | 'taskWaits'> {
  const found = [...lanes].map((lane) => limits.get(lane));
  if (found.every((ofLane) => ofLane === undefined)) return NO_TASK_LIMITS;
  return {
    taskLimits: found.map((ofLane) => ofLane?.limit),
    taskWaits: found.map((ofLane) => ofLane && ofLane.whenFull === 'wait'),
  };
}
