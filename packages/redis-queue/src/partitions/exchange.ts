import type {
  Broker,
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  SettleAnswer,
  Settlement,
  Submission,
} from '@retry/core/broker';
import { MAX_BATCH_BYTES, runBytes } from '@retry/core/broker/kit';
import { RedisBrokerError } from '../errors.ts';
import { askEach, partitionOf } from './spread.ts';

type Exchanging = Pick<Broker, 'exchange'>;

/**
 * Settles each run in its own partition, then claims from one partition after another until the claim is filled. The hash of the
 * request id chooses the first one, so that workers are spread over the partitions, and a claim that is sent again asks them in the
 * same order.
 */
export async function exchangeParts(
  parts: readonly Exchanging[],
  { settle = [], claim }: ExchangeRequest,
): Promise<ExchangeReply> {
  for (const { submit } of settle) if (submit !== undefined) refuseKeys(submit);
  if (claim !== undefined) refuseLaneLimits(claim);
  let now = 0;
  const settleIn = async (
    partition: number,
    settlements: readonly Settlement[],
  ): Promise<readonly SettleAnswer[]> => {
    const reply = await parts[partition]?.exchange({ settle: settlements });
    now = Math.max(now, reply?.now ?? 0);
    return reply?.settled ?? [];
  };
  const partitions = { partitions: parts.length, idOf: ({ id }: Settlement) => id };
  const settled = await askEach(settle, partitions, settleIn);
  if (claim !== undefined) return { settled, ...(await claimFrom(parts, claim)) };
  now ||= (await parts[0]?.exchange({}))?.now ?? 0;
  return { settled, claimed: [], now };
}

async function claimFrom(
  parts: readonly Exchanging[],
  claim: Claim,
): Promise<Omit<ExchangeReply, 'settled'>> {
  const first = partitionOf(claim.requestId, parts.length);
  const claimed: ClaimedRun[] = [];
  let now = 0;
  let next = Infinity;
  let bytes = 0;
  for (let step = 0; step < parts.length; step += 1) {
    // Of a partition that is not asked the schedule is unknown; then the claim was filled, and another one follows.
    const limit = claim.limit - claimed.length;
    if ((limit <= 0 || bytes >= MAX_BATCH_BYTES) && step > 0) break;
    const lanes = roomLeft(claim.lanes, claimed);
    const reply = await parts[(first + step) % parts.length]?.exchange({
      claim: { ...claim, limit, lanes, ...dueLimitsLeft(claim, claimed) },
    });
    claimed.push(...(reply?.claimed ?? []));
    bytes += (reply?.claimed ?? []).reduce((sum, { run }) => sum + runBytes(run), 0);
    now = Math.max(now, reply?.now ?? 0);
    next = Math.min(next, reply?.nextRunAt ?? Infinity);
  }
  return next === Infinity ? { claimed, now } : { claimed, now, nextRunAt: next };
}

/** What has started before was taken out of a schedule, as a rule. */
function dueLimitsLeft({ dueLimits }: Claim, claimed: readonly ClaimedRun[]): Pick<Claim, 'dueLimits'> {
  if (dueLimits === undefined) return {};
  const left = new Map(dueLimits);
  for (const { run } of claimed) {
    const ofLane = left.get(run.lane);
    if (ofLane !== undefined && run.epoch > 1) left.set(run.lane, Math.max(ofLane - 1, 0));
  }
  return { dueLimits: left };
}

function roomLeft(lanes: Claim['lanes'], claimed: readonly ClaimedRun[]): ReadonlyMap<string, number> {
  const left = new Map(lanes);
  for (const { run } of claimed) left.set(run.lane, (left.get(run.lane) ?? 0) - 1);
  return left;
}

/**
 * Refuses a run with a concurrency key or a fairness key: each partition would count, and give turns to, its own.
 *
 * @throws {RedisBrokerError} `NEEDS_ONE_PARTITION`
 */
export function refuseKeys({ id, concurrency, fairnessKey }: Submission): void {
  if (concurrency === undefined && fairnessKey === undefined) return;
  const kind = concurrency === undefined ? 'fairness' : 'concurrency';
  const message = `run ${id} has a ${kind} key, which works with one partition only. Use partitions: 1.`;
  throw new RedisBrokerError('NEEDS_ONE_PARTITION', message);
}

/** Refuses a claim of runs whose task limits them over all workers, for the same reason. @throws {RedisBrokerError} `NEEDS_ONE_PARTITION` */
function refuseLaneLimits({ lanes, concurrency }: Claim): void {
  for (const lane of lanes.keys()) {
    if (concurrency?.has(lane) !== true) continue;
    const message = `the task of ${lane} has globalConcurrency, which works with one partition only. Use partitions: 1.`;
    throw new RedisBrokerError('NEEDS_ONE_PARTITION', message);
  }
}
