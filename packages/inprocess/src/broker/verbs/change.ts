import type { Change, ChangeAnswer, NoteWrite } from '@retry/core/broker';
import { answerChange } from '@retry/core/broker/kit';
import { forget } from '../record/ended-runs.ts';
import { moveRun } from '../record/move-run.ts';
import type { Entry, Store } from '../record/store.ts';
import { seenOf } from '../record/store.ts';
import { changedIn, writeNotes } from './notes.ts';

/** Makes of a run what it is to be, if it is still what was seen and no worker holds it. */
export function changeRun(store: Store, change: Change): ChangeAnswer {
  const answer = answerOf(store, change);
  if (answer === 'done') write(store, change);
  return answer;
}

/** Writes runs and notes, all or none. */
export function changeWithNotes(
  store: Store,
  { changes, notes }: { readonly changes: readonly Change[]; readonly notes: readonly NoteWrite[] },
  now: number,
): readonly ChangeAnswer[] | 'fenced' {
  if (changedIn(store, notes, now).length > 0) return 'fenced';
  const answers = changes.map((change) => answerOf(store, change));
  if (answers.some((answer) => answer !== 'done')) return answers;
  for (const change of changes) write(store, change);
  writeNotes(store, notes, now);
  return answers;
}

function answerOf(store: Store, change: Change): ChangeAnswer {
  const entry = store.entries.get(change.id);
  return answerChange(entry && { run: entry.run, seen: seenOf(store, entry) }, change);
}

function write(store: Store, { id, next, group }: Change): void {
  const entry = store.entries.get(id);
  if (entry === undefined) return;
  if (next === 'forget') forget(store, entry);
  else if (next.state === 'started') requestCancel(entry);
  else moveRun(store, entry, { next, group });
}

function requestCancel(entry: Entry): void {
  entry.run = { ...entry.run, isCancelRequested: true };
}
