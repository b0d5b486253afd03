import type { RedriveAnswer, RedriveOptions, Run } from '@retry/core/broker';
import { isDeadLetter, transition } from '@retry/core/lifecycle';
import { readAnswers } from '../record/answers.ts';
import { encodeRecord } from '../record/encode-record.ts';
import { redriveScript } from '../scripts/redrive.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { createLaneList, runScript } from '../store/store.ts';
import type { KeptRun } from './get.ts';
import { readKept } from './get.ts';

/**
 * Redrives dead letters. Core computes the next record of the run that was read; the script writes it only if the record is
 * still the same, otherwise the run is read again.
 */
export async function redriveRuns(
  store: Store,
  ids: readonly string[],
  { keepAttempts = false }: RedriveOptions = {},
): Promise<readonly RedriveAnswer[]> {
  const answers = new Map<string, RedriveAnswer>();
  let left = [...new Set(ids)];
  while (left.length > 0) {
    const { now, kept } = await readKept(store, left, { payloads: 'omit' });
    const moves: Move[] = [];
    for (const [index, id] of left.entries()) {
      const next = nextOf(kept[index], now, keepAttempts ? 'keep' : 'reset');
      if (typeof next === 'string') answers.set(id, next);
      else moves.push(next);
    }
    const written = moves.length > 0 ? await write(store, moves) : [];
    left = moves.filter((_, index) => written[index] === 'changed').map(({ run }) => run.id);
    for (const { run } of moves) answers.set(run.id, 'redriven');
  }
  return inOrder(ids, answers);
}

interface Move {
  readonly run: Run;
  /** The record that was read. */
  readonly from: string;
}

function nextOf(kept: KeptRun | undefined, at: number, attempts: 'keep' | 'reset'): Move | RedriveAnswer {
  if (kept === undefined) return 'gone';
  const { run, record, isUnreadable } = kept;
  if (record === null || isUnreadable || !isDeadLetter(run.state)) return 'refused';
  const moved = transition(run, { type: 'redrive', at, keepAttempts: attempts === 'keep' });
  if (moved.type === 'rejected') return 'refused';
  // Errors and the previous delay are those since the last reset, and this is one.
  const next = attempts === 'keep' ? moved.run : { ...moved.run, errors: [], previousDelayMs: undefined };
  return { run: next, from: record };
}

async function write(store: Store, moves: readonly Move[]): Promise<readonly ('redriven' | 'changed')[]> {
  const lanes = createLaneList();
  const numbers = moves.map(({ run }) => lanes.numberOf(run.lane));
  const request = pack([
    lanes.tags,
    moves.map(({ run }) => run.id),
    numbers,
    moves.map(({ from }) => from),
    moves.map(({ run }) => encodeRecord(run, run.settledBy ?? '').text),
  ]);
  const reply = await runScript(store, redriveScript, [...store.retention, request], lanes.tags);
  return readAnswers('redrive', reply);
}

/** Returns the answers in the order of the ids. Of an id that is given twice, the second is refused. */
function inOrder(
  ids: readonly string[],
  answers: ReadonlyMap<string, RedriveAnswer>,
): readonly RedriveAnswer[] {
  const answered = new Set<string>();
  return ids.map((id) => {
    const answer = answered.has(id) && answers.get(id) === 'redriven' ? 'refused' : answers.get(id);
    answered.add(id);
    return answer ?? 'gone';
  });
}
