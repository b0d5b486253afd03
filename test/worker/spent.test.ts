import { definePolicy } from '@retry/core';
import { redriveRuns } from '@retry/core/broker/kit';
import type { RecordedAttempt } from '@retry/core/failures';
import { replay } from '@retry/core/failures';
import type { TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { refusedPaths } from '../support/wrong-input.ts';
import { advanceUntilEnded, setScene } from './scene.ts';

const FIXED = { backoff: { type: 'constant', base: '1s' }, jitter: 'none', maxAttempts: 5 } as const;
const ELSEWHERE: RecordedAttempt = { name: 'Error', message: 'elsewhere', at: 900, startedAt: 800 };

function failing(retry: object = FIXED) {
  const seen: Pick<TaskContext, 'attempt' | 'context'>[] = [];
  const task = defineTask({
    name: 'failing',
    retry,
    run: (_: null, { attempt, context }) => {
      seen.push({ attempt, context });
      throw new Error('here');
    },
  });
  return { task, seen };
}

describe('the context of a submission', () => {
  it('is what its handler gets at every attempt, unread', async () => {
    const { clock, queue, startWorker } = setScene();
    const { task, seen } = failing({ ...FIXED, maxAttempts: 2 });
    const context = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { id } = await queue.submit(task, null, { context });
    startWorker({ tasks: [task] });
    await clock.advance('1m');

    expect(seen).toEqual([
      { attempt: 1, context },
      { attempt: 2, context },
    ]);
    expect(await queue.get(id)).toMatchObject({ context });
  });

  it('goes on to a run that is submitted in place of another, and to the task of the dead letters', async () => {
    const { clock, queue, startWorker } = setScene();
    const contexts: (string | undefined)[] = [];
    const undertaker = defineTask({
      name: 'undertaker',
      run: (_: object, { context }) => void contexts.push(context),
    });
    const task = defineTask({
      name: 'task',
      retry: { maxAttempts: 1 },
      deadLetter: { task: undertaker },
      run: () => {
        throw new Error('no');
      },
    });
    const { id } = await queue.submit(task, null, { context: 'trace' });
    await queue.resubmit(id);
    await queue.resubmit(id, { context: 'other' });
    startWorker({ tasks: [task, undertaker] });
    await clock.advance('1m');

    expect(contexts.sort()).toEqual(['other', 'trace', 'trace']);
  });
});

describe('what a submission brings along', () => {
  it('counts: the first attempt is the next one, and maxAttempts is obeyed', async () => {
    const { clock, queue, startWorker } = setScene(1_000);
    const { task, seen } = failing();
    const { id } = await queue.submit(task, null, { spent: { attempts: 3, errors: [ELSEWHERE] } });
    startWorker({ tasks: [task] });
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    expect(seen.map(({ attempt }) => attempt)).toEqual([4, 5]);
    const run = await queue.get(id);
    expect(run).toMatchObject({ state: 'failed', carried: 3, failures: 2, epoch: 2 });
    expect(run?.errors.map(({ epoch, message }) => [epoch, message])).toEqual([
      [0, 'elsewhere'],
      [1, 'here'],
      [2, 'here'],
    ]);
    expect(await queue.result(id)).toMatchObject({ attempts: 5, retries: 4 });
  });

  it('is part of a replay', async () => {
    const { clock, queue, startWorker } = setScene(1_000);
    const { task } = failing();
    const errors = [1, 2, 3].map((no) => ({ ...ELSEWHERE, at: no * 100, startedAt: no * 100 - 50 }));
    const whole = await queue.submit(task, null, { spent: { attempts: 3, errors, firstStartedAt: 50 } });
    const part = await queue.submit(task, null, { spent: { attempts: 3, errors: errors.slice(1) } });
    startWorker({ tasks: [task] });
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    const policy = definePolicy(FIXED);
    const [first, second] = await Promise.all([whole, part].map(({ id }) => queue.get(id)));
    expect(replay(policy, first ?? { errors: [] })).toMatchObject({
      attempt: 5,
      reason: 'exhausted',
      missing: [],
    });
    expect(replay(policy, second ?? { errors: [] })).toMatchObject({ attempt: 5, missing: ['attempts'] });
  });

  it('counts in the delays: the first retry here is the fourth', async () => {
    const { clock, queue, startWorker } = setScene();
    const { task } = failing({
      backoff: { type: 'list', delays: ['1s', '2s', '3s', '4s'] },
      jitter: 'none',
      maxAttempts: 5,
    });
    const { id } = await queue.submit(task, null, { spent: { attempts: 3 } });
    startWorker({ tasks: [task] });
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    expect((await queue.get(id))?.errors.map(({ at }) => at)).toEqual([0, 4_000]);
  });

  it('keeps decorrelated delays within their bounds, although the previous delay is not known', async () => {
    const { clock, queue, startWorker } = setScene();
    const { task } = failing({
      backoff: { type: 'decorrelated', base: '1s' },
      maxDelay: '10s',
      maxAttempts: 6,
    });
    const { id } = await queue.submit(task, null, { spent: { attempts: 2 } });
    startWorker({ tasks: [task], random: () => 0.999 });
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    const ats = (await queue.get(id))?.errors.map(({ at }) => at) ?? [];
    const delays = ats.slice(1).map((at, index) => at - (ats[index] ?? 0));
    expect(delays).toHaveLength(3);
    for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(1_000);
    for (const delay of delays) expect(delay).toBeLessThanOrEqual(10_000);
  });

  it('begins the total time where its first attempt started', async () => {
    const { clock, queue, startWorker } = setScene(100_000);
    const { task, seen } = failing({ ...FIXED, totalTimeout: '1m' });
    const late = await queue.submit(task, null, { spent: { attempts: 1, firstStartedAt: 40_000 } });
    const later = await queue.submit(task, null, { spent: { attempts: 1, firstStartedAt: 41_500.5 } });
    startWorker({ tasks: [task] });
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    const [first, second] = await Promise.all([late, later].map(({ id }) => queue.get(id)));
    expect(first).toMatchObject({ state: 'failed', failures: 1, firstStartedAt: 40_000 });
    expect(first?.errors).toMatchObject([{ name: 'TotalTimeoutError', reason: 'total-timeout' }]);
    expect(second).toMatchObject({ state: 'failed', failures: 2, firstStartedAt: 41_500 });
    expect(second?.errors.at(-1)).toMatchObject({ name: 'Error', reason: 'total-timeout' });
    expect(seen.map(({ attempt }) => attempt)).toEqual([2, 3]);
  });

  it('keeps its total time when it is given back before its handler was called', async () => {
    const { clock, broker, queue, startWorker } = setScene(100_000);
    let calls = 0;
    const task = defineTask({
      name: 'limited',
      globalRateLimit: { limit: 1, window: '1m' },
      retry: { ...FIXED, totalTimeout: '30s' },
      run: () => {
        calls += 1;
      },
    });
    await broker.reserve([{ key: 'limited', limit: 1, windowMs: 60_000, count: 1 }]);
    const { id } = await queue.submit(task, null, { spent: { attempts: 1, firstStartedAt: 90_000 } });
    startWorker({ tasks: [task] });
    await clock.advance('5m');

    const run = await queue.get(id);
    expect(run).toMatchObject({ state: 'failed', firstStartedAt: 90_000 });
    expect(run?.releases).toBeGreaterThan(0);
    expect(run?.errors.at(-1)).toMatchObject({ name: 'TotalTimeoutError' });
    expect(calls).toBe(0);
  });

  it('has its full total time where its first attempt started later than the clock of the server says', async () => {
    const { clock, queue, startWorker } = setScene();
    const { task } = failing({ ...FIXED, maxAttempts: 2, totalTimeout: '1m' });
    const { id } = await queue.submit(task, null, { spent: { attempts: 0, firstStartedAt: 3_600_000 } });
    startWorker({ tasks: [task] });
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 2 });
  });

  it('is reset by a redrive, total time included, and kept by one with keepAttempts', async () => {
    const { broker, clock, queue, startWorker } = setScene(100_000);
    const { task, seen } = failing({ ...FIXED, maxAttempts: 3, totalTimeout: '1d' });
    const spent = { attempts: 2, firstStartedAt: 0 };
    const { id } = await queue.submit(task, null, { spent });
    startWorker({ tasks: [task] });
    await clock.advance('1m');
    await queue.deadLetters.redrive({ ids: [id] });
    await clock.advance('1m');
    await redriveRuns(broker, [id], { keepAttempts: true });
    await clock.advance('1m');

    expect(seen.map(({ attempt }) => attempt)).toEqual([3, 1, 2, 3, 4]);
    expect(await queue.get(id)).toMatchObject({ carried: 0, failures: 4, redrives: 2 });
  });

  it('keeps the latest 20 errors without stacks, in text that every broker stores', async () => {
    const { queue } = setScene();
    const { task } = failing({ ...FIXED, maxAttempts: 100 });
    const errors = Array.from({ length: 25 }, (_, no) => ({
      ...ELSEWHERE,
      ...{ epoch: 3, stack: 'at a', message: `${no}\0${'m'.repeat(5_000)}`, at: no + 0.5 },
    }));
    const { id } = await queue.submit(task, null, { spent: { attempts: 25, errors } });

    const kept = (await queue.get(id))?.errors ?? [];
    expect(kept).toHaveLength(20);
    expect(kept[0]).toEqual({ ...ELSEWHERE, epoch: 0, at: 5, message: `5\ufffd${'m'.repeat(998)}` });
  });

  it.each([
    [{ attempts: 5 }, ['spent.attempts']],
    [{ attempts: -1 }, ['spent.attempts']],
    [{}, ['spent.attempts']],
    [{ attempts: 1, error: [] }, ['spent.error']],
    [{ attempts: 1, errors: 'no' }, ['spent.errors']],
    [
      { attempts: 1, errors: [null, ELSEWHERE, { name: 'Error' }] },
      ['spent.errors[0]', 'spent.errors[2].message', 'spent.errors[2].at'],
    ],
    [{ attempts: 1, firstStartedAt: 'now' }, ['spent.firstStartedAt']],
    ['all', ['spent']],
  ])('is refused where it is wrong, or leaves no attempt: %o', async (spent, paths) => {
    const { queue } = setScene();
    const { task } = failing();

    expect(await refusedPaths(() => queue.submit(task, null, { spent: spent as never }))).toEqual(paths);
    expect(await queue.counts()).toMatchObject({ created: 0 });
  });

  it('may have as many attempts as the policy of the run allows', async () => {
    const { queue } = setScene();
    const { task } = failing();

    const options = { retry: { ...FIXED, maxAttempts: 7 }, spent: { attempts: 6 } };
    expect(await queue.submit(task, null, options)).toMatchObject({ isNew: true });
    const less = { retry: { ...FIXED, maxAttempts: 6 }, spent: { attempts: 6 } };
    expect(await refusedPaths(() => queue.submit(task, null, less))).toEqual(['spent.attempts']);
  });

  it('is brought along by each run of submitMany', async () => {
    const { queue } = setScene();
    const { task } = failing();

    const submitted = await queue.submitMany(task, [null, null], {
      context: 'shared',
      each: (_, index) => ({ spent: { attempts: index } }),
    });

    const runs = await Promise.all(submitted.map(({ id }) => queue.get(id)));
    expect(runs).toMatchObject([
      { carried: 0, context: 'shared' },
      { carried: 1, context: 'shared' },
    ]);
  });
});
