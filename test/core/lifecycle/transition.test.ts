import { NEW_RUN, transition } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';
import { FAIL, moved, runAfter, STALL, START, STARTED, SUBMIT } from './runs.ts';

describe('transition', () => {
  it('submits a new run to its lane', () => {
    expect(transition(NEW_RUN, SUBMIT)).toEqual({
      type: 'moved',
      run: { ...NEW_RUN, state: 'submitted', createdAt: 100, submittedAt: 100, runAt: 100 },
      effects: [{ type: 'enqueue' }],
    });
  });

  it('schedules a new run that is due later', () => {
    expect(transition(NEW_RUN, { type: 'submit', at: 100, runAt: 101 })).toEqual({
      type: 'moved',
      run: { ...NEW_RUN, state: 'scheduled', createdAt: 100, submittedAt: 100, runAt: 101 },
      effects: [{ type: 'schedule', runAt: 101 }],
    });
  });

  it.each([99, 100])('submits a run that is due at %d immediately, at 100', (runAt) => {
    const run = moved(NEW_RUN, { type: 'submit', at: 100, runAt });

    expect(run).toMatchObject({ state: 'submitted', runAt: 100 });
  });

  // seed 001: submitted_at is overwritten each time.
  it('promotes a scheduled run and keeps when it was due', () => {
    const scheduled = runAfter({ type: 'submit', at: 100, runAt: 150 });

    const run = moved(scheduled, { type: 'promote', at: 160 });

    expect(run).toMatchObject({ state: 'submitted', submittedAt: 160, runAt: 150 });
  });

  it('starts a run under a new epoch, with a lease of that epoch', () => {
    expect(transition(runAfter(SUBMIT), START)).toEqual({
      type: 'moved',
      run: STARTED,
      effects: [{ type: 'lease', epoch: 1 }],
    });
  });

  // seed 001: started_at is the first start, retried_at the latest one after it.
  it('keeps the first start besides the latest', () => {
    const again = [{ type: 'retry', at: 300, runAt: 300 } as const, { type: 'start', at: 400 } as const];

    expect(runAfter(SUBMIT, START, ...again)).toMatchObject({
      epoch: 2,
      firstStartedAt: 200,
      startedAt: 400,
      heartbeatAt: 400,
    });
  });

  it('records a heartbeat, without effects', () => {
    expect(transition(runAfter(SUBMIT, START), { type: 'heartbeat', at: 250 })).toEqual({
      type: 'moved',
      run: { ...STARTED, heartbeatAt: 250 },
      effects: [],
    });
  });

  it('keeps the later heartbeat when they arrive out of order', () => {
    const run = runAfter(SUBMIT, START, { type: 'heartbeat', at: 250 }, { type: 'heartbeat', at: 240 });

    expect(run.heartbeatAt).toBe(250);
  });

  it.each([
    [{ type: 'complete', at: 300 }, 'completed', {}],
    [{ type: 'fail', at: 300 }, 'failed', { failures: 1 }],
    [{ type: 'stall', at: 300 }, 'stalled', { stalls: 1 }],
    [{ type: 'stall', at: 300, isShared: false }, 'stalled', { stalls: 1 }],
    [{ type: 'stall', at: 300, isShared: true }, 'stalled', { releases: 1 }],
    [{ type: 'cancel', at: 300 }, 'cancelled', {}],
    [{ type: 'drop', at: 300 }, 'dropped', { releases: 1 }],
    [{ type: 'limit', at: 300 }, 'rateLimited', { releases: 1 }],
  ] as const)('ends a started run on %o as %s, counting %o', (event, state, counted) => {
    expect(transition(runAfter(SUBMIT, START), event)).toEqual({
      type: 'moved',
      run: { ...STARTED, ...counted, state, endedAt: 300 },
      effects: [{ type: 'end' }],
    });
  });

  // seed 001, in the code: an unknown task is dropped before it starts, and what waits can be cancelled.
  it.each([
    ['drop', 'dropped'],
    ['cancel', 'cancelled'],
    ['limit', 'rateLimited'],
  ] as const)('ends a waiting run on %s as %s, counting nothing', (type, state) => {
    expect(moved(runAfter(SUBMIT), { type, at: 300 })).toEqual({
      ...NEW_RUN,
      state,
      createdAt: 100,
      submittedAt: 100,
      runAt: 100,
      endedAt: 300,
    });
  });

  it('cancels a scheduled run', () => {
    const run = runAfter({ type: 'submit', at: 100, runAt: 900 }, { type: 'cancel', at: 300 });

    expect(run).toMatchObject({ state: 'cancelled', endedAt: 300, epoch: 0 });
  });

  it.each([
    [
      { type: 'retry', at: 300, runAt: 300 },
      { state: 'submitted', failures: 1, submittedAt: 300, runAt: 300 },
    ],
    [
      { type: 'retry', at: 300, runAt: 299 },
      { state: 'submitted', failures: 1, submittedAt: 300, runAt: 300 },
    ],
    [
      { type: 'retry', at: 300, runAt: 900 },
      { state: 'scheduled', failures: 1, submittedAt: 100, runAt: 900 },
    ],
    [
      { type: 'release', at: 300 },
      { state: 'submitted', releases: 1, submittedAt: 300, runAt: 300 },
    ],
    [
      { type: 'limit', at: 300, runAt: 900 },
      { state: 'scheduled', releases: 1, rateLimits: 1, runAt: 900 },
    ],
    // The worker's clock may be behind: nothing is due before it was sent back.
    [
      { type: 'limit', at: 300, runAt: 299 },
      { state: 'scheduled', releases: 1, rateLimits: 1, runAt: 300 },
    ],
  ] as const)('sends a started run back on %o with %o', (event, changed) => {
    expect(moved(runAfter(SUBMIT, START), event)).toEqual({ ...STARTED, ...changed });
  });

  it('delays a waiting run over a limit, without counting a claim', () => {
    const run = moved(runAfter(SUBMIT), { type: 'limit', at: 300, runAt: 900 });

    expect(run).toMatchObject({ state: 'scheduled', epoch: 0, releases: 0, rateLimits: 1, runAt: 900 });
  });

  it.each([
    [
      { type: 'recover', at: 400, runAt: 400 },
      { state: 'submitted', submittedAt: 400, runAt: 400 },
    ],
    [
      { type: 'recover', at: 400, runAt: 900 },
      { state: 'scheduled', submittedAt: 100, runAt: 900 },
    ],
    [
      { type: 'giveUp', at: 400 },
      { state: 'failed', endedAt: 400 },
    ],
  ] as const)('takes a stalled run on by %o with %o, charged once', (event, changed) => {
    const run = moved(runAfter(SUBMIT, START, STALL), event);

    expect(run).toEqual({ ...STARTED, stalls: 1, endedAt: 300, ...changed });
  });

  // seed 001: a resubmit resets the count, and keeps started_at and completed_at.
  it('redrives a failed run with its attempts reset', () => {
    const run = moved(runAfter(SUBMIT, START, FAIL), { type: 'redrive', at: 500 });

    expect(run).toEqual({
      ...STARTED,
      state: 'submitted',
      resetEpoch: 1,
      resetAt: 500,
      redrives: 1,
      submittedAt: 500,
      runAt: 500,
      endedAt: 300,
    });
  });

  it('redrives a failed run for later onto the schedule', () => {
    const failed = runAfter(SUBMIT, START, FAIL);

    expect(moved(failed, { type: 'redrive', at: 500, runAt: 900 })).toMatchObject({
      state: 'scheduled',
      runAt: 900,
      submittedAt: failed.submittedAt,
      failures: 0,
      redrives: 1,
      resetAt: 500,
    });
  });

  it('redrives a failed run with its attempts kept when asked to', () => {
    const run = moved(runAfter(SUBMIT, START, FAIL), { type: 'redrive', at: 500, keepAttempts: true });

    expect(run).toMatchObject({ state: 'submitted', failures: 1, epoch: 1, resetEpoch: 0, redrives: 1 });
  });

  it.each([
    ['stalled', runAfter(SUBMIT, START, STALL)],
    ['rateLimited', runAfter(SUBMIT, { type: 'limit', at: 300 })],
  ])('redrives a %s run', (_state, run) => {
    expect(moved(run, { type: 'redrive', at: 500 })).toMatchObject({ state: 'submitted', redrives: 1 });
  });
});
