import { NonRetryableError, RetryAfterError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { pass, setScene } from './scene.ts';

const NO_JITTER = { backoff: { type: 'constant', base: '1s' }, jitter: 'none' } as const;

/** The error of a client whose server answered with this status and these headers. */
function answered(status: number, headers: Readonly<Record<string, string>>): Error {
  return Object.assign(new Error(`HTTP ${status}`), { status, headers });
}

/** The broker, how often holds are read and written, and how long such a read takes. */
function counted({ broker, clock }: Pick<Scene, 'broker' | 'clock'>, readMs = 0) {
  const calls = { all: 0, read: 0, write: 0 };
  const { notes } = broker;
  const isHold = (key: string): boolean => key.startsWith('hold/');
  const read: typeof notes.read = async (query) => {
    calls.all += 1;
    if (!isHold(query.prefix)) return notes.read(query);
    calls.read += 1;
    if (readMs > 0) await pass(clock, readMs);
    return notes.read(query);
  };
  const write: typeof notes.write = (writes) => {
    calls.all += 1;
    calls.write += writes.some(({ key }) => isHold(key)) ? 1 : 0;
    return notes.write(writes);
  };
  const observed: Broker = { ...broker, notes: { ...notes, read, write } };
  return { broker: observed, calls };
}

describe('a task with adapt', () => {
  it('holds its lane for all workers until the server wants to be asked again', async () => {
    const { clock, queue, startWorker } = setScene();
    const started: [string, number][] = [];
    const task = defineTask({
      name: 'call',
      adapt: true,
      retry: NO_JITTER,
      run: (name: string, { attempt }) => {
        started.push([name, clock.now()]);
        if (name === 'first' && attempt === 1) throw answered(429, { 'retry-after': '30' });
      },
    });
    await queue.submit(task, 'first');
    startWorker({ tasks: [task], name: 'one' });
    startWorker({ tasks: [task], name: 'two' });
    await clock.advance('1s');
    await queue.submit(task, 'second');
    await queue.submit(task, 'third');

    expect(await queue.holds()).toEqual([
      {
        lane: 'call@1',
        source: 'handler',
        reason: 'asked by a server: Error: HTTP 429',
        by: expect.stringMatching(/^(one|two)$/),
        heldAt: 0,
        until: 30_000,
      },
    ]);
    await clock.advance('1m');

    expect(started.map(([name]) => name).sort()).toEqual(['first', 'first', 'second', 'third']);
    expect(Math.min(...started.slice(1).map(([, at]) => at))).toBe(30_000);
    // New runs start together; the retry alone is spread upward, by the policy.
    expect(started.filter(([name]) => name !== 'first').map(([, at]) => at)).toEqual([30_000, 30_000]);
  });

  it.each([
    ['429 with Retry-After', answered(429, { 'retry-after': '7' }), 7_000],
    ['503 with Retry-After', answered(503, { 'retry-after': '7' }), 7_000],
    ['a limit of which nothing remains', answered(429, { ratelimit: '"default";r=0;t=8' }), 8_000],
    [
      'a reset, when nothing remains',
      answered(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9' }),
      9_000,
    ],
    ['a RetryAfterError', new RetryAfterError('5s'), 5_000],
    [
      'an answer inside of an error that ends the run',
      withCause(answered(429, { 'retry-after': '4' })),
      4_000,
    ],
    ['more than an hour', answered(429, { 'retry-after': '90000' }), 3_600_000],
  ])('is held by %s', async (_name, error, forMs) => {
    const { clock, queue, startWorker } = setScene();
    const run = (): never => {
      throw error;
    };
    const task = defineTask({ name: 'call', adapt: true, retry: { maxAttempts: 1 }, run });
    await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect((await queue.holds()).map(({ until }) => until)).toEqual([forMs]);
  });

  it.each([
    ['an answer without a delay', answered(429, {}), {}],
    ['a delay of 0', answered(429, { 'retry-after': '0' }), {}],
    ['a server that forbids a retry', answered(429, { 'x-should-retry': 'false' }), {}],
    ['a limit of which something remains', answered(429, { ratelimit: '"default";r=3;t=8' }), {}],
    ['a delay that its policy ignores', answered(429, { 'retry-after': '7' }), { mode: 'ignore' }],
    [
      'a delay that its policy believes not',
      answered(429, { 'retry-after': '7' }),
      { max: '1s', beyondMax: 'ignore' },
    ],
  ] as const)('is not held by %s', async (_name, error, retryAfter) => {
    const { clock, queue, startWorker } = setScene();
    const run = (): never => {
      throw error;
    };
    const task = defineTask({ name: 'call', adapt: true, retry: { maxAttempts: 1, retryAfter }, run });
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect(worker.emittedOf('failed')).toHaveLength(1);
    expect(await queue.holds()).toEqual([]);
  });

  it('is held no longer than the policy allows, although the run ends there', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'call',
      adapt: true,
      retry: { retryAfter: { max: '20s' } },
      run: () => {
        throw answered(429, { 'retry-after': '60' });
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'failed' });
    expect(await queue.holds()).toMatchObject([{ until: 20_000 }]);
  });

  it('keeps to the policy that the run was submitted with', async () => {
    const { clock, queue, startWorker } = setScene();
    const run = (): never => {
      throw answered(429, { 'retry-after': '60' });
    };
    const task = defineTask({ name: 'call', adapt: true, run });
    await queue.submit(task, null, { retry: { retryAfter: { max: '3s' } } });
    startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect(await queue.holds()).toMatchObject([{ until: 3_000 }]);
  });

  it('is held where the handler passes the error to ctx.retry', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'call',
      adapt: true,
      run: (_: null, { retry }) => retry({ error: answered(429, { 'retry-after': '7' }), delay: '1h' }),
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect(await queue.holds()).toMatchObject([{ until: 7_000 }]);
  });

  it('gives back what the worker has claimed in advance, uncharged', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    let handled = 0;
    const task = defineTask({
      name: 'call',
      adapt: true,
      run: async (_: number) => {
        handled += 1;
        const isLimited = handled === 5;
        await pass(clock, 10);
        if (isLimited) throw answered(429, { 'retry-after': '3600' });
      },
    });
    await queue.submitMany(task, Array(200).fill(0));
    startWorker({ tasks: [task], concurrency: 1, prefetch: 50, broker: counted(scene, 7).broker });

    await clock.advance('1m');

    expect(handled).toBeLessThanOrEqual(6);
    expect(await queue.counts()).toMatchObject({ started: 0, ended: { failed: 0 } });
  });

  it('gives back what a claim brings that the server answered before it stored the hold', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const startedAt: number[] = [];
    const task = defineTask({
      name: 'call',
      adapt: true,
      retry: { maxAttempts: 1 },
      run: async (isLimited: boolean) => {
        startedAt.push(clock.now());
        await pass(clock, 10);
        if (isLimited) throw answered(429, { 'retry-after': '30' });
      },
    });
    let claims = 0;
    const exchange: Broker['exchange'] = async (request) => {
      const answer = await broker.exchange(request);
      // The second claim is answered while the first run is being handled, and arrives when the lane is on hold.
      if (request.claim !== undefined) claims += 1;
      if (answer.claimed.some(({ run }) => run.payload === 'false')) await pass(clock, 1_000);
      return answer;
    };
    await queue.submit(task, true);
    startWorker({ tasks: [task], concurrency: 2, broker: { ...broker, exchange } });
    await clock.advance(5);
    await queue.submit(task, false);

    await clock.advance('1m');

    expect(claims).toBeGreaterThanOrEqual(2);
    expect(startedAt).toEqual([0, expect.any(Number)]);
    expect(startedAt[1]).toBeGreaterThanOrEqual(30_000);
  });

  it('is put on hold with one call for attempts that fail together, and one more for those that ask for longer', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = defineTask({
      name: 'call',
      adapt: true,
      retry: { maxAttempts: 1 },
      run: async (seconds: number) => {
        await pass(clock, 10);
        throw answered(429, { 'retry-after': String(seconds) });
      },
    });
    await queue.submitMany(task, [5, 7, 6, ...Array(37).fill(7)]);
    const { broker: observed, calls } = counted(scene, 5);
    startWorker({ tasks: [task], concurrency: 40, broker: observed });

    await clock.advance('1s');

    expect(calls).toMatchObject({ read: 2, write: 2 });
    expect((await queue.holds()).map(({ until }) => until)).toEqual([7_015]);
  });

  it('is not asked for again by attempts that were claimed before it was put on hold, and ask for no longer', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const task = defineTask({
      name: 'call',
      adapt: true,
      retry: { maxAttempts: 1 },
      run: async ([tookMs, seconds]: readonly [number, number]) => {
        await pass(clock, tookMs);
        throw answered(429, { 'retry-after': String(seconds) });
      },
    });
    await queue.submitMany(task, [
      [10, 60],
      ...Array.from({ length: 20 }, (_, index) => [20 + index, 5] as const),
    ]);
    const { broker: observed, calls } = counted(scene);
    startWorker({ tasks: [task], concurrency: 40, broker: observed });
    await clock.advance(15);
    const before = { ...calls };

    await clock.advance('1s');

    expect(before.write).toBe(1);
    expect(calls).toEqual(before);
    expect((await queue.holds()).map(({ until }) => until)).toEqual([60_010]);
  });

  it('is held again by what fails after an operator has resumed it', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'call',
      adapt: true,
      retry: { maxAttempts: 1 },
      run: (seconds: number) => {
        throw answered(429, { 'retry-after': String(seconds) });
      },
    });
    await queue.submit(task, 60);
    startWorker({ tasks: [task] });
    await clock.advance('10s');
    await queue.resume(task);
    await queue.submit(task, 20);

    await clock.advance('1s');

    expect((await queue.holds()).map(({ until }) => until)).toEqual([30_000]);
  });

  it('neither shortens nor replaces the hold of an operator, nor a longer one of a handler', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'call',
      adapt: true,
      retry: { maxAttempts: 1 },
      run: async (_: null, { hold }) => {
        await hold({ for: '5m' });
        await queue.hold(task, { for: '10m', by: 'ada' });
        throw answered(429, { 'retry-after': '30' });
      },
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task] });

    await clock.advance('1s');

    expect((await queue.holds()).map(({ source, until }) => [source, until])).toEqual([
      ['handler', 300_000],
      ['operator', 600_000],
    ]);
  });

  it('settles the run as ever, and says so, when the hold cannot be stored; the next failure tries again', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    let isAway = true;
    const read: typeof broker.notes.read = (query) =>
      isAway && query.prefix.startsWith('hold/')
        ? Promise.reject(new Error('away'))
        : broker.notes.read(query);
    const task = defineTask({
      name: 'call',
      adapt: true,
      retry: { maxAttempts: 1 },
      run: () => {
        throw answered(429, { 'retry-after': '30' });
      },
    });
    const { id } = await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], broker: { ...broker, notes: { ...broker.notes, read } } });
    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 1, releases: 0 });
    expect(worker.emittedOf('error')).toEqual([
      { error: expect.objectContaining({ message: 'away' }), doing: 'putting the lane call@1 on hold' },
    ]);
    expect(await queue.holds()).toEqual([]);
    isAway = false;
    await queue.submit(task, null);
    await clock.advance('1s');
    expect(await queue.holds()).toMatchObject([{ until: 31_000 }]);
  });

  it('stores nothing of an error that redact hides', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'call',
      adapt: true,
      run: () => {
        throw answered(429, { 'retry-after': '30' });
      },
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task], redact: () => ({ name: 'Hidden', message: 'a secret' }) });

    await clock.advance('1s');

    expect(await queue.holds()).toMatchObject([{ reason: 'asked by a server: Hidden: a secret' }]);
  });
});

describe('a task without adapt', () => {
  it('makes no request more for what servers answer', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const calls = async (headers: Readonly<Record<string, string>>) => {
      const task = defineTask({
        name: `call-${Object.keys(headers).length}`,
        retry: { maxAttempts: 1 },
        run: () => {
          throw answered(429, headers);
        },
      });
      const observed = counted(scene);
      await queue.submitMany(task, Array(20).fill(null));
      const worker = startWorker({ tasks: [task], broker: observed.broker });
      await clock.advance('10s');
      await worker.stop();
      return observed.calls;
    };

    const [asked, silent] = [await calls({ 'retry-after': '30' }), await calls({})];

    expect(asked).toEqual(silent);
    expect(asked).toMatchObject({ read: 0, write: 0 });
    expect(await queue.holds()).toEqual([]);
  });
});

/** An error that ends its run, and whose cause this is. */
function withCause(cause: Error): Error {
  return new NonRetryableError('given up', { cause });
}
