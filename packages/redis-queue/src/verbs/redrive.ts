import type { RedriveAnswer, RedriveOptions, Run } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import { transition } from '@retry/core/lifecycle';
import { pack } from '../pack.ts';
import { encodeRecord } from '../record.ts';
import { redriveScript } from '../scripts/ended-runs.ts';
import type { Store } from '../store.ts';
import { createLaneList, runScript } from '../store.ts';
import type { KeptRun } from './read-runs.ts';
import { readKept } from './read-runs.ts';

/**
 * Sends dead letters back. Core makes the move of the run that was read; the script writes it only if the run is
 * still the same, else it is read again: somebody else was quicker.
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
    const written = moves.length > 0 ? await write(store, moves) : '';
    left = moves.filter((_, index) => written[index] === 'x').map(({ run }) => run.id);
    for (const { run } of moves) answers.set(run.id, 'redriven');
  }
  return inOrder(ids, answers);
}

interface Move {
  readonly run: Run;
  /** The record that it is made of. */
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

function isDeadLetter(state: RunState): boolean {
  return state === 'failed' || state === 'stalled' || state === 'rateLimited';
}

async function write(store: Store, moves: readonly Move[]): Promise<string> {
  const lanes = createLaneList();
  const numbers = moves.map(({ run }) => lanes.numberOf(run.lane));
  const request = pack([
    lanes.tags,
    moves.map(({ run }) => run.id),
    numbers,
    moves.map(({ from }) => from),
    moves.map(({ run }) => encodeRecord(run, run.settledBy ?? '').text),
  ]);
  return (await runScript(store, redriveScript, [...store.retention, request], lanes.tags)) as string; // one letter for each
}

/** A run that is named twice is redriven once. */
function inOrder(
  ids: readonly string[],
  answers: ReadonlyMap<string, RedriveAnswer>,
): readonly RedriveAnswer[] {
  const told = new Set<string>();
  return ids.map((id) => {
    const answer = told.has(id) && answers.get(id) === 'redriven' ? 'refused' : answers.get(id);
    told.add(id);
    return answer ?? 'gone';
  });
}
