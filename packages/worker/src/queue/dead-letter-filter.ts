import type { Clock, Duration } from '@retry/core';
import type { ListQuery } from '@retry/core/broker';
import { textProblem } from '@retry/core/broker';
import type { Fields, Report } from '@retry/core/fields';
import { A_SIGNAL } from '@retry/core/fields';
import type { AnyTask } from '../task/task.ts';
import { checkTask, isTask } from './is-task.ts';

/** Which dead letters are meant: those that meet everything that is given. */
export interface DeadLetterFilter {
  /** Only these runs; in whichever state, unless `state` says one. */
  readonly ids?: readonly string[] | undefined;
  readonly task?: AnyTask | undefined;
  /** `name` of the latest error. */
  readonly errorName?: string | undefined;
  /** Dead for at least this long. */
  readonly olderThan?: Duration | undefined;
  /** @default 'failed' */
  readonly state?: DeadLetterState | undefined;
  /** 1 to 100 000. @default 100; with `ids` or `all`, as many as there are */
  readonly limit?: number | undefined;
}

/** A state in which runs are kept until they are redriven or discarded. */
export type DeadLetterState = 'failed' | 'stalled' | 'rateLimited';

/** Which dead letters to discard: one of `ids`, `task`, `errorName`, `olderThan`, `state` or `all: true` is needed. */
export interface DiscardFilter extends DeadLetterFilter {
  /** Means every run of the state, whatever its task and error. @default false */
  readonly all?: boolean | undefined;
}

/** Which dead letters to send back, and how. */
export interface RedriveFilter extends DiscardFilter {
  /** Gives what would be redriven and redrives nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** At most this many per second. @default Infinity */
  readonly perSecond?: number | undefined;
  /** Attempts go on counting where they stopped; runs of `task` that have none left stay. @default false */
  readonly keepAttempts?: boolean | undefined;
  /** Ends it between two batches; what was redriven stays so. */
  readonly signal?: AbortSignal | undefined;
}

/** A filter, checked. */
export interface Selection {
  readonly ids: readonly string[] | undefined;
  readonly task: AnyTask | undefined;
  /** The state that was asked for; absent is `failed`, or any with `ids`. */
  readonly state: DeadLetterState | undefined;
  readonly query: Pick<ListQuery, 'lane' | 'errorName' | 'endedBefore'>;
  readonly limit: number;
}

/** How to redrive, checked. */
export interface RedriveSettings extends Selection {
  readonly dryRun: boolean;
  readonly perSecond: number;
  readonly keepAttempts: boolean;
  readonly signal: AbortSignal | undefined;
}

export const LIST_KEYS = ['ids', 'task', 'errorName', 'olderThan', 'state', 'limit'] as const;
export const DISCARD_KEYS: readonly string[] = [...LIST_KEYS, 'all'] as const;
export const REDRIVE_KEYS: readonly string[] = [
  ...DISCARD_KEYS,
  'dryRun',
  'perSecond',
  'keepAttempts',
  'signal',
] as const;

/** The states of dead letters. */
export const DEAD_LETTER_STATES: readonly DeadLetterState[] = ['failed', 'stalled', 'rateLimited'];

const DEFAULT_LIMIT = 100;
const MAX_LETTERS = 100_000;

/** Reads a filter; every wrong option is reported. */
export function readSelection(fields: Fields, report: Report, clock: Clock): Selection {
  const ids = readIds(fields, report);
  const task = readTask(fields, report);
  const state = fields.value('state');
  const errorName = fields.optional('errorName', A_NAME);
  const noLimit = ids === undefined && fields.value('all') !== true ? DEFAULT_LIMIT : Infinity;
  return {
    ids,
    task,
    state: state === undefined ? undefined : fields.choice('state', 'failed', DEAD_LETTER_STATES),
    query: {
      ...(task !== undefined && { lane: task.lane }),
      ...(errorName !== undefined && { errorName }),
      ...(fields.value('olderThan') !== undefined && { endedBefore: readEndedBefore(fields, clock) }),
    },
    limit: fields.value('limit') === undefined ? noLimit : fields.number('limit', undefined, A_LIMIT),
  };
}

/** Reads a filter of what is to be changed: that everything is meant has to be said. */
export function readChoice(fields: Fields, report: Report, clock: Clock): Selection {
  const isAll = fields.choice('all', false, [true, false]);
  const isFiltered = LIST_KEYS.some((key) => key !== 'limit' && fields.value(key) !== undefined);
  if (!isAll && !isFiltered) {
    const cure = 'Name ids, task, errorName, olderThan or state; all: true means every dead letter.';
    report({ path: '', value: {}, message: 'must say which dead letters are meant', cure });
  }
  return readSelection(fields, report, clock);
}

/** Reads what to redrive and how; every wrong option is reported. */
export function readRedrive(fields: Fields, report: Report, clock: Clock): RedriveSettings {
  const keepAttempts = fields.choice('keepAttempts', false, [true, false]);
  const selection = readChoice(fields, report, clock);
  if (keepAttempts && fields.value('task') === undefined) {
    const cure = 'Name the task, so that its policy can say which runs have attempts left.';
    report({ path: 'task', value: undefined, message: 'is needed with keepAttempts', cure });
  }
  return {
    ...selection,
    keepAttempts,
    dryRun: fields.choice('dryRun', false, [true, false]),
    perSecond: fields.number('perSecond', Infinity, A_RATE),
    signal: fields.optional('signal', A_SIGNAL) as AbortSignal | undefined, // that of this runtime
  };
}

function readIds(fields: Fields, report: Report): readonly string[] | undefined {
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

function readTask(fields: Fields, report: Report): AnyTask | undefined {
  const task = fields.value('task');
  if (task !== undefined) checkTask(task, report);
  return isTask(task) ? task : undefined;
}

/** Runs end at whole milliseconds, and one that ended at this very instant is old enough. */
function readEndedBefore(fields: Fields, clock: Clock): number {
  const ageMs = fields.duration('olderThan', undefined, { finite: true });
  return Math.floor(clock.now() - ageMs) + 1;
}

const A_NAME = {
  accepts: (value: unknown): value is string => textProblem(value) === undefined,
  message: 'must be the name of an error',
  cure: "Use errorName: 'TypeError'.",
};

const A_LIMIT = {
  accepts: (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= MAX_LETTERS,
  message: `must be an integer from 1 to ${MAX_LETTERS}`,
  cure: `Leave it out for ${DEFAULT_LIMIT}.`,
};

const A_RATE = {
  accepts: (rate: number): boolean => rate > 0,
  message: 'must be a number > 0',
  cure: 'Leave it out for no limit.',
};
