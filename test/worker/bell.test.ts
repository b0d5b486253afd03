import { describe, expect, it } from 'vitest';
import { Bell } from '../../packages/worker/src/engine/bell.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

describe('Bell', () => {
  it('ends the wait that is under way', async () => {
    const bell = new Bell();

    const waiting = bell.during(untilAborted);
    bell.ring();

    await waiting;
  });

  it('that rang while nobody waited ends the next wait before it begins, and only that', async () => {
    const bell = new Bell();
    let waits = 0;
    const wait = async (): Promise<void> => {
      waits += 1;
    };

    bell.ring();
    bell.ring();
    await bell.during(wait);
    expect(waits).toBe(0);
    await bell.during(wait);

    expect(waits).toBe(1);
  });
});
