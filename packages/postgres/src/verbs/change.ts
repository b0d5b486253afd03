import type { Change, ChangeAnswer, ChangeOptions, NoteWrite } from '@retry/core/broker';
import type { BatchSize } from '@retry/core/broker/kit';
import { readAnswers, runBytes } from '@retry/core/broker/kit';
import { inChunks } from '../driver/chunks.ts';
import { upToWhole } from '../driver/sql-values.ts';
import { changeArguments, hasEnded } from '../record/changes.ts';
import type { ExchangePort } from './exchange.ts';
import { exchange } from './exchange.ts';
import { noteArguments } from './notes.ts';

/** What `change_runs` replies. */
interface Changed {
  /** A note is not what was seen. */
  readonly isFenced?: boolean;
  /** Nothing is written, as one of the runs would not be, and notes were to be written with them. */
  readonly isRefused?: boolean;
  /** A letter for each. */
  readonly answers: string;
  /** Lanes that got runs, or have more in their schedule. */
  readonly ready: readonly string[] | null;
  readonly later: readonly string[] | null;
  /** Lanes that got parked runs back. */
  readonly unparked: readonly string[] | null;
  /** Whether runs have ended whose results a caller waits for. */
  readonly results: boolean;
  /** How many have ended as runs that retention may forget. */
  readonly finished: number;
  /** How many bytes their long texts have. */
  readonly long: number;
}

/** What changes need. */
interface ChangePort extends ExchangePort {
  readonly keepKeysMs: number;
}

/** What one statement takes. */
const CHANGES: BatchSize<Change> = {
  idOf: ({ id }) => id,
  bytesOf: ({ next }) => (next === 'forget' ? 0 : runBytes(next)),
};

/**
 * Writes runs that no worker holds, and cancel requests, each only if the run is still what was seen. With notes, it is one statement.
 */
export async function changeRuns(
  port: ChangePort,
  changes: readonly Change[],
  options: ChangeOptions = {},
): Promise<readonly ChangeAnswer[] | 'fenced'> {
  if (options.notes !== undefined)
    return callChange(port, changes, { ...options, mayWait: changes.every(hasEnded) });
  return inChunks(changes, (chunk) => changeChunk(port, chunk), CHANGES);
}

/**
 * Runs that have ended are locked by other operators and retention only, which is short: they are waited for. A waiting or started one
 * may be locked by a handler's transaction: then those of the statement that are locked, or all of it, are answered so.
 */
async function changeChunk(port: ChangePort, chunk: readonly Change[]): Promise<readonly ChangeAnswer[]> {
  const answers = await callChange(port, chunk, { mayWait: chunk.every(hasEnded) });
  return answers === 'fenced' ? [] : answers;
}

interface CallOptions extends ChangeOptions {
  readonly mayWait: boolean;
}

async function callChange(
  port: ChangePort,
  changes: readonly Change[],
  { notes, mayWait }: CallOptions,
): Promise<readonly ChangeAnswer[] | 'fenced'> {
  const { database, keepKeysMs } = port;
  const given = {
    ...changeArguments(changes),
    keepKeysMs: upToWhole(keepKeysMs),
    ...besideRuns(notes),
  };
  // One that has been written and is sent again would be answered `changed`.
  const reply = mayWait
    ? { text: await database.callOnce('change_runs', given) }
    : await database.callUnlockedOnce('change_runs', given);
  if (reply === undefined) return changes.map(() => 'locked');
  const changed = JSON.parse(reply.text ?? '') as Changed; // what our own function builds
  if (changed.isFenced === true) return 'fenced';
  if (changed.isRefused !== true) await follow(port, changed);
  return readAnswers('change', changed.answers);
}

/** The arguments for notes that are written with runs. */
function besideRuns(notes: readonly NoteWrite[] | undefined) {
  if (notes === undefined)
    return { noteKeys: null, noteSeen: null, noteValues: null, noteTtlsMs: null, noteEnds: null };
  const { keys, seen, values, ttlsMs, ends } = noteArguments(notes);
  return { noteKeys: keys, noteSeen: seen, noteValues: values, noteTtlsMs: ttlsMs, noteEnds: ends };
}

/** Wakes the waits of this process. An exchange forgets what is too much; where this one fails, a later one does. */
async function follow(
  port: ChangePort,
  { ready, later, unparked, results, finished, long }: Changed,
): Promise<void> {
  const { memory, workWaits, resultWaits, retention } = port;
  memory.forgetLanes(unparked ?? []);
  workWaits.notify({ ready: [...(ready ?? []), ...(unparked ?? [])], later: later ?? [] });
  if (results) resultWaits.wake();
  retention.noteLong(long);
  if (retention.count(finished)) await exchange(port, {}).catch(() => undefined);
}
