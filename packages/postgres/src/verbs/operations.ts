import type {
  Attendance,
  Audit,
  Beat,
  BeatAnswer,
  CancelAnswer,
  DiscardAnswer,
  ExpiredScope,
  GetOptions,
  LaneDepth,
  ListQuery,
  RedriveAnswer,
  RedriveOptions,
  Run,
} from '@retry/core/broker';
import type { Database } from '../driver/database.ts';
import { toCount, toEpoch, upToWhole } from '../record/numbers.ts';
import type { RunRow } from '../record/run.ts';
import { isUnreadable, readRun } from '../record/run.ts';
import { plainArray, textArray } from '../record/text-array.ts';
import type { UnreadableRun } from '../record/unreadable.ts';
import { inChunks, onEachOnce } from './in-chunks.ts';

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

/** Each reply holds as many as travel in one: the others are asked for again. */
export async function getRuns(
  database: Database,
  ids: readonly string[],
  { collect = false }: GetOptions = {},
): Promise<readonly (Run | undefined)[]> {
  return inChunks(ids, async (chunk) => {
    const runs: (Run | undefined)[] = [];
    while (runs.length < chunk.length) {
      const text = await database.call('get_runs', [textArray(chunk.slice(runs.length)), collect]);
      const rows = JSON.parse(text ?? '[]') as readonly (RunRow | null)[]; // what our own function builds
      if (rows.length === 0) throw new Error('a reply holds one run at least');
      for (const row of rows) runs.push(row === null ? undefined : readRun(row));
    }
    return runs;
  });
}

export async function listRuns(database: Database, query: ListQuery): Promise<readonly Run[]> {
  const { state, lane = null, endedBefore = null, errorName = null, limit, after = '', payloads } = query;
  const before = endedBefore === null ? null : upToWhole(endedBefore);
  const asked = [state, lane, before, errorName, toCount(limit), after, payloads !== 'omit'];
  return readRows(await database.call('list_runs', asked)).map(readRun);
}

/** Which runs a cleaner finds, and which of them cannot be read. */
export interface Expired {
  readonly runs: readonly Run[];
  readonly unreadable: readonly UnreadableRun[];
}

export async function findExpired(
  database: Database,
  limit: number,
  { lanes, exceptLanes }: ExpiredScope = {},
): Promise<Expired> {
  const scope = [lanes, exceptLanes].map((names) => (names === undefined ? null : textArray(names)));
  const rows = readRows(await database.call('expired_runs', [toCount(limit), ...scope]));
  const runs = rows.filter((row) => !isUnreadable(row)).map(readRun);
  const unreadable = rows.filter(isUnreadable).map(readRun);
  return {
    runs,
    unreadable: unreadable.map(({ id, lane, epoch, firstStartedAt = 0 }) => ({
      ...{ id, lane, epoch, onlyIfExpired: true },
      at: firstStartedAt,
    })),
  };
}

/** Leases that one statement asks about. */
const MAX_LEASES = 5_000;

export async function findCancelRequests(
  database: Database,
  leases: readonly Beat[],
): Promise<readonly Beat[]> {
  const answers = await inChunks(
    leases,
    async (chunk) => {
      const ids = textArray(chunk.map(({ id }) => id));
      const epochs = plainArray(chunk.map(({ epoch }) => toEpoch(epoch)));
      return readLetters(await database.call('cancel_requests', [ids, epochs]), BEATS);
    },
    { items: MAX_LEASES },
  );
  return leases.filter((_, index) => answers[index] === 'cancel');
}

export async function attend(database: Database, attendance?: Attendance): Promise<readonly LaneDepth[]> {
  const { worker = null, lanes = [], ttlMs = 0 } = attendance ?? {};
  const text = await database.call('attend', [worker, textArray(lanes), Math.max(0, upToWhole(ttlMs))]);
  return JSON.parse(text ?? '[]') as readonly LaneDepth[]; // what our own function builds
}

export function heartbeat(
  database: Database,
  beats: readonly Beat[],
  leaseMs: number,
): Promise<readonly BeatAnswer[]> {
  return inChunks(beats, async (chunk) => {
    const ids = textArray(chunk.map(({ id }) => id));
    const epochs = plainArray(chunk.map(({ epoch }) => toEpoch(epoch)));
    return readLetters(await database.call('beat', [ids, epochs, upToWhole(leaseMs)]), BEATS);
  });
}

/** A run that is named twice is cancelled by the first and has ended for the second. */
export async function cancelRuns(
  database: Database,
  ids: readonly string[],
): Promise<readonly CancelAnswer[]> {
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

/** @param keepKeysMs - how long ids that users gave stay known after their runs ended */
export async function discardRuns(
  database: Database,
  ids: readonly string[],
  keepKeysMs: number,
): Promise<readonly DiscardAnswer[]> {
  const again = (answer: DiscardAnswer): DiscardAnswer => (answer === 'discarded' ? 'gone' : answer);
  return onEachOnce(ids, again, async (chunk) =>
    readLetters(await database.call('discard_runs', [textArray(chunk), upToWhole(keepKeysMs)]), DISCARDS),
  );
}

/** @param onBack - called with the lanes that got runs back */
export async function redriveRuns(
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
  const none = { completed: 0, failed: 0, cancelled: 0, stalled: 0, dropped: 0, rateLimited: 0 };
  return { ...audit, ended: { ...none, ...audit.ended } };
}

function readRows(text: string | null): readonly RunRow[] {
  return JSON.parse(text ?? '[]') as readonly RunRow[]; // what our own function builds
}

function readLetters<Answer extends string>(
  letters: string | null,
  answers: Readonly<Record<string, Answer>>,
): readonly Answer[] {
  return [...(letters ?? '')].flatMap((letter) => answers[letter] ?? []);
}
