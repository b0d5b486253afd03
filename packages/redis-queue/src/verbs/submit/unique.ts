import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { uniqueAnswer } from '@retry/core/broker/kit';
import { readAnswers } from '../../record/answers.ts';
import { KEY_UNTIL } from '../../record/layout.ts';
import { duesOf, encodeSubmissions } from '../../record/submissions.ts';
import { submitUniqueScript } from '../../scripts/lua-code.ts';
import { toTag } from '../../store/keys.ts';
import type { Packed } from '../../store/pack.ts';
import { pack } from '../../store/pack.ts';
import type { Store } from '../../store/store.ts';
import { createLaneList, runListScript } from '../../store/store.ts';

/** Stores new runs, some of which are unique, in one script. */
export async function submitUnique(
  store: Store,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  const lanes = createLaneList();
  const numbers = submissions.map(({ lane }) => lanes.numberOf(lane));
  const request = pack([
    lanes.tags,
    numbers,
    duesOf(submissions),
    submissions.map(packUnique),
    submissions.length,
  ]);
  const args = [...store.retention, request, ...encodeSubmissions(submissions)];
  const reply = await runListScript(store, submitUniqueScript, args, lanes.tags);
  const [letters, others] = reply as readonly [string, readonly string[]]; // what our own script returns
  let met = 0;
  return readAnswers('submitUnique', letters).map((word) => {
    const isAboutOther = word === 'kept' || word === 'replaced';
    return uniqueAnswer(word, isAboutOther ? (others[met++] ?? '') : '');
  });
}

function packUnique({ unique }: Submission): Packed {
  if (unique === undefined) return [];
  const { key, until, onConflict } = unique;
  return [toTag(key), typeof until === 'number' ? until : KEY_UNTIL[until], onConflict];
}
