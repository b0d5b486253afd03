import { definePolicy } from '@retry/core';
import { fromCelery } from '@retry/core/dialects';
import { createRetryBudget } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import {
  type Completion,
  createQueue,
  createWorker,
  type DeadLetterFilter,
  type DeadLetterListOptions,
  type DiscardFilter,
  defineTask,
  type HandlerHold,
  type HoldOptions,
  type LetterGroupsOptions,
  type ListOptions,
  type PageOptions,
  type QueueOptions,
  type RedriveFilter,
  type ReleaseRequest,
  type RescheduleOptions,
  type ResubmitOptions,
  type RetryRequest,
  type SearchOptions,
  type SubmitAndWaitOptions,
  type SubmitOptions,
  type TaskInput,
  taskFrom,
  type WaitForResultOptions,
  type WorkerOptions,
} from '@retry/worker';
import { createTestClock, instantRetries } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import {
  readCompletion,
  readHandlerHold,
  readReleaseRequest,
  readRetryRequest,
} from '../../packages/worker/src/run/requests.ts';
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
  'get with options': (given) => queue.get('a', given),
  list: (given) => queue.list(given),
  search: (given) => queue.search(given),
  'deadLetters.list': (given) => queue.deadLetters.list(given),
  'deadLetters.redrive': (given) => queue.deadLetters.redrive(given),
  'deadLetters.discard': (given) => queue.deadLetters.discard(given),
  'submit with a policy': (given) => queue.submit(task, 1, { retry: given }),
  hold: (given) => queue.hold(given),
  'hold with options': (given) => queue.hold(task, given),
  resume: (given) => queue.resume(given),
  reschedule: (given) => queue.reschedule('a', given),
  'resubmit with options': (given) => queue.resubmit('a', given),
  'ctx.retry': readRetryRequest,
  'ctx.release': readReleaseRequest,
  'ctx.hold': readHandlerHold,
  'ctx.complete': readCompletion,
};

describe.each(Object.entries(TAKE_OPTIONS))('%s', (_name, call) => {
  it.each(NO_OPTIONS)('refuses %s', async (_kind, given) => {
    expect(await refusalOf(() => call(given as never))).toMatchObject({ code: 'INVALID_OPTIONS' });
    expect((await queue.counts()).created).toBe(0);
  });
});

/** Instants may be what a view has. */
const TAKE_DATES: readonly string[] = [
  'runAt',
  'at',
  'until',
  'endedBefore',
  'endedAfter',
  'from',
  'to',
] satisfies (
  | keyof ListOptions
  | keyof SearchOptions
  | keyof SubmitOptions
  | keyof HoldOptions
  | keyof RetryRequest
)[];

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
    circuitBreaker: { failureRatio: 0.5 },
    budget: createRetryBudget({ type: 'ratio', ratio: 0.1 }),
    retryShare: 0.1,
    rateLimitRetry: { maxAttempts: 1 },
    rateLimit: { limit: 1, window: '1s' },
    globalRateLimit: { limit: 1, window: '1s', key: 'api' },
    adapt: true,
    heartbeat: '1s',
    maxConcurrent: 1,
    globalConcurrency: 1,
    whenFull: 'wait',
    fairness: () => 'tenant',
    onShutdown: 'finish',
    shutdownTimeout: '1s',
    abandonAfter: '1s',
    onStall: 'fail',
    onUnknown: 'wait',
    minRequeueDelay: '1s',
    maxStalls: 1,
    maxReleases: 1,
    deadLetter: 'save',
    maxPayloadBytes: 1,
    maxResultBytes: 1,
  };
  const redact = () => ({ name: 'Error', message: '' });
  const ofQueue: Required<QueueOptions> = { broker, times: 'iso', redact, clock };
  const ofWorker: Required<WorkerOptions> = {
    broker,
    tasks: [task],
    onUnknown: 'wait',
    concurrency: 1,
    prefetch: 0,
    settleWithin: 0,
    lease: '1s',
    leaseRenewal: 'thread',
    maxBlock: '1s',
    pollInterval: '1s',
    cleanerInterval: '1s',
    signals: [],
    shutdownTimeout: '1s',
    abandonAfter: '1s',
    redact,
    name: 'worker-1',
    random: () => 0.5,
    clock,
  };
  const ofSubmit: Required<Omit<SubmitOptions, 'tx'>> = {
    key: 'a',
    unique: { key: 'a', until: '1s', onConflict: 'keep' },
    runAt: 1,
    delay: '1s',
    retry: { maxAttempts: 1 },
    concurrency: { key: 'a', limit: 1 },
    keepResult: '1s',
    context: '00-1-2-01',
    spent: { attempts: 0, errors: [], firstStartedAt: 0 },
  };
  const { key: _, unique: __, ...ofOthers } = ofSubmit;
  // Anything that is JSON may be a payload.
  const ofResubmit: Required<Omit<ResubmitOptions, 'payload'>> = { ...ofOthers, task };
  const ofHold: Required<HoldOptions> = { until: 1, for: '1s', reason: 'why', by: 'who' };
  const ofReschedule: Required<RescheduleOptions> = { runAt: 1, delay: '1s' };
  const ofRelease: Required<ReleaseRequest> = { delay: '1s', reason: 'why' };
  const ofHandlerHold: Required<HandlerHold> = { for: '1s', reason: 'why' };
  const ofWait: Required<WaitForResultOptions> = { timeout: 0, signal };
  const ofSubmitAndWait: Required<SubmitAndWaitOptions> = { ...ofSubmit, ...ofWait };
  const ofPage: Required<PageOptions> = {
    times: 'date',
    limit: 1,
    after: Buffer.from('["failed",null]').toString('base64url'),
  };
  const ofList: Required<ListOptions> = {
    ...ofPage,
    state: 'failed',
    task: 'mail',
    version: '1',
    attempt: 1,
    group: 'a',
    errorName: 'TypeError',
    endedBefore: 1,
    endedAfter: 1,
    payloads: 'omit',
  };
  const ofSearch: Required<SearchOptions> = {
    ...ofPage,
    state: 'failed',
    task: 'mail',
    version: '1',
    attempt: 1,
    group: 'a',
    errorName: 'TypeError',
    text: 'a',
    from: 1,
    to: 1,
  };
  const ofLetters: Required<DeadLetterFilter> = {
    ids: ['a'],
    task,
    version: '1',
    group: 'a',
    errorName: 'TypeError',
    olderThan: '1s',
    newerThan: '1s',
    state: 'failed',
    limit: 1,
  };
  const ofDiscard: Required<DiscardFilter> = { ...ofLetters, all: true };
  const ofLetterList: Required<DeadLetterListOptions> = { ...ofLetters, ...ofPage, payloads: 'omit' };
  const ofLetterGroups: Required<LetterGroupsOptions> = { ...ofPage, task, version: '1' };
  const ofRedrive: Required<RedriveFilter> = {
    ...ofDiscard,
    dryRun: true,
    keepAttempts: true,
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
    ['deadLetters.list', (given: object) => queue.deadLetters.list(given), ofLetterList],
    ['deadLetters.groups', (given: object) => queue.deadLetters.groups(given), ofLetterGroups],
    ['get', (given: object) => queue.get('a', given), { times: 'iso' }],
    ['list', (given: object) => queue.list(given), ofList],
    ['search', (given: object) => queue.search(given), ofSearch],
    ['deadLetters.redrive', (given: object) => queue.deadLetters.redrive(given), ofRedrive],
    ['deadLetters.discard', (given: object) => queue.deadLetters.discard(given as DiscardFilter), ofDiscard],
    ['hold', (given: object) => queue.hold(task, given), ofHold],
    ['reschedule', (given: object) => queue.reschedule('a', given), ofReschedule],
    ['resubmit', (given: object) => queue.resubmit('a', given), ofResubmit],
    ['ctx.retry', readRetryRequest, ofRetry],
    ['ctx.release', readReleaseRequest, ofRelease],
    ['ctx.hold', readHandlerHold, ofHandlerHold],
  ] as const)('of %s is checked', async (_name, call, valid) => {
    for (const [key, name, options] of eachWrongOption(valid)) {
      if (name === 'a Date' && TAKE_DATES.includes(key)) continue;
      const paths = await refusedPaths(() => (call as (given: object) => unknown)(options));
      expect([name, ...paths.map((path) => path.split(/[.[]/)[0])]).toContain(key);
    }
    expect((await queue.counts()).created).toBe(0);
  });

  it.each([
    ['reschedule', (given: object) => queue.reschedule('a', given), {}],
    ['deadLetters.redrive', (given: object) => queue.deadLetters.redrive(given), { limit: 5 }],
    ['deadLetters.discard', (given: object) => queue.deadLetters.discard(given), { limit: 5 }],
    ['forget', (given: object) => queue.forget(given), { limit: 5 }],
  ] as const)(
    'of %s is shown where none of those is given of which it needs one',
    async (_name, call, given) => {
      const { problems } = await refusalOf(() => call(given));

      expect(problems).toMatchObject([{ path: '', value: given }]);
    },
  );

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

  it.each([undefined, null, 'log', {}, [], function* () {}])('refuses the listener %o', async (listener) => {
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
  ])('must not be a generator, whose body would never run: %o', async (run) => {
    expect(await refusedPaths(() => defineTask({ name: 'mail', run: run as () => unknown }))).toEqual([
      'run',
    ]);
  });

  it('that calls ctx.retry(error) gets an error, because its error would be lost', async () => {
    expect(await refusedPaths(() => readRetryRequest(new Error('busy') as never))).toEqual(['']);
  });
});

describe('a length of time from now', () => {
  const at = Date.UTC(2026, 0, 1);

  it.each([
    ['ctx.retry', () => readRetryRequest({ delay: at }), 'delay'],
    ['ctx.release', () => readReleaseRequest({ delay: at }), 'delay'],
    ['ctx.hold', () => readHandlerHold({ for: at }), 'for'],
    ['submit', () => queue.submit(task, 1, { delay: at }), 'delay'],
    ['submit with a result to keep', () => queue.submit(task, 1, { keepResult: at }), 'keepResult'],
    ['reschedule', () => queue.reschedule('a', { delay: at }), 'delay'],
    ['hold', () => queue.hold(task, { for: at }), 'for'],
  ])('of %s is no instant in epoch milliseconds', async (_name, call, path) => {
    const { problems } = await refusalOf(call);

    expect(problems).toMatchObject([
      { path, value: at, message: 'must be a length of time from now, not an instant' },
    ]);
    expect((await queue.counts()).created).toBe(0);
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

  it('has the path of a problem deep in its policies', async () => {
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

  it("of a dialect accepts only the dialect's result", async () => {
    const dialect = fromCelery({ max_retries: 3 });

    for (const given of [undefined, dialect.policy, dialect.task, definePolicy()])
      expect(await refusedPaths(() => taskFrom(given as never))).toEqual(['dialect']);
    expect(() => taskFrom(dialect)).not.toThrow();
  });
});

describe('a broker', () => {
  it('instead of the options is one problem', async () => {
    for (const make of [createQueue, createWorker])
      expect((await refusalOf(() => make(broker as never))).problems).toMatchObject([
        { path: '', message: 'must be an object of options', cure: 'Give it by its name: { broker }.' },
      ]);
  });

  it('is shown without its password when it is a URL', async () => {
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
    ['exchange', null],
    ['exchange', { settle: {} }],
    ['exchange', { claim: { worker: 'w', requestId: 'r', leaseMs: 1, lanes: ['mail@1'], limit: 1 } }],
    ['heartbeat', 'a'],
    ['change', { id: 'a', seen: '1', next: 'forget' }],
    ['change', [{ id: 'a', next: 'forget' }]],
    ['change', [{ id: 'a', seen: '1', next: 'cancel' }]],
    ['get', 'a'],
    ['list', null],
    ['wait', 'mail@1'],
    ['attend', 5],
  ] as const)('refuses %s(%o) with a typed error', async (verb, given) => {
    const { code } = await refusalOf(() => (broker[verb] as (given: unknown) => Promise<unknown>)(given));

    expect(code).toBe('INVALID_OPTIONS');
    expect((await queue.counts()).created).toBe(0);
  });
});

describe('submitMany', () => {
  it('treats a hole in its list as an undefined payload', async () => {
    const own = createQueue({ broker: createMemoryBroker() });
    const payloads: unknown[] = [1];
    payloads[2] = 3;

    expect(await own.submitMany(task, payloads)).toHaveLength(3);
  });
});

describe('a key of another library in the options of a worker', () => {
  it.each([
    ['connection', 'Use broker.'],
    ['redis', 'Use broker.'],
    ['pgPool', 'Use broker.'],
    ['jobs', 'Use tasks: [sendEmail, resizeImage].'],
    ['taskList', 'Use tasks: [sendEmail, resizeImage].'],
    ['maxConcurrency', 'Use concurrency.'],
    ['teamSize', 'Use concurrency.'],
    ['batchSize', 'Use prefetch.'],
    ['lockDuration', 'Use lease.'],
    ['visibility_timeout', 'Use lease.'],
    ['leaseMs', "Use lease: it takes milliseconds or text like '2s'."],
    ['pollingIntervalSeconds', 'Use pollInterval.'],
    ['stalledInterval', 'Use cleanerInterval.'],
    ['gracePeriod', 'Use shutdownTimeout.'],
    ['workerId', 'Use name.'],
  ])('is an error that says what to write instead: %s', (key, cure) => {
    expect(() => createWorker({ broker, tasks: [task], [key]: 3 } as never)).toThrow(
      `${key} is not a known key, got 3. ${cure}`,
    );
  });
});
