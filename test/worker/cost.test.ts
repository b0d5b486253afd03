import type { Reservation, StartCorrection } from '@retry/core/broker';
import type { TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { Scene } from './scene.ts';
import { pass, setScene, untilStopped } from './scene.ts';

interface Prompt {
  readonly tokens: number;
}

const TOKENS = { limit: 10, window: '1m', cost: ({ tokens }: Prompt) => tokens } as const;

/** A handler that notes when its runs start, and what they cost, and ends 10 ms later. */
function starter({ clock }: Scene) {
  const started: (readonly [at: number, tokens: number])[] = [];
  const run = async ({ tokens }: Prompt): Promise<void> => {
    started.push([clock.now(), tokens]);
    await pass(clock, 10);
  };
  return { started, run };
}

const promptsOf = (...tokens: readonly number[]): readonly Prompt[] =>
  tokens.map((each) => ({ tokens: each }));

/** What the worker asks the broker for. */
function spyOn({ broker }: Scene) {
  const reserve = vi.spyOn(broker, 'reserve');
  const asked = (): readonly (Reservation | StartCorrection)[] =>
    reserve.mock.calls.flatMap(([requests]) => requests);
  const corrections = (): readonly number[] =>
    asked().flatMap((request) => ('grantedAt' in request ? [request.count] : []));
  return { asked, corrections };
}

describe('the cost of starts', () => {
  it('counts against the limit of all workers', async () => {
    const scene = setScene();
    const { started, run } = starter(scene);
    const task = defineTask({ name: 'a', globalRateLimit: TOKENS, run });
    await scene.queue.submitMany(task, promptsOf(4, 4, 4, 4, 4));
    for (let count = 0; count < 2; count += 1) scene.startWorker({ tasks: [task] });

    await scene.clock.advance('3m');

    const windows = started.map(([at]) => Math.floor(at / 60_000));
    expect(windows).toEqual([0, 0, 1, 1, 2]);
  });

  it('is asked for with one call, starts the first ones that fit, and gives the rest back', async () => {
    const scene = setScene();
    const { asked } = spyOn(scene);
    const { started, run } = starter(scene);
    const task = defineTask({ name: 'a', globalRateLimit: TOKENS, run });
    await scene.queue.submitMany(task, promptsOf(3, 4, 5, 1));
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1s');

    const limit = { key: 'a', limit: 10, windowMs: 60_000 };
    expect(asked().slice(0, 2)).toEqual([
      { ...limit, count: 13, least: 3 },
      { key: 'a', grantedAt: 0, count: -3 },
    ]);
    expect(started.map(([, tokens]) => tokens)).toEqual([3, 4]);
  });

  it('keeps small runs from overtaking a large one that waits for its share', async () => {
    const scene = setScene();
    const { started, run } = starter(scene);
    const task = defineTask({ name: 'a', globalRateLimit: TOKENS, run });
    await scene.queue.submitMany(task, promptsOf(6, 9, 1, 1, 1));
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('3m');

    expect(started.map(([, tokens]) => tokens)).toEqual([6, 9, 1, 1, 1]);
    expect(started[1]?.[0]).toBeGreaterThan(60_000);
  });

  it('is rounded up, and 1 where there is no function', async () => {
    const scene = setScene();
    const { asked } = spyOn(scene);
    const { run } = starter(scene);
    const byHalves = defineTask({ name: 'a', globalRateLimit: { ...TOKENS, key: 'a' }, run });
    const plain = defineTask({ name: 'b', globalRateLimit: { limit: 10, window: '1m' }, run });
    await scene.queue.submitMany(byHalves, promptsOf(0.5, 2.001));
    await scene.queue.submitMany(plain, promptsOf(7, 7));
    scene.startWorker({ tasks: [byHalves, plain] });

    await scene.clock.advance('1s');

    const limit = { limit: 10, windowMs: 60_000 };
    expect(asked()).toEqual([
      { ...limit, key: 'a', count: 4 },
      { ...limit, key: 'b', count: 2 },
    ]);
  });

  it.each([
    ['no number', () => Number.NaN, 'answered NaN'],
    ['0', () => 0, 'answered 0'],
    ['less than 0', () => -1, 'answered -1'],
    ['a promise', () => Promise.reject(new Error('late')) as never, 'answered a promise'],
    ['nothing', () => undefined as never, 'answered undefined'],
    ['more than the limit', () => 10.5, 'costs 10.5, more than the limit of 10'],
    ['Infinity', () => Number.POSITIVE_INFINITY, 'costs Infinity, more than the limit of 10'],
    [
      'an error',
      () => {
        throw new Error('no table of prices');
      },
      'threw',
    ],
  ])('that is %s ends the run, without a retry, and the others start', async (_, cost, message) => {
    const scene = setScene();
    const { started, run } = starter(scene);
    const task = defineTask({
      name: 'a',
      globalRateLimit: {
        ...TOKENS,
        cost: (prompt: Prompt) => (prompt.tokens === 9 ? cost() : prompt.tokens),
      },
      rateLimit: { limit: 3, window: '1m' },
      run,
    });
    const [first] = await scene.queue.submitMany(task, promptsOf(9, 1, 1, 1));
    const worker = scene.startWorker({ tasks: [task], concurrency: 1 });

    await scene.clock.advance('1s');

    const [failed] = worker.emittedOf('failed');
    expect(failed).toMatchObject({
      reason: 'unreadable',
      error: { name: 'CostError', code: 'INVALID_COST' },
    });
    expect(String(failed?.error)).toContain(message);
    expect(await scene.queue.get(first?.id ?? '')).toMatchObject({ state: 'failed' });
    expect(started).toHaveLength(3);
  });

  it('has the error of the function as its cause', async () => {
    const scene = setScene();
    const thrown = new Error('no table of prices');
    const cost = (): number => {
      throw thrown;
    };
    const task = defineTask({ name: 'a', globalRateLimit: { ...TOKENS, cost }, run: starter(scene).run });
    await scene.queue.submit(task, { tokens: 1 });
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1s');

    expect(worker.emittedOf('failed')[0]?.error).toMatchObject({ cause: thrown });
  });

  it("lets small runs start that fit where whenFull is 'end'", async () => {
    const scene = setScene();
    const { started, run } = starter(scene);
    const task = defineTask({ name: 'a', globalRateLimit: TOKENS, whenFull: 'end', run });
    await scene.queue.submitMany(task, promptsOf(6, 9, 1, 9, 3));
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1s');

    expect(started.map(([, tokens]) => tokens)).toEqual([6, 1, 3]);
    expect(worker.emittedOf('limited')).toHaveLength(2);
  });

  it('lets workers claim about as many runs as may start, and give back hardly more than without costs', async () => {
    const play = async (limit: number, cost?: (prompt: Prompt) => number) => {
      const scene = setScene();
      const { started, run } = starter(scene);
      const task = defineTask({ name: 'a', globalRateLimit: { limit, window: '1s', cost }, run });
      await scene.queue.submitMany(task, promptsOf(...Array(400).fill(100)));
      const workers = Array.from({ length: 2 }, () => scene.startWorker({ tasks: [task], concurrency: 50 }));
      await scene.clock.advance('20s');
      const released = workers.flatMap((worker) => worker.emittedOf('released')).length;
      return { released, started: started.length };
    };

    const [plain, costly] = [await play(10), await play(1_000, ({ tokens }) => tokens)];

    expect(costly.started).toBeGreaterThanOrEqual(190 * 0.95);
    expect(costly.released).toBeLessThanOrEqual(plain.released * 1.5);
  });

  it('may write the type of the payload, and changes nothing of the type that is submitted', () => {
    const task = defineTask({
      name: 'a',
      globalRateLimit: { limit: 1, window: '1s', cost: ({ tokens }: { tokens: number }) => tokens },
      run: (_: { tokens: number; text: string }, _ctx) => {},
    });

    expectTypeOf(task.run).parameter(0).toEqualTypeOf<{ tokens: number; text: string }>();
    // @ts-expect-error text is missing
    const wrong = (queue: Scene['queue']) => queue.submit(task, { tokens: 1 });
    expect(wrong).toBeTypeOf('function');
  });

  it.each([5, async () => 1, function* () {}])('is refused where it cannot answer a number: %o', (cost) => {
    const define = () =>
      defineTask({ name: 'a', globalRateLimit: { ...TOKENS, cost: cost as never }, run: untilStopped });

    expect(define).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ path: 'globalRateLimit.cost' })] }),
    );
  });
});

describe('ctx.spend', () => {
  /** A task whose handler spends what it is told, and the corrections that the broker gets. */
  function spender(spend: (ctx: TaskContext, scene: Scene) => unknown, limit: object = TOKENS) {
    const scene = setScene();
    const { corrections } = spyOn(scene);
    const startedAt: number[] = [];
    const task = defineTask({
      name: 'a',
      globalRateLimit: { ...TOKENS, ...limit },
      retry: { maxAttempts: 1 },
      run: async (_: Prompt, ctx) => {
        startedAt.push(scene.clock.now());
        await spend(ctx, scene);
      },
    });
    return { scene, task, startedAt, corrections };
  }

  it('frees what a run has not spent, at once', async () => {
    const { scene, task, startedAt } = spender(async ({ spend }, { clock }) => {
      await pass(clock, 1_000);
      spend(2);
    });
    await scene.queue.submitMany(task, promptsOf(9, 9, 9, 9, 9, 9));
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('30s');

    // 2 + … + 9 is no more than 10 once.
    expect(startedAt).toHaveLength(1);
    await scene.clock.advance('10m');
    expect(startedAt).toHaveLength(6);
  });

  it('lets others start long before the window is over', async () => {
    const { scene, task, startedAt } = spender(async ({ spend }, { clock }) => {
      await pass(clock, 1_000);
      spend(1);
    });
    await scene.queue.submitMany(task, promptsOf(5, 5, 5, 5, 5, 5));
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('10s');

    expect(startedAt).toHaveLength(6);
  });

  it('counts what a run has spent beyond what it asked for', async () => {
    const { scene, task, startedAt } = spender(({ spend }) => spend(35));
    await scene.queue.submitMany(task, promptsOf(5, 5, 5));
    scene.startWorker({ tasks: [task], concurrency: 1 });

    await scene.clock.advance('59s');
    expect(startedAt).toHaveLength(1);
    await scene.clock.advance('5s');

    expect(startedAt).toHaveLength(2);
  });

  it('takes the latest of several calls, as the cost in all, also after the end', async () => {
    let later = (_: number): void => {};
    const { scene, task, corrections } = spender(({ spend }) => {
      later = spend;
      spend(3);
      spend(4.2);
      spend(4.9);
    });
    await scene.queue.submit(task, { tokens: 1 });
    scene.startWorker({ tasks: [task] });
    await scene.clock.advance('1s');
    later(0);

    await scene.clock.advance('1s');

    expect(corrections()).toEqual([2, 2, -5]);
    expect((await scene.broker.audit()).ended.completed).toBe(1);
  });

  it('corrects a start that has no cost of its own', async () => {
    const { scene, task, corrections } = spender(({ spend }) => spend(7), { cost: undefined });
    await scene.queue.submit(task, { tokens: 1 });
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1s');

    expect(corrections()).toEqual([6]);
  });

  it('tells the broker nothing where the estimate was right', async () => {
    const { scene, task, corrections } = spender(({ spend }) => spend(4));
    await scene.queue.submit(task, { tokens: 4 });
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1s');

    expect(corrections()).toEqual([]);
  });

  it.each([Number.NaN, -1, 1e9 + 1, Number.POSITIVE_INFINITY, undefined, '5'])(
    'reports %s, corrects nothing, and changes no outcome',
    async (actual) => {
      const { scene, task, corrections } = spender(({ spend }) => spend(actual as never));
      await scene.queue.submit(task, { tokens: 4 });
      const worker = scene.startWorker({ tasks: [task] });

      await scene.clock.advance('1s');

      expect(worker.emittedOf('error')).toMatchObject([
        {
          error: { code: 'INVALID_OPTIONS', problems: [{ path: 'actual', value: actual }] },
          doing: expect.stringMatching(/^correcting what run .+ has cost$/),
        },
      ]);
      expect(corrections()).toEqual([]);
      expect((await scene.broker.audit()).ended.completed).toBe(1);
    },
  );

  it('reports that a task has no limit to correct', async () => {
    const scene = setScene();
    const task = defineTask({ name: 'a', run: (_: null, { spend }) => spend(5) });
    await scene.queue.submit(task, null);
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('1s');

    expect(worker.emittedOf('error')).toMatchObject([{ error: { code: 'INVALID_OPTIONS' } }]);
    expect((await scene.broker.audit()).ended.completed).toBe(1);
  });

  it('sends again what adds to a limit, and not what takes away, when a call has failed; the run completes', async () => {
    const scene = setScene();
    const { reserve } = scene.broker;
    const sent: (readonly number[])[] = [];
    const failing = vi.fn<typeof reserve>(async (requests) => {
      const counts = requests.flatMap((request) => ('grantedAt' in request ? [request.count] : []));
      if (counts.length > 0) sent.push(counts);
      if (counts.length > 0 && sent.length < 3) throw new Error('not now');
      return reserve(requests);
    });
    const task = defineTask({
      name: 'a',
      globalRateLimit: TOKENS,
      run: ({ tokens }: Prompt, { spend }) => spend(tokens === 1 ? 3 : 1),
    });
    await scene.queue.submitMany(task, promptsOf(1, 6));
    const worker = scene.startWorker({ broker: { ...scene.broker, reserve: failing }, tasks: [task] });

    await scene.clock.advance('30s');

    expect(sent).toEqual([[2, -5], [2], [2]]);
    expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual(Array(2).fill('correcting starts'));
    expect((await scene.broker.audit()).ended.completed).toBe(2);
  });

  it('is told to the broker before the worker has stopped', async () => {
    const { scene, task, corrections } = spender(async ({ spend }, { clock }) => {
      await pass(clock, 1_000);
      spend(9);
    });
    await scene.queue.submit(task, { tokens: 4 });
    const worker = scene.startWorker({ tasks: [task] });
    await scene.clock.advance('500ms');

    const stopped = worker.stop();
    await scene.clock.advance('1s');
    await stopped;

    expect(corrections()).toEqual([5]);
  });

  it('keeps a worker that stops from nothing when the broker cannot be told', async () => {
    const scene = setScene();
    const { reserve } = scene.broker;
    const failing: typeof reserve = async (requests) => {
      if (requests.some((request) => 'grantedAt' in request)) throw new Error('away');
      return reserve(requests);
    };
    const task = defineTask({ name: 'a', globalRateLimit: TOKENS, run: (_: Prompt, { spend }) => spend(9) });
    await scene.queue.submit(task, { tokens: 4 });
    const worker = scene.startWorker({ broker: { ...scene.broker, reserve: failing }, tasks: [task] });
    await scene.clock.advance('1s');

    const stopped = worker.stop();
    await scene.clock.advance('1s');
    await stopped;

    expect(worker.emittedOf('error').length).toBeGreaterThan(0);
  });
});
