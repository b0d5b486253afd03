import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { settlementOf } from '../support/settle.ts';
import { ALL } from './board-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What visitors can listen to. */
const TOPICS = [
  ...['overview', 'workers', 'groups', 'groups?limit=20', 'groups/lane-1%401/g-1', 'operations'],
  ...['retries', 'schedules', 'storm', 'runs/dead-1'],
];

const LANES = 30;

/** A queue with thirty error groups in as many lanes, in each of which a run waits; and how many calls its broker was sent. */
async function openQueue() {
  const broker = createMemoryBroker();
  let calls = 0;
  const counting = <Verb extends (...input: never[]) => unknown>(verb: Verb): Verb =>
    ((...input) => {
      calls += 1;
      return verb(...input);
    }) as Verb; // the same, counted
  const kill = async (index: number, name: string): Promise<void> => {
    const lane = `lane-${index}@1`;
    await broker.submit([{ id: name, lane, payload: '1' }]);
    const claim = { worker: 'w', requestId: name, limit: 1, lanes: new Map([[lane, 1]]), leaseMs: 60_000 };
    const { claimed, now } = await broker.exchange({ claim });
    const group = { id: `g-${index}`, title: `cause ${index}` };
    const settle = claimed.map(({ run }) => ({ ...settlementOf(run, { type: 'fail', at: now }), group }));
    await broker.exchange({ settle });
  };
  for (let index = 0; index < LANES; index += 1) {
    await kill(index, `dead-${index}`);
    await broker.submit([
      { id: `waits-${index}`, lane: `lane-${index}@1`, payload: '1', delayMs: 3_600_000 },
    ]);
  }
  const { figures } = broker;
  const counted: Broker = {
    ...broker,
    ...(figures !== undefined && { figures: counting(figures) }),
    ...{ exchange: counting(broker.exchange), get: counting(broker.get), list: counting(broker.list) },
    ...{ audit: counting(broker.audit), findExpired: counting(broker.findExpired) },
    notes: { ...broker.notes, read: counting(broker.notes.read) },
  };
  return { broker: counted, kill, calls: () => calls };
}

describe('a topic of the board', () => {
  it.each(TOPICS)(
    'costs at most ten calls of the broker a second, however many listen: %s',
    async (topic) => {
      const { broker, kill, calls } = await openQueue();
      const board = createBoard({ broker, access: () => ({ ...ALL, by: undefined }) });
      const url = `http://localhost/api/events?topic=${encodeURIComponent(topic)}`;
      const readers = [];
      for (let visitor = 0; visitor < 20; visitor += 1) {
        const { body } = await board.fetch(new Request(url));
        readers.push(body?.getReader());
      }
      const before = calls();

      // Every second each group has another dead letter.
      for (let second = 0; second < 20; second += 1) {
        for (let index = 0; index < LANES; index += 1) await kill(index, `dead-${index}-${second}`);
        await vi.advanceTimersByTimeAsync(1_000);
      }
      const made = calls() - before;
      board.close();
      for (const reader of readers) await reader?.cancel();

      expect(made).toBeGreaterThanOrEqual(10);
      // And what the first read makes.
      expect(made).toBeLessThanOrEqual(10 * 20 + 50);
    },
  );
});
