import type { Broker, Run, Submission, SubmitAnswer } from '@retry/core/broker';
import { PartlySubmittedError } from '../errors.ts';
import { inBatches } from './batch.ts';
import { submissionBytes } from './submission.ts';

/** The most submissions of one call. */
const MAX_SUBMISSIONS = 500;

/**
 * Submits runs in calls of bounded size, each of which is atomic.
 *
 * @param onAnswer - called for each answered submission, in their order
 */
export async function submitInBatches(
  broker: Pick<Broker, 'submit'>,
  submissions: readonly Submission[],
  onAnswer: (submission: Submission, answer: SubmitAnswer | undefined) => void,
): Promise<void> {
  for (const batch of inBatches(submissions, { count: MAX_SUBMISSIONS, bytesOf: submissionBytes })) {
    const answers = await broker.submit(batch);
    for (const [index, submission] of batch.entries()) onAnswer(submission, answers[index]);
  }
}

/**
 * Returns the error to throw when a batch of runs with random ids failed: the error itself if no run is known to be stored,
 * otherwise a `PartlySubmittedError`.
 *
 * @param answered - how many were answered before the batch that failed
 */
export async function batchError(
  broker: Broker,
  { submissions, answered }: { readonly submissions: readonly Submission[]; readonly answered: number },
  error: unknown,
): Promise<unknown> {
  const [failed = []] = inBatches(submissions.slice(answered), {
    count: MAX_SUBMISSIONS,
    bytesOf: submissionBytes,
  });
  const found = await findKept(broker, failed);
  const isKept = (index: number): boolean => index < answered || found?.[index - answered] !== undefined;
  const isUnknown = (index: number): boolean =>
    index < answered + failed.length && !isKept(index) && !(found !== undefined && broker.isRefusal(error));
  const indexes = submissions.map((_, index) => index);
  const idsOf = (isSelected: (index: number) => boolean): readonly string[] =>
    submissions.filter((_, index) => isSelected(index)).map(({ id }) => id);
  const submitted = idsOf(isKept).map((id) => ({ id, isNew: true }));
  if (submitted.length === 0) return error;
  const notSubmitted = indexes.filter((index) => !isKept(index) && !isUnknown(index));
  return new PartlySubmittedError({ submitted, unknown: idsOf(isUnknown), notSubmitted }, error);
}

/** Returns the runs that are stored after all; `undefined` when the broker cannot be asked. */
async function findKept(
  broker: Broker,
  submissions: readonly Submission[],
): Promise<readonly (Run | undefined)[] | undefined> {
  try {
    return await broker.get(submissions.map(({ id }) => id));
  } catch {
    return undefined; // the submission's own error is thrown
  }
}
