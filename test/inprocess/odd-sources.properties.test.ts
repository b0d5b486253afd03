import { setImmediate } from 'node:timers/promises';
import {
  createCircuitBreaker,
  createRetryBudget,
  createRetryGroup,
  type RetryOptions,
  retry,
  retryIterable,
  tryRetry,
  withRetry,
} from '@retry/inprocess';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

/** What a broken source of time or chance does instead of returning its number. */
const ODD = fc.oneof(
  fc.constant(() => {
    throw new Error('broken source');
  }),
  fc
    .constantFrom(Number.NaN, Infinity, -Infinity, 1, 2, -1, undefined, null, 'now', {}, 3n)
    .map((value) => () => value),
);

/** What a broken clock returns for a timer, instead of a function that cancels it. */
const ODD_CANCEL = fc.constantFrom<unknown>(
  () => {
    throw new Error('broken source');
  },
  undefined,
  5,
);

/** Whether each reading in turn is a good one. */
const PATTERN = fc.infiniteStream(fc.boolean());

type Source = () => number;

/** A source that sometimes fails. */
function mixed(good: Source, odd: () => unknown, pattern: Iterator<boolean>): Source {
  return () => (pattern.next().value === true ? good() : odd()) as number;
}

const POLICY = { maxAttempts: 3, backoff: { type: 'constant', base: 1 }, totalTimeout: '1h' } as const;

/** Each call sets a timer for its attempts, which has to be cancelled. */
const TIMED = { ...POLICY, attemptTimeout: '1m' } as const;

/** Reports nothing where a test reads the outcome only. */
const reportError = (): void => undefined;

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue(); // where budgets report what their clock throws
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a source of time or chance that throws or returns no number', () => {
  it('never replaces the result of a call, nor its error, and leaves no call in its group', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ oddTime: ODD, times: PATTERN, oddChance: ODD, chances: PATTERN, oddCancel: ODD_CANCEL }),
        async ({ oddTime, times, oddChance, chances, oddCancel }) => {
          const group = createRetryGroup();
          const timeouts: (() => void)[] = [];
          const clock = {
            now: mixed(() => performance.now(), oddTime, times),
            setTimer: (callback: () => void, delayMs: number) => {
              if (delayMs > 1_000) timeouts.push(callback);
              else void setImmediate().then(callback);
              return (times.next().value === true ? () => undefined : oddCancel) as () => void;
            },
          };
          const budget = createRetryBudget({ type: 'token-bucket', capacity: 1_000 }, { clock });
          const circuitBreaker = createCircuitBreaker({ clock, reportError, minimumThroughput: 1_000 });
          const random = mixed(Math.random, oddChance, chances);
          const onGiveUp = vi.fn();
          const options = {
            group,
            clock,
            random,
            reportError,
            budget,
            circuitBreaker,
            onGiveUp,
          } satisfies RetryOptions;
          const mine = new Error('mine');

          const results = await Promise.all([
            retry(failing(), TIMED, options),
            withRetry(failing(), TIMED, options)(),
            retry(
              failing('once'),
              { ...TIMED, backoff: { type: 'none' } },
              { ...options, beforeRetry: () => setImmediate() },
            ),
            retryIterable(
              async function* () {
                yield 'done';
              },
              POLICY,
              options,
            )
              .next()
              .then(({ value }) => value),
            tryRetry(({ id }) => id, POLICY, options).then(
              (result) => result.ok && result.value === result.id && /^[0-9a-f-]{32,36}$/.test(result.id),
            ),
            rejectionOf(retry(alwaysFailing(mine), POLICY, options)),
            rejectionOf(withRetry(alwaysFailing(mine), POLICY, options)()),
            tryRetry(alwaysFailing(mine), { ...POLICY, initialDelay: 1 }, options).then(
              (result) => !result.ok && result.error,
            ),
          ]);

          expect(results).toEqual(['done', 'done', 'done', 'done', true, mine, mine, mine]);
          for (const fire of timeouts) fire(); // those that were not cancelled, as their cancel function is broken
          await setImmediate();
          expect([group.active(), group.waiting()]).toEqual([0, []]);
          expect(onGiveUp).toHaveBeenCalledTimes(3);
        },
      ),
    );
  });

  it('reports what the clock throws, and time stands still meanwhile', async () => {
    const broken = new Error('broken source');
    const reported = vi.fn();
    const clock = createFakeClock();
    let isBroken = false;
    const fragile = {
      ...clock,
      now: () => {
        if (isBroken) throw broken;
        return clock.now();
      },
    };
    const breaking = async ({ attempt }: { attempt: number }): Promise<never> => {
      isBroken = attempt === 1;
      throw new Error('mine');
    };

    const result = tryRetry(breaking, POLICY, { clock: fragile, reportError: reported });
    await clock.advance(10);

    expect(await result).toMatchObject({ reason: 'exhausted', attempts: 3 });
    expect(reported.mock.calls.every(([error]) => error === broken)).toBe(true);
    expect(reported).toHaveBeenCalled();
  });

  it('waits by the timers of the runtime when those of the clock throw', async () => {
    const broken = new Error('no timers');
    const reported = vi.fn();
    const clock = {
      now: Date.now,
      setTimer: () => {
        throw broken;
      },
    };

    expect(await tryRetry(failing('busy'), POLICY, { clock, reportError: reported })).toMatchObject({
      ok: true,
    });
    expect(new Set(reported.mock.calls.flat())).toEqual(new Set([broken]));
  });

  it('reports timers that cannot be cancelled: setTimeout is no setTimer', async () => {
    const reported = vi.fn();
    const clock = { now: Date.now, setTimer: globalThis.setTimeout as never };

    expect(await tryRetry(failing('busy'), POLICY, { clock, reportError: reported })).toMatchObject({
      ok: true,
    });
    expect(reported.mock.calls[0]?.[0]).toMatchObject({
      code: 'INVALID_OPTIONS',
      problems: [{ path: 'clock.setTimer()', cure: expect.stringContaining('createClock') }],
    });
  });
});
