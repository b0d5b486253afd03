import type { PolicyInput } from '@retry/core';
import { definePolicy, InvalidOptionsError, TASK_POLICY } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
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
    if (!(error instanceof InvalidOptionsError)) throw error;
    for (const problem of error.problems) {
      expect(problem.message).not.toBe('');
      expect(problem.cure).not.toBe('');
      expect(error.message).toContain(`${problem.path} ${problem.message}`.trim());
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
      retry: definePolicy(TASK_POLICY),
      circuitBreaker: undefined,
      budget: undefined,
      retryShare: 1,
      rateLimitRetry: definePolicy(TASK_POLICY),
      rateLimit: undefined,
      globalRateLimit: undefined,
      adapt: false,
      heartbeatMs: Infinity,
      maxConcurrent: Infinity,
      globalConcurrency: Infinity,
      maxStalls: 3,
      maxReleases: 100,
      maxPayloadBytes: 1_048_576,
      maxResultBytes: 1_048_576,
      whenFull: 'wait',
      onShutdown: 'finish',
      shutdownMs: undefined,
      onStall: 'retry',
      onUnknown: 'wait',
      minRequeueMs: undefined,
      deadLetter: 'save',
    });
    expect(Object.isFrozen(task)).toBe(true);
  });

  it('gives all tasks without a policy of their own the same one', () => {
    const first = defineTask({ name: 'send-email', run });
    const second = defineTask({ name: 'resize-image', run });

    expect(second.retry).toBe(first.retry);
    expect(second.rateLimitRetry).toBe(first.retry);
  });

  it('has runs tried again at a limit if it is said when, unless it says otherwise', () => {
    const rateLimitRetry = { maxAttempts: 3 };

    expect(defineTask({ name: 'send-email', run, rateLimitRetry }).whenFull).toBe('retry');
    for (const whenFull of ['wait', 'end'] as const)
      expect(defineTask({ name: 'send-email', run, rateLimitRetry, whenFull }).whenFull).toBe(whenFull);
  });

  it('keeps the given options, durations in milliseconds', () => {
    const task = defineTask({
      name: 'send-email',
      version: '2',
      run,
      retry: { attemptTimeout: '10s' },
      heartbeat: '5s',
      rateLimit: { limit: 3, window: '1m' },
      maxConcurrent: 2,
      globalConcurrency: 4,
      maxStalls: 0,
      maxPayloadBytes: 10,
      whenFull: 'end',
      onShutdown: 'finish',
      onStall: 'hold',
      deadLetter: 'none',
    });

    expect(task).toMatchObject({
      lane: 'send-email@2',
      retry: { attemptTimeoutMs: 10_000 },
      heartbeatMs: 5_000,
      rateLimit: { limit: 3, windowMs: 60_000 },
      maxConcurrent: 2,
      globalConcurrency: 4,
      maxStalls: 0,
      maxPayloadBytes: 10,
      whenFull: 'end',
      onShutdown: 'finish',
      onStall: 'hold',
      deadLetter: 'none',
    });
  });

  it("takes the time limit of an attempt from the policy's attemptTimeout", () => {
    const retry = { attemptTimeout: '7s' } as const;

    expect(settingsOf(defineTask({ name: 'a', run, retry }).retry).attemptTimeoutMs).toBe(7_000);
  });

  it.each(['timeout', 'timeoutMs'])('refuses %s and names attemptTimeout of the policy', (key) => {
    const input = { name: 'a', run, [key]: '3s' };

    expect(() => defineTask(input)).toThrow(
      expect.objectContaining({
        problems: [
          {
            path: key,
            value: '3s',
            message: 'is not a known key',
            cure: "Use retry: { attemptTimeout: '30s' }.",
          },
        ],
      }),
    );
  });

  it.each<[string, PolicyInput, object]>([
    ['nothing', {}, { maxAttempts: 10, maxDelayMs: 600_000, jitter: 'full' }],
    [
      'attempts',
      { maxAttempts: 4 },
      { maxAttempts: 4, backoff: { type: 'exponential', baseMs: 1_000, factor: 2 } },
    ],
    ['undefined', { maxAttempts: undefined } as unknown as PolicyInput, { maxAttempts: 10 }],
    ['a backoff', { backoff: { type: 'constant', base: '5s' } }, { jitter: 'full', maxDelayMs: 600_000 }],
    ['a backoff without a delay', { backoff: { type: 'none' } }, { jitter: 'none', maxAttempts: 10 }],
    ['a backoff that draws by itself', { backoff: { type: 'decorrelated', base: '1s' } }, { jitter: 'none' }],
    ['a delay beyond the cap', { backoff: { type: 'constant', base: '1h' } }, { maxDelayMs: 3_600_000 }],
    ['a floor', { minDelay: '30s' }, { minDelayMs: 30_000, maxDelayMs: 600_000 }],
    ['a cap', { maxDelay: '3s' }, { maxDelayMs: 3_000 }],
    [
      'a mode',
      { retryAfter: { mode: 'replace' } },
      { retryAfter: { maxMs: 86_400_000, mode: 'replace', beyondMax: 'stop', jitter: { up: 0.1 } } },
    ],
    [
      'a longest delay',
      { retryAfter: { max: '1m' } },
      { retryAfter: { maxMs: 60_000, mode: 'floor', beyondMax: 'stop', jitter: { up: 0.1 } } },
    ],
  ])('completes %s by the defaults of tasks', (_name, retry, expected) => {
    expect(defineTask({ name: 'a', run, retry }).retry).toMatchObject(expected);
    expect(defineTask({ name: 'a', run, rateLimitRetry: retry }).rateLimitRetry).toMatchObject(expected);
  });

  it('reports the written values, not the defaults', () => {
    const retry = {
      retryAfter: null,
      backoff: { type: 'constant', base: 'soon' },
    } as unknown as PolicyInput;

    expect(problemsOf(() => defineTask({ name: 'a', run, retry }))).toEqual([
      ['retry.backoff.base', 'soon'],
      ['retry.retryAfter', null],
    ]);
  });

  it('uses a defined policy unchanged', () => {
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
    ['adapt', 'yes'],
    ['adapt', null],
    ['maxStalls', -1],
    ['maxStalls', Number.NaN],
    ['maxPayloadBytes', 0],
    ['maxResultBytes', 0],
    ['maxResultBytes', null],
    ['shutdownTimeout', -1],
    ['shutdownTimeout', null],
    ['version', null],
    ['timeout', null],
    ['rateLimit', null],
    ['globalRateLimit', null],
    ['rateLimitRetry', null],
    ['retry', null],
    ['name', 'a\0b'],
    ['name', '\ud800'],
    ['name', 'a'.repeat(513)],
    ['whenFull', 'drop'],
    ['onShutdown', 'kill'],
    ['onStall', true],
    ['onUnknown', 'forget'],
    ['minRequeueDelay', 'Infinity'],
    ['deadLetter', false],
    ['rateLimit', 5],
    ['globalRateLimit', 5],
    ['retries', 3],
  ])('refuses %s: %o', (key, value) => {
    const input = { name: 'a', run, [key]: value } as unknown as TaskInput<unknown, unknown>;

    // Of a text an error keeps the beginning.
    const kept = typeof value === 'string' ? value.slice(0, 500) : value;
    expect(problemsOf(() => defineTask(input))).toEqual([[key, kept]]);
  });

  it('points from a hook of the circuit breaker of calls to the event of the worker', () => {
    const circuitBreaker = { onStateChange: () => {} } as never;

    expect(() => defineTask({ name: 'a', run, circuitBreaker })).toThrow(
      "circuitBreaker.onStateChange is not a known key, got function onStateChange. Listen to the event of a worker: worker.on('breaker', listener).",
    );
  });

  it.each([
    ['limit', 0],
    ['limit', 1e9 + 1],
    ['window', 0],
    ['window', '367d'],
    ['key', null],
    ['key', ''],
    ['key', Object.create(null)],
    ['burst', 2],
  ])('refuses a globalRateLimit with %s: %o', (key, value) => {
    const globalRateLimit = { limit: 1, window: '1s', [key]: value } as never;

    expect(problemsOf(() => defineTask({ name: 'a', run, globalRateLimit }))).toEqual([
      [`globalRateLimit.${key}`, value],
    ]);
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

  it('refuses a rate limit over no time at all: it would limit nothing', () => {
    const rateLimit = { limit: 1, window: 0 };

    expect(problemsOf(() => defineTask({ name: 'a', run, rateLimit }))).toEqual([['rateLimit.window', 0]]);
  });

  it('reports every problem together, including an invalid policy', () => {
    const input = { name: '', run: 1, retry: 5, timeout: 'x' } as unknown as TaskInput<unknown, unknown>;

    const paths = problemsOf(() => defineTask(input)).map(([path]) => path);

    expect(paths).toEqual(['timeout', 'name', 'run', 'retry']);
  });

  it.each([undefined, null, 'send-email', []])('refuses %o as a task', (input) => {
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
    ['name', ''],
    ['name', null],
    ['signals', null],
    ['signals', ['SIGKILL']],
    ['signals', new Array(2)],
    ['redact', 'all'],
    ['redact', null],
    ['redact', async () => ({ name: 'a', message: 'b' })],
    ['random', null],
    ['clock', null],
    ['random', 0.5],
    ['clock', {}],
    ['polling', true],
  ])('refuses %s: %o', (key, value) => {
    const options = { ...right, [key]: value } as never;

    expect(problemsOf(() => createWorker(options))).toEqual([[key, value]]);
  });

  it('refuses two tasks of one lane', () => {
    const options = { ...right, tasks: [task, defineTask({ name: 'a', run })] };

    expect(problemsOf(() => createWorker(options))).toEqual([['tasks', expect.stringContaining('a@1')]]);
  });

  it('reports every problem together', () => {
    const options = { tasks: [], concurrency: 0, lease: 'x', signals: 1 } as never;

    const paths = problemsOf(() => createWorker(options)).map(([path]) => path);

    expect([...paths].sort()).toEqual(['broker', 'concurrency', 'lease', 'signals', 'tasks']);
  });

  it('has a random name, or the given one', () => {
    const [first, second] = [createWorker(right), createWorker(right)];

    expect(first.name).not.toBe(second.name);
    expect(createWorker({ ...right, name: 'east' }).name).toBe('east');
  });
});

describe('instantRetries', () => {
  it('retries immediately and changes nothing else', async () => {
    const { clock, queue, startWorker } = setScene();
    const slow = defineTask({
      name: 'slow',
      retry: {
        maxAttempts: 4,
        backoff: { type: 'constant', base: '1d' },
        maxDelay: '1d',
        minDelay: '1h',
        initialDelay: '1h',
      },
      run: () => Promise.reject(new Error('no')),
    });
    const task = instantRetries(slow);
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 4, endedAt: 0 });
    expect(task).toMatchObject({ name: 'slow', lane: 'slow@1', run: slow.run });
  });

  it('does not wait for the delay that a server asks for', async () => {
    const { clock, queue, startWorker } = setScene();
    const busy = Object.assign(new Error('busy'), { status: 429, headers: { 'retry-after': '3' } });
    const task = instantRetries(
      defineTask({ name: 'polite', retry: { maxAttempts: 3 }, run: () => Promise.reject(busy) }),
    );
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance(0);

    expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 3, endedAt: 0 });
  });
});

describe('a key of another library, or of the policy, in a task', () => {
  it.each([
    ['handler', 'Use run: async (payload, ctx) => ….'],
    ['fn', 'Use run: async (payload, ctx) => ….'],
    ['processor', 'Use run: async (payload, ctx) => ….'],
    ['queue_name', 'Use name.'],
    ['id', 'Use name.'],
    ['validator', 'Use schema.'],
    ['inputSchema', 'Use schema.'],
    ['concurrency', 'Use maxConcurrent for each process, or globalConcurrency for all of them together.'],
    [
      'limiter',
      "Use rateLimit: { limit: …, window: '1s' } for each process, or globalRateLimit for all of them together.",
    ],
    ['deadLetterQueue', 'Use deadLetter: { task: … }.'],
    ['maxStalledCount', 'Use maxStalls.'],
    ['policy', 'Use retry: { maxAttempts: 5, backoff: … }.'],
    ['retry_policy', 'Use retry: { maxAttempts: 5, backoff: … }.'],
    ['retryOptions', 'Use retry: { maxAttempts: 5, backoff: … }.'],
    ['cron', "Use queue.schedule(id, { task, payload, cron: '30 2 * * *' }), or every: '1h'."],
    [
      'priority',
      'Lanes are first in, first out: give urgent work a task of its own, and workers with room for it.',
    ],
    ['maxAttempts', 'It belongs in retry.'],
    ['max_attempts', 'It belongs in retry. Use maxAttempts: 3.'],
    ['attempts', 'It belongs in retry. Use maxAttempts: 3.'],
    ['retries', 'It belongs in retry. Use maxAttempts: 4.'],
    ['max_retries', 'It belongs in retry. Use maxAttempts: 4.'],
    ['retry_limit', 'It belongs in retry. Use maxAttempts: 4.'],
    ['maxRetries', 'It belongs in retry. Use maxAttempts: 4.'],
    ['backoff', 'It belongs in retry.'],
    ['retryIf', 'It belongs in retry.'],
    ['initial_delay', 'It belongs in retry. Use initialDelay.'],
    ['delay', "It belongs in retry. Use backoff: { type: 'constant', base: … }."],
    ['deadline', 'It belongs in retry. Use totalTimeout.'],
  ])('is an error that says what to write instead: %s', (key, cure) => {
    expect(() => defineTask({ name: 'report', run, [key]: 3 } as never)).toThrow(
      `${key} is not a known key, got 3. ${cure}`,
    );
  });

  it('lists the keys of a task for a name that no library has', () => {
    expect(() => defineTask({ name: 'report', run, colour: 3 } as never)).toThrow(
      'colour is not a known key, got 3. Known keys are name, version, run, ',
    );
  });
});
