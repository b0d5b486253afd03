import type { Note, NoteWrite } from '@retry/core/broker';
import type { Schedule } from './schedule.ts';
import { dueAt } from './schedule.ts';

/** Notes of schedules by when they are due: a page of them in the order of their keys has those that are due first. */
export const DUE_PREFIX = 'schedule/at/';

/** Notes that say by id when a schedule is due, and so which note it is in. */
const ID_PREFIX = 'schedule/id/';

/** An instant in a key: the same number of digits for all, so that the order of texts is that of time. */
const DIGITS = 16;

/** Which form the value of a note has. */
const FORM = 1;

/** A schedule in the note that was read. */
export interface KeptSchedule {
  readonly schedule: Schedule;
  readonly note: Pick<Note, 'key' | 'version'>;
}

/** Returns the key of the note that says when a schedule is due. */
export function idKey(id: string): string {
  return `${ID_PREFIX}${id}`;
}

/** Returns the key of the note that a schedule is in. */
export function dueKey(schedule: Schedule): string {
  const at = dueAt(schedule);
  const digits =
    at === Infinity ? '9'.repeat(DIGITS) : String(Math.max(0, Math.ceil(at))).padStart(DIGITS, '0');
  return `${DUE_PREFIX}${digits}/${schedule.id}`;
}

/** Returns when the schedule of a key is due, in epoch milliseconds; `Infinity`: never. */
export function dueAtOf(key: string): number {
  const digits = key.slice(DUE_PREFIX.length, DUE_PREFIX.length + DIGITS);
  return digits === '9'.repeat(DIGITS) ? Infinity : Number(digits);
}

/** Returns the id of the schedule of a key. */
export function idOfKey(key: string): string {
  return key.slice(DUE_PREFIX.length + DIGITS + 1);
}

/** Returns the text of a schedule: all but its payload as one line of JSON, then the payload, which is JSON text already. */
export function writeSchedule({ work: { payload, ...work }, ...schedule }: Schedule): string {
  return `${JSON.stringify({ form: FORM, ...schedule, work })}\n${payload}`;
}

/** Reads a schedule. @throws {Error} when another version of this library wrote it in another form */
export function readSchedule({ key, value }: Pick<Note, 'key' | 'value'>): Schedule {
  try {
    return readText(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the schedule ${JSON.stringify(idOfKey(key))} cannot be read: ${reason}`, {
      cause: error,
    });
  }
}

function readText(text: string): Schedule {
  const end = text.indexOf('\n');
  const { form, work, ...schedule }: { readonly form: unknown } & Schedule = JSON.parse(text.slice(0, end));
  if (form !== FORM)
    throw new Error(`its form is ${String(form)}, and this version of the library reads ${FORM}`);
  return { ...schedule, work: { ...work, payload: text.slice(end + 1) } };
}

/**
 * Returns what to write so that a schedule is kept which was not there before. Its two notes are only written together, here and below, so
 * that the version of one of them says of both whether they are as they were read.
 */
export function creation(schedule: Schedule): readonly NoteWrite[] {
  const key = dueKey(schedule);
  return [
    { key: idKey(schedule.id), seen: 0, value: key },
    { key, value: writeSchedule(schedule) },
  ];
}

/** Returns what to write so that a schedule is kept as it is now, if it is still as it was read. */
export function movement({ note }: KeptSchedule, schedule: Schedule): readonly NoteWrite[] {
  const key = dueKey(schedule);
  const value = writeSchedule(schedule);
  if (key === note.key) return [{ key, seen: note.version, value }];
  return [
    { key, value },
    { key: note.key, seen: note.version, value: null },
    { key: idKey(schedule.id), value: key },
  ];
}

/** Returns what to write so that the schedule of an id is gone, if its note is still as it was read, whatever it says. */
export function removal(id: string, note: KeptSchedule['note']): readonly NoteWrite[] {
  return [
    { key: note.key, seen: note.version, value: null },
    { key: idKey(id), value: null },
  ];
}
