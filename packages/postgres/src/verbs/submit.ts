import type { Submission, SubmitAnswer } from '@retry/core/broker';
import type { Database } from '../driver/database.ts';
import { toCount, upToWhole } from '../driver/sql-values.ts';
import type { ArgumentsOf } from '../schema/signatures.ts';
import type { WorkWaits } from '../wake/wait-for-work.ts';
import { inChunks } from './chunks.ts';

/** The most submissions of one statement. */
const MAX_SUBMISSIONS = 20_000;

/** Submits runs, a chunk per statement, and wakes the workers of this process that wait for them. */
export function submitRuns(
  { database, workWaits }: { readonly database: Database; readonly workWaits: WorkWaits },
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  return inChunks(
    submissions,
    async (chunk) => {
      const created = await database.call('submit_runs', { ...submissionArguments(chunk), notify: true });
      workWaits.notify({ ready: lanesOf(chunk, 'now'), later: lanesOf(chunk, 'later') });
      return submitAnswers(chunk, created);
    },
    { maxItems: MAX_SUBMISSIONS, bytesOf: ({ payload }) => payload.length },
  );
}

function lanesOf(submissions: readonly Submission[], when: 'now' | 'later'): readonly string[] {
  const isLater = ({ runAt, delayMs = 0 }: Submission): boolean => runAt !== undefined || delayMs > 0;
  const found = submissions.filter((submission) => isLater(submission) === (when === 'later'));
  return [...new Set(found.map(({ lane }) => lane))];
}

/** Returns submissions as arguments of `submit_runs`. */
export function submissionArguments(
  submissions: readonly Submission[],
): Omit<ArgumentsOf<'submit_runs'>, 'notify'> {
  const whole = (ms: number | undefined): number | undefined =>
    ms === undefined ? undefined : upToWhole(ms);
  return {
    ids: submissions.map(({ id }) => id),
    lanes: submissions.map(({ lane }) => lane),
    payloads: submissions.map(({ payload }) => payload),
    runAts: submissions.map(({ runAt }) => whole(runAt)),
    delaysMs: submissions.map(({ delayMs }) => whole(delayMs)),
    keys: submissions.map(({ concurrency }) => concurrency?.key),
    keyLimits: submissions.map(({ concurrency }) => concurrency && toCount(concurrency.limit)),
    keyWaits: submissions.map(({ concurrency }) => concurrency && concurrency.whenFull === 'wait'),
    keyed: submissions.map(({ keyed }) => keyed || undefined),
    keepResultsMs: submissions.map(({ keepResultMs }) => whole(keepResultMs)),
  };
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
