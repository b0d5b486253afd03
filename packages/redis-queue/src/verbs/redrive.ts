import type { OperationStep, RedriveAnswer, RedriveOptions, Run } from '@retry/core/broker';
import { keepableMs } from '@retry/core/broker/kit';
import { isDeadLetter, transition } from '@retry/core/lifecycle';
import { packStep, STEP_REFUSED } from '../operations/step.ts';
import { readAnswers } from '../record/answers.ts';
import { encodeRecord } from '../record/encode-record.ts';
import { redriveScript } from '../scripts/redrive.ts';
import type { Packed } from '../store/pack.ts';
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
  options: RedriveOptions = {},
): Promise<readonly RedriveAnswer[]> {
  if (options.operation !== undefined)
    return redriveStep(store, ids, { ...options, operation: options.operation });
  const answers = new Map<string, RedriveAnswer>();
  let left = [...new Set(ids)];
  while (left.length > 0) {
    const moves = await readMoves(store, left, { options, answers });
    const written = moves.length > 0 ? await write(store, moves, []) : [];
    left = moves.filter((_, index) => written[index] === 'changed').map(({ run }) => run.id);
    for (const [index, { run }] of moves.entries())
      answers.set(run.id, written[index] === 'refused' ? 'refused' : 'redriven');
  }
  return inOrder(ids, answers);
}

/** Redrives the runs of one step of an operation: those that change between reading and writing are refused. */
async function redriveStep(
  store: Store,
  ids: readonly string[],
  options: RedriveOptions & { readonly operation: OperationStep },
): Promise<readonly RedriveAnswer[]> {
  const answers = new Map<string, RedriveAnswer>();
  const moves = await readMoves(store, ids, { options, answers });
  const written = await write(store, moves, packStep(store, options.operation, answers.size));
  if (written === 'fenced') return ids.map(() => 'fenced');
  for (const [index, { run }] of moves.entries())
    answers.set(run.id, written[index] === 'redriven' ? 'redriven' : 'refused');
  return ids.map((id) => answers.get(id) ?? 'gone');
}

/** Returns the moves of the runs that can be redriven; `answers` gets those of all others. */
async function readMoves(
  store: Store,
  ids: readonly string[],
  { options, answers }: { readonly options: RedriveOptions; readonly answers: Map<string, RedriveAnswer> },
): Promise<readonly Move[]> {
  const moves: Move[] = [];
  const { now, kept } = await readKept(store, ids, { payloads: 'omit' });
  for (const [index, id] of ids.entries()) {
    const next = nextOf(kept[index], now, options);
    if (typeof next === 'string') answers.set(id, next);
    else moves.push(next);
  }
  return moves;
}

interface Move {
  readonly run: Run;
  /** The record that was read. */
  readonly from: string;
}

function nextOf(
  kept: KeptRun | undefined,
  at: number,
  { keepAttempts = false, runAts, endedBefore = Infinity }: RedriveOptions,
): Move | RedriveAnswer {
  if (kept === undefined) return 'gone';
  const { run, record, isUnreadable } = kept;
  if (record === null || isUnreadable || !isDeadLetter(run.state)) return 'refused';
  if ((run.endedAt ?? 0) >= endedBefore) return 'refused';
  const runAt = keepableMs(runAts?.get(run.id) ?? at);
  const moved = transition(run, { type: 'redrive', at, runAt, keepAttempts });
  if (moved.type === 'rejected') return 'refused';
  // Errors and the previous delay are those since the last reset, and this is one.
  const next = keepAttempts ? moved.run : { ...moved.run, errors: [], previousDelayMs: undefined };
  return { run: next, from: record };
}

/** Writes moves whose records are still those that were read. @param step - the values of a step, if it is one */
async function write(
  store: Store,
  moves: readonly Move[],
  step: readonly Packed[],
): Promise<'fenced' | readonly ('redriven' | 'refused' | 'changed')[]> {
  const lanes = createLaneList();
  const numbers = moves.map(({ run }) => lanes.numberOf(run.lane));
  const request = pack([
    lanes.tags,
    moves.map(({ run }) => run.id),
    numbers,
    moves.map(({ from }) => from),
    moves.map(({ run }) => encodeRecord(run, run.settledBy ?? '').text),
    step,
  ]);
  const reply = await runScript(store, redriveScript, [...store.retention, request], lanes.tags);
  return reply === STEP_REFUSED ? 'fenced' : readAnswers('redrive', reply);
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
