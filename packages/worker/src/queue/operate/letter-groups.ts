import type { Broker, ErrorGroup, GroupPage, GroupsQuery, ReadFigures } from '@retry/core/broker';
import type { Fields, Report } from '@retry/core/fields';
import { QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import { figuresOf } from '../../broker.ts';
import { taskOfLane } from '../../task/lane.ts';
import type { AnyTask } from '../../task/task.ts';
import { readPageCursor, writePageCursor, wrongCursor } from '../views/cursor.ts';
import type { PageOptions, PageSettings } from '../views/list-options.ts';
import { PAGE_KEYS, readPageOptions } from '../views/list-options.ts';
import type { TaskFilter } from '../views/task-filter.ts';
import { readTaskFilter, taskQuery } from '../views/task-filter.ts';
import type { Instants, Times, WriteInstant } from '../views/times.ts';
import { instantWriter } from '../views/times.ts';

/** Dead letters of one task that have one cause. */
export interface LetterGroup<At extends Times = 'ms'> extends Omit<ErrorGroup, 'firstSeenAt' | 'lastSeenAt'> {
  /** The name of the task. */
  readonly task: string;
  /** The version of the task; `''` where the lane is not `name@version`. */
  readonly version: string;
  /** `count` divided by `deadLetters` of the page: more than 0, at most 1. */
  readonly share: number;
  /** The earliest end, of the runs that came into the group since it was last empty. */
  readonly firstSeenAt: Instants[At];
  /** The latest one. */
  readonly lastSeenAt: Instants[At];
}

/** A page of groups, the largest first. */
export interface LetterGroupPage<At extends Times = 'ms'> {
  /** The groups, at most `limit`; those with most dead letters first. */
  readonly groups: readonly LetterGroup<At>[];
  /** How many dead letters there are in all groups of the version that was asked for, else of the whole queue. */
  readonly deadLetters: number;
  /** Where the next page begins, as `after` takes it; absent on the last page. */
  readonly next?: string;
}

/** The options of `queue.deadLetters.groups`. */
export interface LetterGroupsOptions<At extends Times = Times> extends PageOptions<At> {
  /** A task, or the name of one: then groups of all its versions, unless `version` is given. */
  readonly task?: AnyTask | string | undefined;
  /** Only groups of this version; needs `task`. */
  readonly version?: string | undefined;
}

/** Returns groups of dead letters. */
export type ListLetterGroups<Own extends Times> = <At extends Times = Own>(
  options?: LetterGroupsOptions<At>,
) => Promise<LetterGroupPage<At>>;

const KEYS: readonly (keyof LetterGroupsOptions)[] = [...PAGE_KEYS, 'task', 'version'];

/** How often the broker is asked for one page, at most, where only some groups are of the task. */
const MAX_CALLS = 20;

interface Asked extends PageSettings<Times>, TaskFilter {}

/**
 * Returns a page of groups.
 *
 * @throws {InvalidOptionsError} when an option is wrong
 * @throws {InsightError} `NO_INSIGHT`
 */
export async function listLetterGroups(
  broker: Broker,
  times: Times,
  options: unknown,
): Promise<LetterGroupPage<Times>> {
  const call = { subject: 'deadLetters.groups', keys: KEYS, synonyms: QUEUE_SYNONYMS };
  const asked = readOptions(options, call, (fields, report) => readGroups(fields, report, times));
  const { groups, deadLetters, next } = await readPage(figuresOf(broker, 'deadLetters.groups'), asked);
  const write = instantWriter(asked.times);
  const page = { groups: groups.map((group) => viewGroup(group, { deadLetters, write })), deadLetters };
  return next === undefined ? page : { ...page, next: writePageCursor([next]) };
}

function readGroups(fields: Fields, report: Report, times: Times): Asked {
  return { ...readPageOptions<Times>(fields, times), ...readTaskFilter(fields, report) };
}

/** A broker knows lanes: groups of all versions of a task are picked from those of the queue. */
async function readPage(figures: ReadFigures, { limit, after, ...filter }: Asked): Promise<GroupPage> {
  const { task, ...lane } = taskQuery(filter);
  const read = async (from: string | undefined, most: number): Promise<GroupPage> => {
    const query: GroupsQuery = { ...lane, limit: most };
    return (await figures({ groups: from === undefined ? query : { ...query, after: from } })).groups;
  };
  let page = await read(after === undefined ? undefined : placeOf(after), limit);
  if (task === undefined) return page;
  const found: ErrorGroup[] = [];
  for (let calls = 1; ; calls += 1) {
    found.push(...page.groups.filter((group) => taskOfLane(group.lane).name === task));
    if (page.next === undefined || found.length === limit || calls === MAX_CALLS)
      return { ...page, groups: found };
    page = await read(page.next, limit - found.length);
  }
}

/** @throws {InvalidOptionsError} for anything but a cursor of these pages */
function placeOf(after: string): string {
  const [place] = readPageCursor(after);
  if (typeof place !== 'string') throw wrongCursor(after, 'deadLetters.groups');
  return place;
}

interface Style {
  readonly deadLetters: number;
  readonly write: WriteInstant<Times>;
}

function viewGroup(group: ErrorGroup, { deadLetters, write }: Style): LetterGroup<Times> {
  const { name: task, version } = taskOfLane(group.lane);
  const { firstSeenAt, lastSeenAt } = group;
  return {
    ...group,
    ...{ task, version, share: group.count / Math.max(deadLetters, group.count) },
    ...{ firstSeenAt: write(firstSeenAt), lastSeenAt: write(lastSeenAt) },
  };
}
