import type { Change, ChangeAnswer, ChangeOptions } from '@retry/core/broker';
import { runBytes } from '@retry/core/broker/kit';
import { chunksOf } from '../driver/chunks.ts';
import { packStep, STEP_REFUSED } from '../operations/step.ts';
import { readAnswers } from '../record/answers.ts';
import { encodeChanges } from '../record/changes.ts';
import { changeScript } from '../scripts/lua-code.ts';
import type { Packed } from '../store/pack.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Writes runs that no worker holds, and cancel requests, each only if the run is still what was seen. A step is one script. */
export async function changeRuns(
  store: Store,
  changes: readonly Change[],
  { operation }: ChangeOptions = {},
): Promise<readonly ChangeAnswer[] | 'fenced'> {
  if (operation !== undefined) {
    const reply = await write(store, changes, packStep(store, operation));
    return reply === STEP_REFUSED ? 'fenced' : readAnswers('change', reply);
  }
  const answers: ChangeAnswer[] = [];
  for (const chunk of chunksOf(changes, bytesOf))
    answers.push(...readAnswers('change', await write(store, chunk, [])));
  return answers;
}

function write(store: Store, changes: readonly Change[], step: readonly Packed[]): Promise<unknown> {
  const { tags, values } = encodeChanges(changes);
  return runScript(store, changeScript, [...store.retention, pack([...values, step])], tags);
}

function bytesOf({ next }: Change): number {
  return next === 'forget' ? 0 : runBytes(next);
}
