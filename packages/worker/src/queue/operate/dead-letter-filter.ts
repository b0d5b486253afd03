import type { Clock, Duration } from '@retry/core';
import type { ListQuery } from '@retry/core/broker';
import { textProblem } from '@retry/core/broker/kit';
import type { Fields, Report } from '@retry/core/fields';
import { A_SIGNAL } from '@retry/core/fields';
import type { AnyTask } from '../../task/task.ts';
import { checkTask, isTask } from '../../task/task.ts';

/** Selects dead letters: those that match every given field. */
export interface DeadLetterFilter {
  /** Only these runs; in any of the states unless `state` is given. */
  readonly ids?: readonly string[] | undefined;
  readonly task?: AnyTask | undefined;
  /** Only runs whose latest error has this `name`. */
  readonly errorName?: string | undefined;
  /** Only runs that ended at least this long ago. */
  readonly olderThan?: Duration | undefined;
  /** @default 'failed' */
  readonly state?: DeadLetterState | undefined;
  /** 1 to 100 000. @default 100; with `ids` or `all`, as many as there are */
  readonly limit?: number | undefined;
}

/** A state of dead letters. */
export type DeadLetterState = 'failed' | 'stalled' | 'rateLimited';

/** Selects dead letters to discard; one of `ids`, `task`, `errorName`, `olderThan`, `state` or `all: true` is required. */
export interface DiscardFilter extends DeadLetterFilter {
  /** Selects every dead letter of the state. @default false */
  readonly all?: boolean | undefined;
}

/** Selects dead letters to redrive, and says how. */
export interface RedriveFilter extends DiscardFilter {
  /** Returns the ids that would be redriven, and redrives nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** How many to redrive per second, at most. @default Infinity */
  readonly perSecond?: number | undefined;
  /** Keeps the counted attempts; runs of `task` that have none left are not redriven. @default false */
  readonly keepAttempts?: boolean | undefined;
  /** Ends it between two batches; runs that were redriven already stay redriven. */
  readonly signal?: AbortSignal | undefined;
}

/** A checked filter. */
export interface Selection {
  readonly ids: readonly string[] | undefined;
  readonly task: AnyTask | undefined;
  /** `undefined`: `failed`, or with `ids` any state of dead letters. */
  readonly state: DeadLetterState | undefined;
  readonly query: Pick<ListQuery, 'lane' | 'errorName' | 'endedBefore'>;
  readonly limit: number;
}

/** The checked options of a redrive. */
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

/** Reads the filter of a call that changes runs: to select all of them, `all: true` is required. */
export function readChoice(fields: Fields, report: Report, clock: Clock): Selection {
  const isAll = fields.choice('all', false, [true, false]);
  const isFiltered = LIST_KEYS.some((key) => key !== 'limit' && fields.value(key) !== undefined);
  if (!isAll && !isFiltered) {
    const cure = 'Name ids, task, errorName, olderThan or state; all: true means every one of the state.';
    report({ path: '', value: {}, message: 'must select dead letters', cure });
  }
  return readSelection(fields, report, clock);
}

/** Reads the options of a redrive; every wrong one is reported. */
export function readRedrive(fields: Fields, report: Report, clock: Clock): RedriveSettings {
  const keepAttempts = fields.choice('keepAttempts', false, [true, false]);
  const selection = readChoice(fields, report, clock);
  if (keepAttempts && fields.value('task') === undefined) {
    const cure = 'Give the task, whose policy says which runs have attempts left.';
    report({ path: 'task', value: undefined, message: 'is required with keepAttempts', cure });
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

/** `endedBefore` is exclusive, and runs end at whole milliseconds: one that ended exactly `olderThan` ago is included. */
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
