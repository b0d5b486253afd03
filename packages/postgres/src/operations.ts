import type {
  Audit,
  Beat,
  BeatAnswer,
  CancelAnswer,
  DiscardAnswer,
  ListQuery,
  RedriveAnswer,
  RedriveOptions,
  Run,
} from '@retry/core/broker';
import type { Database } from './database.ts';
import { inChunks, onEachOnce } from './in-chunks.ts';
import type { RunRow } from './read-run.ts';
import { readRun } from './read-run.ts';
import { plainArray, textArray } from './text-array.ts';

const BEATS: Readonly<Record<string, BeatAnswer>> = { o: 'ok', c: 'cancel', f: 'fenced', g: 'gone' };
const CANCELS: Readonly<Record<string, CancelAnswer>> = {
  c: 'cancelled',
  r: 'requested',
  e: 'ended',
  g: 'gone',
};
const DISCARDS: Readonly<Record<string, DiscardAnswer>> = { d: 'discarded', r: 'refused', g: 'gone' };
const REDRIVES: Readonly<Record<string, RedriveAnswer>> = { d: 'redriven', r: 'refused', g: 'gone' };

/** So long, in ms, a cancel waits at most before it asks again for runs that somebody is settling. */
const LONGEST_PAUSE_MS = 100;

export function getRuns(database: Database, ids: readonly string[]): Promise<readonly (Run | undefined)[]> {
  return inChunks(ids, async (chunk) => {
    const text = await database.call('get_runs', [textArray(chunk)]);
    const rows = JSON.parse(text ?? '[]') as readonly (RunRow | null)[]; // what our own function builds
    return rows.map((row) => (row === null ? undefined : readRun(row)));
  });
}

export async function listRuns(database: Database, query: ListQuery): Promise<readonly Run[]> {
  const { state, lane = null, endedBefore = null, errorName = null, limit, after = '' } = query;
  const before = endedBefore === null ? null : Math.ceil(endedBefore);
  return readRuns(await database.call('list_runs', [state, lane, before, errorName, limit, after]));
}

export async function findExpired(database: Database, limit: number): Promise<readonly Run[]> {
  return readRuns(await database.call('expired_runs', [limit]));
}

export function heartbeat(
  database: Database,
  beats: readonly Beat[],
  leaseMs: number,
): Promise<readonly BeatAnswer[]> {
  return inChunks(beats, async (chunk) => {
    const ids = textArray(chunk.map(({ id }) => id));
    const epochs = plainArray(chunk.map(({ epoch }) => epoch));
    return readLetters(await database.call('beat', [ids, epochs, Math.ceil(leaseMs)]), BEATS);
  });
}

/** A run that is named twice is cancelled by the first and has ended for the second. */
export function cancelRuns(database: Database, ids: readonly string[]): Promise<readonly CancelAnswer[]> {
  const again = (answer: CancelAnswer): CancelAnswer => (answer === 'cancelled' ? 'ended' : answer);
  return onEachOnce(ids, again, (chunk) => cancelChunk(database, chunk));
}

/** Asks again for those that somebody was settling, which may be a transaction that stays open. */
async function cancelChunk(database: Database, ids: readonly string[]): Promise<readonly CancelAnswer[]> {
  const answers = new Map<string, CancelAnswer>();
  let left = ids;
  for (let waitMs = 1; ; waitMs = Math.min(2 * waitMs, LONGEST_PAUSE_MS)) {
    const letters = await database.call('cancel_runs', [textArray(left)]);
    for (const [index, id] of left.entries()) {
      const answer = CANCELS[letters?.[index] ?? ''];
      if (answer !== undefined) answers.set(id, answer);
    }
    left = left.filter((id) => !answers.has(id));
    if (left.length === 0) return ids.flatMap((id) => answers.get(id) ?? []);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

export function discardRuns(database: Database, ids: readonly string[]): Promise<readonly DiscardAnswer[]> {
  const again = (answer: DiscardAnswer): DiscardAnswer => (answer === 'discarded' ? 'gone' : answer);
  return onEachOnce(ids, again, async (chunk) =>
    readLetters(await database.call('discard_runs', [textArray(chunk)]), DISCARDS),
  );
}

/** @param onBack - told the lanes that got runs back */
export function redriveRuns(
  database: Database,
  asked: { readonly ids: readonly string[]; readonly options: RedriveOptions | undefined },
  onBack: (lanes: readonly string[]) => void,
): Promise<readonly RedriveAnswer[]> {
  const again = (answer: RedriveAnswer): RedriveAnswer => (answer === 'redriven' ? 'refused' : answer);
  return onEachOnce(asked.ids, again, async (chunk) => {
    const keepAttempts = asked.options?.keepAttempts === true;
    const text = await database.call('redrive_runs', [textArray(chunk), keepAttempts]);
    const { lanes, answers } = JSON.parse(text ?? '') as Redriven; // what our own function builds
    onBack(lanes ?? []);
    return readLetters(answers, REDRIVES);
  });
}

interface Redriven {
  readonly lanes: readonly string[] | null;
  readonly answers: string;
}

export async function auditRuns(database: Database): Promise<Audit> {
  const audit = JSON.parse((await database.call('audit_runs', [])) ?? '') as Audit; // what our own function builds
  const none = { completed: 0, failed: 0, cancelled: 0, stalled: 0, dropped: 0, rate_limited: 0 };
  return { ...audit, ended: { ...none, ...audit.ended } };
}

function readRuns(text: string | null): readonly Run[] {
  const rows = JSON.parse(text ?? '[]') as readonly RunRow[]; // what our own function builds
  return rows.map(readRun);
}

function readLetters<Answer extends string>(
  letters: string | null,
  answers: Readonly<Record<string, Answer>>,
): readonly Answer[] {
  return [...(letters ?? '')].flatMap((letter) => answers[letter] ?? []);
}
