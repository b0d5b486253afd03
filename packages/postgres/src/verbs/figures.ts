import type {
  DueTimes,
  DueTimesQuery,
  ErrorGroup,
  GroupPage,
  GroupsQuery,
  ListQuery,
  Notes,
  RunPage,
} from '@retry/core/broker';
import type { FigureSources, LaneCounts } from '@retry/core/broker/kit';
import { countAttempts, readCursor, reportLanes, withEntryRates, writeCursor } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';
import { listRuns } from './list.ts';

/** Returns what operators ask about a schema. */
export function createFigures(database: Database, schema: string, notes: Notes): FigureSources {
  const source = {
    names: () => readLaneNames(database),
    count: (lanes: readonly string[]) => countLanes(database, lanes),
    notes,
  };
  const list = (query: ListQuery): Promise<RunPage> => listRuns(database, schema, query);
  return withEntryRates({
    lanes: (query) => reportLanes(source, query),
    attempts: (query) => countAttempts(list, query),
    dueTimes: (query) => countDueTimes(database, query),
    groups: (query) => listGroups(database, schema, query),
  });
}

/** Entries that one call counts of each kind, at most: some ten milliseconds of work. */
const MAX_ENTRIES = 20_000;

/** Entries of one lane and kind that are counted in any case. */
const MIN_ENTRIES = 1_000;

interface LanesReply {
  readonly at: number;
  readonly counts: readonly LaneCounts[];
}

/** Returns the lanes that have runs that wait. */
export async function readLaneNames(database: Database): Promise<readonly string[]> {
  return JSON.parse((await database.call('waiting_lanes', {})) ?? '[]') as readonly string[]; // what our own function builds
}

/** Counts what is in each of these lanes. */
async function countLanes(database: Database, lanes: readonly string[]): Promise<LanesReply> {
  const limit = Math.max(MIN_ENTRIES, Math.floor(MAX_ENTRIES / Math.max(1, lanes.length)));
  return JSON.parse((await database.call('count_lanes', { lanes, limit })) ?? '') as LanesReply; // what our own function builds
}

/** Runs that are counted before the first span, in all spans, and after the last one, at most of each. */
const MAX_DUE = 20_000;

/** What `count_due_times` replies: spans without runs have no count. */
interface DueTimesReply extends Omit<DueTimes, 'counts'> {
  readonly counts: Readonly<Record<string, number>>;
}

/** Counts scheduled runs by when they are due. */
async function countDueTimes(database: Database, query: DueTimesQuery): Promise<DueTimes> {
  const { from, bucketMs, buckets, lanes } = query;
  const reply = await database.call('count_due_times', {
    lanes: lanes === undefined ? null : [...new Set(lanes)],
    ...{ from, bucketMs, buckets, limit: MAX_DUE },
  });
  const { counts, ...others } = JSON.parse(reply ?? '') as DueTimesReply; // what our own function builds
  return { ...others, counts: Array.from({ length: buckets }, (_, bucket) => counts[bucket] ?? 0) };
}

/** What `list_groups` replies. */
interface GroupsReply {
  readonly groups: readonly ErrorGroup[];
  readonly deadLetters: number;
  readonly isLast: boolean;
}

/** Returns a page of error groups. */
async function listGroups(
  database: Database,
  schema: string,
  { lane, limit, after }: GroupsQuery,
): Promise<GroupPage> {
  const broker = `postgres ${schema}`;
  const query = { state: 'groups', lane, after } as const;
  const [, afterCount = null, afterLane = null, afterId = null] = (readCursor(broker, query) ??
    []) as readonly [string?, number?, string?, string?]; // as written below
  const reply = await database.call('list_groups', {
    lane: lane ?? null,
    limit,
    afterCount,
    afterLane,
    afterId,
  });
  const { groups, deadLetters, isLast } = JSON.parse(reply ?? '') as GroupsReply; // what our own function builds
  const last = groups.at(-1);
  if (isLast || last === undefined) return { groups, deadLetters };
  const next = writeCursor(broker, query, ['groups', last.count, last.lane, last.id]);
  return { groups, deadLetters, next };
}
