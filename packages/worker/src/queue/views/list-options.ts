import type { Run } from '@retry/core/broker';
import { textProblem } from '@retry/core/broker/kit';
import type { Fields, Report } from '@retry/core/fields';
import { integerBetween, integerFrom, isListOf } from '@retry/core/fields';
import type { EndState, RunState } from '@retry/core/lifecycle';
import { DEAD_LETTER_STATES, END_STATES, isDeadLetter, isEnd, RUN_STATES } from '@retry/core/lifecycle';
import type { InstantInput } from '../../option-rules.ts';
import { readInstant } from '../../option-rules.ts';
import { taskOfLane } from '../../task/lane.ts';
import type { AnyTask } from '../../task/task.ts';
import { attemptInView } from './run-view.ts';
import type { ListedRuns } from './sources.ts';
import { readTaskFilter, taskQuery } from './task-filter.ts';
import type { Times } from './times.ts';
import { readTimes } from './times.ts';

/** How a method returns runs. */
export interface ViewOptions<At extends Times = Times> {
  /** How instants are written. @default that of the queue */
  readonly times?: At | undefined;
}

/** Which page to return, and how. */
export interface PageOptions<At extends Times = Times> extends ViewOptions<At> {
  /** The most runs of a page, 1 to 1000. A page of large runs is shorter: it has about 8 MiB. @default 100 */
  readonly limit?: number | undefined;
  /** The `next` of the page before. @default the first page */
  readonly after?: string | undefined;
}

/** A state that runs can be listed by. */
export type ListedState = Exclude<RunState, 'unsubmitted'>;

/** Selects runs: those that match every given field. */
export interface RunFilter {
  /** One state, or several, which are listed one after the other. @default all, dead letters first */
  readonly state?: ListedState | readonly ListedState[] | undefined;
  /** A task, or the name of one: then runs of all its versions, unless `version` is given. */
  readonly task?: AnyTask | string | undefined;
  /** Only runs of this version; needs `task`. */
  readonly version?: string | undefined;
  /** Only runs at this attempt, as `attempt` of a view counts. */
  readonly attempt?: number | undefined;
  /** Only runs whose latest error has this `name`. */
  readonly errorName?: string | undefined;
  /** Only the dead letters of the error group with this id. */
  readonly group?: string | undefined;
}

/** The options of `queue.list`. */
export interface ListOptions<At extends Times = Times> extends RunFilter, PageOptions<At> {
  /** Only runs that ended before this instant. */
  readonly endedBefore?: InstantInput | undefined;
  /** Only runs that ended at this instant or later. */
  readonly endedAfter?: InstantInput | undefined;
  /** `omit`: without payloads and results, which makes pages lighter. @default 'include' */
  readonly payloads?: 'include' | 'omit' | undefined;
}

/** The keys of {@link ViewOptions}. */
export const VIEW_KEYS: readonly (keyof ViewOptions)[] = ['times'];

/** The keys of {@link PageOptions}. */
export const PAGE_KEYS: readonly (keyof PageOptions)[] = [...VIEW_KEYS, 'limit', 'after'];

/** The keys of {@link RunFilter}. */
export const FILTER_KEYS: readonly (keyof RunFilter)[] = [
  'state',
  'task',
  'version',
  'attempt',
  'errorName',
  'group',
];

/** The keys of {@link ListOptions}. */
export const LIST_KEYS: readonly (keyof ListOptions)[] = [
  ...PAGE_KEYS,
  ...FILTER_KEYS,
  'endedBefore',
  'endedAfter',
  'payloads',
];

/** The end states of runs that need no operator's attention. */
export const SETTLED_STATES: readonly EndState[] = END_STATES.filter((state) => !isDeadLetter(state));

/** The states, those that need an operator's attention first. */
const STATES: readonly ListedState[] = [
  ...DEAD_LETTER_STATES,
  ...RUN_STATES.filter((state) => !isEnd(state) && state !== 'unsubmitted').reverse(),
  ...SETTLED_STATES,
];

/** A checked page. */
export interface PageSettings<At extends Times> {
  readonly times: At;
  readonly limit: number;
  readonly after: string | undefined;
}

/** A checked filter: what the broker does of it, and what is left. */
export interface Filter {
  readonly listed: ListedRuns;
  readonly matches: ((run: Run) => boolean) | undefined;
}

/** The checked options of a list. */
interface ListSettings<At extends Times> extends PageSettings<At>, Filter {
  readonly payloads: 'include' | 'omit';
}

const DEFAULT_LIMIT = 100;

/** The most runs of a page. */
export const MAX_LIMIT = 1_000;

/** Reads the options of a page; every wrong one is reported. */
export function readPageOptions<At extends Times>(
  fields: Fields,
  times: Times,
  limit: number = DEFAULT_LIMIT,
): PageSettings<At> {
  return {
    times: readTimes(fields, times),
    limit: fields.number('limit', limit, A_LIMIT),
    after: fields.optional('after', A_CURSOR),
  };
}

/** Reads the options of a list; every wrong one is reported. */
export function readListOptions<At extends Times>(
  fields: Fields,
  report: Report,
  times: Times,
): ListSettings<At> {
  const { listed, matches } = readFilter(fields, report);
  const endedBefore = readInstant(fields, 'endedBefore');
  const endedAfter = readInstant(fields, 'endedAfter');
  const payloads = fields.choice('payloads', 'include', ['include', 'omit']);
  return {
    ...readPageOptions<At>(fields, times),
    listed: {
      ...listed,
      ...(endedBefore !== undefined && { endedBefore }),
      payloads,
    },
    payloads,
    matches: allOf([
      matches,
      endedAfter === undefined ? undefined : ({ endedAt = Number.NaN }) => endedAt >= endedAfter,
    ]),
  };
}

/** Reads a filter; every wrong option is reported. */
export function readFilter(fields: Fields, report: Report): Filter {
  const { task, ...lane } = taskQuery(readTaskFilter(fields, report));
  const attempt = fields.value('attempt') === undefined ? undefined : fields.number('attempt', 0, AN_ATTEMPT);
  const errorName = fields.optional('errorName', A_NAME);
  const group = fields.optional('group', A_GROUP);
  return {
    listed: {
      states: readStates(fields, group === undefined ? STATES : DEAD_LETTER_STATES), // only dead letters have groups
      ...lane,
      ...(errorName !== undefined && { errorName }),
      ...(group !== undefined && { errorGroup: group }),
    },
    matches: allOf([
      task === undefined ? undefined : ({ lane }) => taskOfLane(lane).name === task,
      attempt === undefined ? undefined : (run) => attemptInView(run) === attempt,
    ]),
  };
}

/** Returns the test that all of these pass, if there are any. */
export function allOf(tests: readonly (Filter['matches'] | undefined)[]): Filter['matches'] {
  const given = tests.filter((test) => test !== undefined);
  return given.length === 0 ? undefined : (run) => given.every((test) => test(run));
}

/** Reads which of these states are asked for, by default all of them. */
function readStates(fields: Fields, states: readonly ListedState[]): readonly ListedState[] {
  const given = fields.value('state');
  if (given === undefined) return states;
  const asked: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (asked.length > 0 && isListOf(asked, (state) => states.some((known) => known === state)))
    return states.filter((state) => asked.includes(state));
  const isOfGroup = states !== STATES;
  fields.fail(
    'state',
    isOfGroup ? 'must be of dead letters beside a group' : 'must be a state, or a list of states',
    `Use one or more of ${states.join(', ')}${isOfGroup ? ', or leave out the group' : ''}.`,
  );
  return states;
}

/** The rule of the id of an error group. */
export const A_GROUP = {
  accepts: (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  message: 'must be the id of an error group',
  cure: 'Use the id of one of queue.deadLetters.groups().',
};

/** The rule of the name of an error. */
export const A_NAME = {
  accepts: (value: unknown): value is string => textProblem(value) === undefined,
  message: 'must be the name of an error',
  cure: "Use errorName: 'TypeError'.",
};

const AN_ATTEMPT = integerFrom(0, 'Attempts are counted from 1; 0: ended without one.');

const A_LIMIT = integerBetween(
  1,
  MAX_LIMIT,
  `Leave it out for ${DEFAULT_LIMIT}. For more, iterate over the list, or ask for the next page.`,
);

const A_CURSOR = {
  accepts: (value: unknown): value is string => typeof value === 'string',
  message: 'must be the next of a page',
  cure: 'Leave it out for the first page.',
};
