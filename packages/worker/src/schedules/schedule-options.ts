import type { Duration } from '@retry/core';
import { MAX_INSTANT_AT } from '@retry/core';
import { textProblem } from '@retry/core/broker/kit';
import type { Fields, Report, Synonyms } from '@retry/core/fields';
import { integerBetween, readFields, readOptions } from '@retry/core/fields';
import type { InstantInput } from '../option-rules.ts';
import { readInstant } from '../option-rules.ts';
import { SCHEDULE_CURES } from '../task/foreign-options.ts';
import type { AnyTask, IsNothing, TaskFor } from '../task/task.ts';
import { checkTask } from '../task/task.ts';
import { cronProblem } from './cron-pattern.ts';
import type { MissedFires } from './schedule.ts';
import type { Bounds } from './timetable.ts';

/** What `queue.schedule` takes: what to submit, and when. */
export type ScheduleOptions<Payload = unknown> = Scheduled<Payload> & ScheduleTiming & ScheduleBounds;

/** What a schedule submits. The payload may be left out where the task has none. */
type Scheduled<Payload> = {
  /** The task of its runs. A worker that fires it need not know the task. */
  readonly task: TaskFor<Payload, unknown>;
} & (IsNothing<Payload> extends true
  ? Partial<ScheduledPayload<NoInfer<Payload>>>
  : ScheduledPayload<NoInfer<Payload>>);

interface ScheduledPayload<Payload> {
  /** The payload of each run, at most 32 KiB as JSON; the task's schema is asked when the schedule is made. */
  readonly payload: Payload;
}

/** When a schedule fires: by `cron`, or by `every`. */
type ScheduleTiming =
  | {
      /**
       * A cron pattern of five fields, of six with seconds before them, or of seven with years after those; or `@hourly`, `@daily`,
       * `@weekly`, `@monthly`, `@yearly`.
       */
      readonly cron: string;
      /** The time zone of `cron`, as IANA names it. @default 'UTC' */
      readonly timeZone?: string | undefined;
      readonly every?: undefined;
    }
  | {
      /**
       * The time between two fires, at least 1 s, counted in real time from `from`, else from when the schedule was made: the first fire
       * is at `from`, else one such time later.
       */
      readonly every: Duration;
      readonly cron?: undefined;
      readonly timeZone?: undefined;
    };

interface ScheduleBounds {
  /** Does not fire before this instant. @default now */
  readonly from?: InstantInput | undefined;
  /** Does not fire after this instant. @default it fires until it is removed */
  readonly until?: InstantInput | undefined;
  /**
   * What to do when fires were missed, because no worker was alive, or were due at the same time. `'skip'`: make none that is more than
   * two minutes late; `'latest'`: make the latest one, however late; `{ all: n }`: make the latest `n`, `1 ≤ n ≤ 1 000`.
   * @default 'latest'
   */
  readonly missed?: MissedFires | undefined;
}

/** The checked options of a schedule. */
export interface ScheduleSettings {
  readonly id: string;
  readonly task: AnyTask;
  readonly payload: unknown;
  readonly timing: { readonly cron: string; readonly timeZone: string } | { readonly everyMs: number };
  readonly bounds: Bounds;
  /** What was written as `until`, for errors. */
  readonly until: unknown;
  readonly missed: MissedFires;
}

/** The longest id of a schedule, in bytes of UTF-8: it is part of the ids of its runs. */
const MAX_ID_BYTES = 256;

/** The longest pattern or name of a zone. */
const MAX_TEXT_BYTES = 256;

/** The shortest time between two fires, in ms: that of cron. */
const MIN_EVERY_MS = 1_000;

/** The most missed fires that are made up for. */
const MAX_MISSED = 1_000;

const KEYS: readonly (keyof ScheduleOptions)[] = [
  ...(['task', 'payload', 'cron', 'timeZone', 'every', 'from', 'until', 'missed'] as const),
];

/** Names of our keys in other libraries. */
const SYNONYMS: Synonyms = [
  [/^(tz|timezone|zone|repeatTimezone)$/i, 'timeZone'],
  [/^(pattern|crontab|cron(Expression|Time|Pattern)|expression|rule|match|schedule)$/, 'cron'],
  [/^((repeat)?(Every|Interval))$/i, 'every'],
  [/^(data|input|args|template|payloadData)$/, 'payload'],
  [/^(start(s|Date|At|sAt)?|after|begin)$/, 'from'],
  [/^(end(s|Date|At|sAt)?|before|stop)$/, 'until'],
  [/^(missed(Fires|Policy)|catch_?up|misfire|backfill(Period)?)$/i, 'missed'],
];

/** Reads the arguments of `queue.schedule`. @throws {InvalidOptionsError} listing every problem */
export function readScheduleOptions(id: unknown, options: unknown): ScheduleSettings {
  return readOptions(
    options,
    { subject: 'schedule', keys: KEYS, synonyms: SYNONYMS, cures: SCHEDULE_CURES },
    (fields, report) => {
      checkScheduleId(id, report);
      const task = fields.value('task');
      checkTask(task, report);
      return {
        id: String(id),
        task: task as AnyTask, // what is none was just reported
        payload: fields.value('payload'),
        timing: readTiming(fields),
        until: fields.value('until'),
        bounds: readBounds(fields),
        missed: readMissed(fields, report),
      };
    },
  );
}

/** Reports what is wrong with the id of a schedule. */
export function checkScheduleId(id: unknown, report: Report): void {
  const message = textProblem(id, MAX_ID_BYTES);
  if (message === undefined) return;
  report({ path: 'id', value: id, message, cure: "Give each schedule a name, such as 'nightly-report'." });
}

const TIMING_CURE = "Use cron: '0 2 * * *', or every: '1h'.";

function readTiming(fields: Fields): ScheduleSettings['timing'] {
  const hasCron = fields.value('cron') !== undefined;
  const hasEvery = fields.value('every') !== undefined;
  if (hasCron && hasEvery) fields.fail('every', 'cannot be combined with cron', 'Leave out one of them.');
  if (!hasCron && !hasEvery) fields.fail('', 'must have cron or every', TIMING_CURE);
  if (!hasCron && fields.value('timeZone') !== undefined)
    fields.fail('timeZone', 'belongs to cron', 'Leave it out: every counts real time, whatever the zone.');
  if (hasCron) return readCron(fields);
  if (!hasEvery) return { everyMs: MIN_EVERY_MS };
  return { everyMs: Math.ceil(fields.duration('every', undefined, AN_INTERVAL)) };
}

const AN_INTERVAL = {
  finite: true,
  accepts: (ms: number): boolean => ms >= MIN_EVERY_MS && ms <= MAX_INSTANT_AT,
  message: 'must be a finite duration of at least 1s',
};

function readCron(fields: Fields): { readonly cron: string; readonly timeZone: string } {
  const cron = (fields.optional('cron', A_TEXT) ?? '* * * * *').trim().replace(/\s+/g, ' ');
  const timeZone = fields.optional('timeZone', A_ZONE) ?? 'UTC';
  const problem = cronProblem(cron);
  if (problem !== undefined) fields.fail('cron', problem.message, problem.cure);
  return { cron, timeZone };
}

const A_TEXT = {
  accepts: (value: unknown): value is string => textProblem(value, MAX_TEXT_BYTES) === undefined,
  message: `must be text of 1 to ${MAX_TEXT_BYTES} bytes`,
  cure: "Use a cron pattern: '30 2 * * MON-FRI'.",
};

const A_ZONE = {
  accepts: (value: unknown): value is string => {
    if (textProblem(value, MAX_TEXT_BYTES) !== undefined) return false;
    try {
      return new Intl.DateTimeFormat('en', { timeZone: String(value) }) !== undefined;
    } catch {
      return false;
    }
  },
  message: 'must be a time zone that this runtime knows',
  cure: "Use the name of the IANA database: 'Europe/Berlin', 'UTC'.",
};

function readBounds(fields: Fields): Bounds {
  const fromAt = readInstant(fields, 'from');
  const untilAt = readInstant(fields, 'until');
  if (fromAt !== undefined && untilAt !== undefined && untilAt < fromAt)
    fields.fail('until', 'must not be before from', 'Exchange the two, or leave one out.');
  return {
    ...(fromAt !== undefined && { fromAt: Math.ceil(fromAt) }),
    ...(untilAt !== undefined && { untilAt: Math.floor(untilAt) }),
  };
}

function readMissed(fields: Fields, report: Report): MissedFires {
  const given = fields.value('missed');
  if (typeof given !== 'object' || given === null)
    return fields.choice<'skip' | 'latest'>(
      'missed',
      'latest',
      ['skip', 'latest'],
      "Use 'skip', 'latest' or { all: 24 }.",
    );
  const inner = readFields(given, fields.path('missed'), { keys: ['all'], report });
  return { all: inner?.number('all', undefined, A_MISSED_COUNT) ?? 1 };
}

const A_MISSED_COUNT = integerBetween(1, MAX_MISSED, "Use missed: { all: 24 }, or 'skip' for none.");
