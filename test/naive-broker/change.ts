import type { Change, ChangeAnswer, NoteWrite, Reading, Run } from '@retry/core/broker';
import type { createGroups } from './groups.ts';
import type { Kept, Storage } from './storage.ts';
import { ENDED } from './storage.ts';

/** Creates the verbs by which runs that no worker holds are read and changed. */
export function createChanges(
  { runs, notes, finishMove, forget }: Storage,
  groups: Pick<ReturnType<typeof createGroups>, 'join'>,
  requestCancel: (id: string) => void,
) {
  /** Each move of a run replaces it. */
  const tokens = new WeakMap<Run, string>();
  let readings = 0;

  function seenOf(run: Run): string {
    const seen = tokens.get(run) ?? `${++readings}`;
    tokens.set(run, seen);
    return seen;
  }

  function readRuns(ids: readonly string[], now: number): Reading {
    const found = ids.map((id) => runs.get(id)?.run);
    return {
      now,
      runs: found.map((run) => run && { run: withoutTexts(run), seen: seenOf(run) }),
    };
  }

  function answerOne({ id, seen, next }: Change): ChangeAnswer {
    const run = runs.get(id)?.run;
    if (run === undefined) return 'gone';
    return seenOf(run) === seen && isPossible(run, next) ? 'done' : 'changed';
  }

  function changeOne(change: Change, now: number): ChangeAnswer {
    const { id, next, group } = change;
    const answer = answerOne(change);
    const kept = runs.get(id);
    if (answer !== 'done' || kept === undefined) return answer;
    if (next === 'forget') forget(kept, now);
    else if (next.state === 'started') requestCancel(id);
    else write(kept, next);
    if (next !== 'forget' && ENDED.includes(next.state)) groups.join(kept, group);
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

  function write(kept: Kept, next: Run): void {
    const { payload, concurrency, fairnessKey, retry, origin, context } = kept.submission;
    kept.run = { ...next, payload, concurrency, fairnessKey, retry, origin, context, errorGroup: undefined };
    finishMove(kept);
  }

  return { readRuns, changeAll };
}

function isPossible({ state }: Run, next: Change['next']): boolean {
  if (next === 'forget') return ENDED.includes(state);
  if (next.state === 'started') return state === 'started';
  return state !== 'started' && !(ENDED.includes(state) && ENDED.includes(next.state));
}

function withoutTexts(run: Run): Run {
  const trimmed = run.trimmed?.filter((text) => text === 'payload');
  return { ...run, payload: '', result: undefined, trimmed: trimmed?.length === 0 ? undefined : trimmed };
}
