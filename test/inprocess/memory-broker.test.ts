import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/inprocess/testing';
import { describe, expect, it } from 'vitest';

describe('createMemoryBroker', () => {
  it('is ready immediately', async () => {
    const broker = createMemoryBroker();

    await expect(broker.ready()).resolves.toBeUndefined();
  });

  it('is not ready after close', async () => {
    const broker = createMemoryBroker();

    await broker.close();

    await expect(broker.ready()).rejects.toMatchObject({ code: 'BROKER_CLOSED' });
  });

  it.each(['clock', 'keepCompleted', 'keepKeys'])('accepts undefined for %s', async (option) => {
    const broker = createMemoryBroker({ [option]: undefined });

    expect(await broker.audit()).toMatchObject({ unbalanced: 0 });
  });

  it('lets timers of the process run while its answers are awaited one after another', async () => {
    const broker = createMemoryBroker();
    let hasRun = false;
    setTimeout(() => {
      hasRun = true;
    }, 0);

    let calls = 0;
    while (!hasRun && calls < 1_000_000) {
      await broker.get(['no-such-run']);
      calls += 1;
    }

    expect(hasRun).toBe(true);
  });

  it('answers calls in the order in which they were made, also those that wait for a turn of the event loop', async () => {
    const broker = createMemoryBroker();
    const answered: number[] = [];

    const made = Array.from({ length: 1_000 }, async (_, call) => {
      await broker.get([`${call}`]);
      answered.push(call);
    });
    await Promise.all(made);

    expect(answered).toEqual(Array.from({ length: 1_000 }, (_, call) => call));
  });

  it('ends on close a wait, too, that a turn of the event loop has kept from beginning', async () => {
    const broker = createMemoryBroker();
    const calls = Array.from({ length: 100 }, () => broker.get(['no-such-run']));
    const waiting = broker.wait({ results: true, timeoutMs: 3_600_000 });

    const closed = broker.close();

    await expect(Promise.all([...calls, waiting, closed])).resolves.toHaveLength(102);
  });

  it('answers any number of calls at one instant of a test clock', async () => {
    const clock = createTestClock();
    const broker = createMemoryBroker({ clock });
    const endedAt: number[] = [];
    clock.setTimer(async () => {
      for (let call = 0; call < 5_000; call += 1) await broker.get(['no-such-run']);
      endedAt.push(clock.now());
    }, 1_000);

    for (let second = 0; second < 60; second += 1) clock.setTimer(() => undefined, second * 1_000);
    await clock.advance('1m');

    expect(endedAt).toEqual([1_000]);
  });
});
