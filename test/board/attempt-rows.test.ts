import type { AttemptErrorView, RunView } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { attemptRows } from '../../packages/board/src/routes/run/attempt-rows.ts';
import { attemptsOf } from '../../packages/cli/src/runs/attempts.ts';

const FAILED = { name: 'Error', message: 'no', reason: 'retried' };
const stall = (stalledWith: number) => ({
  name: 'StalledError',
  message: 'lost',
  reason: 'stalled',
  stalledWith,
});

/** A run of which each attempt started a second after the end of the one before and took a second. */
function runOf(
  errors: readonly object[],
  { failures, stalls }: { failures: number; stalls: number },
): RunView {
  const timed = errors.map((error, index) => ({
    ...error,
    startedAt: 1_000 + index * 2_000,
    at: 2_000 + index * 2_000,
  })) as unknown as readonly AttemptErrorView[];
  const counted = { failures, stalls, carried: 0, attempt: failures + stalls + 1, createdAt: 0, runAt: 0 };
  const named = { id: 'a', task: 'mail', version: '1', lane: 'mail@1', state: 'submitted', errors: timed };
  return { ...named, ...counted } as unknown as RunView;
}

describe('the attempts of a run', () => {
  const mask = ({ value }: { readonly value: unknown }) => value;
  const rowsOf = (run: RunView) => attemptRows(run, { mask, limit: 100 } as never);

  it('are numbered by what was charged: of stalls alone not the one after a group of more than three', () => {
    const run = runOf([stall(3), stall(0), stall(0), FAILED], { failures: 1, stalls: 1 });

    expect(rowsOf(run).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 2]);
    expect(attemptsOf(run, 9_000).map(({ attempt }) => attempt)).toEqual([undefined, undefined, 1, 2, 3]);
  });

  it('count the wait since the submission for the very first only', () => {
    const run = runOf([stall(3), stall(1), FAILED], { failures: 1, stalls: 0 });

    expect(rowsOf(run).map(({ waitedMs }) => waitedMs)).toEqual([1_000, undefined, undefined]);
    expect(attemptsOf(run, 9_000).map(({ waitedMs }) => waitedMs)).toEqual([1_000, 1_000, 1_000, 3_000]);
  });
});
