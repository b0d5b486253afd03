import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene } from '../scene.ts';

const AT_ONCE = { backoff: { type: 'none' }, jitter: 'none' } as const;

describe('retryShare', () => {
  it.each([0, -0.1, 1.1, Number.NaN, '0.1', Infinity])('is refused, with a cure: %s', (retryShare) => {
    const define = (): unknown =>
      defineTask({ name: 'shared', retryShare: retryShare as number, run: () => {} });

    expect(define).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        problems: [
          {
            path: 'retryShare',
            value: retryShare,
            message: 'must be a number > 0 and ≤ 1',
            cure: 'Use retryShare: 0.1, or leave it out: retries then wait in line with new runs.',
          },
        ],
      }),
    );
  });

  it.each([
    [undefined, ['1', '2', '3', '4', '1 again', '2 again', '3 again', '4 again']],
    [1, ['1', '2', '3', '4', '1 again', '2 again', '3 again', '4 again']],
  ])('lets retries wait in line with new runs: %s', async (retryShare, expected) => {
    expect(await orderWith({ retryShare })).toEqual(expected);
  });

  it('lets a retry without a delay pass what waits, once it may', async () => {
    const started = await orderWith({ retryShare: 0.5 });

    expect(started.slice(0, 6)).toEqual(['1', '2', '1 again', '2 again', '3', '4']);
  });

  it('holds retries back by a lower share', async () => {
    const started = await orderWith({ retryShare: 0.01 });

    expect(started).toEqual(['1', '2', '1 again', '3', '4', '2 again', '3 again', '4 again']);
  });

  it('says of a late retry that its share was the reason', async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'shared', retryShare: 0.01, retry: AT_ONCE, run: failOnce(clock) });
    await queue.submitMany(task, ['1', '2', '3', '4']);
    const worker = startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance('1m');

    const late = worker.emittedOf('started').filter(({ attempt }) => attempt === 2);

    expect(late.map(({ lateBecause }) => lateBecause)).toContain('retry-share');
    expect(late.map(({ lateBecause }) => lateBecause)).not.toContain('poll');
  });

  it('shows a retry that waits for its turn as scheduled and due, in the one lane of the task', async () => {
    const { broker, clock, queue, startWorker } = setScene();
    const task = defineTask({ name: 'shared', retryShare: 0.01, retry: AT_ONCE, run: failOnce(clock) });
    await queue.submitMany(
      task,
      Array.from({ length: 20 }, (_, index) => `${index}`),
    );
    startWorker({ tasks: [task], concurrency: 1 });
    await clock.advance('1s');

    const report = (await broker.figures?.({ lanes: {} }))?.lanes;

    expect(report?.lanes.map(({ lane }) => lane)).toEqual(['shared@1']);
    expect(report?.lanes[0]?.due.count).toBeGreaterThan(5);
  });
});

/** A handler that takes 100 ms and fails at its first attempt. */
function failOnce(clock: ReturnType<typeof setScene>['clock'], started: string[] = []) {
  return async (payload: string, { attempt }: { readonly attempt: number }): Promise<void> => {
    started.push(attempt === 1 ? payload : `${payload} again`);
    await pass(clock, 100);
    if (attempt === 1) throw new Error('out');
  };
}

/** The order in which four runs start, each of which fails once, in a worker that runs one at a time. */
async function orderWith(option: { readonly retryShare: number | undefined }): Promise<readonly string[]> {
  const { clock, queue, startWorker } = setScene();
  const started: string[] = [];
  const task = defineTask({ name: 'shared', ...option, retry: AT_ONCE, run: failOnce(clock, started) });
  await queue.submitMany(task, ['1', '2', '3', '4']);
  startWorker({ tasks: [task], concurrency: 1 });
  await clock.advance('1m');
  return started;
}
