import type { Problem } from '@retry/core';
import { InvalidOptionsError, MAX_INSTANT_AT } from '@retry/core';
import type { Broker, Note, Notes } from '@retry/core/broker';
import { readOptions } from '@retry/core/fields';
import { PayloadError } from '../errors.ts';
import { prepareSubmission } from '../queue/submission.ts';
import { readPageCursor, writePageCursor, wrongCursor } from '../queue/views/cursor.ts';
import type { PageOptions } from '../queue/views/list-options.ts';
import { PAGE_KEYS, readPageOptions } from '../queue/views/list-options.ts';
import type { Instants, Times, WriteInstant } from '../queue/views/times.ts';
import { instantWriter } from '../queue/views/times.ts';
import { taskOfLane } from '../task/lane.ts';
import { readStored } from '../task/payload.ts';
import { creation, DUE_PREFIX, idOfKey, movement, readSchedule, removal } from './record.ts';
import type { Definition, MissedFires, Schedule } from './schedule.ts';
import { changeSchedule, openSchedule, runIdOf } from './schedule.ts';
import type { Change } from './schedule-notes.ts';
import { findSchedule, makeChanges } from './schedule-notes.ts';
import type { ScheduleOptions, ScheduleSettings } from './schedule-options.ts';
import { checkScheduleId, readScheduleOptions } from './schedule-options.ts';
import { notifySchedulers } from './scheduler.ts';
import { instantAfter } from './timetable.ts';

/** A schedule as people read it. */
export interface ScheduleView<At extends Times = 'ms'> {
  readonly id: string;
  /** The name of the task of its runs. */
  readonly task: string;
  readonly version: string;
  /** The payload of its runs; absent if it is not readable. */
  readonly payload?: unknown;
  /** Absent: it has `everyMs`. */
  readonly cron?: string;
  /** Present with `cron`. */
  readonly timeZone?: string;
  /** Milliseconds between two fires; absent: it has `cron`. */
  readonly everyMs?: number;
  readonly fromAt?: Instants[At];
  readonly untilAt?: Instants[At];
  readonly missed: MissedFires;
  /** When it was first made. */
  readonly createdAt: Instants[At];
  /** When it fires next; absent: never again. */
  readonly nextAt?: Instants[At];
  /** The instant of its latest fire; absent: it has not fired yet. */
  readonly lastAt?: Instants[At];
  /** The id of the run of its latest fire, which may be forgotten. */
  readonly lastRunId?: string;
}

/** A page of schedules, those that fire next first. */
export interface SchedulePage<At extends Times = 'ms'> {
  /** The schedules, at most `limit`; perhaps fewer, or none, though there is a `next`. */
  readonly schedules: readonly ScheduleView<At>[];
  /** The ids of those that another version of this library wrote in another form; absent if there are none. */
  readonly unreadable?: readonly string[];
  /** Where the next page begins, as `after` takes it; absent on the last page. */
  readonly next?: string;
}

/** Returns a page of schedules. */
export type ListSchedules<Own extends Times> = <At extends Times = Own>(
  options?: PageOptions<At>,
) => Promise<SchedulePage<At>>;

/** The methods of a queue for what is to be submitted again and again. */
export interface Scheduling<Own extends Times = 'ms'> {
  /**
   * Submits a run at each instant of a timetable, exactly once whatever the number of workers: any live worker of the queue does it. A
   * schedule of this id that is there already is changed; one that says the same is left as it is, so that a program can make its
   * schedules whenever it starts.
   *
   * @param id - 1 to 256 bytes
   * @throws {InvalidOptionsError} listing every wrong option, and when it would never fire
   * @throws {PayloadError} when the payload is invalid or cannot be stored
   */
  readonly schedule: <Payload>(id: string, options: ScheduleOptions<Payload>) => Promise<ScheduleView<Own>>;
  /**
   * Removes a schedule. Runs that it has submitted are left as they are; one that is being submitted still may be.
   *
   * @returns `gone` when there is no such schedule
   */
  readonly unschedule: (id: string) => Promise<'removed' | 'gone'>;
  /** Returns a page of schedules, those that fire next first. */
  readonly schedules: ListSchedules<Own>;
}

/** The longest payload of a schedule, in bytes of UTF-8: all of a schedule is in one note. */
const MAX_PAYLOAD_BYTES = 32_768;

interface Parts<Own extends Times> {
  readonly broker: Broker;
  readonly times: Own;
}

/** Creates the methods of a queue for schedules. */
export function createScheduling<Own extends Times>({ broker, times }: Parts<Own>): Scheduling<Own> {
  return {
    schedule: async (id, options) => {
      const settings = readScheduleOptions(id, options);
      const schedule = await keep(broker.notes, settings, await workOf(settings));
      notifySchedulers();
      return viewSchedule(schedule, instantWriter(times));
    },
    unschedule: async (id) => {
      const problems: Problem[] = [];
      checkScheduleId(id, (problem) => void problems.push(problem));
      if (problems.length > 0) throw new InvalidOptionsError(problems, 'unschedule');
      return remove(broker.notes, id);
    },
    schedules: ((options?: unknown) => listSchedules(broker, times, options)) as ListSchedules<Own>, // as its options say
  };
}

async function workOf({ task, payload }: ScheduleSettings): Promise<Definition['work']> {
  const { id: _, ...work } = await prepareSubmission(task, payload, {});
  const bytes = Buffer.byteLength(work.payload);
  if (bytes <= MAX_PAYLOAD_BYTES) return work;
  throw new PayloadError(
    `the payload of a schedule has ${bytes} bytes, more than the maximum of ${MAX_PAYLOAD_BYTES}. Store the data elsewhere and keep its key.`,
  );
}

/** Makes or changes a schedule, again if another client has changed it meanwhile. */
async function keep(notes: Notes, settings: ScheduleSettings, work: Definition['work']): Promise<Schedule> {
  for (;;) {
    const { note, isAbsent, now } = await findSchedule(notes, settings.id);
    if (note === undefined && !isAbsent) continue;
    const kept = note && { schedule: readSchedule(note), note };
    const definition = definitionOf(settings, work, { now, kept: kept?.schedule });
    if (kept !== undefined && isSame(kept.schedule, definition)) return kept.schedule;
    refuseUnlessFires(definition, settings, now);
    const schedule =
      kept === undefined
        ? openSchedule(settings.id, definition, now)
        : changeSchedule(kept.schedule, definition, now);
    const writes = kept === undefined ? creation(schedule) : movement(kept, schedule);
    if (await isMade(notes, { of: schedule, writes })) return schedule;
  }
}

async function remove(notes: Notes, id: string): Promise<'removed' | 'gone'> {
  for (;;) {
    const { note, isAbsent } = await findSchedule(notes, id);
    if (isAbsent) return 'gone';
    if (note !== undefined && (await isMade(notes, { of: id, writes: removal(id, note) }))) return 'removed';
  }
}

async function isMade<Of>(notes: Notes, change: Change<Of>): Promise<boolean> {
  return (await makeChanges(notes, [change])).has(change.of);
}

/** Where what is repeated begins: at `from`, else where it began before, else now. */
function definitionOf(
  { timing, bounds, missed }: ScheduleSettings,
  work: Definition['work'],
  { now, kept }: { readonly now: number; readonly kept: Schedule | undefined },
): Definition {
  if ('cron' in timing) return { work, timetable: { ...timing, ...bounds }, missed };
  const before = kept?.timetable;
  const isRepeated = before !== undefined && 'everyMs' in before && before.everyMs === timing.everyMs;
  const hadNoFrom = before?.fromAt === undefined;
  const anchorAt = bounds.fromAt ?? (isRepeated && hadNoFrom ? before.anchorAt : Math.ceil(now));
  return { work, timetable: { ...timing, anchorAt, ...bounds }, missed };
}

function isSame(schedule: Schedule, { work, timetable, missed }: Definition): boolean {
  const textOf = (definition: Definition): string =>
    JSON.stringify([definition.work, definition.timetable, definition.missed].map(sorted));
  return textOf(schedule) === textOf({ work, timetable, missed });
}

/** The keys of what was read may have another order than those of what was given. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, inner]) => [key, sorted(inner)])
    .sort();
}

/** @throws {InvalidOptionsError} for a timetable without an instant after now */
function refuseUnlessFires({ timetable }: Definition, { until }: ScheduleSettings, now: number): void {
  if (instantAfter(timetable, now) !== undefined) return;
  const message = 'must leave an instant to come: the schedule would never fire';
  const endless = { ...timetable, untilAt: MAX_INSTANT_AT };
  const problem =
    'cron' in timetable && instantAfter(endless, now) === undefined
      ? { path: 'cron', value: timetable.cron, cure: 'Use a day that there is.' }
      : { path: 'until', value: until, cure: 'Use a later until, or queue.unschedule(id).' };
  throw new InvalidOptionsError([{ ...problem, message }], 'schedule');
}

async function listSchedules(broker: Broker, own: Times, options: unknown): Promise<SchedulePage<Times>> {
  const call = { subject: 'schedules', keys: PAGE_KEYS };
  const { times, limit, after } = readOptions(options, call, (fields) => readPageOptions<Times>(fields, own));
  const query = { prefix: DUE_PREFIX, limit };
  const { notes, next } = await broker.notes.read(
    after === undefined ? query : { ...query, after: keyOf(after) },
  );
  const write = instantWriter(times);
  const found = notes.map((note) => ({ id: idOfKey(note.key), schedule: readIfPossible(note) }));
  const unreadable = found.flatMap(({ id, schedule }) => (schedule === undefined ? [id] : []));
  return {
    schedules: found.flatMap(({ schedule }) =>
      schedule === undefined ? [] : [viewSchedule(schedule, write)],
    ),
    ...(unreadable.length > 0 && { unreadable }),
    ...(next !== undefined && { next: writePageCursor([next]) }),
  };
}

function readIfPossible(note: Note): Schedule | undefined {
  try {
    return readSchedule(note);
  } catch {
    return undefined; // a worker reports it when it is due
  }
}

/** @throws {InvalidOptionsError} for anything but a cursor of these pages */
function keyOf(after: string): string {
  const [key] = readPageCursor(after);
  if (typeof key !== 'string' || !key.startsWith(DUE_PREFIX)) throw wrongCursor(after, 'schedules');
  return key;
}

function viewSchedule<At extends Times>(schedule: Schedule, write: WriteInstant<At>): ScheduleView<At> {
  const { id, work, timetable, missed, createdAt, nextAt, lastAt } = schedule;
  const { fromAt, untilAt } = timetable;
  const { name: task, version } = taskOfLane(work.lane);
  return {
    ...{ id, task, version, ...payloadOf(work.payload) },
    ...('cron' in timetable
      ? { cron: timetable.cron, timeZone: timetable.timeZone }
      : { everyMs: timetable.everyMs }),
    ...(fromAt !== undefined && { fromAt: write(fromAt) }),
    ...(untilAt !== undefined && { untilAt: write(untilAt) }),
    ...{ missed, createdAt: write(createdAt) },
    ...(nextAt !== undefined && { nextAt: write(nextAt) }),
    ...(lastAt !== undefined && { lastAt: write(lastAt), lastRunId: runIdOf(id, lastAt) }),
  };
}

function payloadOf(text: string): { readonly payload?: unknown } {
  try {
    return { payload: readStored(text, 'the payload') };
  } catch {
    return {};
  }
}
