import type { Change, ChangeAnswer, NoteWrite, SeenRun } from '@retry/core/broker';
import { answerChange, changedRun, runToChange } from '@retry/core/broker/kit';
import type { Storage } from './storage.ts';

/** Creates the verbs by which runs that no worker holds are read and changed. */
export function createChanges({ runs, notes, put, forget }: Storage) {
  /** A run is recognised by all that is kept of it. */
  function readSeen(id: string): SeenRun | undefined {
    const run = runs.get(id)?.run;
    return run && { run: runToChange(run), seen: JSON.stringify(run) };
  }

  const answerOne = (change: Change): ChangeAnswer => answerChange(readSeen(change.id), change);

  function changeOne(change: Change, now: number): ChangeAnswer {
    const { id, next, group } = change;
    const answer = answerOne(change);
    const kept = runs.get(id);
    if (answer !== 'done' || kept === undefined) return answer;
    if (next === 'forget') forget(kept, now);
    else if (next.state === 'started') kept.run = { ...kept.run, isCancelRequested: true };
    else put(kept, changedRun(kept.run, next), { group });
    return answer;
  }

  function changeAll(
    changes: readonly Change[],
    writes: readonly NoteWrite[] | undefined,
    now: number,
  ): readonly ChangeAnswer[] | 'fenced' {
    if (writes !== undefined) {
      if (notes.changed(writes, now).length > 0) return 'fenced';
      const answers = changes.map(answerOne);
      if (answers.some((answer) => answer !== 'done')) return answers;
      notes.write(writes, now);
    }
    return changes.map((change) => changeOne(change, now));
  }

  return { readSeen, changeAll };
}
