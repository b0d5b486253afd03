import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServerClock } from '../../packages/worker/src/engine/server-clock.ts';

const SERVER_AHEAD_MS = 5_000;

const delays = fc.integer({ min: 0, max: 60_000 });

/** Exchanges one after another, each as slow as it likes there and back. */
const exchanges = fc.array(fc.record({ restMs: delays, thereMs: delays, backMs: delays }), { minLength: 1 });

function play(steps: readonly { restMs: number; thereMs: number; backMs: number }[]) {
  let now = 0;
  const clock = new ServerClock({ now: () => now, setTimer: () => () => {} });
  return steps.map(({ restMs, thereMs, backMs }) => {
    now += restMs;
    const sentAt = now;
    now += thereMs;
    const serverAt = now + SERVER_AHEAD_MS;
    now += backMs;
    clock.note({ sentAt, receivedAt: now, serverAt });
    return { errorMs: clock.now() - (now + SERVER_AHEAD_MS), thereMs, backMs };
  });
}

describe('the estimate of the clock of the broker', () => {
  it('is never further off than the slower direction of the fastest exchange so far', () => {
    fc.assert(
      fc.property(exchanges, (steps) => {
        let bestMs = Infinity;
        for (const { errorMs, thereMs, backMs } of play(steps)) {
          bestMs = Math.min(bestMs, Math.max(thereMs, backMs));
          expect(Math.abs(errorMs)).toBeLessThanOrEqual(bestMs);
        }
      }),
    );
  });

  it('is not moved by a slow reply once a fast one has set it', () => {
    const [quick, slow] = play([
      { restMs: 0, thereMs: 0, backMs: 0 },
      { restMs: 10, thereMs: 3, backMs: 1_200 },
    ]);

    expect(quick?.errorMs).toBe(0);
    expect(slow?.errorMs).toBe(0);
  });
});
