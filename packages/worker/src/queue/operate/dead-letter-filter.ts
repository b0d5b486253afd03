import type { Duration } from '@retry/core';
import { textProblem } from '@retry/core/broker/kit';
import type { Fields, Report } from '@retry/core/fields';
import { integerBetween } from '@retry/core/fields';
import type { DeadLetterState } from '@retry/core/lifecycle';
import { DEAD_LETTER_STATES } from '@retry/core/lifecycle';
import type { AnyTask } from '../../task/task.ts';
import { isTask } from '../../task/task.ts';
import type { ListOptions, PageOptions, PageSettings } from '../views/list-options.ts';
import { A_GROUP, A_NAME, MAX_LIMIT, PAGE_KEYS, readPageOptions } from '../views/list-options.ts';
import { readTaskFilter, taskQuery } from '../views/task-filter.ts';
import type { Times } from '../views/times.ts';
import type { Ages, LetterQuery } from './letter-query.ts';

/** Selects dead letters: those that match every given field. */
export interface DeadLetterFilter {
  /** Only these runs; in any of the states unless `state` is given. */
  readonly ids?: readonly string[] | undefined;
  /** A task, or the name of one: then dead letters of all its versions, unless `version` is given. */
  readonly task?: AnyTask | string | undefined;
  /** Only dead letters of this version; needs `task`. */
  readonly version?: string | undefined;
  /** Only those of the error group with this id. */
  readonly group?: string | undefined;
  /** Only runs whose latest error has this `name`. */
  readonly errorName?: string | undefined;
  /** Only runs that ended at least this long ago. */
  readonly olderThan?: Duration | undefined;
  /** Only runs that ended at most this long ago. */
  readonly newerThan?: Duration | undefined;
  /** @default 'failed' */
  readonly state?: DeadLetterState | undefined;
  /** 1 to 100 000. @default 100; with `ids` or `all`, as many as there are */
  readonly limit?: number | undefined;
}

/** The options of `queue.deadLetters.list`. */
export interface DeadLetterListOptions<At extends Times = Times>
  extends Omit<DeadLetterFilter, 'limit'>,
    PageOptions<At>,
    Pick<ListOptions, 'payloads'> {}

/** Selects dead letters to discard; one field of a filter, or `all: true`, is required. */
export interface DiscardFilter extends DeadLetterFilter {
  /** Selects every dead letter of the state. @default false */
  readonly all?: boolean | undefined;
}

/** Selects dead letters to redrive, and says how. */
export interface RedriveFilter extends DiscardFilter {
  /** Returns the ids that would be redriven, and redrives nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** Keeps the counted attempts; runs of `task` that have none left are not redriven. @default false */
  readonly keepAttempts?: boolean | undefined;
}

/** A checked filter. */
export interface Selection {
  readonly ids: readonly string[] | undefined;
  /** The task itself, if it was given. */
  readonly task: AnyTask | undefined;
  /** `undefined`: `failed`, or with `ids` any state of dead letters. */
  readonly state: DeadLetterState | undefined;
  /** The query without the instants of `ages`, which only the broker's clock gives: `queryNow` adds them. */
  readonly query: LetterQuery;
  readonly ages: Ages;
  readonly limit: number;
}

/** The checked options of a redrive. */
export interface RedriveSettings extends Selection {
  readonly dryRun: boolean;
  readonly keepAttempts: boolean;
}

const FILTER_KEYS = [
  'ids',
  'task',
  'version',
  'group',
  'errorName',
  'olderThan',
  'newerThan',
  'state',
  'limit',
] as const;

/** The options of `queue.deadLetters.list`. */
export const LETTER_KEYS: readonly string[] = [...FILTER_KEYS, ...PAGE_KEYS, 'payloads'];

/** The options of `queue.deadLetters.discard`. */
export const DISCARD_KEYS: readonly string[] = [...FILTER_KEYS, 'all'];

/** The options of `queue.deadLetters.redrive`. */
export const REDRIVE_KEYS: readonly string[] = [...DISCARD_KEYS, 'dryRun', 'keepAttempts'];

const PLANNED =
  'A redrive at a rate is planned: (await queue.deadLetters.plan({ … })).apply({ perSecond: 50 }).';

/** Options that a planned redrive has. */
export const REDRIVE_CURES: Readonly<Record<string, string>> = { perSecond: PLANNED, spread: PLANNED };

const DEFAULT_LIMIT = 100;
const MAX_LETTERS = 100_000;

/** Reads a filter and its limit; every wrong option is reported. */
function readSelection(fields: Fields, report: Report): Selection {
  const filter = readFilter(fields, report);
  const noLimit = filter.ids === undefined && fields.value('all') !== true ? DEFAULT_LIMIT : Infinity;
  const isGiven = fields.value('limit') !== undefined;
  return { ...filter, limit: isGiven ? fields.number('limit', undefined, A_LIMIT) : noLimit };
}

function readFilter(fields: Fields, report: Report): Omit<Selection, 'limit'> {
  const ids = readIds(fields, report);
  const task = fields.value('task');
  const ofTask = taskQuery(readTaskFilter(fields, report));
  const state = fields.value('state');
  const group = fields.optional('group', A_GROUP);
  const errorName = fields.optional('errorName', A_NAME);
  return {
    ids,
    task: isTask(task) ? task : undefined,
    state: state === undefined ? undefined : fields.choice('state', 'failed', DEAD_LETTER_STATES),
    query: {
      ...ofTask,
      ...(group !== undefined && { errorGroup: group }),
      ...(errorName !== undefined && { errorName }),
    },
    ages: readAges(fields),
  };
}

/** The checked options of a list. */
interface LetterPage<At extends Times>
  extends PageSettings<At>,
    Pick<Selection, 'ids' | 'state' | 'query' | 'ages'> {
  readonly payloads: 'include' | 'omit';
}

/** Reads the options of a list; every wrong one is reported. */
export function readLetterPage<At extends Times>(
  fields: Fields,
  report: Report,
  times: Times,
): LetterPage<At> {
  const filter = readFilter(fields, report);
  const { ids } = filter;
  // Ids are asked for by their number.
  const limit = ids === undefined ? undefined : Math.min(Math.max(ids.length, 1), MAX_LIMIT);
  const payloads = fields.choice('payloads', 'include', ['include', 'omit']);
  return { ...filter, payloads, ...readPageOptions<At>(fields, times, limit) };
}

/** Reads the filter of a call that changes runs: to select all of them, `all: true` is required. */
export function readChoice(fields: Fields, report: Report): Selection {
  const isAll = fields.choice('all', false, [true, false]);
  const isFiltered = FILTER_KEYS.some((key) => key !== 'limit' && fields.value(key) !== undefined);
  if (!isAll && !isFiltered) {
    const cure =
      'Name ids, task, group, errorName, olderThan, newerThan or state; all: true means every one of the state.';
    fields.fail('', 'must select dead letters', cure);
  }
  return readSelection(fields, report);
}

/** Reads the options of a redrive; every wrong one is reported. */
export function readRedrive(fields: Fields, report: Report): RedriveSettings {
  const keepAttempts = fields.choice('keepAttempts', false, [true, false]);
  const selection = readChoice(fields, report);
  if (keepAttempts && selection.task === undefined) {
    const cure = 'Give the task itself, whose policy says which runs have attempts left.';
    report({ path: 'task', value: fields.value('task'), message: 'is required with keepAttempts', cure });
  }
  return {
    ...selection,
    keepAttempts,
    dryRun: fields.choice('dryRun', false, [true, false]),
  };
}

/** Reads the ids of runs; every wrong one is reported. */
export function readIds(fields: Fields, report: Report): readonly string[] | undefined {
  const ids = fields.value('ids');
  if (ids === undefined) return undefined;
  if (!Array.isArray(ids) || ids.length > MAX_LETTERS) {
    fields.fail('ids', `must be a list of at most ${MAX_LETTERS} ids`, IDS_CURE);
    return [];
  }
  ids.forEach((value: unknown, index) => {
    const message = textProblem(value);
    if (message !== undefined) report({ path: `ids[${index}]`, value, message, cure: IDS_CURE });
  });
  return [...new Set<string>(ids)];
}

const IDS_CURE = 'Use the ids of runs: ids: letters.map(({ id }) => id).';

function readAges(fields: Fields): Selection['ages'] {
  const olderThanMs = readAge(fields, 'olderThan');
  const newerThanMs = readAge(fields, 'newerThan');
  if (olderThanMs !== undefined && newerThanMs !== undefined && olderThanMs > newerThanMs)
    fields.fail('olderThan', 'must not be longer than newerThan', 'Swap them, or leave one out.');
  return { olderThanMs, newerThanMs };
}

/** Reads an age in milliseconds. */
export function readAge(fields: Fields, key: 'olderThan' | 'newerThan'): number | undefined {
  return fields.value(key) === undefined ? undefined : fields.duration(key, undefined, { finite: true });
}

/** How many runs one call changes at most. */
export const A_LIMIT: Parameters<Fields['number']>[2] = integerBetween(
  1,
  MAX_LETTERS,
  `Leave it out for ${DEFAULT_LIMIT}.`,
);
