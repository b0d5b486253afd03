import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { submissionBytes } from '@retry/core/broker/kit';
import { chunksOf } from '../driver/chunks.ts';
import type { Argument } from '../driver/redis-link.ts';
import { readAnswers } from '../record/answers.ts';
import { isKeptApart } from '../record/apart.ts';
import { encodeBody } from '../record/body.ts';
import { PAYLOADS_FOLLOW } from '../record/requests.ts';
import { duesOf } from '../record/submissions.ts';
import { submitFairScript, submitScript } from '../scripts/lua-code.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { createLaneList, runScript } from '../store/store.ts';
import { submitLarge } from './payloads/submit-large.ts';
import { submitUnique } from './submit/unique.ts';

/** Stores new runs. */
export type SubmitRuns = (submissions: readonly Submission[]) => Promise<readonly SubmitAnswer[]>;

/**
 * Creates a `submit` whose calls take effect in their order. A long one is sent in chunks, one after another, because clients
 * reject what they cannot write within seconds; later submissions wait for the last chunk.
 */
export function createSubmit(store: Store): SubmitRuns {
  let inProgress: Promise<unknown> | undefined;
  return async (submissions) => {
    if (submissions.length === 0) return [];
    const chunks = chunksOf(submissions, submissionBytes);
    if (inProgress === undefined && chunks.length === 1) return submitChunk(store, submissions);
    const previous = inProgress;
    const submitting = (async () => {
      await previous?.catch(() => {}); // its own caller receives the error
      return submitInOrder(store, chunks);
    })();
    inProgress = submitting;
    try {
      return await submitting;
    } finally {
      if (inProgress === submitting) inProgress = undefined;
    }
  };
}

async function submitInOrder(
  store: Store,
  chunks: readonly (readonly Submission[])[],
): Promise<readonly SubmitAnswer[]> {
  const answers: SubmitAnswer[] = [];
  for (const chunk of chunks) answers.push(...(await submitChunk(store, chunk)));
  return answers;
}

async function submitChunk(
  store: Store,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  if (submissions.some(({ unique }) => unique !== undefined)) return submitUnique(store, submissions);
  const lanes = createLaneList();
  const numbers = submissions.map(({ lane }) => lanes.numberOf(lane));
  const isLater = submissions.some(({ runAt, delayMs = 0 }) => runAt !== undefined || delayMs > 0);
  const large = submissions.filter(({ payload }) => isKeptApart(payload));
  const payloads = large.length > 0 && store.link.sendAll !== undefined ? 'follow' : 'inline';
  const isFair = submissions.some(({ fairnessKey }) => fairnessKey !== undefined);
  const script = isFair ? submitFairScript : submitScript;
  const isUsual = lanes.tags.length === 1 && !isLater && !isFair;
  const isPlain = isUsual && (payloads === 'follow' || large.length === 0);
  const request = (): Buffer =>
    pack([
      lanes.tags,
      // A lane that all of them share is sent once.
      lanes.tags.length === 1 ? [1] : numbers,
      isLater ? duesOf(submissions) : [],
      submissions.length,
      payloads === 'follow' ? 1 : 0,
    ]);
  const plain = payloads === 'follow' ? PAYLOADS_FOLLOW : '';
  const args: Argument[] = [...store.retention, isPlain ? plain : request()];
  for (const submission of submissions) args.push(submission.id, encodeBody(submission));
  if (payloads === 'follow') return submitLarge(store, { submissions, script, args, laneTags: lanes.tags });
  for (const { payload } of large) args.push(payload);
  return readAnswers('submit', await runScript(store, script, args, lanes.tags));
}
