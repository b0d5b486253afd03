import type { Claim } from '@retry/core/broker';
import { longBytes } from '@retry/core/broker/kit';
import type { ClaimedRows } from '../schema/rows.ts';
import type { AnsweredClaim, ClaimMemory, LaneStarts, LeasedRun } from './claim-memory.ts';

/** A claim that was answered. */
interface Answered {
  readonly starts: LaneStarts;
  readonly reply: { readonly isCut?: boolean; readonly busyUntil?: number | null };
  readonly replaced: readonly AnsweredClaim[];
  readonly found: readonly ClaimedRows[];
}

/** Remembers which runs a claim has leased, and how far it has read each lane. */
export function recordClaim(
  memory: ClaimMemory,
  claim: Claim,
  { starts, reply, replaced, found }: Answered,
): void {
  const { isCut = false, busyUntil = null } = reply;
  if (found.length > 0) memory.recordClaim(claim, leasedRuns(found), replaced);
  const byLane = partsByLane(found);
  let left = claim.limit;
  for (const [index, [lane, limit]] of [...claim.lanes].entries()) {
    const parts = byLane.get(lane) ?? [];
    const count = parts.reduce((sum, { ids }) => sum + ids.length, 0);
    // Claimed by their keys, runs are not in order; one is left behind whose key another worker was claiming by.
    const hasKeys = busyUntil !== null || parts.some(({ concurrency }) => concurrency);
    const lastSeq = hasKeys ? undefined : parts.at(-1)?.laneSeqs.at(-1);
    const read = starts.reads[index];
    read?.mark.record(read, { lastSeq, isAll: isCut || count >= Math.min(limit, left) });
    left -= count;
  }
}

function partsByLane(claimed: readonly ClaimedRows[]): ReadonlyMap<string, readonly ClaimedRows[]> {
  const parts = new Map<string, ClaimedRows[]>();
  for (const part of claimed) {
    const known = parts.get(part.lane);
    if (known === undefined) parts.set(part.lane, [part]);
    else known.push(part);
  }
  return parts;
}

/** A run with a long payload is settled by its id, which also counts its bytes. */
function leasedRuns(claimed: readonly ClaimedRows[]): Map<string, LeasedRun> {
  const leased = new Map<string, LeasedRun>();
  for (const { ids, epochs, laneSeqs, rowsAt, payloads } of claimed) {
    for (const [index, id] of ids.entries()) {
      const payload = payloads[index] ?? '';
      const run = { epoch: epochs[index] ?? 0, laneSeq: laneSeqs[index] ?? 0, rowAt: rowsAt?.[index] };
      const long = longBytes({ payload });
      leased.set(id, long > 0 ? { ...run, rowAt: undefined, long } : run);
    }
  }
  return leased;
}
