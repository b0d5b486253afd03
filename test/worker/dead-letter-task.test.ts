import type { Submission } from '@retry/core/broker';
import type { DeadLetter, TaskInput } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { hearWarnings } from '../support/hear-warnings.ts';
import type { Scene } from './scene.ts';
import { setScene, untilStopped } from './scene.ts';

interface Order {
  readonly order: number;
}

const ORDER: Order = { order: 7 };

/** A task that keeps the dead letters that it is run with, and what ran them. */
function collect(input: Partial<TaskInput<DeadLetter<Order>, void>> = {}) {
  const letters: DeadLetter<Order>[] = [];
  const ids: string[] = [];
  const task = defineTask({
    name: 'bury',
    run: (letter: DeadLetter<Order>, { id }) => {
      letters.push(letter);
      ids.push(id);
    },
    ...input,
  });
  return { letters, ids, task };
}

function charging(
  deadLetter: TaskInput<Order, unknown>['deadLetter'],
  input: Partial<TaskInput<Order, unknown>> = {},
) {
  return defineTask<Order, unknown>({
    name: 'charge',
    version: '2',
    retry: { maxAttempts: 2, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
    run: () => {
      throw new TypeError('declined');
    },
    deadLetter,
    ...input,
  });
}

describe('deadLetter: { task }', () => {
  it('submits one run of the other task for a run that has failed, and keeps the dead letter', async () => {
    const { clock, queue, startWorker } = setScene(1_000);
    const { letters, ids, task: bury } = collect();
    const charge = charging({ task: bury });
    const { id } = await queue.submit(charge, ORDER);
    startWorker({ tasks: [charge, bury] });

    await clock.advance('1m');

    expect(letters).toMatchObject([
      {
        ...{ id, task: 'charge', version: '2', payload: ORDER, state: 'failed' },
        ...{ epoch: 2, failures: 2, stalls: 0, releases: 0, rateLimits: 0, redrives: 0 },
        ...{ createdAt: 1_000, endedAt: 2_000 },
      },
    ]);
    const dead = await queue.get(id);
    expect(dead?.state).toBe('failed');
    expect(dead).not.toHaveProperty('isDisposable');
    expect(letters[0]?.errors).toEqual(dead?.errors);
    expect(letters[0]?.errors).toMatchObject([
      { epoch: 1, name: 'TypeError', message: 'declined' },
      { epoch: 2, name: 'TypeError', message: 'declined', stack: expect.stringContaining('declined') },
    ]);
    expect(letters[0]).not.toHaveProperty('payloadOmitted');
    expect(letters[0]).not.toHaveProperty('errorsOmitted');
    expect(await queue.get(ids[0] ?? '')).toMatchObject({ state: 'completed', origin: id, lane: 'bury@1' });
    expect((await queue.deadLetters.list()).runs).toMatchObject([{ id }]);
  });

  it('submits another run when a run that was redriven fails again', async () => {
    const { clock, queue, startWorker } = setScene();
    const { letters, ids, task: bury } = collect();
    const charge = charging({ task: bury });
    const { id } = await queue.submit(charge, ORDER);
    startWorker({ tasks: [charge, bury] });
    await clock.advance('1m');

    await queue.deadLetters.redrive({ ids: [id] });
    await clock.advance('1m');

    expect(letters).toMatchObject([
      { id, epoch: 2, redrives: 0 },
      { id, epoch: 4, redrives: 1 },
    ]);
    expect(new Set(ids).size).toBe(2);
  });

  it('submits nothing for a run that completes, is cancelled or is ended by hand', async () => {
    const { broker, clock, queue, startWorker } = setScene();
    const { letters, task: bury } = collect();
    const charge = charging({ task: bury }, { run: () => 'paid' });
    const [, cancelled, failed] = await queue.submitMany(charge, [ORDER, ORDER, ORDER]);
    await queue.cancel(cancelled?.id ?? '');
    await queue.fail(failed?.id ?? '', new Error('by hand'));
    startWorker({ tasks: [charge, bury] });

    await clock.advance('1m');

    expect(letters).toEqual([]);
    expect(await broker.audit()).toMatchObject({
      created: 3,
      ended: { completed: 1, cancelled: 1, failed: 1 },
    });
  });

  it('submits what died in its own lane when no worker of the other task is there yet', async () => {
    const { clock, queue, startWorker } = setScene();
    const { letters, task: bury } = collect();
    const charge = charging({ task: bury });
    const { id } = await queue.submit(charge, ORDER);
    const warnings = hearWarnings();
    startWorker({ tasks: [charge] });
    await clock.advance('1m');
    expect(warnings).toEqual([
      'RETRY_UNATTENDED_LANE: runs wait in lanes that no live worker works on: bury@1',
    ]);

    startWorker({ tasks: [bury] });
    await clock.advance('1m');

    expect(letters).toMatchObject([{ id }]);
  });

  it('submits with the options of the other task', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const { ids, task: bury } = collect({
      globalConcurrency: 3,
      retry: { initialDelay: '1h', maxAttempts: 1 },
    });
    const charge = charging({ task: bury });
    await queue.submit(charge, ORDER);
    startWorker({ tasks: [charge] });

    await clock.advance('1m');

    const { runs } = await broker.list({ state: 'scheduled', limit: 5 });
    expect(ids).toEqual([]);
    expect(runs).toMatchObject([
      { lane: 'bury@1', runAt: 3_601_000, concurrency: { key: 'bury@1', limit: 3, whenFull: 'wait' } },
    ]);
  });

  it('may follow one another', async () => {
    const { clock, queue, startWorker } = setScene();
    const last = collect({ name: 'last' });
    const letters: DeadLetter[] = [];
    const lastOfAll = defineTask({
      name: 'last-of-all',
      run: (letter: DeadLetter<DeadLetter<Order>>) => void letters.push(letter),
    });
    const middle = defineTask({
      name: 'middle',
      retry: { maxAttempts: 1 },
      run: (_: DeadLetter<Order>) => {
        throw new Error('no room');
      },
      deadLetter: { task: lastOfAll },
    });
    const charge = charging({ task: middle });
    const { id } = await queue.submit(charge, ORDER);
    startWorker({ tasks: [charge, middle, lastOfAll, last.task] });

    await clock.advance('1m');

    expect(letters).toMatchObject([{ task: 'middle', payload: { id, task: 'charge', payload: ORDER } }]);
  });
});

type Death = readonly [
  how: string,
  prepare: (scene: Scene) => Promise<{ id: string; letters: DeadLetter[] }>,
  letter: object,
];

/** Runs a task until its run is dead. */
function dying(input: Partial<TaskInput<Order, unknown>>) {
  return async ({ clock, queue, startWorker }: Scene) => {
    const { letters, task: bury } = collect();
    const charge = charging({ task: bury }, input);
    const { id } = await queue.submit(charge, ORDER);
    startWorker({ tasks: [charge, bury] });
    await clock.advance('1h');
    return { id, letters };
  };
}

const DEATHS: readonly Death[] = [
  [
    'an error that stops',
    dying({ retry: { stopOn: [{ name: 'TypeError' }] } }),
    { state: 'failed', failures: 1 },
  ],
  ['attempts that are exhausted', dying({}), { state: 'failed', failures: 2 }],
  [
    'ctx.retry without attempts left',
    dying({ retry: { maxAttempts: 1 }, run: (_, ctx) => ctx.retry() }),
    { state: 'failed' },
  ],
  ['the total time', dying({ retry: { totalTimeout: '2s' }, run: untilStopped }), { state: 'failed' }],
  [
    'releases that are exhausted',
    dying({ maxReleases: 0, run: (_, ctx) => ctx.release() }),
    { state: 'failed', errors: [{ name: 'ReleasesExhaustedError' }] },
  ],
  [
    'missing heartbeats',
    dying({ heartbeat: '2s', maxStalls: 0, run: untilStopped }),
    { state: 'failed', stalls: 1 },
  ],
  [
    'missing heartbeats, held',
    dying({ heartbeat: '2s', onStall: 'hold', run: untilStopped }),
    { state: 'stalled', stalls: 1 },
  ],
];

describe('a dead letter is submitted after', () => {
  it.each(DEATHS)('%s', async (_, prepare, letter) => {
    const { id, letters } = await prepare(setScene());

    expect(letters).toHaveLength(1);
    expect(letters).toMatchObject([{ id, payload: ORDER, ...letter }]);
  });

  it('a rate limit that ends the run', async () => {
    const { clock, queue, startWorker } = setScene();
    const { letters, task: bury } = collect();
    const charge = charging(
      { task: bury },
      { rateLimit: { limit: 1, window: '1h' }, whenFull: 'end', run: () => 'paid' },
    );
    const [, second] = await queue.submitMany(charge, [ORDER, ORDER]);
    startWorker({ tasks: [charge, bury] });

    await clock.advance('1m');

    expect(letters).toMatchObject([{ id: second?.id, state: 'rateLimited', payload: ORDER, errors: [] }]);
  });

  it.each([
    ['{"order":', 'unreadable'],
    ['{"__proto__":{"order":1}}', 'unreadable'],
  ])('a payload that no handler may read: %s', async (payload, payloadOmitted) => {
    const { broker, clock, startWorker } = setScene();
    const { letters, task: bury } = collect();
    const charge = charging({ task: bury });
    await broker.submit([{ id: 'odd', lane: 'charge@2', payload }]);
    startWorker({ tasks: [charge, bury] });

    await clock.advance('1m');

    expect(letters).toMatchObject([
      { id: 'odd', state: 'failed', payloadOmitted, errors: [{ name: 'PayloadError' }] },
    ]);
    expect(letters[0]).not.toHaveProperty('payload');
  });

  it.each([
    ['fail', 'failed'],
    ['hold', 'stalled'],
  ] as const)('the loss of its worker, found by a cleaner, with the payload: %s', async (onStall, state) => {
    const { broker, clock, queue, startWorker } = setScene();
    const { letters, task: bury } = collect();
    const charge = charging({ task: bury }, { onStall });
    const submitted = await queue.submitMany(
      charge,
      Array.from({ length: 3 }, (_, order) => ({ order })),
    );
    const lanes = new Map([['charge@2', 3]]);
    await broker.exchange({
      claim: { worker: 'lost', requestId: 'r', limit: 3, lanes, leaseMs: 5_000 },
    });
    startWorker({ tasks: [charge, bury] });

    await clock.advance('2m');

    const byOrder = [...letters].sort(
      (one, other) => (one.payload?.order ?? 0) - (other.payload?.order ?? 0),
    );
    expect(byOrder).toMatchObject(
      submitted.map(({ id }, order) => ({
        id,
        state,
        payload: { order },
        errors: [{ name: 'StalledError' }],
      })),
    );
  });

  it('a broker that refuses the settlement, with its error', async () => {
    const { letters, id } = await refusing(({ settle = [] }) =>
      settle.some(({ next }) => next.result === '"bad"'),
    );

    expect(letters).toMatchObject([
      { id, state: 'failed', payload: ORDER, errors: [{ message: 'refused' }] },
    ]);
  });

  it('a broker that refuses the payload, too, without it', async () => {
    const { letters, id } = await refusing(({ settle = [] }) =>
      settle.some(({ next, submit }) => next.result === '"bad"' || submit?.payload.includes('"order":7')),
    );

    expect(letters).toMatchObject([{ id, state: 'failed', payloadOmitted: 'refused' }]);
    expect(letters[0]).not.toHaveProperty('payload');
  });

  it('but not when the broker refuses every submission: then the dead letter alone is kept', async () => {
    const { letters, id, queue } = await refusing(({ settle = [] }) =>
      settle.some(({ next, submit }) => next.result === '"bad"' || submit !== undefined),
    );

    expect(letters).toEqual([]);
    expect(await queue.get(id)).toMatchObject({ state: 'failed', errors: [{ message: 'refused' }] });
  });
});

describe('a submission of a dead letter that the broker refuses', () => {
  it('costs the payload, when that is what it refuses, and no error of the run', async () => {
    const { letters, run } = await failing((submit) => submit.payload.includes('"order":7'));

    expect(letters).toMatchObject([{ state: 'failed', payloadOmitted: 'refused' }]);
    expect(run).toMatchObject({
      state: 'failed',
      errors: [{ message: 'declined' }, { message: 'declined' }],
    });
  });

  it('leaves a dead letter with its own errors, and is reported once', async () => {
    const { letters, run, errors } = await failing(() => true);

    expect(letters).toEqual([]);
    expect(run).toMatchObject({
      state: 'failed',
      errors: [{ message: 'declined' }, { message: 'declined' }],
    });
    expect(errors.filter(({ doing }) => doing.startsWith('submitting'))).toMatchObject([
      {
        error: { message: 'refused' },
        doing: `submitting the dead letter of run ${run?.id} to the lane bury@1`,
      },
    ]);
  });
});

/** A run that fails twice, on a broker that refuses some of the submissions of its settlements. */
async function failing(refuses: (submit: Submission) => boolean) {
  const { clock, startWorker, broker } = setScene();
  const { letters, task: bury } = collect();
  const charge = charging({ task: bury });
  const faulty = {
    ...broker,
    exchange: async (request: Parameters<typeof broker.exchange>[0]) => {
      const { settle = [] } = request;
      if (settle.some(({ submit }) => submit !== undefined && refuses(submit)))
        throw new TypeError('refused');
      return broker.exchange(request);
    },
  };
  const queue = createQueue({ broker, clock });
  const { id } = await queue.submit(charge, ORDER);
  const worker = startWorker({ tasks: [charge, bury], broker: faulty });
  await clock.advance('5m');
  return { letters, run: await queue.get(id), errors: worker.emittedOf('error') };
}

/** A run whose result the broker refuses, and with it whatever else `refuses` says. */
async function refusing(
  refuses: (request: {
    settle?: readonly { next: { result?: string | undefined }; submit?: Submission }[];
  }) => boolean | undefined,
) {
  const { clock, startWorker, broker } = setScene();
  const { letters, task: bury } = collect();
  const charge = charging({ task: bury }, { run: () => 'bad' });
  const faulty = {
    ...broker,
    exchange: async (request: Parameters<typeof broker.exchange>[0]) => {
      if (refuses(request) === true) throw new TypeError('refused');
      return broker.exchange(request);
    },
  };
  const queue = createQueue({ broker, clock });
  const { id } = await queue.submit(charge, ORDER);
  startWorker({ tasks: [charge, bury], broker: faulty });
  await clock.advance('5m');
  return { letters, id, queue };
}

describe('the option deadLetter', () => {
  it('takes a task whose handler takes dead letters', () => {
    const { task: bury } = collect();
    const any = defineTask({ name: 'any', run: (_: DeadLetter) => {} });
    const wrong = defineTask({ name: 'wrong', run: (_: { readonly to: string }) => {} });

    defineTask({ name: 'a', run: (_: Order) => {}, deadLetter: { task: bury } });
    defineTask({ name: 'b', run: (_: Order) => {}, deadLetter: { task: any } });
    // @ts-expect-error their dead letters have another payload
    defineTask({ name: 'e', run: (_: { readonly other: string }) => {}, deadLetter: { task: bury } });
    // @ts-expect-error or have it in some cases only
    defineTask({ name: 'f', run: (_: Order | { readonly other: string }) => {}, deadLetter: { task: bury } });
    defineTask({ name: 'g', run: (_: Order & { readonly more: string }) => {}, deadLetter: { task: bury } });
    defineTask({ name: 'h', run: (_: { readonly other: string }) => {}, deadLetter: { task: any } });
    defineTask({ name: 'i', run: (_: unknown) => {}, deadLetter: { task: bury } });
    defineTask({ name: 'j', run: () => {}, deadLetter: { task: bury } });
    // A dead letter has what was submitted, as JSON returns it, and not what the schema made of it.
    const ofDate = defineTask({ name: 'k', run: (_: DeadLetter<{ readonly at: string }>) => {} });
    defineTask({
      name: 'l',
      schema: z.object({ at: z.date() }),
      run: ({ at }) => at.getTime(),
      deadLetter: { task: ofDate },
    });
    // @ts-expect-error the payload of these runs is a DeadLetter
    defineTask({ name: 'c', run: (_: Order) => {}, deadLetter: { task: wrong } });
    defineTask({
      name: 'd',
      deadLetter: { task: bury },
      run: (order: Order, { attempt }) => expectTypeOf(order).toEqualTypeOf<Order>() && attempt,
    });

    expectTypeOf<DeadLetter<Order>['payload']>().toEqualTypeOf<Order | undefined>();
  });

  it.each([
    [{ task: 'bury' }, 'deadLetter.task must be a task'],
    [{}, 'deadLetter.task must be a task'],
    [{ tasks: [] }, 'deadLetter.tasks'],
    ['keep', "deadLetter must be 'save', 'none' or { task }"],
    [null, 'deadLetter'],
  ])('refuses %j', (deadLetter, message) => {
    expect(() => charging(deadLetter as never)).toThrow(message);
  });

  it('refuses a bare task as one problem, and shows the braces', () => {
    const { task: bury } = collect();

    expect(() => charging(bury as never)).toThrow(
      expect.objectContaining({
        problems: [
          expect.objectContaining({
            path: 'deadLetter',
            message: "must be 'save', 'none' or { task }",
            cure: 'Use deadLetter: { task: sendRefund }.',
          }),
        ],
      }),
    );
  });
});
