import type { CancelAnswer } from '@retry/core/broker';
import { readAnswers } from '../record/answers.ts';
import { cancelScript } from '../scripts/cancel.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Cancels waiting runs, and leaves a cancel request for the workers of started ones. */
export async function cancelRuns(store: Store, ids: readonly string[]): Promise<readonly CancelAnswer[]> {
  if (ids.length === 0) return [];
  return readAnswers('cancel', await runScript(store, cancelScript, [...store.retention, pack(ids)]));
}
