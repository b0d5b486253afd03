import { chargedAttempts } from '../../../decision/counters.ts';
import type { Broker } from '../../broker.ts';
import type { AttemptCounts, AttemptsQuery } from '../../insight/figures.ts';

/** The most runs that one call looks at. */
export const MAX_SEARCHED_RUNS = 5_000;

const DEFAULT_LIMIT = 1_000;

/** The most runs of one page of `list`. */
const PAGE_SIZE = 1_000;

/** Pages that one call reads, at most: pages may be short. */
const MAX_PAGES = 20;

/** Counts waiting and scheduled runs by the attempt that they are about to start, over the first pages of a list. */
export async function countAttempts(
  list: Broker['list'],
  { lane, state, limit = DEFAULT_LIMIT }: AttemptsQuery = {},
): Promise<AttemptCounts> {
  const byAttempt = new Map<number, number>();
  let [searched, pages] = [0, 0];
  for (const one of state === undefined ? (['submitted', 'scheduled'] as const) : [state]) {
    let after: string | undefined;
    do {
      const left = limit - searched;
      if (pages++ === MAX_PAGES) return { counts: inOrder(byAttempt), searched, isComplete: false };
      const page = await list({
        ...{ state: one, payloads: 'omit', limit: Math.min(PAGE_SIZE, Math.max(1, left)) },
        ...(lane !== undefined && { lane }),
        ...(after !== undefined && { after }),
      });
      if (left <= 0 && (page.runs.length > 0 || page.next !== undefined))
        return { counts: inOrder(byAttempt), searched, isComplete: false };
      for (const run of page.runs) {
        const attempt = chargedAttempts(run) + 1;
        byAttempt.set(attempt, (byAttempt.get(attempt) ?? 0) + 1);
      }
      searched += page.runs.length;
      after = page.next;
    } while (after !== undefined);
  }
  return { counts: inOrder(byAttempt), searched, isComplete: true };
}

function inOrder(byAttempt: ReadonlyMap<number, number>): AttemptCounts['counts'] {
  return [...byAttempt]
    .map(([attempt, runs]) => ({ attempt, runs }))
    .sort((left, right) => left.attempt - right.attempt);
}
