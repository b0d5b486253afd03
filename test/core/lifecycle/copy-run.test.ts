import type { Run } from '@retry/core/broker';
import { copyRun, newRun, transitionRun } from '@retry/core/broker/kit';
import { ARROWS, type RunEvent, transition } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';

/** A run with every key set to a different value; a missing key does not compile. */
const FULL: Required<Run> = {
  ...{ id: 'a', lane: 'mail@1', payload: '{}', state: 'submitted' },
  ...{
    epoch: 9,
    resetEpoch: 2,
    resetAt: 20,
    failures: 3,
    stalls: 4,
    releases: 5,
    rateLimits: 6,
    redrives: 7,
    carried: 8,
  },
  ...{
    createdAt: 29,
    submittedAt: 30,
    firstStartedAt: 31,
    startedAt: 32,
    heartbeatAt: 33,
    runAt: 34,
    endedAt: 35,
  },
  ...{ result: '"done"', errors: [{ epoch: 8, at: 36, name: 'Error', message: 'no' }], previousDelayMs: 37 },
  ...{ concurrency: { key: 'one', limit: 1, whenFull: 'wait' }, settledBy: '8:retry' },
  fairnessKey: 'tenant',
  ...{ retry: '{"maxAttempts":2}', origin: 'first', context: '00-1-2-01', deadContext: '00-1-3-01' },
  ...{ isDisposable: true, errorGroup: 'x', isCancelRequested: true, trimmed: ['payload'] },
};

describe('copyRun', () => {
  it('keeps every key of a run', () => {
    expect(copyRun(FULL)).toEqual(FULL);
  });

  it('returns a copy: the run stays as it was', () => {
    const run = Object.freeze({ ...FULL });

    copyRun(run).epoch = 10;

    expect(run).toEqual(FULL);
  });
});

describe('newRun', () => {
  it('is unsubmitted, and nothing has happened to it', () => {
    const { id, lane, payload, concurrency, retry, origin, context } = FULL;

    const counters = {
      epoch: 0,
      resetEpoch: 0,
      failures: 0,
      stalls: 0,
      releases: 0,
      rateLimits: 0,
      redrives: 0,
      carried: 0,
    };
    expect(newRun({ id, lane, payload, concurrency, retry, origin, context })).toEqual({
      ...{ id, lane, payload, concurrency, retry, origin, context },
      ...{ state: 'unsubmitted', errors: [], ...counters },
    });
  });
});

describe('transitionRun', () => {
  const moves = ARROWS.flatMap(({ from, event }) => [
    { from, event: { type: event, at: 50, as: 'completed' } as RunEvent },
    { from, event: { type: event, at: 50, runAt: 60, as: 'failed' } as RunEvent },
  ]);

  it.each(moves)('moves a run that is $from as transition does on $event', ({ from, event }) => {
    const run: Run = { ...FULL, state: from };

    expect(transitionRun(run, event)).toEqual(transition(run, event));
  });

  it('rejects what transition rejects', () => {
    const run: Run = { ...FULL, state: 'completed' };

    expect(transitionRun(run, { type: 'start', at: 50 })).toEqual(transition(run, { type: 'start', at: 50 }));
  });
});
