import type { Attendance, ExpiredScope, GetOptions, LaneDepth, ListQuery, Run } from '@retry/core/broker';
import { sizedPage } from '@retry/core/broker/kit';
import type { Storage } from './storage.ts';
import { ENDED } from './storage.ts';

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

  function listRuns(query: ListQuery): readonly Run[] {
    const { state, lane, endedBefore, errorName, limit, payloads = 'include', after = '' } = query;
    const found = [...runs.values()]
      .map(({ run }) => run)
      .filter((run) => run.state === state && run.id > after && (lane === undefined || run.lane === lane))
      .filter((run) => endedBefore === undefined || (run.endedAt ?? 0) < endedBefore)
      .filter((run) => errorName === undefined || run.errors.at(-1)?.name === errorName)
      .sort((left, right) => (left.id < right.id ? -1 : 1))
      .slice(0, limit);
    if (payloads === 'include') return sizedPage(found);
    return found.map((run) => ({ ...run, payload: '', result: undefined }));
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
