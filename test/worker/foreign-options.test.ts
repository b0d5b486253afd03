import { fromCelery } from '@retry/core/dialects';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { DeadLetter, Task } from '@retry/worker';
import { createQueue, createWorker, defineTask, taskFrom } from '@retry/worker';
import { instantRetries } from '@retry/worker/testing';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { refusalOf } from '../support/wrong-input.ts';
import { setScene } from './scene.ts';

const broker = createMemoryBroker();
const queue = createQueue({ broker });
const task = defineTask({ name: 'mail', run: (_: unknown) => {} });

/** How options are given to what, and what an error says to write instead of names of BullMQ, pg-boss, graphile-worker, Agenda and bee-queue. */
const CURES: readonly (readonly [
  name: string,
  call: (options: never) => unknown,
  cures: Record<string, string>,
])[] = [
  [
    'submit',
    (options) => queue.submit(task, 1, options),
    {
      attempts: 'Use maxAttempts: 3.',
      maxAttempts: 'It belongs in retry.',
      retryLimit: 'Use maxAttempts: 4.',
      retryBackoff: "type: 'exponential'",
      backoff: 'It belongs in retry.',
      jobId: 'Use key.',
      jobKey: 'unique: { key: … }',
      singletonKey: 'unique: { key: … }',
      singletonSeconds: "until: '10s'",
      singletonHours: "until: '10s'",
      deduplication: 'unique: { key: … }',
      startAfter: 'Use runAt.',
      run_at: 'Use runAt.',
      runAfter: 'Use runAt.',
      at: 'Use runAt.',
      nextRunAt: 'Use runAt.',
      delayUntil: 'Use runAt.',
      notBefore: 'Use runAt.',
      removeOnComplete: 'keepResult of the submission',
      retentionDays: 'keepCompleted of the broker',
      removeOnFail: "deadLetter: 'none'",
      deadLetterQueue: 'deadLetter: { task: … }',
      priority: 'first in, first out',
      expireInSeconds: 'attemptTimeout',
      expireInMinutes: 'attemptTimeout',
      timeoutMs: 'attemptTimeout',
      ttl: 'does not expire',
      queueName: 'concurrency: { key: …, limit: 1 }',
      queue: 'in the lane of its task',
      repeat: 'queue.schedule',
      repeatEvery: 'queue.schedule',
      schedule: 'queue.schedule',
      failParentOnFailure: 'may submit the next task',
      metadata: 'into the payload',
      traceparent: 'Use context',
      trx: 'Use tx.',
      db: 'Use tx.',
    },
  ],
  [
    'submitAndWait',
    (options) => queue.submitAndWait(task, 1, options),
    { tx: 'wait for a run that is not committed yet', jobId: 'Use key.', priority: 'first in, first out' },
  ],
  [
    'defineTask',
    (options: object) => defineTask({ name: 'mail', run: () => {}, ...options }),
    {
      attempts: 'Use maxAttempts: 3.',
      retryBackoff: "type: 'exponential'",
      limiter: 'rateLimit: { limit: …',
      concurrency: 'maxConcurrent',
      teamSize: 'maxConcurrent',
      opts: 'retry: { maxAttempts: 5',
      defaultJobOptions: 'retry: { maxAttempts: 5',
      priority: 'first in, first out',
      expireInSeconds: 'attemptTimeout',
      lockLifetime: 'attemptTimeout',
      removeOnComplete: 'keepCompleted of the broker',
      jobKey: 'It belongs to a run',
      key: 'It belongs to a run',
      runAt: 'It belongs to a run',
      repeat: 'queue.schedule',
      onFailure: "worker.on('failed'",
      onComplete: "worker.on('failed'",
      connection: 'It belongs to the broker',
      middleware: 'Wrap run',
      maxStalledCount: 'Use maxStalls.',
    },
  ],
  [
    'rateLimit',
    (limit: object) =>
      defineTask({ name: 'mail', run: () => {}, rateLimit: { limit: 1, window: 1, ...limit } }),
    { max: 'Use limit.', duration: "Use window: '1s'.", interval: "Use window: '1s'.", points: 'Use limit.' },
  ],
  [
    'globalRateLimit',
    (limit: object) =>
      defineTask({ name: 'mail', run: () => {}, globalRateLimit: { limit: 1, window: 1, ...limit } }),
    { max: 'Use limit.', duration: "Use window: '1s'.", timeframe: "Use window: '1s'.", count: 'Use limit.' },
  ],
  [
    'createWorker',
    (options: object) => createWorker({ broker, tasks: [task], ...options }),
    {
      connection: 'Use broker.',
      mongo: 'Use broker.',
      limiter: 'defineTask({ rateLimit',
      rateLimit: 'defineTask({ rateLimit',
      attempts: 'defineTask({ retry',
      lockDuration: 'Use lease.',
      defaultLockLifetime: 'Use lease.',
      heartbeatInterval: 'Use lease',
      maxConcurrency: 'Use concurrency.',
      defaultConcurrency: 'Use concurrency.',
      processEvery: 'Use pollInterval.',
      newJobCheckInterval: 'Use pollInterval.',
      maxStalledCount: 'defineTask({ maxStalls',
      stalledInterval: 'Use cleanerInterval.',
      queueName: 'Use tasks',
      crontab: 'queue.schedule',
      autorun: 'worker.start()',
      noHandleSignals: "Use signals: ['SIGTERM'], or [] for none.",
      onError: "worker.on('failed'",
      logger: "worker.on('failed'",
      schema: 'It belongs to the broker',
      removeOnComplete: 'keepCompleted',
    },
  ],
  [
    'createQueue',
    (options: object) => createQueue({ broker, ...options }),
    {
      connection: 'Use broker',
      redis: 'Use broker',
      pool: 'Use broker',
      prefix: 'It belongs to the broker',
      defaultJobOptions: 'It belongs to a task',
    },
  ],
  [
    'schedule',
    (options: object) => queue.schedule('nightly', { task, every: '1h', ...options }),
    {
      tz: 'Use timeZone.',
      repeatTimezone: 'Use timeZone.',
      pattern: 'Use cron.',
      crontab: 'Use cron.',
      cronExpression: 'Use cron.',
      interval: 'Use every.',
      repeatEvery: 'Use every.',
      everyMs: 'Use every',
      data: 'Use payload.',
      startDate: 'Use from.',
      startAt: 'Use from.',
      endDate: 'Use until.',
      endsAt: 'Use until.',
      catchup: 'Use missed.',
      backfillPeriod: 'Use missed.',
      jobId: 'It is the first argument',
      name: 'It is the first argument',
      startAfter: 'queue.submit',
      attempts: 'It belongs to the task',
      limit: 'Use until',
      immediately: 'from: Date.now()',
      unique: 'submits the long one with unique',
      singletonKey: 'submits the long one with unique',
      concurrency: 'globalConcurrency: 1 of the task',
    },
  ],
  [
    'unique',
    (unique: object) => queue.submit(task, 1, { unique: { key: 'k', ...unique } }),
    {
      id: 'Use key.',
      ttl: "Use until: '10s'.",
      period: "Use until: '10s'.",
      seconds: "Use until: '10s'.",
      byPeriod: "Use until: '10s'.",
      states: "Use until: 'ended' or 'started'.",
      byState: "Use until: 'ended' or 'started'.",
      replace: "Use onConflict: 'replace'.",
      strategy: "Use onConflict: 'replace'.",
      keepLastIfActive: "until: 'started', onConflict: 'replace'",
    },
  ],
];

describe.each(CURES)('%s', (_name, call, cures) => {
  it.each(Object.entries(cures))('says what to write instead of %s', async (key, cure) => {
    const { problems } = await refusalOf(() => call({ [key]: 3 } as never));

    expect(problems.map((problem) => [problem.path.split('.').at(-1), problem.cure])).toEqual([
      [key, expect.stringContaining(cure)],
    ]);
  });
});

describe('a payload that says nothing', () => {
  const none = defineTask({ name: 'none', run: async () => 1 });
  // biome-ignore lint/suspicious/noConfusingVoidType: so people write that there is none
  const nothing = defineTask({ name: 'void', run: async (_: void) => 2 });
  const some = defineTask({ name: 'some', run: async (_: { to: string }) => 3 });
  const letters = defineTask({ name: 'letters', run: (_: DeadLetter<{ to: string }>) => {} });

  it('may be left out', async () => {
    const { clock, queue: own, startWorker } = setScene();
    startWorker({ tasks: [none, nothing] });

    const { id } = await own.submit(none);
    const waiting = Promise.all([
      own.submitAndWait(nothing),
      own.submitAndWait(none, undefined, { key: 'a' }),
    ]);
    const schedule = await own.schedule('hourly', { task: none, every: '1h' });
    await clock.advance(1_000);

    expectTypeOf(waiting).resolves.toEqualTypeOf<[number, number]>();
    expect(await waiting).toEqual([2, 1]);
    expect(await own.get(id)).toMatchObject({ state: 'completed', payload: null });
    expect(schedule).toMatchObject({ payload: null });
  });

  it('is the only one where the handler has no parameters, or takes nothing', () => {
    const run = async (): Promise<void> => {};
    const given = defineTask({ name: 'given', run, deadLetter: { task: letters } });
    const fromDialect = defineTask({ ...taskFrom(fromCelery({})), name: 'dialect', run });
    const absent = defineTask({ name: 'absent', run: async (_: undefined) => {} });
    const options = { delay: '1h' } as const;
    const compiled = (): unknown => [
      queue.submit(none, undefined, options),
      queue.submit(given, null, options),
      queue.submitMany(none, [null, undefined], options),
      queue.submitMany(none, Array(3).fill(null), { each: () => options }),
      queue.schedule('a', { task: none, payload: null, every: '1h' }),
      queue.submit(instantRetries(none)),
      createWorker({ broker, tasks: [none, given, fromDialect, absent] }),
      // @ts-expect-error its handler would not see it
      queue.submit(none, { a: 1 }),
      // @ts-expect-error options come after the payload
      queue.submit(none, options),
      // @ts-expect-error its handler would not see it
      queue.submit(given, 'a'),
      // @ts-expect-error its handler would not see it
      queue.submit(fromDialect, 'a'),
      // @ts-expect-error nothing is what it takes
      queue.submit(nothing, { a: 1 }),
      // @ts-expect-error nothing is what it takes
      queue.submit(absent, { a: 1 }),
      // @ts-expect-error its handler would not see it
      queue.submit(instantRetries(none), { a: 1 }),
      // @ts-expect-error its handler would not see it
      queue.submitAndWait(none, { a: 1 }),
      // @ts-expect-error its handler would not see them
      queue.submitMany(none, [{ a: 1 }]),
      // @ts-expect-error its handler would not see it
      queue.schedule('a', { task: none, payload: { a: 1 }, every: '1h' }),
      // @ts-expect-error its handler would not see the dead letters
      defineTask({ name: 'b', run: (_: { to: string }) => {}, deadLetter: { task: none } }),
    ];

    expect(compiled).toBeTypeOf('function');
  });

  it('is any where the parameter of the handler has no type, or the type says so', () => {
    const untyped = defineTask({ name: 'untyped', run: async (_, { attempt }) => attempt });
    const unknown = defineTask({ name: 'unknown', run: async (_: unknown) => {} });
    const optional = defineTask({ name: 'optional', run: async (_?: { to: string }) => {} });
    // A mock takes whatever it is given.
    const mocked = defineTask({ name: 'mocked', run: vi.fn() });
    const declared: Task<{ to: string }, void> = defineTask({ name: 'declared', run: async () => {} });
    const keyed = defineTask({ name: 'keyed', run: () => {}, fairness: ({ to }: { to: string }) => to });
    const compiled = (): unknown => [
      [queue.submit(untyped, { to: 'a' }), queue.submit(untyped)],
      [queue.submit(unknown, { to: 'a' }), queue.submit(unknown)],
      [queue.submit(mocked, { to: 'a' }), queue.submit(mocked)],
      queue.submit(optional, { to: 'a' }),
      queue.submit(keyed, { to: 'a' }),
      queue.submit(declared, { to: 'a' }),
    ];

    expect(compiled).toBeTypeOf('function');
  });

  it('is checked by the schema as it arrives', async () => {
    const { queue: own } = setScene();
    const strict = defineTask({ name: 'strict', schema: z.object({}).optional(), run: () => {} });

    await expect(own.submit(strict, undefined)).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
  });

  it('is not one of another task', () => {
    const compiled = (): unknown => [
      // @ts-expect-error it has a payload
      queue.submit(some),
      // @ts-expect-error it has a payload
      queue.submitAndWait(some),
      // @ts-expect-error it has a payload
      queue.schedule('a', { task: some, every: '1h' }),
      // @ts-expect-error a schedule has cron or every
      queue.schedule('a', { task: none }),
      // @ts-expect-error not both
      queue.schedule('a', { task: none, cron: '@daily', every: '1h' }),
      // @ts-expect-error every has no zone
      queue.schedule('a', { task: none, every: '1h', timeZone: 'UTC' }),
    ];

    expect(compiled).toBeTypeOf('function');
  });
});
