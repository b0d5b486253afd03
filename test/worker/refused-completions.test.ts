import { InvalidOptionsError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene, untilStopped } from './scene.ts';

const ONCE = { maxAttempts: 1 } as const;
const CYCLE: Record<string, unknown> = {};
CYCLE['self'] = CYCLE;

const REFUSED = new InvalidOptionsError(
  [{ path: 'tx', value: undefined, message: 'is no client', cure: 'Give the client.' }],
  'transaction',
);

/** A broker whose transactions refuse or take what is settled in them; none is ever committed. */
function joining(broker: Broker, settle: () => Promise<void>): Broker {
  const exchange: Broker['exchange'] = async () => {
    await settle();
    return { settled: ['ok'], claimed: [], now: 0 };
  };
  return { ...broker, within: () => ({ ...broker, exchange }) };
}

const taken = async (): Promise<void> => {};
const refused = async (): Promise<void> => {
  throw REFUSED;
};

type Complete = (context: TaskContext) => Promise<void>;

const cases: readonly (readonly [string, (broker: Broker) => Broker, Complete])[] = [
  ['has no tx', (broker) => broker, ({ complete }) => complete({} as never)],
  ['is on a broker without transactions', (broker) => broker, ({ complete }) => complete({ tx: {} })],
  [
    'has a tx that the broker refuses at once',
    (broker) => ({
      ...broker,
      within: () => {
        throw REFUSED;
      },
    }),
    ({ complete }) => complete({ tx: {} }),
  ],
  [
    'has a tx that the broker refuses when it is used',
    (broker) => joining(broker, refused),
    ({ complete }) => complete({ tx: {} }),
  ],
  [
    'has a result with a cycle',
    (broker) => joining(broker, taken),
    ({ complete }) => complete({ tx: {}, result: CYCLE }),
  ],
  [
    'has a result that is too large',
    (broker) => joining(broker, taken),
    ({ complete }) => complete({ tx: {}, result: 'x'.repeat(2_000_000) }),
  ],
];

describe.each(cases)('a call of ctx.complete that %s', (_, wrap, complete) => {
  it('leaves the outcome to what the handler returns', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const thrown: unknown[] = [];
    const task = defineTask({
      name: 'order',
      retry: ONCE,
      run: async (_: null, context) => {
        await complete(context).catch((error) => thrown.push(error));
        return 'done';
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: wrap(broker) });

    await clock.advance('1s');

    expect(thrown).toHaveLength(1);
    expect(await queue.result(id)).toMatchObject({ state: 'completed', result: 'done' });
    expect(await queue.get(id)).toMatchObject({ failures: 0 });
  });

  it('leaves the outcome to what the handler returns while the call is not awaited', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const task = defineTask({
      name: 'order',
      retry: ONCE,
      run: (_: null, context) => {
        complete(context).catch(() => {});
        return 'done';
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: wrap(broker) });

    await clock.advance('1s');

    expect(await queue.result(id)).toMatchObject({ state: 'completed', result: 'done' });
  });

  it('does not lengthen the attempt timeout', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const task = defineTask({
      name: 'order',
      retry: { ...ONCE, attemptTimeout: '100ms' },
      run: async (_: null, context) => {
        await complete(context).catch(() => {});
        await untilStopped(_, context);
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], broker: wrap(broker) });

    await clock.advance('1s');

    expect(await queue.result(id)).toMatchObject({
      state: 'failed',
      errors: [{ name: 'AttemptTimeoutError' }],
    });
  });
});

describe('a call of ctx.complete that is refused', () => {
  it('leaves it to the commit of an earlier one', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const thrown: unknown[] = [];
    const task = defineTask({
      name: 'order',
      retry: ONCE,
      run: async (_: null, { complete }) => {
        await complete({ tx: {} });
        for (const result of [CYCLE, 'again'])
          await complete({ tx: {}, result }).catch((error) => thrown.push(error));
      },
    });
    const { id } = await queue.submit(task, null);
    let calls = 0;
    const settle = async (): Promise<void> => {
      calls += 1;
      if (calls > 1) throw REFUSED;
    };
    startWorker({ tasks: [task], broker: joining(broker, settle) });

    await clock.advance('1s');

    expect(thrown).toHaveLength(2);
    expect(await queue.result(id)).toMatchObject({
      state: 'failed',
      errors: [{ name: 'NotCommittedError' }],
    });
  });

  it('ends the attempt if that has timed out meanwhile', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const task = defineTask({
      name: 'order',
      retry: { ...ONCE, attemptTimeout: '100ms' },
      run: async (_: null, ctx) => {
        await ctx.complete({ tx: {} }).catch(() => {});
        await untilStopped(_, ctx);
      },
    });
    const { id } = await queue.submit(task, null);
    const settle = () => new Promise<void>((_, reject) => void clock.setTimer(() => reject(REFUSED), 200));
    startWorker({ tasks: [task], broker: joining(broker, settle) });

    await clock.advance('1s');

    expect(await queue.result(id)).toMatchObject({
      state: 'failed',
      errors: [{ name: 'AttemptTimeoutError' }],
    });
  });

  it('keeps what failed for another reason as it was: it may have reached the transaction', async () => {
    const { clock, queue, broker, startWorker } = setScene();
    const task = defineTask({
      name: 'order',
      retry: ONCE,
      run: async (_: null, { complete }) => {
        await complete({ tx: {} }).catch(() => {});
      },
    });
    const { id } = await queue.submit(task, null);
    const settle = () => Promise.reject(new Error('connection lost'));
    startWorker({ tasks: [task], broker: joining(broker, settle) });

    await clock.advance('1s');

    expect(await queue.result(id)).toMatchObject({
      state: 'failed',
      errors: [{ name: 'NotCommittedError' }],
    });
  });
});
