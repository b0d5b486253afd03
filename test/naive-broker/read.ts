import type { ExpiredScope, LaneDepth, ListQuery, Run, RunPage } from '@retry/core/broker';
import type { Position } from '@retry/core/broker/kit';
import {
  isKeptLetter,
  isListed,
  pageOfRuns,
  readCursor,
  withoutTexts,
  writeCursor,
} from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import type { Kept, Storage } from './storage.ts';

/** A lane with more waiting runs than this is reported with this depth. */
const MAX_COUNTED = 10_000;

/** Creates the verbs that read runs. */
export function createReads({ runs, inLane }: Storage) {
  function findExpired(limit: number, scope: ExpiredScope, now: number): readonly Run[] {
    const { lanes, exceptLanes = [] } = scope;
    const expired = [...runs.values()]
      .filter(({ run, leaseUntil }) => run.state === 'started' && leaseUntil <= now)
      .filter(({ run }) => lanes === undefined || lanes.includes(run.lane))
      .filter(({ run }) => !exceptLanes.includes(run.lane))
      .sort((left, right) => left.leaseUntil - right.leaseUntil);
    return expired.slice(0, limit).map(({ run }) => withoutTexts(run));
  }

  function listRuns(query: ListQuery, now: number): RunPage {
    const after = readCursor('naive', query);
    const found = [...runs.values()]
      .filter(({ run }) => isListed(run, query))
      .map((kept) => ({ run: kept.run, at: positionOf(kept, query, now) }))
      .filter(({ at }) => after === undefined || isBefore(after, at))
      .sort((left, right) => (isBefore(left.at, right.at) ? -1 : 1));
    return pageOfRuns(query, found, ({ at }) => writeCursor('naive', query, at));
  }

  function countDepth(lane: string, now: number): LaneDepth {
    const due = inLane(lane, 'scheduled').filter(({ run }) => (run.runAt ?? 0) <= now);
    return { lane, waiting: Math.min(MAX_COUNTED, inLane(lane, 'submitted').length + due.length) };
  }

  return { findExpired, listRuns, countDepth };
}

/** What a list is ordered by. */
function positionOf({ run, seq, awaitedUntil }: Kept, { errorGroup }: ListQuery, now: number): Position {
  if (errorGroup !== undefined) return ['grouped', run.lane, run.id];
  if (run.state === 'submitted') return ['waiting', run.lane, seq];
  if (run.state === 'scheduled') return ['scheduled', run.lane, run.runAt ?? 0, seq];
  if (!isEnd(run.state)) return ['started', run.id];
  if (isKeptLetter(run)) return ['1 dead', run.id];
  return awaitedUntil > now ? ['2 awaited', awaitedUntil, run.id] : ['3 finished', seq];
}

function isBefore(left: Position, right: Position): boolean {
  const index = left.findIndex((field, at) => field !== right[at]);
  return index !== -1 && (left[index] ?? '') < (right[index] ?? '');
}
