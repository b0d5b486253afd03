import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServerWatch } from '../../packages/worker/src/lease/server-watch.ts';

const HEARTBEAT_MS = 10_000;
/** Longer than the longest time without an answer in which no lease of a living worker expires. */
const SILENCE_MS = 2 * HEARTBEAT_MS;
/** How long a worker waits after an interruption until the living ones have renewed their leases. */
const WAIT_MS = HEARTBEAT_MS + 2_500;

/** A watch of a worker that started at 0, whose event loop turns only when it is told to. */
function createWatch(heartbeatMs = HEARTBEAT_MS) {
  let now = 0;
  const clock = { now: () => now, setTimer: () => () => {} };
  const broker = { exchange: async () => ({ now }) } as never; // what else a broker has is not called
  const watch = new ServerWatch({ broker, clock, heartbeatMs, cleanerMs: 1.5 * heartbeatMs });
  return {
    watch,
    passMs: (ms: number): void => {
      now += ms;
    },
    answer: (): void => watch.noteReading({ sentAt: now, serverAt: now, receivedAt: now }),
    waitMs: (): number => Math.max(0, watch.untilAllHad(heartbeatMs, now)),
  };
}

describe('since when the server has answered', () => {
  it('begins anew after a long time without an answer, however soon that comes after the start', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * WAIT_MS }), (answeredMs) => {
        const { passMs, answer, waitMs } = createWatch();
        answer();
        for (let ms = 0; ms < answeredMs; ms += 1_000) {
          passMs(Math.min(1_000, answeredMs - ms));
          answer();
        }

        passMs(SILENCE_MS);
        answer();

        expect(waitMs()).toBe(WAIT_MS);
      }),
    );
  });

  it('begins anew after one that follows an outage', () => {
    const { watch, passMs, answer, waitMs } = createWatch();
    answer();
    watch.noteFailure();
    answer();
    passMs(SILENCE_MS);
    answer();

    expect(waitMs()).toBe(WAIT_MS);
  });

  it('does not begin anew for ever in a worker that blocks its event loop again and again', () => {
    const { passMs, answer, waitMs } = createWatch();
    answer();
    const waits = [1, 2, 3].map(() => {
      passMs(SILENCE_MS);
      answer();
      return waitMs();
    });

    expect(waits).toEqual([WAIT_MS, 0, WAIT_MS]);
  });

  it('never begins anew in an idle worker, however short its leases are and however late its timers', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1_000, 3_000, 5_000),
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 6, maxLength: 6 }),
        (heartbeatMs, lateMs) => {
          const { watch, passMs, answer } = createWatch(heartbeatMs);
          answer();
          const since = watch.untilAllHad(heartbeatMs, 0);
          passMs(heartbeatMs / 2); // as that of its cleaner, halfway between two heartbeats
          answer();
          passMs(heartbeatMs / 2);
          for (const ms of lateMs) {
            if (watch.isAnswerNeeded) answer();
            passMs(heartbeatMs + ms);
          }
          answer();

          expect(watch.untilAllHad(heartbeatMs, 0)).toBe(since);
        },
      ),
    );
  });
});
