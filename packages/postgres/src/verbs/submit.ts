import type { Submission, SubmitAnswer } from '@retry/core/broker';
import type { SqlValue } from '../driver/database.ts';
import { toCount, upToWhole } from '../record/numbers.ts';
import { plainArray, textArray } from '../record/text-array.ts';

/** Submissions as the columns that `submit_runs` takes. */
export function submissionColumns(submissions: readonly Submission[]): readonly SqlValue[] {
  const whole = (ms: number | undefined): number | undefined =>
    ms === undefined ? undefined : upToWhole(ms);
  return [
    textArray(submissions.map(({ id }) => id)),
    textArray(submissions.map(({ lane }) => lane)),
    textArray(submissions.map(({ payload }) => payload)),
    plainArray(submissions.map(({ runAt }) => whole(runAt))),
    plainArray(submissions.map(({ delayMs }) => whole(delayMs))),
    textArray(submissions.map(({ concurrency }) => concurrency?.key)),
    plainArray(submissions.map(({ concurrency }) => concurrency && toCount(concurrency.limit))),
    plainArray(submissions.map(({ concurrency }) => concurrency && concurrency.whenFull === 'wait')),
    plainArray(submissions.map(({ keyed }) => keyed || undefined)),
    plainArray(submissions.map(({ keepResultMs }) => whole(keepResultMs))),
  ];
}

/** The answers, given the ids that were new, or null when all of them were. The first of two with one id is the new one. */
export function submitAnswers(
  submissions: readonly Submission[],
  created: string | null,
): readonly SubmitAnswer[] {
  if (created === null) return submissions.map(() => 'created');
  const fresh = new Set(JSON.parse(created) as readonly string[]); // what our own function builds
  return submissions.map(({ id }) => (fresh.delete(id) ? 'created' : 'exists'));
}
