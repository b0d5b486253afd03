import type { Broker, Run, Submission, SubmitAnswer } from '@retry/core/broker';
import { inBatches, submissionBytes } from '@retry/core/broker/kit';
import { FIRST_LOCKED_PAUSE_MS, isRefused, nextLockedPauseMs } from '../broker.ts';
import { PartlySubmittedError } from '../errors.ts';
import type { Submitted } from './submission.ts';

/** The most submissions of one call. */
const MAX_SUBMISSIONS = 500;

/** Returns what the caller gets for a submission that was answered. */
type Note = (submission: Submission, answer: SubmitAnswer | undefined) => Submitted<never>;

/** Runs that are submitted together, in one call; `submitted` once it was answered. */
interface Batch {
  readonly submissions: readonly Submission[];
  submitted?: readonly Submitted<never>[];
  /** Whether it was sent, and there is no answer, or not yet. */
  isLost?: boolean;
}

/**
 * Submits runs in calls of bounded size, each of which is atomic. Where calls take effect in their order, the next one is prepared
 * and sent while the server works on the latest.
 *
 * @throws {PartlySubmittedError} when a call fails and runs of others are stored, or may be; otherwise the error of the call
 */
export async function submitInBatches(
  broker: Broker,
  submissions: readonly Submission[],
  note: Note,
): Promise<readonly Submitted<never>[]> {
  const outstanding = broker.facts?.submitsInOrder === true ? 2 : 1;
  const batches = batchesOf(submissions);
  const pending: Promise<void>[] = [];
  try {
    for (const batch of batches) {
      const submitting = submitBatch((some) => submitUnlocked(broker, some), batch, note);
      submitting.catch(() => {}); // it is awaited below, after an earlier one
      pending.push(submitting);
      if (pending.length === outstanding) await pending.shift();
    }
    await Promise.all(pending);
  } catch (error) {
    await Promise.allSettled(pending);
    throw await errorOf(broker, batches, error);
  }
  return batches.flatMap(({ submitted = [] }) => submitted);
}

/** Submits runs in a transaction, which is atomic: nothing is partly submitted. */
export async function submitInTransaction(
  broker: Pick<Broker, 'submit'>,
  submissions: readonly Submission[],
  note: Note,
): Promise<readonly Submitted<never>[]> {
  const batches = batchesOf(submissions);
  for (const batch of batches) await submitBatch((some) => broker.submit(some), batch, note);
  return batches.flatMap(({ submitted = [] }) => submitted);
}

function batchesOf(submissions: readonly Submission[]): readonly Batch[] {
  const size = { count: MAX_SUBMISSIONS, bytesOf: submissionBytes };
  return inBatches(submissions, size).map((batch) => ({ submissions: batch }));
}

type Answers = readonly (SubmitAnswer | undefined)[];

type Submit = (submissions: readonly Submission[]) => Promise<Answers>;

async function submitBatch(submit: Submit, batch: Batch, note: Note): Promise<void> {
  batch.isLost = true;
  const answers = await submit(batch.submissions);
  batch.submitted = batch.submissions.map((submission, index) => note(submission, answers[index]));
  batch.isLost = false;
}

/**
 * Submits runs, and again those that are locked by another client's transaction: our brokers answer so for all of a call. One that waited
 * for it would keep its connection from all others, also from those that the transaction may wait for.
 */
async function submitUnlocked(broker: Broker, submissions: readonly Submission[]): Promise<Answers> {
  const submit = (some: readonly Submission[]) => broker.submit(some, { whenLocked: 'answer' });
  const answers: (SubmitAnswer | undefined)[] = [...(await submit(submissions))];
  for (
    let pauseMs = FIRST_LOCKED_PAUSE_MS;
    answers.includes('locked');
    pauseMs = nextLockedPauseMs(pauseMs)
  ) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const locked = [...answers.keys()].filter((index) => answers[index] === 'locked');
    const again = await submit(locked.map((index) => submissions[index] as Submission)); // each answer is that of one
    for (const [position, index] of locked.entries()) answers[index] = again[position];
  }
  return answers;
}

/** What is known of one submission after a call failed. */
type Fate = Submitted<never> | 'unknown' | 'not submitted';

async function errorOf(broker: Broker, batches: readonly Batch[], error: unknown): Promise<unknown> {
  const fates: Fate[] = [];
  for (const batch of batches) fates.push(...(await fatesOf(broker, batch, error)));
  const submissions = batches.flatMap((batch) => batch.submissions);
  const submitted = fates.filter((fate) => typeof fate !== 'string');
  if (submitted.length === 0) return error;
  const unknown = submissions.filter((_, index) => fates[index] === 'unknown').map(({ id }) => id);
  const indexes = submissions.map((_, index) => index);
  const notSubmitted = indexes.filter((index) => fates[index] === 'not submitted');
  return new PartlySubmittedError({ submitted, unknown, notSubmitted }, error);
}

async function fatesOf(
  broker: Broker,
  { submissions, submitted, isLost = false }: Batch,
  error: unknown,
): Promise<readonly Fate[]> {
  if (submitted !== undefined) return submitted;
  if (!isLost) return submissions.map(() => 'not submitted');
  const found = await findKept(broker, submissions);
  const isUnsubmitted = found !== undefined && isRefused(broker, error);
  return submissions.map(({ id, keyed = false }, index) => {
    // A run of a key that is found may be an earlier one.
    if (found?.[index] !== undefined) return keyed ? 'unknown' : { id, isNew: true };
    return isUnsubmitted ? 'not submitted' : 'unknown';
  });
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
