import type {
  Attendance,
  ExpiredScope,
  GetOptions,
  LaneDepth,
  ListQuery,
  Run,
  RunPage,
} from '@retry/core/broker';
import type { Position } from '@retry/core/broker/kit';
import { readCursor, sizedPage, writeCursor } from '@retry/core/broker/kit';
import type { Kept, Storage } from './storage.ts';
import { DEAD_LETTERS, ENDED } from './storage.ts';

/** A lane with more waiting runs than this is reported with this depth. */
const MAX_COUNTED = 10_000;

/** Creates the verbs that read runs. */
export function createReads({ runs }: Storage) {
  const attendances = new Map<string, { readonly lanes: readonly string[]; readonly until: number }>();

  function findExpired(
    limit: number,
    { lanes, exceptLanes = [] }: ExpiredScope,
    now: number,
  ): readonly Run[] {
    const expired = [...runs.values()].filter(
      ({ run, leaseUntil }) =>
        run.state === 'started' &&
        leaseUntil <= now &&
        (lanes === undefined || lanes.includes(run.lane)) &&
        !exceptLanes.includes(run.lane),
    );
    expired.sort((left, right) => left.leaseUntil - right.leaseUntil);
    return expired.slice(0, limit).map(({ run }) => ({ ...run, payload: '' }));
  }

  function getAll(
    ids: readonly string[],
    { collect = false, answer = 'runs' }: GetOptions,
  ): readonly (Run | undefined)[] {
    const found = ids.map((id) => runs.get(id)?.run);
    for (const id of ids) {
      const kept = runs.get(id);
      if (collect && kept && ENDED.includes(kept.run.state)) kept.awaitedUntil = 0;
    }
    return answer === 'none' ? [] : found;
  }

  function listRuns(query: ListQuery, now: number): RunPage {
    const {
      state,
      lane,
      endedBefore,
      errorName,
      errorGroup,
      disposable,
      limit,
      payloads = 'include',
    } = query;
    const after = readCursor('naive', query);
    const found = [...runs.values()]
      .map((kept) => ({
        run: kept.run,
        at: errorGroup === undefined ? positionOf(kept, now) : groupedAt(kept),
      }))
      .filter(({ run }) => run.state === state && (lane === undefined || run.lane === lane))
      .filter(({ run }) => endedBefore === undefined || (run.endedAt ?? 0) < endedBefore)
      .filter(({ run }) => errorName === undefined || run.errors.at(-1)?.name === errorName)
      .filter(({ run }) => errorGroup === undefined || run.errorGroup === errorGroup)
      .filter(({ run }) => disposable !== 'omit' || !run.isDisposable)
      .filter(({ at }) => after === undefined || isBefore(after, at))
      .sort((left, right) => (isBefore(left.at, right.at) ? -1 : 1));
    const first = found.slice(0, limit).map(({ run }) => run);
    const page =
      payloads === 'include'
        ? sizedPage(first)
        : first.map((run) => ({ ...run, payload: '', result: undefined, trimmed: undefined }));
    const last = found[page.length - 1];
    if (last === undefined || page.length === found.length) return { runs: page };
    return { runs: page, next: writeCursor('naive', query, last.at) };
  }

  function attend(attendance: Attendance | undefined, now: number): readonly LaneDepth[] {
    if (attendance !== undefined)
      attendances.set(attendance.worker, { lanes: attendance.lanes, until: now + attendance.ttlMs });
    const alive = [...attendances.values()].filter(({ until }) => until > now);
    const attended = alive.flatMap(({ lanes }) => lanes);
    const depths = new Map<string, number>();
    for (const { run } of runs.values()) {
      const isDue = run.state === 'scheduled' && (run.runAt ?? 0) <= now;
      if (attended.includes(run.lane) || (run.state !== 'submitted' && !isDue)) continue;
      depths.set(run.lane, Math.min(MAX_COUNTED, (depths.get(run.lane) ?? 0) + 1));
    }
    return [...depths].map(([lane, waiting]) => ({ lane, waiting }));
  }

  return { findExpired, getAll, listRuns, attend };
}

/** What a list is ordered by. */
function positionOf({ run, seq, awaitedUntil }: Kept, now: number): Position {
  if (run.state === 'submitted') return ['waiting', run.lane, seq];
  if (run.state === 'scheduled') return ['scheduled', run.lane, run.runAt ?? 0, seq];
  if (!ENDED.includes(run.state)) return ['started', run.id];
  if (DEAD_LETTERS.includes(run.state) && !run.isDisposable) return ['1 dead', run.id];
  return awaitedUntil > now ? ['2 awaited', awaitedUntil, run.id] : ['3 finished', seq];
}

/** The order of the dead letters of one error group. */
function groupedAt({ run }: Kept): Position {
  return ['grouped', run.lane, run.id];
}

function isBefore(left: Position, right: Position): boolean {
  const index = left.findIndex((field, at) => field !== right[at]);
  return index !== -1 && (left[index] ?? '') < (right[index] ?? '');
}
