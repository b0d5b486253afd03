import { cancelRuns, holdLanes, resumeLanes } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../inprocess/fake-clock.ts';

describe('a wait for work of a memory broker', () => {
  it.each(['submit', 'due', 'timeout', 'abort', 'close'] as const)(
    'leaves no timer after %s',
    async (end) => {
      const clock = createFakeClock();
      const broker = createMemoryBroker({ clock });
      const stop = new AbortController();
      await broker.submit([{ id: 'later', lane: 'l', payload: '{}', delayMs: end === 'due' ? 10 : 1_000 }]);
      const wait = { timeoutMs: 100, signal: stop.signal };
      const waiting = [
        broker.wait({ lanes: ['l', 'm'], ...wait }),
        broker.wait({ lanes: ['l', 'l'], ...wait }),
      ];

      if (end === 'submit') await broker.submit([{ id: 'now', lane: 'l', payload: '{}' }]);
      if (end === 'due') await clock.advance(10);
      if (end === 'timeout') await clock.advance(100);
      if (end === 'abort') stop.abort();
      if (end === 'close') await broker.close();

      await Promise.all(waiting);
      expect(clock.pending()).toBe(0);
    },
  );

  it('sets no timer while no caller waits', async () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock });

    await broker.submit([{ id: 'a', lane: 'l', payload: '{}', delayMs: 1_000 }]);

    expect(clock.pending()).toBe(0);
  });

  it('wakes at the due instant itself, however far away, without polling', async () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock });
    await broker.submit([{ id: 'a', lane: 'l', payload: '{}', delayMs: 86_400_000 }]);
    const dueAt = clock.now() + 86_400_000;

    const waiting = broker.wait({ lanes: ['l'], timeoutMs: Infinity }).then(() => clock.now());
    await clock.advance(100_000_000);

    expect(await waiting).toBe(dueAt);
    expect(clock.delays).toEqual([86_400_000]);
  });

  it('wakes once at the end of a hold, however much was submitted meanwhile', async () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock });
    const startedAt = clock.now();
    await holdLanes(broker, [{ lane: 'l', source: 'operator', forMs: 5_000 }]);
    const waiting = broker.wait({ lanes: ['l'], timeoutMs: Infinity }).then(() => clock.now());
    await broker.submit(['a', 'b', 'c'].map((id) => ({ id, lane: 'l', payload: '{}' })));
    const pending = clock.pending();

    await clock.advance(10_000);

    expect(await waiting).toBe(startedAt + 5_000);
    expect(pending).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  it.each(['resume', 'hold'] as const)('leaves no timer of a hold after %s', async (end) => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock });
    await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    await holdLanes(broker, [{ lane: 'l', source: 'operator', forMs: 5_000 }]);
    const waiting = broker.wait({ lanes: ['l'], timeoutMs: Infinity });

    if (end === 'resume') await resumeLanes(broker, [{ lane: 'l' }]);
    else await holdLanes(broker, [{ lane: 'l', source: 'operator', until: 0 }]);

    await waiting;
    expect(clock.pending()).toBe(0);
  });

  it('sets no timer for a hold that has to be resumed', async () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock });
    await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    await holdLanes(broker, [{ source: 'operator' }]);

    const waiting = broker.wait({ lanes: ['l'], timeoutMs: Infinity });
    const pending = clock.pending();
    await broker.close();

    await waiting;
    expect(pending).toBe(0);
  });

  it('does not end for a cancelled run', async () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock });
    const submission = { lane: 'l', payload: '{}' };
    await broker.submit([
      { ...submission, id: 'a', delayMs: 10 },
      { ...submission, id: 'b', delayMs: 50 },
    ]);
    const startedAt = clock.now();
    const waiting = broker.wait({ lanes: ['l'], timeoutMs: 1_000 }).then(() => clock.now());

    await cancelRuns(broker, ['a']);
    await clock.advance(200);

    expect(await waiting).toBe(startedAt + 50);
  });
});
