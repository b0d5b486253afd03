import type { TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

/** One run of a handler that is called for its first attempt only, over ten minutes. */
async function runOnce(first: (ctx: TaskContext) => unknown) {
  const { clock, queue, startWorker } = setScene();
  const task = defineTask({
    name: 'catching',
    retry: { maxAttempts: 2, backoff: { type: 'constant', base: '10s' }, jitter: 'none' },
    run: (_: null, ctx) => (ctx.epoch === 1 ? first(ctx) : 'second'),
  });
  const { id } = await queue.submit(task, null);
  const worker = startWorker({ tasks: [task] });
  await clock.advance('10m');
  return { run: await queue.get(id), worker };
}

function quietly(call: () => never): void {
  try {
    call();
  } catch {
    // as a handler does that catches everything
  }
}

describe('a handler that catches what its request threw', () => {
  it('has asked for a retry all the same', async () => {
    const { run, worker } = await runOnce(async ({ retry }) => {
      await Promise.resolve();
      quietly(() => retry({ delay: '1m', error: new RangeError('mine') }));
      return 'swallowed';
    });

    expect(run).toMatchObject({ state: 'completed', result: 'second', failures: 1, startedAt: 60_000 });
    expect(worker.emittedOf('retried')).toMatchObject([{ reason: 'asked', error: { message: 'mine' } }]);
  });

  it('has released its run all the same', async () => {
    const { run, worker } = await runOnce(({ release }) => {
      quietly(() => release({ delay: '1m', reason: 'busy' }));
      return 'swallowed';
    });

    expect(run).toMatchObject({ state: 'completed', result: 'second', failures: 0, releases: 1 });
    expect(worker.emittedOf('released')).toMatchObject([{ delayMs: 60_000, reason: 'busy' }]);
  });

  it('asked for what it asked last', async () => {
    const { run } = await runOnce(({ retry, release }) => {
      quietly(() => retry({ delay: '1m' }));
      quietly(() => release());
    });

    expect(run).toMatchObject({ state: 'completed', result: 'second', failures: 0, releases: 1 });
  });

  it('may throw something else, which is the error of a retry that has none', async () => {
    const { run, worker } = await runOnce(({ retry }) => {
      quietly(() => retry({ delay: '1m' }));
      throw new RangeError('of the cleanup');
    });

    expect(run).toMatchObject({ failures: 1, startedAt: 60_000 });
    expect(worker.emittedOf('retried')).toMatchObject([
      { reason: 'asked', error: { message: 'of the cleanup' } },
    ]);
  });

  it.each<[string, (ctx: TaskContext) => never]>([
    ['ctx.retry', ({ retry }) => retry({ delay: -1 })],
    ['ctx.release', ({ release }) => release({ delay: -1 })],
  ])('fails its attempt where the argument of %s is wrong', async (call, request) => {
    const { run } = await runOnce((ctx) => {
      quietly(() => request(ctx));
      return 'swallowed';
    });

    expect(run).toMatchObject({
      result: 'second',
      failures: 1,
      errors: [{ name: 'InvalidOptionsError', message: expect.stringContaining(`invalid ${call}`) }],
    });
  });
});
