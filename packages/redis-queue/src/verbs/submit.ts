import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';
import { readAnswers } from '../record/answers.ts';
import { isKeptApart } from '../record/apart.ts';
import { encodeBody } from '../record/body.ts';
import { submitScript } from '../scripts/submit.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { createLaneList, runScript } from '../store/store.ts';

/** Keeps new runs. */
export type SubmitRuns = (submissions: readonly Submission[]) => Promise<readonly SubmitAnswer[]>;

/**
 * Submits that take effect in the order of their calls. One that is too long for one call goes in parts, one after another, as
 * clients give up what they cannot write for seconds; what is submitted meanwhile waits for the last of them.
 */
export function createSubmit(store: Store): SubmitRuns {
  let inProgress: Promise<unknown> | undefined;
  return async (submissions) => {
    if (submissions.length === 0) return [];
    const parts = inParts(submissions);
    if (inProgress === undefined && parts.length === 1) return submitPart(store, submissions);
    const previous = inProgress;
    const submitting = (async () => {
      await previous?.catch(() => {}); // its own caller gets the error
      return submitParts(store, parts);
    })();
    inProgress = submitting;
    try {
      return await submitting;
    } finally {
      if (inProgress === submitting) inProgress = undefined;
    }
  };
}

async function submitParts(
  store: Store,
  parts: readonly (readonly Submission[])[],
): Promise<readonly SubmitAnswer[]> {
  const answers: SubmitAnswer[] = [];
  for (const part of parts) answers.push(...(await submitPart(store, part)));
  return answers;
}

function inParts(submissions: readonly Submission[]): readonly (readonly Submission[])[] {
  const parts: Submission[][] = [];
  let part: Submission[] = [];
  let bytes = 0;
  for (const submission of submissions) {
    bytes += submission.payload.length;
    if (part.length > 0 && bytes > MAX_BATCH_BYTES) {
      parts.push(part);
      part = [];
      bytes = submission.payload.length;
    }
    part.push(submission);
  }
  return [...parts, part];
}

async function submitPart(
  store: Store,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  const lanes = createLaneList();
  const numbers = submissions.map(({ lane }) => lanes.numberOf(lane));
  const isLater = submissions.some(({ runAt, delayMs }) => runAt !== undefined || delayMs !== undefined);
  const request = pack([
    lanes.tags,
    submissions.map(({ id }) => id),
    submissions.map(encodeBody),
    // One lane for all is said once.
    lanes.tags.length === 1 ? [1] : numbers,
    isLater ? submissions.flatMap(({ runAt = 0, delayMs = 0 }) => [runAt, delayMs]) : [],
  ]);
  const large = submissions.flatMap(({ payload }) => (isKeptApart(payload) ? [payload] : []));
  const reply = await runScript(store, submitScript, [...store.retention, request, ...large], lanes.tags);
  return readAnswers('submit', reply);
}
