import type { Broker, Run, Submission, SubmitAnswer } from '@retry/core/broker';
import { inBatches } from './batch.ts';
import { PartlySubmittedError } from './errors.ts';
import { submissionBytes } from './prepare-submission.ts';

/** The most that one statement of any broker takes. */
const MAX_SUBMISSIONS = 500;

/**
 * Submits runs, in calls of bounded size. Within one call all are kept or none.
 *
 * @param onAnswer - called for each run whose submission was answered, in their order
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
 * What to reject with when runs with ids of their own were submitted in batches and that failed: the error itself as long
 * as no run is known to be kept.
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
  const idsOf = (isMeant: (index: number) => boolean): readonly string[] =>
    submissions.filter((_, index) => isMeant(index)).map(({ id }) => id);
  const submitted = idsOf(isKept).map((id) => ({ id, isNew: true }));
  if (submitted.length === 0) return error;
  const notSubmitted = indexes.filter((index) => !isKept(index) && !isUnknown(index));
  return new PartlySubmittedError({ submitted, unknown: idsOf(isUnknown), notSubmitted }, error);
}

/** Which of them are there after all; `undefined` when the broker cannot say. */
async function findKept(
  broker: Broker,
  submissions: readonly Submission[],
): Promise<readonly (Run | undefined)[] | undefined> {
  try {
    return await broker.get(submissions.map(({ id }) => id));
  } catch {
    return undefined; // the error that counts is that of the submission
  }
}
