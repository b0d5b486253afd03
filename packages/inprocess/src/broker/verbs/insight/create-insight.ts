import type { Insight } from '@retry/core/broker';
import { countAttempts, reportLanes, withEntryRates } from '@retry/core/broker/kit';
import { listGroups } from '../../record/error-groups.ts';
import { listHolds } from '../../record/holds.ts';
import type { Store } from '../../record/store.ts';
import { listRuns } from '../list.ts';
import { countDueTimes } from './due-times.ts';
import { claimGroupNotices } from './group-notices.ts';
import { countLanes } from './lanes.ts';
import { listWorkers } from './workers.ts';

/** Answers one call, at one instant. */
type Call = <Answer>(answer: (now: number) => Answer) => Promise<Answer>;

/** Returns what operators ask about the store. */
export function createInsight(store: Store, call: Call): Insight {
  return withEntryRates({
    lanes: (query) =>
      reportLanes(
        {
          names: () => call(() => [...store.lanes.keys()]),
          count: (lanes) => call((at) => ({ at, counts: countLanes(store, lanes, at) })),
          holds: () => call((now) => listHolds(store, now)),
          workers: () => call((now) => listWorkers(store, now)),
        },
        query,
      ),
    attempts: (query) => countAttempts((page) => call(() => listRuns(store, page)), query),
    dueTimes: (query) => call((at) => countDueTimes(store, query, at)),
    workers: () => call((now) => listWorkers(store, now)),
    groups: (query) => call(() => listGroups(store, query)),
    claimGroupNotices: () => call(() => claimGroupNotices(store)),
  });
}
