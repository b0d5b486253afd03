import type { Change, ChangeAnswer, ChangeOptions } from '@retry/core/broker';
import { inBatches, readAnswers, runBytes } from '@retry/core/broker/kit';
import { changedReply } from '../errors.ts';
import { encodeChanges, NOTES_CHANGED } from '../record/changes.ts';
import { changeScript } from '../scripts/lua-code.ts';
import type { Packed } from '../store/pack.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';
import { packNotes } from './notes.ts';

/**
 * Writes runs that no worker holds, and cancel requests, each only if the run is still what was seen. With notes, it is one script.
 */
export async function changeRuns(
  store: Store,
  changes: readonly Change[],
  { notes }: ChangeOptions = {},
): Promise<readonly ChangeAnswer[] | 'fenced'> {
  if (notes !== undefined) {
    const reply = await write(store, changes, packNotes(notes));
    return reply === NOTES_CHANGED ? 'fenced' : readAnswers('change', reply, changedReply);
  }
  const answers: ChangeAnswer[] = [];
  for (const chunk of inBatches(changes, { bytesOf }))
    answers.push(...readAnswers('change', await write(store, chunk, NO_NOTES), changedReply));
  return answers;
}

/** In place of notes where there are none, which is not the same as an empty list: see `ChangeOptions`. */
const NO_NOTES = '';

function write(store: Store, changes: readonly Change[], notes: Packed): Promise<unknown> {
  const { tags, values } = encodeChanges(changes);
  return runScript(store, changeScript, [...store.retention, pack([...values, notes])], tags);
}

function bytesOf({ next }: Change): number {
  return next === 'forget' ? 0 : runBytes(next);
}
