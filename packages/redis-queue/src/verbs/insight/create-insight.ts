import type { Insight } from '@retry/core/broker';
import { countAttempts, reportLanes } from '@retry/core/broker/kit';
import type { Store } from '../../store/store.ts';
import { listHolds } from '../hold.ts';
import { listRuns } from '../list.ts';
import { countDueTimes } from './due-times.ts';
import { claimNotices, createPartNotices } from './group-notices.ts';
import { listGroups } from './groups.ts';
import { countLanes, readLaneNames } from './lanes.ts';
import { readMemory } from './memory.ts';
import { listWorkers } from './workers.ts';

/** Returns what operators ask about one partition. */
export function createInsight(store: Store): Insight {
  const source = {
    names: () => readLaneNames(store),
    count: (lanes: readonly string[]) => countLanes(store, lanes),
    holds: () => listHolds(store),
    workers: () => listWorkers(store),
  };
  const notices = createPartNotices(store);
  return {
    lanes: (query) => reportLanes(source, query),
    attempts: (query) => countAttempts((page) => listRuns(store, page), query),
    dueTimes: (query) => countDueTimes(store, query),
    workers: () => listWorkers(store),
    groups: (query) => listGroups(store, query),
    claimGroupNotices: () => claimNotices([notices], notices),
    memory: () => readMemory(store),
  };
}
