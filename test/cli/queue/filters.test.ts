import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../run-in-memory.ts';

const START_AT = Date.UTC(2026, 0, 1, 12);

/** Fails at each attempt; a run with a delay between them waits for its second one. */
function failing(name: string, maxAttempts: number) {
  const retry = { maxAttempts, backoff: { type: 'constant', base: '10h' }, jitter: 'none' } as const;
  return defineTask({
    name,
    retry,
    run: async () => {
      throw new RangeError('too much');
    },
  });
}

describe('retry runs ls', () => {
  const clock = createTestClock(START_AT);
  const broker = createMemoryBroker({ clock });
  beforeAll(async () => {
    const tasks = [failing('dead', 1), failing('waiting', 2)] as const;
    const queue = createQueue({ broker, clock });
    const worker = createWorker({ broker, clock, tasks });
    worker.start();
    // The first round three hours before the second one.
    for (const round of ['old', 'new']) {
      for (const task of tasks) await queue.submit(task, undefined, { key: round });
      await clock.advance('1m');
      if (round === 'old') await clock.advance('3h');
    }
    const stopped = worker.stop();
    await clock.advance('1s');
    await stopped;
  });

  it.each([
    [['--error', 'RangeError'], 'dead@new dead@old waiting@new waiting@old'],
    [['--error', 'TypeError'], ''],
    [['--since', '1h'], 'dead@new waiting@new'],
    [['--error', 'RangeError', '--since', '1h'], 'dead@new waiting@new'],
    [['--error', 'RangeError', '--since', '5h'], 'dead@new dead@old waiting@new waiting@old'],
    [['--error', 'TypeError', '--since', '1h'], ''],
    [['--error', 'RangeError', '--text', 'old'], 'dead@old waiting@old'],
    [['--error', 'RangeError', '--since', '1h', '--text', 'new', '--state', 'scheduled'], 'waiting@new'],
  ])('lists the runs that every filter leaves: %j', async (args, expected) => {
    const { out, err } = await run(['runs', 'ls', '--json', ...args], { broker, now: clock.now });

    expect(err).toBe('');
    const { runs } = JSON.parse(out) as { readonly runs: readonly { readonly id: string }[] };
    expect(
      runs
        .map(({ id }) => id)
        .sort()
        .join(' '),
    ).toBe(expected);
  });
});
