import { definePolicy, PolicyError } from '@retry/core';
import type { TaskInput } from '@retry/worker';
import { createWorker, defineTask } from '@retry/worker';
import { instantRetries } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const run = (): void => {};

/** The problems of an input that may be as wrong as JavaScript allows. */
function problemsOf(define: () => unknown): readonly (readonly [string, unknown])[] {
  try {
    define();
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    for (const problem of error.problems) {
      expect(problem.message).not.toBe('');
      expect(problem.cure).not.toBe('');
      expect(error.message).toContain(`${problem.path || 'the policy'} ${problem.message}`);
    }
    return error.problems.map(({ path, value }) => [path, value] as const);
  }
  return [];
}

describe('defineTask', () => {
  it('fills in the defaults', () => {
    const task = defineTask({ name: 'send-email', run });

    expect(task).toEqual({
      name: 'send-email',
      version: '1',
      lane: 'send-email@1',
      run,
      schema: undefined,
      retry: definePolicy(),
      rateLimitRetry: definePolicy(),
      rateLimit: undefined,
      timeoutMs: Infinity,
      heartbeatMs: Infinity,
      maxConcurrent: Infinity,
      globalConcurrency: Infinity,
      maxStalls: 3,
      maxPayloadBytes: 1_048_576,
      whenLimited: 'wait',
      onShutdown: 'resubmit',
      onStall: 'retry',
      deadLetter: 'save',
    });
    expect(Object.isFrozen(task)).toBe(true);
  });

  it('takes what is given, durations in milliseconds', () => {
    const task = defineTask({
      name: 'send-email',
      version: '2',
      run,
      timeout: '10s',
      heartbeat: '5s',
      rateLimit: { limit: 3, window: '1m' },
      maxConcurrent: 2,
      globalConcurrency: 4,
      maxStalls: 0,
      maxPayloadBytes: 10,
      whenLimited: 'end',
      onShutdown: 'continue',
      onStall: 'hold',
      deadLetter: 'none',
    });

    expect(task).toMatchObject({
      lane: 'send-email@2',
      timeoutMs: 10_000,
      heartbeatMs: 5_000,
      rateLimit: { limit: 3, windowMs: 60_000 },
      maxConcurrent: 2,
      globalConcurrency: 4,
      maxStalls: 0,
      maxPayloadBytes: 10,
      whenLimited: 'end',
      onShutdown: 'continue',
      onStall: 'hold',
      deadLetter: 'none',
    });
  });

  it("takes the policy's attemptTimeout for the timeout, which beats it when given", () => {
    const retry = { attemptTimeout: '7s' } as const;

    expect(defineTask({ name: 'a', run, retry }).timeoutMs).toBe(7_000);
    expect(defineTask({ name: 'a', run, retry, timeout: '3s' }).timeoutMs).toBe(3_000);
  });

  it('takes a policy that is defined already as it is', () => {
    const retry = definePolicy({ maxAttempts: 9 });

    expect(defineTask({ name: 'a', run, retry }).retry).toBe(retry);
  });

  it.each<[string, unknown]>([
    ['name', undefined],
    ['name', ''],
    ['name', 'a@b'],
    ['name', 7],
    ['version', ''],
    ['version', '1@2'],
    ['version', 2],
    ['run', 'function'],
    ['run', undefined],
    ['schema', {}],
    ['schema', null],
    ['schema', 'zod'],
    ['timeout', 0],
    ['timeout', '10 seconds'],
    ['timeout', -1],
    ['heartbeat', 0],
    ['heartbeat', Number.NaN],
    ['maxConcurrent', 0],
    ['maxConcurrent', 1.5],
    ['globalConcurrency', -1],
    ['globalConcurrency', '4'],
    ['maxStalls', -1],
    ['maxStalls', Number.NaN],
    ['maxPayloadBytes', 0],
    ['whenLimited', 'drop'],
    ['onShutdown', 'kill'],
    ['onStall', true],
    ['deadLetter', false],
    ['rateLimit', 5],
    ['retries', 3],
  ])('refuses %s: %o', (key, value) => {
    const input = { name: 'a', run, [key]: value } as unknown as TaskInput<unknown, unknown>;

    expect(problemsOf(() => defineTask(input))).toEqual([[key, value]]);
  });

  it('reports the problems of its policies and of the rate limit under their own keys', () => {
    const input = {
      name: 'a',
      run,
      retry: { maxAttempts: 0.5, backoff: { type: 'exponential', base: 'soon' } },
      rateLimitRetry: { retries: 3 },
      rateLimit: { limit: -1, window: Infinity, burst: 2 },
    } as unknown as TaskInput<unknown, unknown>;

    expect(problemsOf(() => defineTask(input))).toEqual(
      expect.arrayContaining([
        ['retry.maxAttempts', 0.5],
        ['retry.backoff.base', 'soon'],
        ['rateLimitRetry.retries', 3],
        ['rateLimit.burst', 2],
        ['rateLimit.limit', -1],
        ['rateLimit.window', Infinity],
      ]),
    );
    expect(problemsOf(() => defineTask(input))).toHaveLength(6);
  });

  it('reports everything at once, and a policy that is none', () => {
    const input = { name: '', run: 1, retry: 5, timeout: 'x' } as unknown as TaskInput<unknown, unknown>;

    const paths = problemsOf(() => defineTask(input)).map(([path]) => path);

    expect(paths).toEqual(['name', 'run', 'retry', 'timeout']);
  });

  it.each([undefined, null, 'send-email', []])('refuses %o for a task', (input) => {
    expect(problemsOf(() => defineTask(input as never))).toEqual([['', input]]);
  });
});

describe('createWorker', () => {
  const { broker } = setScene();
  const task = defineTask({ name: 'a', run });
  const right = { broker, tasks: [task] };

  it.each<[string, unknown]>([
    ['broker', undefined],
    ['broker', {}],
    ['tasks', []],
    ['tasks', undefined],
    ['tasks', [undefined]],
    ['tasks', [{ name: 'a', run }]],
    ['tasks', [task, defineTask({ name: 'a', run })]],
    ['concurrency', 0],
    ['concurrency', Infinity],
    ['lease', 0],
    ['lease', 'Infinity'],
    ['pollInterval', 'often'],
    ['cleanerInterval', -1],
    ['shutdownTimeout', Number.NaN],
    ['signals', 'SIGTERM'],
    ['signals', ['SIGNAL']],
    ['name', 5],
    ['random', 0.5],
    ['clock', {}],
    ['polling', true],
  ])('refuses %s: %o', (key, value) => {
    const options = { ...right, [key]: value } as never;

    expect(problemsOf(() => createWorker(options))).toEqual([[key, value]]);
  });

  it('reports everything at once', () => {
    const options = { tasks: [], concurrency: 0, lease: 'x', signals: 1 } as never;

    const paths = problemsOf(() => createWorker(options)).map(([path]) => path);

    expect([...paths].sort()).toEqual(['broker', 'concurrency', 'lease', 'signals', 'tasks']);
  });

  it('gives itself a name of its own, or the given one', () => {
    const [first, second] = [createWorker(right), createWorker(right)];

    expect(first.name).not.toBe(second.name);
    expect(createWorker({ ...right, name: 'east' }).name).toBe('east');
  });
});

describe('instantRetries', () => {
  it('retries at once and changes nothing else', async () => {
    const { clock, queue, startWorker } = setScene();
    const slow = defineTask({
      name: 'slow',
      retry: { maxAttempts: 4, backoff: { type: 'constant', base: '1d' }, maxDelay: '1d', minDelay: '1h' },
      run: () => Promise.reject(new Error('no')),
    });
    const task = instantRetries(slow);
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 4, completedAt: 0 });
    expect(task).toMatchObject({ name: 'slow', lane: 'slow@1', run: slow.run });
  });
});
