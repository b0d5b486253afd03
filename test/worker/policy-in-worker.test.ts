import type { PolicyInput } from '@retry/core';
import { NonRetryableError, RetryAfterError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { RetryRequest, TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { advanceUntilEnded, pass, setScene, untilStopped } from './scene.ts';

const STEADY = { backoff: { type: 'constant', base: '10s' }, jitter: 'none' } as const;

/** One run under this policy on a virtual clock, for an hour at most. */
async function runUnder(retry: PolicyInput, run: (attempt: number, ctx: TaskContext) => unknown) {
  const { clock, queue, startWorker } = setScene();
  const startedAt: number[] = [];
  const task = defineTask({
    name: 'any',
    retry,
    run: (_: null, ctx) => {
      startedAt.push(clock.now());
      return run(ctx.attempt, ctx);
    },
  });
  const { id } = await queue.submit(task, null);
  const worker = startWorker({ tasks: [task] });
  await advanceUntilEnded({ clock, queue }, { minutes: 60 });
  return { run: await queue.get(id), worker, startedAt };
}

const fail = (error: unknown) => (): never => {
  throw error;
};

describe('a server that asks for a delay', () => {
  const busy = (headers: object): Error => Object.assign(new Error('busy'), { status: 503, headers });

  it('is obeyed by the worker', async () => {
    const { startedAt } = await runUnder(
      { ...STEADY, maxAttempts: 3, retryAfter: { jitter: 'none' } },
      fail(busy({ 'retry-after': '30' })),
    );

    expect(startedAt).toEqual([0, 30_000, 60_000]);
  });

  it.each([
    ['x-should-retry: false', busy({ 'x-should-retry': 'false' })],
    ['a delay beyond retryAfter.max', busy({ 'retry-after': '3600' })],
    ['a RetryAfterError beyond retryAfter.max', new RetryAfterError('1h')],
  ])('ends the run when it sends %s', async (_name, error) => {
    const { run, worker } = await runUnder({ ...STEADY, retryAfter: { max: '1m' } }, fail(error));

    expect(run).toMatchObject({ state: 'failed', failures: 1 });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'retry-after' }]);
  });

  it('may ask for longer than any broker can store: the run waits until the last possible instant', async () => {
    const { run } = await runUnder(
      { ...STEADY, retryAfter: { max: 'Infinity' } },
      fail(new RetryAfterError(1e22)),
    );

    expect(run).toMatchObject({ state: 'scheduled', runAt: 8_640_000_000_000_000 });
  });
});

describe('the total time of the policy', () => {
  it('cuts a handler at what is left of it, with an error and a reason of its own', async () => {
    const { clock, queue, startWorker } = setScene();
    const seen: unknown[] = [];
    const task = defineTask({
      name: 'slow',
      retry: { ...STEADY, totalTimeout: '25s', attemptTimeout: '20s', maxAttempts: 2 },
      run: async (_: null, ctx) => {
        seen.push(ctx.remainingMs);
        ctx.signal.addEventListener('abort', () => seen.push((ctx.signal.reason as Error).name));
        if (ctx.attempt === 1) throw new Error('no');
        await pass(clock, 5_000);
        seen.push(ctx.remainingMs);
        await untilStopped(_, ctx);
      },
    });
    const { id } = await queue.submit(task, null, { delay: '1h' });
    const worker = startWorker({ tasks: [task] });

    await clock.advance('2h');

    expect(seen).toEqual([20_000, 15_000, 10_000, 'TotalTimeoutError']);
    expect(await queue.get(id)).toMatchObject({
      state: 'failed',
      failures: 2,
      endedAt: 3_625_000,
      errors: [{ name: 'Error' }, { name: 'TotalTimeoutError' }],
    });
    expect(worker.emittedOf('failed')).toMatchObject([
      {
        reason: 'total-timeout',
        error: { name: 'TotalTimeoutError', code: 'TOTAL_TIMEOUT', timeoutMs: 25_000 },
      },
    ]);
  });

  it('cuts the first attempt, too, before attempts are used up', async () => {
    const { run, worker } = await runUnder({ maxAttempts: 1, totalTimeout: '5s' }, untilStopped);

    expect(run).toMatchObject({ state: 'failed', endedAt: 5_000 });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'total-timeout' }]);
  });

  it('starts no handler when it is already over', async () => {
    const { clock, queue, startWorker } = setScene();
    const attempts: number[] = [];
    const late = defineTask({
      name: 'late',
      retry: { ...STEADY, totalTimeout: '25s' },
      run: (_: null, { attempt }) => {
        attempts.push(attempt);
        throw new Error('no');
      },
    });
    const { id } = await queue.submit(late, null);
    const first = startWorker({ tasks: [late] });
    await clock.advance('1s');
    await first.stop();
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    const second = startWorker({ tasks: [late] });
    await clock.advance('1m');

    expect(attempts).toEqual([1]);
    expect(await queue.get(id)).toMatchObject({
      state: 'failed',
      errors: [{}, { name: 'TotalTimeoutError' }],
    });
    expect(second.emittedOf('failed')).toMatchObject([{ reason: 'total-timeout', attempt: 2 }]);
  });

  it('begins again when the run is redriven, however long it then waits in its lane', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'redriven',
      retry: { ...STEADY, maxAttempts: 1, totalTimeout: '25s' },
      run: (_: null, { epoch }) => (epoch === 1 ? Promise.reject(new Error('no')) : 'done'),
    });
    const { id } = await queue.submit(task, null);
    const first = startWorker({ tasks: [task] });
    await clock.advance('1s');
    await first.stop();
    await queue.deadLetters.redrive({ task });
    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    startWorker({ tasks: [task] });
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 2 });
  });

  it.each<[string, RetryRequest, object]>([
    ['a delay beyond it', { delay: '25s' }, { state: 'failed', failures: 1 }],
    ['an instant beyond it', { at: 25_000 }, { state: 'failed', failures: 1 }],
    ['a delay within it', { delay: '24s' }, { state: 'completed', startedAt: 24_000 }],
    ['an instant within it', { at: 24_999 }, { state: 'completed', startedAt: 24_999 }],
  ])('bounds ctx.retry: %s', async (_name, request, expected) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'asking',
      retry: { ...STEADY, totalTimeout: '25s' },
      run: (_: null, { attempt, retry }) => (attempt === 1 ? retry(request) : 'done'),
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    expect(await queue.get(id)).toMatchObject(expected);
    expect(worker.emittedOf('failed').map(({ reason }) => reason)).toEqual(
      'failures' in expected ? ['total-timeout'] : [],
    );
  });
});

describe('an attempt timeout', () => {
  const slow = { ...STEADY, maxAttempts: 2, attemptTimeout: '5s', retryOn: [TypeError] } as const;

  it.each<[string, PolicyInput, string]>([
    ['is expected whatever retryOn lists', slow, 'exhausted'],
    ['is expected where retryOn is nothing', { ...slow, retryOn: 'nothing' }, 'exhausted'],
    ['is matched like any error under retryTimeouts: false', { ...slow, retryTimeouts: false }, 'unexpected'],
    [
      'is expected where retryOn names it',
      { ...slow, retryTimeouts: false, retryOn: [{ code: 'ATTEMPT_TIMEOUT' }] },
      'exhausted',
    ],
    [
      'is not retried where stopOn names it',
      { ...slow, stopOn: [{ name: 'AttemptTimeoutError' }] },
      'stopped',
    ],
  ])('%s', async (_name, policy, reason) => {
    const { run, worker } = await runUnder(policy, untilStopped);

    expect(run).toMatchObject({ state: 'failed', failures: reason === 'exhausted' ? 2 : 1 });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason }]);
  });
});

describe('a settlement', () => {
  /** A broker whose clock has advanced by the given time when a settlement arrives. */
  const settlements = () => {
    const scene = setScene();
    const seen: { delayMs?: number | undefined; runAt?: number | undefined }[] = [];
    const exchange: Broker['exchange'] = (request) => {
      seen.push(...(request.settle ?? []).map(({ delayMs, next }) => ({ delayMs, runAt: next.runAt })));
      return scene.broker.exchange(request);
    };
    return { ...scene, seen, spied: { ...scene.broker, exchange } };
  };

  it.each<[string, PolicyInput, RetryRequest | undefined, number | undefined]>([
    ['the delay of the policy', STEADY, undefined, 10_000],
    ['a delay of the handler', STEADY, { delay: '3s' }, 3_000],
    ['no delay where the handler named an instant, which stays exact', STEADY, { at: 7_000 }, undefined],
    ['no delay where there is none', { backoff: { type: 'none' } }, undefined, undefined],
  ])('carries %s', async (_name, retry, request, expected) => {
    const { clock, queue, startWorker, spied, seen } = settlements();
    const task = defineTask({
      name: 'asking',
      retry,
      run: (_: null, ctx) => (request === undefined ? Promise.reject(new Error('no')) : ctx.retry(request)),
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task], broker: spied });

    await clock.advance('1s');

    expect(seen[0]?.delayMs).toBe(expected);
    if (request?.at !== undefined) expect(seen[0]?.runAt).toBe(request.at);
  });

  it('makes no retry early however late it arrives', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const startedAt: number[] = [];
    const task = defineTask({
      name: 'flaky',
      retry: { backoff: { type: 'constant', base: '1s' }, jitter: 'none', maxAttempts: 2 },
      run: () => {
        startedAt.push(clock.now());
        throw new Error('no');
      },
    });
    const slow: Broker = {
      ...broker,
      exchange: async (request) => {
        if ((request.settle ?? []).length > 0) await pass(clock, 5_000);
        return broker.exchange(request);
      },
    };
    await queue.submit(task, null);
    startWorker({ tasks: [task], broker: slow, concurrency: 1 });

    await clock.advance('1m');

    expect(startedAt).toEqual([0, 6_000]);
  });
});

describe('ctx.retry', () => {
  const LAST = 'the handler asked for a retry, but attempt 1 of 1 was the last';

  it('that is exhausted has the same error in the event and in the run', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'asking',
      retry: { maxAttempts: 1 },
      run: (_: null, { retry }) => retry(),
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({
      errors: [{ name: 'Error', message: LAST, reason: 'asked' }],
    });
    expect(worker.emittedOf('failed')).toMatchObject([
      { reason: 'exhausted', error: { name: 'Error', message: LAST } },
    ]);
  });

  it.each<[PolicyInput, RetryRequest, string, string]>([
    [{}, { maxAttempts: 1 }, 'exhausted', 'attempt 1 of 1 was the last'],
    [
      { totalTimeout: '10s' },
      { delay: '1m' },
      'total-timeout',
      'that would be after its totalTimeout of 10s',
    ],
    [{ retryable: false }, {}, 'exhausted', 'its policy is retryable: false'],
  ])('says why no attempt follows under %j: %j', async (policy, request, reason, why) => {
    const { worker } = await runUnder(policy, (_attempt, ctx) => ctx.retry(request));

    expect(worker.emittedOf('failed')).toMatchObject([
      { reason, error: { message: `the handler asked for a retry, but ${why}` } },
    ]);
  });

  it.each([
    ['beyond those of the policy', 2, 4, 4],
    ['below those of the policy', 5, 2, 2],
  ])('accepts its own maxAttempts, %s', async (_name, maxAttempts, own, epochs) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'asking',
      retry: { ...STEADY, maxAttempts },
      run: (_: null, { retry }) => retry({ maxAttempts: own }),
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await advanceUntilEnded({ clock, queue }, { minutes: 60 });

    expect(await queue.get(id)).toMatchObject({ state: 'failed', epoch: epochs, failures: epochs });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'exhausted' }]);
  });

  it('gets its attempt though the error that it records forbids retries', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'asking',
      retry: STEADY,
      run: (_: null, { attempt, retry }) =>
        attempt === 1 ? retry({ error: new NonRetryableError('of the server') }) : 'done',
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', failures: 1 });
  });
});

describe('a task without dead letters', () => {
  const task = (rest: object) =>
    defineTask({
      name: 'silent',
      deadLetter: 'none',
      heartbeat: '5s',
      onShutdown: 'stall',
      run: untilStopped,
      ...rest,
    });

  it('keeps its stalled runs under onStall hold, whatever retention says', async () => {
    const { clock, queue, startWorker } = setScene();
    const held = task({ onStall: 'hold' });
    const { id } = await queue.submit(held, null);
    startWorker({ tasks: [held] });

    await clock.advance('1m');

    const run = await queue.get(id);
    expect(run).toMatchObject({ state: 'stalled' });
    expect(run?.isDisposable).toBeUndefined();
    expect((await queue.deadLetters.list({ task: held, state: 'stalled' })).runs).toMatchObject([{ id }]);
  });

  it('forgets only runs that have failed', async () => {
    const { clock, queue, startWorker } = setScene();
    const failing = defineTask({
      name: 'failing',
      deadLetter: 'none',
      retry: { ...STEADY, maxAttempts: 2 },
      run: fail(new Error('no')),
    });
    const { id } = await queue.submit(failing, null);
    startWorker({ tasks: [failing] });

    await clock.advance('5s');
    expect((await queue.get(id))?.isDisposable).toBeUndefined();
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', isDisposable: true });
  });
});

describe('redact', () => {
  const secret = Object.assign(new Error('password=hunter2'), { name: 'LoginError' });
  const runWith = async (redact: unknown) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'any', retry: { maxAttempts: 1 }, run: fail(secret) });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], redact: redact as never });
    await clock.advance('1m');
    return { run: await queue.get(id), worker };
  };

  it('decides what of an error is stored; the event carries the error itself', async () => {
    const { run, worker } = await runWith((error: Error) => ({ name: error.name, message: '…' }));

    expect(run?.errors).toMatchObject([{ epoch: 1, at: 0, name: 'LoginError', message: '…' }]);
    expect(run?.errors[0]?.stack).toBe(undefined);
    expect(worker.emittedOf('failed')).toMatchObject([{ error: secret }]);
  });

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw secret;
      },
    ],
    [
      'throws nothing readable',
      () => {
        throw undefined;
      },
    ],
    ['returns nothing', () => undefined],
    ['returns null', () => null],
    ['returns a promise', () => Promise.reject(secret)],
    ['returns no message', () => ({ name: 'LoginError' })],
    [
      'returns what throws when it is read',
      () => ({
        name: 'a',
        get message() {
          throw secret;
        },
      }),
    ],
  ])('that %s loses no run and stores nothing of the error', async (_name, redact) => {
    const { run } = await runWith(redact);

    expect(run).toMatchObject({ state: 'failed' });
    expect(JSON.stringify(run)).not.toContain('hunter2');
    expect(run?.errors).toMatchObject([{ message: expect.stringContaining('not stored') }]);
  });
});

describe('a handler that throws what cannot be read', () => {
  const revoked = (): object => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const trapped = new Proxy(
    {},
    {
      getPrototypeOf: () => {
        throw new Error('trap');
      },
    },
  );
  const hostile = new Proxy(new Error('x'), {
    get: () => {
      throw new Error('trap');
    },
    has: () => {
      throw new Error('trap');
    },
  });

  it.each<[string, unknown]>([
    ['a revoked proxy', revoked()],
    ['a proxy whose prototype throws', trapped],
    ['a proxy that throws at everything', hostile],
  ])('%s, fails its attempt like any other and frees its slot', async (_name, thrown) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'hostile',
      retry: { ...STEADY, maxAttempts: 2 },
      run: (isHostile: boolean) => {
        if (isHostile) throw thrown;
      },
    });
    const { id } = await queue.submit(task, true);
    const worker = startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance('1m');
    const { id: next } = await queue.submit(task, false);
    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 2 });
    expect(await queue.get(next)).toMatchObject({ state: 'completed' });
    expect(worker.emittedOf('failed')).toHaveLength(1);
  });
});

describe('a result', () => {
  it.each([
    ['of just the bytes that its task allows is kept', 'ä'.repeat(4), 'completed'],
    ['that is larger fails the attempt', 'ä'.repeat(5), 'failed'],
  ])('%s', async (_name, result, state) => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'large',
      maxResultBytes: 10,
      retry: { maxAttempts: 1 },
      run: () => result,
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1m');

    const run = await queue.get(id);
    expect(run?.state).toBe(state);
    if (state === 'failed') expect(run?.errors[0]?.message).toContain('12 bytes, more than the limit of 10');
  });

  it('of more than 1 MiB fails its attempt by default', async () => {
    const { run } = await runUnder({ maxAttempts: 1 }, () => 'x'.repeat(1_048_576));

    expect(run).toMatchObject({ state: 'failed', errors: [{ name: 'PayloadError' }] });
  });
});

describe('a strategy and a gate in a worker', () => {
  it('know the id and the lane of their run, its counters and its age, and nothing of its payload', async () => {
    const seen: object[] = [];
    const { run } = await runUnder(
      {
        maxAttempts: 2,
        retryIf: (_error, facts) => seen.push(facts) > 0,
        backoff: { type: 'custom', strategy: (_retry, facts) => seen.push(facts) * 1_000 },
      },
      fail(new Error('no')),
    );

    const facts = { id: run?.id, lane: 'any@1', failures: 1, stalls: 0, now: 0, elapsedMs: 0 };
    expect(seen).toMatchObject([{ ...facts, attempt: 1 }, facts]);
    expect(seen.some((given) => 'payload' in given)).toBe(false);
  });

  it('know how long the run has taken, waits included', async () => {
    const elapsed: unknown[] = [];
    const strategy = (_retry: number, { elapsedMs }: { readonly elapsedMs?: number }): number => {
      elapsed.push(elapsedMs);
      return 10_000;
    };

    await runUnder({ maxAttempts: 4, backoff: { type: 'custom', strategy }, jitter: 'none' }, fail('no'));

    expect(elapsed).toEqual([0, 10_000, 20_000]);
  });

  const bug = new TypeError('a bug in the policy');
  const buggy = (): never => {
    throw bug;
  };

  it.each([
    ['retryIf', { retryIf: buggy }],
    ['a predicate of stopOn', { stopOn: [buggy] }],
    ['a predicate of retryOn', { retryOn: [buggy] }],
    ['a strategy', { backoff: { type: 'custom', strategy: buggy } }],
  ] as const)('report what %s throws, for which the run fails with its own error', async (_, policy) => {
    const { run, worker } = await runUnder({ ...policy, maxAttempts: 3 }, fail(new Error('of the handler')));

    expect(run).toMatchObject({ state: 'failed', errors: [{ message: 'of the handler' }] });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'stopped', thrown: bug }]);
    expect(worker.emittedOf('error')).toEqual([{ error: bug, doing: `settling run ${run?.id}` }]);
  });

  it('report that retryIf returned a promise', async () => {
    const retryIf = (() => Promise.resolve(true)) as unknown as () => boolean;

    const { worker } = await runUnder({ retryIf, maxAttempts: 3 }, fail(new Error('of the handler')));

    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'stopped', thrown: { code: 'ASYNC_GATE' } }]);
    expect(worker.emittedOf('error')).toMatchObject([{ error: { code: 'ASYNC_GATE' } }]);
  });

  it('may end the run by stop: it is a dead letter with the reason stopped', async () => {
    const { run, worker } = await runUnder(
      { maxAttempts: 9, backoff: { type: 'custom', strategy: (retry) => (retry > 2 ? 'stop' : 5) } },
      fail(new Error('no')),
    );

    expect(run).toMatchObject({ state: 'failed', failures: 3 });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'stopped' }]);
  });
});
