import type { Notes } from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import { countAttempts, reportLanes, withEntryRates } from '@retry/core/broker/kit';
import { listGroups } from '../../record/error-groups.ts';
import type { Store } from '../../record/store.ts';
import { listRuns } from '../list.ts';
import { countDueTimes } from './due-times.ts';
import { countLanes } from './lanes.ts';

/** Answers one call, at one instant. */
type Call = <Answer>(answer: (now: number) => Answer) => Promise<Answer>;

/** Returns what operators ask about the store. */
export function createFigures(store: Store, call: Call, notes: Notes): FigureSources {
  return withEntryRates({
    lanes: (query) =>
      reportLanes(
        {
          names: () => call(() => [...store.lanes.keys()]),
          count: (lanes) => call((at) => ({ at, counts: countLanes(store, lanes, at) })),
          notes,
        },
        query,
      ),
    attempts: (query) => countAttempts((page) => call(() => listRuns(store, page)), query),
    dueTimes: (query) => call((at) => countDueTimes(store, query, at)),
    groups: (query) => call(() => listGroups(store, query)),
  });
}
