import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setScene } from './scene.ts';

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const BROKEN: readonly (readonly [does: string, random: () => unknown, says: string])[] = [
  [
    'throws',
    () => {
      throw new Error('no entropy');
    },
    'no entropy',
  ],
  ['returns NaN', () => Number.NaN, 'no number'],
  ['returns text', () => 'half', 'no number'],
  ['returns a bigint', () => 1n, 'no number'],
  // Unhandled, its rejection would end the test run.
  ['returns a rejecting promise', () => Promise.reject(new Error('no')), 'must return a number'],
];

it.each(BROKEN)('a random that %s changes no outcome and stops no worker', async (_, random, says) => {
  vi.resetModules(); // a warning of a kind is emitted once a minute
  const { createWorker } = await import('@retry/worker');
  const { clock, broker, queue } = setScene();
  const task = defineTask({
    name: 'flaky',
    retry: { maxAttempts: 3, backoff: { type: 'constant', base: '1s' }, jitter: 'full' },
    run: (_: number, { attempt }) => {
      if (attempt < 3) throw new Error('no');
    },
  });
  const { id } = await queue.submit(task, 1);
  let exchanges = 0;
  const faulty: Broker = {
    ...broker,
    // The pause before it is asked again is drawn, too.
    exchange: async (request) => {
      exchanges += 1;
      if (exchanges % 2 === 0) throw new Error('the connection is lost');
      return await broker.exchange(request);
    },
  };
  const options = { broker: faulty, tasks: [task], clock, random: random as () => number };
  const worker = createWorker(options);
  worker.on('error', () => {});
  worker.start();

  await clock.advance('1m');
  await Promise.all([worker.stop(), clock.advance('1m')]);

  expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 3, failures: 2 });
  expect(process.emitWarning).toHaveBeenCalledWith(
    expect.stringContaining(says),
    expect.objectContaining({ code: 'RETRY_UNHANDLED_ERROR' }),
  );
});
