import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { encodeBody } from '../body.ts';
import { pack } from '../pack.ts';
import { submitScript } from '../scripts/submit.ts';
import type { Store } from '../store.ts';
import { createLaneList, runScript } from '../store.ts';
import { readAnswers } from './answers.ts';

const WORDS: Readonly<Record<string, SubmitAnswer>> = { c: 'created', e: 'exists' };

/** Keeps new runs. */
export async function submitRuns(
  store: Store,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  if (submissions.length === 0) return [];
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
  return readAnswers(await runScript(store, submitScript, [request], lanes.tags), WORDS);
}
