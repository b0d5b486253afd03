import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReadings } from '../../packages/board/src/live/readings.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TIMES = { everyMs: 1_000, gapMs: 25, patienceMs: 1_000 };

/** Readings every second, 25 ms apart, and what was read. */
function open() {
  const reads: string[] = [];
  const events: string[] = [];
  const readings = createReadings({
    changed: (topic, event) => void events.push(`${topic} ${event}`),
    ...TIMES,
  });
  let version = 0;
  const begin = (topic: string) =>
    readings.begin(topic, async () => {
      reads.push(topic);
      version += 1;
      return `${version}`;
    });
  return { ...readings, begin, reads, events };
}

describe('readings', () => {
  it('read a topic once for all listeners, and again after a second', async () => {
    const { begin, reads, events } = open();

    for (let listener = 0; listener < 50; listener += 1) begin('overview');
    await vi.advanceTimersByTimeAsync(2_500);

    expect(reads).toEqual(['overview', 'overview', 'overview']);
    expect(events).toEqual(['overview 1', 'overview 2', 'overview 3']);
  });

  it('make at most 40 reads a second of any number of topics, each in its turn', async () => {
    const { begin, reads } = open();

    for (let topic = 0; topic < 400; topic += 1) begin(`runs/${topic}`);
    await vi.advanceTimersByTimeAsync(20_000);

    expect(reads.length).toBeLessThanOrEqual(801);
    expect(new Set(reads.slice(0, 400)).size).toBe(400);
    expect(new Set(reads.slice(400, 800)).size).toBe(400);
  });

  it('begin no read before the one before has ended', async () => {
    let underWay = 0;
    let most = 0;
    const readings = createReadings({ changed: () => {}, ...TIMES });
    const read = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 400));
      underWay -= 1;
      return '';
    };

    for (const topic of ['overview', 'storm', 'workers']) readings.begin(topic, read);
    await vi.advanceTimersByTimeAsync(5_000);
    readings.close();

    expect(most).toBe(1);
  });

  it('keep no topic but its own waiting for a read that hangs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 5 }), async (hung, well) => {
        const readings = createReadings({ changed: () => {}, ...TIMES });
        const reads = new Map<string, number>();
        const read = (topic: string, ends: boolean) => () => {
          reads.set(topic, (reads.get(topic) ?? 0) + 1);
          return ends ? Promise.resolve('') : new Promise<string>(() => {});
        };
        for (let index = 0; index < hung; index += 1)
          readings.begin(`hung/${index}`, read(`hung/${index}`, false));
        for (let index = 0; index < well; index += 1)
          readings.begin(`well/${index}`, read(`well/${index}`, true));

        await vi.advanceTimersByTimeAsync(hung * TIMES.patienceMs + 20_000);
        readings.close();

        for (const [topic, count] of reads) {
          if (topic.startsWith('hung')) expect(count).toBe(1);
          else expect(count).toBeGreaterThanOrEqual(17);
        }
        expect(reads.size).toBe(hung + well);
      }),
      { numRuns: 20 },
    );
  });

  it('read a topic again when a read that hung has ended', async () => {
    const { begin, events } = open();
    const readings = createReadings({
      changed: (topic, event) => void events.push(`${topic} ${event}`),
      ...TIMES,
    });
    let count = 0;
    readings.begin('slow', async () => {
      count += 1;
      if (count === 1) await new Promise((resolve) => setTimeout(resolve, 60_000));
      return `${count}`;
    });
    begin('overview');

    await vi.advanceTimersByTimeAsync(61_500);

    expect(events.filter((event) => event.startsWith('slow'))).toEqual(['slow 1', 'slow 2']);
  });

  it('read nothing after they are closed during a read', async () => {
    const { begin, close, reads } = open();
    begin('overview');
    begin('storm');

    close();
    await vi.advanceTimersByTimeAsync(3_000);

    expect(reads).toEqual(['overview']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('read no topic again within a second for who leaves and comes back', async () => {
    const { begin, end, reads } = open();
    begin('overview');
    await vi.advanceTimersByTimeAsync(100);

    for (let visit = 0; visit < 10; visit += 1) {
      end('overview');
      expect(begin('overview')).toBe('1');
    }
    await vi.advanceTimersByTimeAsync(800);

    expect(reads).toHaveLength(1);
  });

  it('end when no one listens, or when they are closed', async () => {
    const { begin, end, close, reads } = open();
    begin('overview');
    begin('storm');
    await vi.advanceTimersByTimeAsync(100);

    end('overview');
    await vi.advanceTimersByTimeAsync(3_000);
    close();
    const count = reads.length;
    await vi.advanceTimersByTimeAsync(3_000);

    expect(reads.filter((topic) => topic === 'overview')).toHaveLength(1);
    expect(reads).toHaveLength(count);
    expect(vi.getTimerCount()).toBe(0);
  });
});
