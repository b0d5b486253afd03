import { definePolicy } from '@retry/core';
import { fromCelery } from '@retry/core/dialects';
import { createMemoryBroker } from '@retry/inprocess/broker';
import {
  type Completion,
  createQueue,
  createWorker,
  type DeadLetterFilter,
  type DiscardFilter,
  defineTask,
  type QueueOptions,
  type RedriveFilter,
  type RetryRequest,
  type SubmitAndWaitOptions,
  type SubmitOptions,
  type TaskInput,
  taskFrom,
  type WaitForResultOptions,
  type WorkerOptions,
} from '@retry/worker';
import { createTestClock, instantRetries } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import { readCompletion, readRetryRequest } from '../../packages/worker/src/run/requests.ts';
import { eachWrongOption, NO_OPTIONS, refusalOf, refusedPaths } from '../support/wrong-input.ts';

const task = defineTask({ name: 'mail', run: (_: unknown) => {} });
const broker = createMemoryBroker();
const queue = createQueue({ broker });

const TAKE_OPTIONS: Readonly<Record<string, (given: never) => unknown>> = {
  defineTask,
  'defineTask with a policy': (given) => defineTask({ name: 'mail', run: () => {}, retry: given }),
  createQueue,
  createWorker,
  'submit with options': (given) => queue.submit(task, 1, given),
  'submitMany with options': (given) => queue.submitMany(task, [1], given),
  'submitAndWait with options': (given) => queue.submitAndWait(task, 1, given),
  'waitForResult with options': (given) => queue.waitForResult('a', given),
  'submit of a task': (given) => queue.submit(given, 1 as never),
  taskFrom,
  'instantRetries of a task': instantRetries,
  'deadLetters.list': (given) => queue.deadLetters.list(given),
  'deadLetters.redrive': (given) => queue.deadLetters.redrive(given),
  'deadLetters.discard': (given) => queue.deadLetters.discard(given),
  'ctx.retry': readRetryRequest,
  'ctx.complete': readCompletion,
};

describe.each(Object.entries(TAKE_OPTIONS))('%s', (_name, call) => {
  it.each(NO_OPTIONS)('refuses %s', async (_kind, given) => {
    expect(await refusalOf(() => call(given as never))).toMatchObject({ code: 'INVALID_OPTIONS' });
    expect((await queue.counts()).created).toBe(0);
  });
});

describe('every option', () => {
  // A key that is missing here does not compile, and one that is not checked fails.
  const clock = createTestClock();
  const { signal } = new AbortController();
  const ofTask: Required<TaskInput<unknown, unknown>> = {
    name: 'mail',
    version: '1',
    run: () => {},
    schema: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
    retry: { maxAttempts: 1 },
    rateLimitRetry: { maxAttempts: 1 },
    rateLimit: { limit: 1, window: '1s' },
    heartbeat: '1s',
    maxConcurrent: 1,
    globalConcurrency: 1,
    whenFull: 'wait',
    onShutdown: 'finish',
    shutdownTimeout: '1s',
    onStall: 'fail',
    onUnknown: 'wait',
    minRequeueDelay: '1s',
    maxStalls: 1,
    deadLetter: 'save',
    maxPayloadBytes: 1,
    maxResultBytes: 1,
  };
  const ofQueue: Required<QueueOptions> = { broker, clock };
  const ofWorker: Required<WorkerOptions> = {
    broker,
    tasks: [task],
    onUnknown: 'wait',
    concurrency: 1,
    prefetch: 0,
    lease: '1s',
    pollInterval: '1s',
    cleanerInterval: '1s',
    signals: [],
    shutdownTimeout: '1s',
    redact: () => ({ name: 'Error', message: '' }),
    name: 'worker-1',
    random: () => 0.5,
    clock,
  };
  const ofSubmit: Required<Omit<SubmitOptions, 'tx'>> = {
    key: 'a',
    runAt: 1,
    delay: '1s',
    concurrency: { key: 'a', limit: 1 },
    keepResult: '1s',
  };
  const ofWait: Required<WaitForResultOptions> = { timeout: 0, signal };
  const ofSubmitAndWait: Required<SubmitAndWaitOptions> = { ...ofSubmit, ...ofWait };
  const ofList: Required<DeadLetterFilter> = {
    ids: ['a'],
    task,
    errorName: 'TypeError',
    olderThan: '1s',
    state: 'failed',
    limit: 1,
  };
  const ofDiscard: Required<DiscardFilter> = { ...ofList, all: true };
  const ofRedrive: Required<RedriveFilter> = {
    ...ofDiscard,
    dryRun: true,
    perSecond: 1,
    keepAttempts: true,
    signal,
  };
  // What an error or a result is, is the handler's own business; so is the client of a transaction.
  const ofRetry: Required<Omit<RetryRequest, 'error'>> = { delay: '1s', at: 1, maxAttempts: 1 };
  const ofComplete: Required<Pick<Completion, 'tx'>> = { tx: {} };

  it.each([
    ['defineTask', defineTask, ofTask],
    ['createQueue', createQueue, ofQueue],
    ['createWorker', createWorker, ofWorker],
    ['submit', (given: object) => queue.submit(task, 1, given), ofSubmit],
    ['submitAndWait', (given: object) => queue.submitAndWait(task, 1, given), ofSubmitAndWait],
    ['waitForResult', (given: object) => queue.waitForResult('a', given), ofWait],
    ['deadLetters.list', (given: object) => queue.deadLetters.list(given), ofList],
    ['deadLetters.redrive', (given: object) => queue.deadLetters.redrive(given), ofRedrive],
    ['deadLetters.discard', (given: object) => queue.deadLetters.discard(given as DiscardFilter), ofDiscard],
    ['ctx.retry', readRetryRequest, ofRetry],
  ] as const)('of %s is checked', async (_name, call, valid) => {
    for (const [key, name, options] of eachWrongOption(valid)) {
      const paths = await refusedPaths(() => call(options as never));
      expect([name, ...paths.map((path) => path.split(/[.[]/)[0])]).toContain(key);
    }
    expect((await queue.counts()).created).toBe(0);
  });

  it('of ctx.complete is checked', async () => {
    for (const tx of [undefined, null]) {
      expect(await refusedPaths(() => readCompletion({ ...ofComplete, tx }))).toEqual(['tx']);
    }
  });
});

describe('on', () => {
  const worker = createWorker({ broker, tasks: [task] });

  it.each(['complete', 'Completed', '', null, undefined, 5, Symbol('failed'), 'toString', '__proto__'])(
    'refuses the event %o, which never comes',
    async (type) => {
      expect(await refusedPaths(() => worker.on(type as never, () => {}))).toEqual(['type']);
      expect(await refusedPaths(() => queue.on(type as never, () => {}))).toEqual(['type']);
    },
  );

  it.each([undefined, null, 'log', {}, []])('refuses the listener %o', async (listener) => {
    expect(await refusedPaths(() => worker.on('failed', listener as never))).toEqual(['listener']);
    expect(await refusedPaths(() => queue.on('submitted', listener as never))).toEqual(['listener']);
  });

  it('names every event', async () => {
    const { problems } = await refusalOf(() => queue.on('complete' as never, () => {}));

    expect(problems).toMatchObject([{ message: 'is not an event', cure: 'Use one of submitted, error.' }]);
  });
});

describe('a handler', () => {
  it.each([
    function* (): Generator<number> {
      yield 1;
    },
    async function* (): AsyncGenerator<number> {
      yield 1;
    },
  ])('is no generator, whose body would never run: %o', async (run) => {
    expect(await refusedPaths(() => defineTask({ name: 'mail', run: run as () => unknown }))).toEqual([
      'run',
    ]);
  });

  it('that calls ctx.retry(error) is told, as the error would be lost', async () => {
    expect(await refusedPaths(() => readRetryRequest(new Error('busy') as never))).toEqual(['']);
  });
});

describe('a task', () => {
  it.each([
    { name: 'mail', version: '1', lane: 'mail@1', run: () => {} },
    { ...task, retry: { maxAttempts: 3 } },
    { ...task, run: undefined },
  ])('is made by defineTask, unlike %o', async (given) => {
    expect(await refusedPaths(() => createWorker({ broker, tasks: [given as never] }))).toEqual(['tasks']);
    expect(await refusedPaths(() => queue.submit(given as never, 1 as never))).toEqual(['task']);
  });

  it('has the path of what is wrong deep in its policies', async () => {
    const retry = { backoff: { type: 'constant', base: 'soon' }, retryOn: [{ status: '503' }] };
    const paths = await refusedPaths(() =>
      defineTask({ name: 'mail', run: () => {}, retry: retry as never, rateLimitRetry: retry as never }),
    );

    expect(paths).toEqual([
      'retry.backoff.base',
      'retry.retryOn[0].status',
      'rateLimitRetry.backoff.base',
      'rateLimitRetry.retryOn[0].status',
    ]);
  });

  it('of a dialect is made of what the dialect gives', async () => {
    const dialect = fromCelery({ max_retries: 3 });

    for (const given of [undefined, dialect.policy, dialect.task, definePolicy()])
      expect(await refusedPaths(() => taskFrom(given as never))).toEqual(['dialect']);
    expect(() => taskFrom(dialect)).not.toThrow();
  });
});

describe('a broker', () => {
  it('in the place of the options is one problem', async () => {
    for (const make of [createQueue, createWorker])
      expect((await refusalOf(() => make(broker as never))).problems).toMatchObject([
        { path: '', message: 'must be an object of options', cure: 'Give it by its name: { broker }.' },
      ]);
  });

  it('is not shown with its password where it is a URL', async () => {
    for (const make of [createQueue, createWorker]) {
      const error = await refusalOf(() =>
        make({ broker: 'postgres://me:geheim@host/db', tasks: [task] } as never),
      );

      expect(error.message).toContain('postgres://***@host/db');
      expect(JSON.stringify(error.problems)).not.toContain('geheim');
    }
  });

  it.each([
    ['submit', null],
    ['submit', [null]],
    ['submit', new Map()],
    ['submit', [{ id: 'a', lane: 'mail@1', payload: { json: 'no' } }]],
    ['settleAndClaim', null],
    ['settleAndClaim', { settle: {} }],
    ['settleAndClaim', { claim: { worker: 'w', requestId: 'r', leaseMs: 1, lanes: ['mail@1'], limit: 1 } }],
    ['heartbeat', 'a'],
    ['cancel', 'a'],
    ['redrive', undefined],
    ['discard', new Set(['a'])],
    ['get', 'a'],
    ['list', null],
    ['waitForWork', 'mail@1'],
    ['attend', 5],
  ] as const)('refuses %s(%o) by an error that has a type', async (verb, given) => {
    const { code } = await refusalOf(() => (broker[verb] as (given: unknown) => Promise<unknown>)(given));

    expect(code).toBe('INVALID_OPTIONS');
    expect((await queue.counts()).created).toBe(0);
  });
});

describe('submitMany', () => {
  it('takes a hole in its list for a payload that is undefined', async () => {
    const own = createQueue({ broker: createMemoryBroker() });
    const payloads: unknown[] = [1];
    payloads[2] = 3;

    expect(await own.submitMany(task, payloads)).toHaveLength(3);
  });
});
