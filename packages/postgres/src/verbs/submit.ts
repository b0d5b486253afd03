import type { Submission, SubmitAnswer } from '@retry/core/broker';
import type { BatchSize } from '@retry/core/broker/kit';
import { readAnswers, submissionBytes, uniqueAnswer } from '@retry/core/broker/kit';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import { upToWhole } from '../driver/sql-values.ts';
import { submissionArguments, submittedLanes } from '../record/submissions.ts';
import type { ArgumentsOf } from '../schema/signatures.ts';
import type { WorkWaits } from '../wake/waits.ts';
import type { ExchangePort } from './exchange.ts';
import { exchange } from './exchange.ts';

/** What one statement takes. */
export const SUBMISSIONS: BatchSize<Submission> = { count: 20_000, bytesOf: submissionBytes };

interface SubmitPort {
  readonly database: Pick<Database, 'call'>;
  readonly workWaits: WorkWaits;
}

/** Submits runs, a chunk per statement, and wakes the workers of this process that wait for them. */
export function submitRuns(
  port: SubmitPort,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  return inChunks(submissions, (chunk) => submitChunk(port, chunk), SUBMISSIONS);
}

/** Submits as many runs as one statement takes, and wakes the workers of this process that wait for them. */
export async function submitChunk(
  { database, workWaits }: SubmitPort,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  const created = await database.call('submit_runs', { notify: true, ...submissionArguments(submissions) });
  workWaits.notify(submittedLanes(submissions));
  return submitAnswers(submissions, created);
}

/**
 * Returns the answers of `submit_runs`.
 *
 * @param created - the ids that were new, as JSON; `null` when all of them were. Of two equal ids, the first is the new one.
 */
export function submitAnswers(
  submissions: readonly Submission[],
  created: string | null,
): readonly SubmitAnswer[] {
  if (created === null) return submissions.map(() => 'created');
  const fresh = new Set(JSON.parse(created) as readonly string[]); // what our own function builds
  return submissions.map(({ id }) => (fresh.delete(id) ? 'created' : 'exists'));
}

/** What `submit_unique` replies. */
interface UniqueReply {
  readonly answers: string;
  /** The runs that kept their keys or were replaced, in the order of the answers. */
  readonly others: readonly string[];
  /** Lanes that got parked runs back. */
  readonly unparked: readonly string[] | null;
  /** Whether runs were cancelled whose results a caller waits for. */
  readonly results: boolean;
  /** How many were cancelled that retention may forget. */
  readonly finished: number;
  /** How many bytes their long texts have. */
  readonly long: number;
}

/** Whether a submission among these is unique. */
export function hasUnique(submissions: readonly Submission[]): boolean {
  return submissions.some(({ unique }) => unique !== undefined);
}

/** Submits runs, some of which are unique, a chunk per statement, and notifies of those that it cancelled. */
export function submitUnique(
  port: ExchangePort,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  return inChunks(submissions, (chunk) => submitUniqueChunk(port, chunk), UNIQUE_SUBMISSIONS);
}

/** What one statement takes. */
export const UNIQUE_SUBMISSIONS: BatchSize<Submission> = { bytesOf: submissionBytes };

/** Submits as many runs as one statement takes, some of which are unique, and notifies of those that it cancelled. */
export async function submitUniqueChunk(
  port: ExchangePort,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  const { database, memory, workWaits, resultWaits, retention } = port;
  const text = await database.call('submit_unique', { notify: true, ...uniqueArguments(submissions) });
  const { unparked, results, finished, long, ...reply } = readReply(text);
  const { ready = [], later = [] } = submittedLanes(submissions);
  memory.forgetLanes(unparked ?? []);
  workWaits.notify({ ready: [...ready, ...(unparked ?? [])], later });
  if (results) resultWaits.wake();
  retention.noteLong(long);
  // An exchange forgets what is too much; where this one fails, a later one does.
  if (retention.count(finished)) await exchange(port, {}).catch(() => undefined);
  return answersOf(reply);
}

/** Returns the answers in the reply of `submit_unique`. */
export function uniqueAnswers(text: string | null): readonly SubmitAnswer[] {
  return answersOf(readReply(text));
}

/** Returns submissions as arguments of `submit_unique`. */
export function uniqueArguments(
  submissions: readonly Submission[],
): Omit<ArgumentsOf<'submit_unique'>, 'notify'> {
  const untils = submissions.map(({ unique }) => unique?.until);
  return {
    ...submissionArguments(submissions),
    uniqueKeys: submissions.map(({ unique }) => unique?.key),
    untilStarted: untils.map((until) => until === 'started'),
    untilsMs: untils.map((until) => (typeof until === 'number' ? upToWhole(until) : undefined)),
    replaces: submissions.map(({ unique }) => unique?.onConflict === 'replace'),
  };
}

function readReply(text: string | null): UniqueReply {
  return JSON.parse(text ?? '') as UniqueReply; // what our own function builds
}

function answersOf({ answers, others }: Pick<UniqueReply, 'answers' | 'others'>): readonly SubmitAnswer[] {
  let met = 0;
  return readAnswers('submitUnique', answers).map((word) => {
    const isAboutOther = word === 'kept' || word === 'replaced';
    return uniqueAnswer(word, isAboutOther ? (others[met++] ?? '') : '');
  });
}
