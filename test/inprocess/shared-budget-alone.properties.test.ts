import type { Broker } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import { createSharedBudget, tryRetry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';

/** How long after a retry the store is told of it, in ms: a hundredth of the longest lease. It adds nothing for it before that. */
const TOLD_MS = 50;

/** A budget, and failing calls of one process, one after the other, each so long after the one before that it stays below `perSecond`. */
interface Scene {
  readonly perSecond: number;
  readonly burst: number;
  /** From a retry until the next call begins, which asks for the next token, in ms; in addition to one by `perSecond`. */
  readonly pausesMs: readonly number[];
  /** How long each call of the store takes; a renewal is two. */
  readonly storeMs: number;
  readonly attemptMs: number;
  readonly delayMs: number;
}

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    perSecond: fc.constantFrom(0.05, 0.3, 0.5, 1, 3, 10),
    moreBurst: fc.oneof(fc.nat(10), fc.constantFrom(50, 100)),
    pausesMs: fc.array(fc.oneof(fc.nat(500), fc.constantFrom(1_500, 4_600, 5_000, 60_000)), {
      minLength: 3,
      maxLength: 12,
    }),
    storeMs: fc.constantFrom(0, 1, 10, 100),
    attemptMs: fc.constantFrom(0, 1, 300),
    delayMs: fc.constantFrom(0, 20, 1_000),
  })
  .map(({ moreBurst, ...scene }) => ({
    ...scene,
    burst: Math.max(1, Math.ceil(2 * scene.perSecond)) + moreBurst,
  }));

function rest(clock: VirtualClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, delayMs));
}

/** A store that answers after this time. */
function slow(clock: VirtualClock, { notes }: Pick<Broker, 'notes'>, storeMs: number): Pick<Broker, 'notes'> {
  const call = <Input, Answer>(run: (input: Input) => Promise<Answer>) => {
    return async (input: Input): Promise<Answer> => {
      if (storeMs > 0) await rest(clock, storeMs);
      return run(input);
    };
  };
  return { notes: { ...notes, read: call(notes.read), write: call(notes.write) } };
}

const bursts = fc.record({
  perSecond: fc.constantFrom(0.05, 0.5, 3),
  burst: fc.oneof(fc.integer({ min: 6, max: 40 }), fc.constantFrom(100, 1_000)),
  share: fc.double({ min: 0.01, max: 1, noNaN: true }),
  storeMs: fc.constantFrom(0, 1, 10, 100),
  attemptMs: fc.constantFrom(0, 1, 30, 300),
});

it('a process that begins with many failures together is refused no retry of as many as half of the burst', async () => {
  await fc.assert(
    fc.asyncProperty(bursts, async ({ perSecond, burst, share, storeMs, attemptMs }) => {
      const clock = createVirtualClock({
        startAt: 0,
        settle: () => new Promise((resolve) => void setImmediate(resolve)),
      });
      const broker = slow(clock, createMemoryBroker({ clock }), storeMs);
      const budget = createSharedBudget({ broker, key: 'any', perSecond, burst, clock, random: () => 0.5 });
      const policy = { maxAttempts: 2, backoff: { type: 'none' } } as const;
      const failing = async (): Promise<never> => {
        if (attemptMs > 0) await rest(clock, attemptMs);
        throw new Error('down');
      };
      const ends = Array.from({ length: Math.ceil(share * Math.floor(burst / 2)) }, async () => {
        const end = await tryRetry(failing, policy, { budget, clock });
        return end.ok ? 'ok' : end.reason;
      });
      await clock.advance('1m');

      expect(new Set(await Promise.all(ends))).toEqual(new Set(['exhausted']));
    }),
    { numRuns: propertyRuns(0.5) },
  );
});

it('a process that is alone and stays below perSecond is never refused a retry, however small the burst is, its first one included', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, async ({ perSecond, burst, pausesMs, storeMs, attemptMs, delayMs }) => {
      const clock = createVirtualClock({
        startAt: 0,
        settle: () => new Promise((resolve) => void setImmediate(resolve)),
      });
      const broker = slow(clock, createMemoryBroker({ clock }), storeMs);
      const budget = createSharedBudget({ broker, key: 'any', perSecond, burst, clock, random: () => 0.5 });
      const policy = {
        maxAttempts: 2,
        backoff: { type: 'constant', base: delayMs },
        jitter: 'none',
      } as const;
      const ends: Promise<string | undefined>[] = [];
      for (const pauseMs of pausesMs) {
        const failing = async (): Promise<never> => {
          if (attemptMs > 0) await rest(clock, attemptMs);
          throw new Error('down');
        };
        ends.push(tryRetry(failing, policy, { budget, clock }).then((end) => (end.ok ? 'ok' : end.reason)));
        await clock.advance(Math.ceil(1_000 / perSecond) + attemptMs + TOLD_MS + 2 * storeMs + pauseMs);
      }
      await clock.advance('1m');

      expect(new Set(await Promise.all(ends))).toEqual(new Set(['exhausted']));
    }),
    { numRuns: propertyRuns(0.5) },
  );
});
