import type { RescheduleAnswer, RescheduleRequest } from '@retry/core/broker';
import { readAnswers } from '../record/answers.ts';
import { rescheduleScript } from '../scripts/reschedule.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript } from '../store/store.ts';

/**
 * Moves waiting runs to another instant. A run that goes back to its lane takes two calls: the first one answers which lane that is,
 * because a script may only use the keys that it was given.
 */
export async function rescheduleRuns(
  store: Store,
  requests: readonly RescheduleRequest[],
): Promise<readonly RescheduleAnswer[]> {
  const answers: RescheduleAnswer[] = [];
  let left: readonly Numbered[] = requests.map((request, index) => ({ request, index }));
  let tags: readonly string[] = [];
  while (left.length > 0) {
    const { moved, missing } = await move(store, left, tags);
    const later: Numbered[] = [];
    for (const [at, numbered] of left.entries()) {
      const answer = moved[at] ?? 'gone';
      if (answer === 'later') later.push(numbered);
      else answers[numbered.index] = answer;
    }
    left = later;
    tags = missing;
  }
  return answers;
}

interface Numbered {
  readonly request: RescheduleRequest;
  /** Among all requests of the call. */
  readonly index: number;
}

interface Moved {
  readonly moved: readonly (RescheduleAnswer | 'later')[];
  /** The lanes whose keys the script needs for those that come later. */
  readonly missing: readonly string[];
}

async function move(store: Store, left: readonly Numbered[], tags: readonly string[]): Promise<Moved> {
  const request = pack([
    tags,
    left.map(({ request: { id } }) => id),
    left.map(({ request: { runAt = 0 } }) => runAt),
    left.map(({ request: { delayMs = 0 } }) => Math.max(0, delayMs)),
  ]);
  const reply = await runListScript(store, rescheduleScript, [request], tags);
  const [letters, missing] = reply as readonly [string, readonly string[]]; // what our own script returns
  return { moved: readAnswers('reschedule', letters), missing: [...new Set(missing)] };
}
