import type { FigureSources } from '@retry/core/broker/kit';
import { countAttempts, reportLanes } from '@retry/core/broker/kit';
import type { Store } from '../../store/store.ts';
import { listRuns } from '../list.ts';
import { createNotes } from '../notes.ts';
import { countDueTimes } from './due-times.ts';
import { listGroups } from './groups.ts';
import { countLanes, readLaneNames } from './lanes.ts';
import { readMemory } from './memory.ts';

/** Returns what operators ask about one partition. */
export function createFigures(store: Store): FigureSources {
  const notes = createNotes(store);
  const source = {
    names: () => readLaneNames(store),
    count: (lanes: readonly string[]) => countLanes(store, lanes),
    notes,
  };
  return {
    lanes: (query) => reportLanes(source, query),
    attempts: (query) => countAttempts((page) => listRuns(store, page), query),
    dueTimes: (query) => countDueTimes(store, query),
    groups: (query) => listGroups(store, query),
    memory: () => readMemory(store),
  };
}
