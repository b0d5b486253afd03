import type { Broker, ListQuery, OperationFilter, Run } from '@retry/core/broker';
import { isDeadLetter } from '@retry/core/lifecycle';
import { taskOfLane } from '../../task/lane.ts';

/** Which dead letters are meant: those that meet all that is given. */
export type LetterQuery = Partial<Omit<OperationFilter, 'state' | 'ids'>>;

/** How long ago the runs ended, in ms: at least, and at most. */
export interface Ages {
  readonly olderThanMs: number | undefined;
  readonly newerThanMs: number | undefined;
}

/** What `olderThan` and `newerThan` say is of no use before the broker's clock is known. */
interface AgedQuery {
  readonly query: LetterQuery;
  readonly ages: Ages;
}

/** Returns the query with its ages as instants of the broker's clock, by which runs end; asks the broker only if it has one. */
export async function queryNow(broker: Broker, { query, ages }: AgedQuery): Promise<LetterQuery> {
  const isAged = ages.olderThanMs !== undefined || ages.newerThanMs !== undefined;
  return isAged ? queryAt({ query, ages }, (await broker.exchange({})).now) : query;
}

/** Returns the query with its ages as instants, at an instant of the broker's clock. Pure. */
export function queryAt({ query, ages }: AgedQuery, now: number): LetterQuery {
  const { olderThanMs, newerThanMs } = ages;
  return {
    ...query,
    // Runs end at whole milliseconds, `endedBefore` is exclusive: one that ended exactly that long ago is included in both.
    ...(olderThanMs !== undefined && { endedBefore: Math.floor(now - olderThanMs) + 1 }),
    ...(newerThanMs !== undefined && { endedAfter: Math.floor(now - newerThanMs) }),
  };
}

/** What a broker selects of a query by its lists. */
export function listedBy({
  task: _,
  endedAfter: __,
  ...query
}: LetterQuery): Pick<ListQuery, 'lane' | 'errorName' | 'errorGroup' | 'endedBefore'> {
  return query;
}

/** Whether a broker selects all of a query by its lists. */
export function isWhollyListed({ task, endedAfter }: LetterQuery): boolean {
  return task === undefined && endedAfter === undefined;
}

/** Returns the test of what is left of a query when a broker has listed runs by it. */
export function matchesListed({ task, endedAfter = -Infinity }: LetterQuery): (run: Run) => boolean {
  return ({ lane, endedAt = endedAfter }) =>
    (task === undefined || taskOfLane(lane).name === task) && endedAt >= endedAfter;
}

/** Returns the test of a run that was read by its id. @param state - absent: any of dead letters */
export function matchesLetter(query: LetterQuery, state?: string): (run: Run | undefined) => run is Run {
  const { lane, errorName, errorGroup, endedBefore = Infinity } = query;
  const matches = matchesListed(query);
  return (run): run is Run =>
    run !== undefined &&
    isDeadLetter(run.state) &&
    (state ?? run.state) === run.state &&
    (lane === undefined || run.lane === lane) &&
    (errorName === undefined || run.errors.at(-1)?.name === errorName) &&
    (errorGroup === undefined || run.errorGroup === errorGroup) &&
    (run.endedAt ?? Infinity) < endedBefore &&
    matches(run);
}
