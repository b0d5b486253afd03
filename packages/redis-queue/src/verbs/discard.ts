import type { DiscardAnswer, DiscardOptions } from '@retry/core/broker';
import { packStep, STEP_REFUSED } from '../operations/step.ts';
import { readAnswers } from '../record/answers.ts';
import { discardScript } from '../scripts/discard.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Forgets ended runs. */
export async function discardRuns(
  store: Store,
  ids: readonly string[],
  { endedBefore = Infinity, operation }: DiscardOptions = {},
): Promise<readonly DiscardAnswer[]> {
  if (ids.length === 0 && operation === undefined) return [];
  const request = pack([ids, endedBefore, packStep(store, operation)]);
  const reply = await runScript(store, discardScript, [...store.retention, request]);
  return reply === STEP_REFUSED ? ids.map(() => 'fenced') : readAnswers('discard', reply);
}
