import type { DiscardAnswer } from '@retry/core/broker';
import { readAnswers } from '../record/answers.ts';
import { discardScript } from '../scripts/discard.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Forgets ended runs. */
export async function discardRuns(store: Store, ids: readonly string[]): Promise<readonly DiscardAnswer[]> {
  if (ids.length === 0) return [];
  return readAnswers('discard', await runScript(store, discardScript, [...store.retention, pack(ids)]));
}
