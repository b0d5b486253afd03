import { DEAD_LETTER_STATES } from '../../../lifecycle/arrows.ts';
import type { Broker, ListQuery } from '../../broker.ts';
import { discardRuns } from '../operate/redrive-runs.ts';

/** The part of a broker that forgets dead letters. */
type Forgetting = Pick<Broker, 'list' | 'get' | 'change'>;

/** How many dead letters of each state one call looks at, in pages. */
const PAGES = 4;
const PAGE = 1_000;

/**
 * Creates what forgets dead letters that ended a time ago. They have no order by time, so each call looks at the next few thousand of
 * each state, by id, and begins anew behind the last.
 *
 * @returns forgets those that ended `forMs` before `now` or earlier
 */
export function createForgetOldLetters(broker: Forgetting, forMs: number): (now: number) => Promise<void> {
  const reached = new Map<ListQuery['state'], string>();
  return async (now) => {
    if (forMs === Infinity) return;
    const endedBefore = now - forMs + 1;
    for (const state of DEAD_LETTER_STATES) {
      for (let page = 0; page < PAGES; page += 1) {
        const after = reached.get(state);
        const query: ListQuery = { state, endedBefore, limit: PAGE, payloads: 'omit', disposable: 'omit' };
        const { runs, next } = await broker.list(after === undefined ? query : { ...query, after });
        if (runs.length > 0)
          await discardRuns(
            broker,
            runs.map(({ id }) => id),
            { endedBefore },
          );
        if (next === undefined) reached.delete(state);
        else reached.set(state, next);
        if (next === undefined) break;
      }
    }
  };
}
