import { InvalidOptionsError } from '@retry/core';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { Queue } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const task = defineTask({ name: 'mail', run: (_: unknown) => {} });

/** What a call that takes wrong input is rejected with. */
async function problemsOf(call: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await call.then(
    () => new Error('it was accepted'),
    (caught: unknown) => caught,
  );
  if (!(error instanceof InvalidOptionsError)) throw error;
  return error.problems.map(({ path, message }) => `${path} ${message}`.trim());
}

const BAD_TEXTS: readonly (readonly [string, unknown, string])[] = [
  ['a number', 5, 'must be text'],
  ['null', null, 'must be text'],
  ['an object', {}, 'must be text'],
  ['a symbol', Symbol('s'), 'must be text'],
  ['empty', '', 'must not be empty'],
  ['U+0000', 'a\0b', 'must not contain U+0000'],
  ['half a surrogate pair', 'a\ud83d', 'must be well-formed Unicode (it has half a surrogate pair)'],
];

const SUBMIT_PROBLEMS: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ dealy: '1h' }, 'dealy is not a known key'],
  [{ idempotencyKey: 'a' }, 'idempotencyKey is not a known key'],
  [{ delay: '3 seconds' }, 'delay must be a finite duration ≥ 0'],
  [{ delay: -1 }, 'delay must be a finite duration ≥ 0'],
  [{ delay: Infinity }, 'delay must be a finite duration ≥ 0'],
  [{ delay: 1e300 }, 'delay must be a finite duration ≥ 0'],
  [{ delay: null }, 'delay must be a finite duration ≥ 0'],
  [{ runAt: 1e300 }, 'runAt must be an instant: epoch milliseconds, ISO text with a time zone, or a Date'],
  [
    { runAt: Number.NaN },
    'runAt must be an instant: epoch milliseconds, ISO text with a time zone, or a Date',
  ],
  [
    { runAt: '2026-11-21' },
    'runAt must be an instant: epoch milliseconds, ISO text with a time zone, or a Date',
  ],
  [
    { runAt: new Date(Number.NaN) },
    'runAt must be an instant: epoch milliseconds, ISO text with a time zone, or a Date',
  ],
  [{ runAt: null }, 'runAt must be an instant: epoch milliseconds, ISO text with a time zone, or a Date'],
  [{ keepResult: 0 }, 'keepResult must be a finite duration > 0'],
  [{ keepResult: 'Infinity' }, 'keepResult must be a finite duration > 0'],
  [{ concurrency: null }, 'concurrency must be an object'],
  [{ concurrency: 5 }, 'concurrency must be an object'],
  [
    { concurrency: { key: 'a', limit: 1, holdWhileRetrying: null } },
    'concurrency.holdWhileRetrying is not one of the choices',
  ],
  [{ concurrency: { key: 'a', limit: 0 } }, 'concurrency.limit must be an integer from 1 to 2147483647'],
  [
    { concurrency: { key: 'a', limit: 2 ** 31 } },
    'concurrency.limit must be an integer from 1 to 2147483647',
  ],
  [
    { concurrency: { key: 'a', limit: Infinity } },
    'concurrency.limit must be an integer from 1 to 2147483647',
  ],
  [{ concurrency: { key: 'x'.repeat(513), limit: 1 } }, 'concurrency.key must be at most 512 bytes of UTF-8'],
  [
    { concurrency: { key: '\udc00', limit: 1 } },
    'concurrency.key must be well-formed Unicode (it has half a surrogate pair)',
  ],
  [{ concurrency: { key: 'a', limit: 1, whenFull: 'wait' } }, 'concurrency.whenFull is not a known key'],
  [{ tx: null }, 'tx needs a broker in your own database, such as that of @retry/postgres'],
  [{ tx: {} }, 'tx needs a broker in your own database, such as that of @retry/postgres'],
];

describe('createQueue', () => {
  it.each([
    [undefined, ['broker must be a broker']],
    [{}, ['broker must be a broker']],
    [{ broker: null }, ['broker must be a broker']],
    [{ broker: 'redis://localhost' }, ['broker must be a broker']],
    [{ broker: createMemoryBroker(), clock: Date }, ['clock must be a clock']],
    [{ broker: createMemoryBroker(), prefix: 'a' }, ['prefix is not a known key']],
    [null, ['must be an object']],
  ])('refuses %o', async (options, problems) => {
    const made = Promise.resolve().then(() => createQueue(options as never));

    expect(await problemsOf(made)).toEqual(problems);
  });

  it('names the factory of each broker to one that has none', () => {
    expect(() => createQueue({} as never)).toThrow(
      'Use broker: createMemoryBroker(), createRedisBroker({ url }) or createPostgresBroker({ url }).',
    );
  });

  it('takes undefined for an option that was left out', () => {
    expect(() => createQueue({ broker: createMemoryBroker(), clock: undefined })).not.toThrow();
  });
});

describe.each(['submit', 'submitMany', 'submitAndWait'] as const)('%s', (verb) => {
  const call = (given: unknown, options?: unknown) => {
    const { queue } = setScene();
    const payload = verb === 'submitMany' ? [1] : 1;
    return { queue, called: queue[verb](given as typeof task, payload as never, options as never) };
  };

  it.each(['ok', null, undefined, 5, {}, { name: 'mail', run: () => {} }])(
    'refuses %o, which is no task',
    async (given) => {
      const { queue, called } = call(given);

      expect(await problemsOf(called)).toEqual(['task must be a task']);
      expect((await queue.counts()).created).toBe(0);
    },
  );

  it('says of a list, which other queues take, how many runs are submitted', async () => {
    const jobs = [{ task, payload: 1 }];

    await expect(call(jobs).called).rejects.toThrow('Use submitMany(task, payloads), a call for each task.');
  });

  it.each(SUBMIT_PROBLEMS)('refuses %o', async (options, problem) => {
    const { queue, called } = call(task, options);

    const expected = verb === 'submitAndWait' && 'tx' in options ? 'tx is not a known key' : problem;
    expect(await problemsOf(called)).toEqual([expected]);
    expect((await queue.counts()).created).toBe(0);
  });

  it.each([null, 5, 'a', [], () => {}])('refuses the options %o', async (options) => {
    expect(await problemsOf(call(task, options).called)).toEqual(['must be an object']);
  });

  it('lists every problem, including those of the task', async () => {
    expect(await problemsOf(call('ok', { delay: -1, runAt: 'now', dealy: 1 }).called)).toEqual([
      'dealy is not a known key',
      'task must be a task',
      'runAt must be an instant: epoch milliseconds, ISO text with a time zone, or a Date',
      'delay must be a finite duration ≥ 0',
    ]);
  });
});

describe('a key', () => {
  it.each(BAD_TEXTS)('that is or has %s is refused', async (_name, key, problem) => {
    const { queue } = setScene();

    expect(await problemsOf(queue.submit(task, 1, { key: key as string }))).toEqual([`key ${problem}`]);
  });

  it('may be as long as the name of its task leaves room, and the error says how long that is', async () => {
    const { queue } = setScene();
    const long = defineTask({ name: 'é'.repeat(100), run: (_: unknown) => {} });

    await queue.submit(long, 1, { key: 'x'.repeat(311) });

    expect(await problemsOf(queue.submit(long, 1, { key: 'x'.repeat(312) }))).toEqual([
      "key must be at most 311 bytes of UTF-8, because the task's name is part of the id",
    ]);
    expect(await problemsOf(queue.submit(task, 1, { key: '€'.repeat(400) }))).toEqual([
      "key must be at most 507 bytes of UTF-8, because the task's name is part of the id",
    ]);
  });

  it('is no option of submitMany', async () => {
    const { queue } = setScene();

    expect(await problemsOf(queue.submitMany(task, [1], { key: 'a' } as never))).toEqual([
      'key is not a known key',
    ]);
  });
});

describe('submitMany', () => {
  it.each([undefined, null, 'abc', { 0: 1 }, new Set([1])])('refuses the payloads %o', async (payloads) => {
    const { queue } = setScene();

    expect(await problemsOf(queue.submitMany(task, payloads as never))).toEqual([
      'payloads must be a list of at most 1000000 payloads',
    ]);
  });
});

/** Overloads of different verbs have no common call. */
function callOf(
  queue: Queue,
  verb: 'get' | 'result' | 'cancel' | 'waitForResult',
): (id: string) => Promise<unknown> {
  return (id) => (queue[verb] as (id: string) => Promise<unknown>)(id);
}

describe.each(['get', 'result', 'cancel', 'waitForResult'] as const)('%s', (verb) => {
  it.each([
    ...BAD_TEXTS.filter(([name]) => name !== 'an object'),
    ['undefined', undefined, 'must be text'] as const,
  ])('refuses an id that is or has %s', async (_name, id, problem) => {
    const { queue } = setScene();

    expect(await problemsOf(callOf(queue, verb)(id as string))).toEqual([`id ${problem}`]);
  });

  it('refuses an id of more than 512 bytes', async () => {
    const { queue } = setScene();

    expect(await problemsOf(callOf(queue, verb)('€'.repeat(171)))).toEqual([
      'id must be at most 512 bytes of UTF-8',
    ]);
  });
});

describe('waitForResult', () => {
  it.each([
    [{ timeout: 'soon' }, 'timeout must be a duration ≥ 0'],
    [{ timeout: -1 }, 'timeout must be a duration ≥ 0'],
    [{ timeout: null }, 'timeout must be a duration ≥ 0'],
    [{ signal: new AbortController() }, 'signal must be an AbortSignal'],
    [{ signal: null }, 'signal must be an AbortSignal'],
    [{ timeoutMs: 5 }, 'timeoutMs is not a known key'],
  ])('refuses %o', async (options, problem) => {
    const { queue } = setScene();

    expect(await problemsOf(queue.waitForResult('a', options as never))).toEqual([problem]);
  });
});

const FILTER_PROBLEMS: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ limit: -1 }, 'limit must be an integer from 1 to 100000'],
  [{ limit: 0 }, 'limit must be an integer from 1 to 100000'],
  [{ limit: Number.NaN }, 'limit must be an integer from 1 to 100000'],
  [{ limit: 1.5 }, 'limit must be an integer from 1 to 100000'],
  [{ limit: null }, 'limit must be an integer from 1 to 100000'],
  [{ limit: 100_001 }, 'limit must be an integer from 1 to 100000'],
  [{ state: 'completed' }, 'state is not one of the choices'],
  [{ state: null }, 'state is not one of the choices'],
  [{ task: 'mail@1' }, 'task must be a task, or the name of one'],
  [{ task: null }, 'task must be a task, or the name of one'],
  [{ version: '1' }, 'task is required with version'],
  [{ group: 'a group' }, 'group must be the id of an error group'],
  [{ newerThan: -1 }, 'newerThan must be a finite duration ≥ 0'],
  [{ errorName: '' }, 'errorName must be the name of an error'],
  [{ errorName: 5 }, 'errorName must be the name of an error'],
  [{ olderThan: '5 minutes' }, 'olderThan must be a finite duration ≥ 0'],
  [{ olderThan: 'Infinity' }, 'olderThan must be a finite duration ≥ 0'],
  [{ ids: 'a' }, 'ids must be a list of at most 100000 ids'],
  [{ ids: null }, 'ids must be a list of at most 100000 ids'],
  [{ ids: ['a', ''] }, 'ids[1] must not be empty'],
  [{ ids: [5] }, 'ids[0] must be text'],
  [{ id: 'a' }, 'id is not a known key'],
];

describe.each(['list', 'redrive', 'discard'] as const)('deadLetters.%s', (verb) => {
  const all = verb === 'list' ? {} : { all: true };

  it.each(FILTER_PROBLEMS)('refuses %o', async (filter, problem) => {
    const { queue } = setScene();

    const problems = await problemsOf(queue.deadLetters[verb]({ ...all, ...filter }));

    // A list is by pages.
    expect(problems).toEqual([verb === 'list' ? problem.replace('to 100000', 'to 1000') : problem]);
  });
});

describe.each(['redrive', 'discard'] as const)('deadLetters.%s', (verb) => {
  it.each([undefined, {}, { ids: undefined }, { limit: 5 }, { all: false }])(
    'refuses %o, which selects no dead letters',
    async (filter) => {
      const { queue } = setScene();

      expect(await problemsOf(queue.deadLetters[verb](filter as never))).toEqual([
        'must select dead letters',
      ]);
    },
  );

  it.each([{ all: 1 }, { all: 'yes' }, { all: null }])('refuses %o', async (filter) => {
    const { queue } = setScene();

    expect(await problemsOf(queue.deadLetters[verb]({ ids: ['a'], ...filter } as never))).toEqual([
      'all is not one of the choices',
    ]);
  });
});

describe('deadLetters.redrive', () => {
  it.each([
    [{ perSecond: 5 }, 'perSecond is not a known key'],
    [{ dryRun: 1 }, 'dryRun is not one of the choices'],
    [{ isDryRun: true }, 'isDryRun is not a known key'],
    [{ keepAttempts: true }, 'task is required with keepAttempts'],
    [{ keepAttempts: 'yes' }, 'keepAttempts is not one of the choices'],
  ])('refuses %o', async (filter, problem) => {
    const { queue } = setScene();

    expect(await problemsOf(queue.deadLetters.redrive({ all: true, ...filter } as never))).toEqual([problem]);
  });
});

describe('the cure of an unknown option', () => {
  const cureOf = async (call: Promise<unknown>): Promise<string | undefined> => {
    const error: unknown = await call.catch((caught: unknown) => caught);
    return error instanceof InvalidOptionsError ? error.problems[0]?.cure : undefined;
  };

  it.each([
    [{ idempotencyKey: 'a' }, 'Use key.'],
    [{ jobId: 'a' }, 'Use key.'],
    [{ uniqueKey: 'a' }, 'Use unique: { key: … } for one run at a time, or key to submit only once.'],
    [{ singleton_key: 'a' }, 'Use unique: { key: … } for one run at a time, or key to submit only once.'],
    [
      { deduplication: { id: 'a' } },
      'Use unique: { key: … } for one run at a time, or key to submit only once.',
    ],
    [{ delayMs: 5 }, "Use delay: it takes milliseconds or text like '2s'."],
    [{ run_at: 5 }, 'Use runAt.'],
    [{ eta: 5 }, 'Use runAt.'],
    [
      { dealy: '1h' },
      'Did you mean delay? Known keys are key, unique, runAt, delay, retry, concurrency, keepResult, context, spent, tx.',
    ],
  ])('of submit names the right key for %o', async (options, cure) => {
    const { queue } = setScene();

    expect(await cureOf(queue.submit(task, 1, options as never))).toBe(cure);
  });

  it.each([
    [{ priority: 1 }, 'first in, first out'],
    [{ lifo: true }, 'first in, first out'],
    [{ removeOnComplete: true }, 'keepCompleted'],
    [{ retentionSeconds: 60 }, 'keepCompleted'],
    [{ removeOnFail: 100 }, "deadLetter: 'none' of the task"],
    [{ deadLetter: 'other' }, 'deadLetter of the task'],
    [{ expireInSeconds: 60 }, "retry: { attemptTimeout: '30s' }"],
    [{ heartbeatSeconds: 60 }, 'lease of the worker'],
    [{ queueName: 'a' }, 'concurrency: { key: …, limit: 1 }'],
    [{ group: { id: 'a' } }, 'concurrency: { key: …, limit: 1 }'],
    [{ singletonSeconds: 60 }, "unique: { key: …, until: '10s' }"],
    [{ repeat: { pattern: '0 * * * *' } }, "queue.schedule(id, { task, payload, cron: '30 2 * * *' })"],
    [{ parent: { id: '1' } }, 'next task'],
  ])('that only other queues have says what to do instead: %o', async (options, cure) => {
    const { queue } = setScene();

    expect(await cureOf(queue.submit(task, 1, options as never))).toContain(cure);
    expect(await cureOf(queue.submitAndWait(task, 1, options as never))).toContain(cure);
    expect(await cureOf(queue.submitMany(task, [1], options as never))).toContain(cure);
    expect(await cureOf(queue.submitMany(task, [1], { each: () => options as never }))).toContain(cure);
    expect(await cureOf(queue.resubmit('report@1', options as never))).toContain(cure);
  });

  it.each([
    [{ isDryRun: true }, 'Use dryRun.'],
    [{ id: 'a' }, 'Use ids.'],
  ])('of redrive names the right key for %o', async (options, cure) => {
    const { queue } = setScene();

    expect(await cureOf(queue.deadLetters.redrive({ all: true, ...options } as never))).toBe(cure);
  });
});
