import { describe, expect, it } from 'vitest';
import { WakeSignal } from '../../packages/worker/src/engine/wake-signal.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

describe('WakeSignal', () => {
  it('ends the current wait', async () => {
    const wakeSignal = new WakeSignal();

    const waiting = wakeSignal.during(untilAborted);
    wakeSignal.notify();

    await waiting;
  });

  it('ends only the next wait, before it begins, when it was notified between two waits', async () => {
    const wakeSignal = new WakeSignal();
    let waits = 0;
    const wait = async (): Promise<void> => {
      waits += 1;
    };

    wakeSignal.notify();
    wakeSignal.notify();
    await wakeSignal.during(wait);
    expect(waits).toBe(0);
    await wakeSignal.during(wait);

    expect(waits).toBe(1);
  });
});
