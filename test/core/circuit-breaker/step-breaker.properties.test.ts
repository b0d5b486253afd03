import type { BreakerEvent, BreakerState, CircuitBreakerSettings } from '@retry/core/circuit-breaker';
import { closeBreaker, defineCircuitBreaker, stepBreaker } from '@retry/core/circuit-breaker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amounts } from '../../support/arbitraries.ts';

const ratios = fc.oneof(
  fc.constantFrom(5e-324, 0.1, 1 / 3, 0.5, 1),
  fc.double({ min: 0, max: 1, minExcluded: true, noNaN: true }),
);

/** A duration of at most 30 000 years: longer than the range of instants, in which a clock counts. */
const durations = amounts.map((ms) => Math.min(Math.max(ms, 1), 1e15));

/** Settings from the smallest to the largest numbers. */
const anySettings = fc
  .record({
    failureRatio: ratios,
    minimumThroughput: fc.oneof(
      fc.integer({ min: 1, max: 8 }),
      fc.maxSafeNat().map((count) => count + 1),
    ),
    samplingDuration: durations,
    breakDuration: durations,
  })
  .map(defineCircuitBreaker);

/** Settings whose slices are whole milliseconds, so that a naive model need not round. */
const wholeSettings = fc
  .record({
    failureRatio: ratios,
    minimumThroughput: fc.integer({ min: 1, max: 6 }),
    samplingDuration: fc.constantFrom(10, 100, 1_000, 30_000),
    breakDuration: fc.constantFrom(1, 50, 1_000, 5_000),
  })
  .map(defineCircuitBreaker);

type Command = 'permit' | 'success' | 'failure' | 'abandon';

/** What happens, each after a share of the window or the break; `nth` picks a call that is under way. */
const commands = fc.array(
  fc.record({
    type: fc.constantFrom<Command>('permit', 'permit', 'success', 'failure', 'failure', 'abandon'),
    nth: fc.nat(3),
    of: fc.constantFrom('samplingDurationMs' as const, 'breakDurationMs' as const),
    afterTenths: fc.constantFrom(0, 0, 0, 0.1, 0.5, 1, 2, 5, 9, 10, 25),
  }),
  { maxLength: 40 },
);

type Commands = typeof commands extends fc.Arbitrary<infer T> ? T : never;

interface Entry {
  readonly event: BreakerEvent;
  readonly at: number;
  readonly before: BreakerState;
  readonly after: BreakerState;
  readonly effect: ReturnType<typeof stepBreaker>['effect'];
}

/** Plays calls as a shell does: each that was permitted reports at most once, in any order, early or late. */
function play(breaker: CircuitBreakerSettings, given: Commands, startAt = 0): readonly Entry[] {
  const entries: Entry[] = [];
  const underWay: number[] = [];
  let [before, at]: [BreakerState, number] = [closeBreaker(startAt), startAt];
  for (const { type, nth, of, afterTenths } of given) {
    at += Math.round((afterTenths * breaker[of]) / 10);
    const ticket = type === 'permit' ? undefined : underWay.splice(nth % underWay.length || 0, 1)[0];
    if (type !== 'permit' && ticket === undefined) continue;
    const event: BreakerEvent = type === 'permit' ? { type } : { type, ticket: ticket ?? 0 };
    const { state: after, effect } = stepBreaker(breaker, before, event, at);
    if (effect.type === 'permitted') underWay.push(effect.ticket);
    entries.push({ event, at, before, after, effect });
    before = after;
  }
  return entries;
}

/** Every outcome that has been counted since the breaker closed, as a list. */
interface Outcome {
  readonly at: number;
  readonly isFailure: boolean;
}

function shouldOpen(breaker: CircuitBreakerSettings, counted: readonly Outcome[]): boolean {
  const failures = counted.filter(({ isFailure }) => isFailure).length;
  return counted.length >= breaker.minimumThroughput && failures / counted.length >= breaker.failureRatio;
}

/** Calls `visit` for each outcome that a closed breaker counts, with all that it has counted since it closed. */
function eachCounted(
  entries: readonly Entry[],
  visit: (entry: Entry, outcomes: readonly Outcome[], closedAt: number) => void,
): void {
  let [outcomes, closedAt]: [Outcome[], number] = [[], 0];
  for (const entry of entries) {
    const { event, at, before } = entry;
    if (entry.effect.type === 'closed') [outcomes, closedAt] = [[], at];
    if (before.type !== 'closed' || (event.type !== 'success' && event.type !== 'failure')) continue;
    if (event.ticket !== before.ticket) continue;
    outcomes.push({ at, isFailure: event.type === 'failure' });
    visit(entry, outcomes, closedAt);
  }
}

describe('a closed circuit breaker', () => {
  it('opens exactly when a naive model that keeps every outcome says so', () => {
    // Slices are a tenth of the window, counted from the instant of closing: the one under way counts, and nine before.
    fc.assert(
      fc.property(wholeSettings, commands, (breaker, given) => {
        const sliceMs = breaker.samplingDurationMs / 10;
        eachCounted(play(breaker, given), ({ event, at, after }, outcomes, closedAt) => {
          const sliceOf = (instant: number): number => Math.floor((instant - closedAt) / sliceMs);
          const inWindow = outcomes.filter((outcome) => sliceOf(outcome.at) > sliceOf(at) - 10);
          const expected = event.type === 'failure' && shouldOpen(breaker, inWindow);

          expect(after.type).toBe(expected ? 'open' : 'closed');
        });
      }),
    );
  });

  it('counts every outcome of the last nine tenths of the window, and none that is a window old', () => {
    fc.assert(
      fc.property(anySettings, commands, (breaker, given) => {
        const { samplingDurationMs: windowMs } = breaker;
        eachCounted(play(breaker, given), ({ at, after }, outcomes) => {
          if (after.type !== 'closed') return;
          const counted = [...after.successes, ...after.failures].reduce((sum, slice) => sum + slice, 0);
          const youngerThan = (ms: number): number =>
            outcomes.filter((outcome) => at - outcome.at < ms).length;

          // An outcome just at an edge may round to either side of it.
          expect(counted).toBeGreaterThanOrEqual(youngerThan(0.9 * windowMs * (1 - 1e-9)));
          expect(counted).toBeLessThanOrEqual(youngerThan(windowMs * (1 + 1e-9)));
        });
      }),
    );
  });
});

describe('a circuit breaker that is not closed', () => {
  it('permits no call before the break is over, and says how long that takes', () => {
    fc.assert(
      fc.property(anySettings, commands, (breaker, given) => {
        for (const { at, before, effect } of play(breaker, given)) {
          if (effect.type === 'permitted' && before.type !== 'closed') {
            expect(at).toBeGreaterThanOrEqual(before.until);
          }
          if (effect.type !== 'refused') continue;
          expect(before.type).not.toBe('closed');
          expect(effect.retryAfterMs).toBeGreaterThan(0);
          expect(effect.retryAfterMs).toBeLessThanOrEqual(breaker.breakDurationMs);
        }
      }),
    );
  });

  it('has at most one probe under way, unless one has not reported for as long as a break', () => {
    fc.assert(
      fc.property(anySettings, commands, (breaker, given) => {
        let probe: { readonly ticket: number; readonly until: number } | undefined;
        for (const { event, at, effect } of play(breaker, given)) {
          if (event.type !== 'permit' && event.ticket === probe?.ticket) probe = undefined;
          if (effect.type !== 'permitted' || !effect.isProbe) continue;
          if (probe !== undefined) expect(at).toBeGreaterThanOrEqual(probe.until);
          probe = { ticket: effect.ticket, until: at + breaker.breakDurationMs };
        }
      }),
    );
  });

  it('closes only by the success of the latest probe, and with an empty window', () => {
    fc.assert(
      fc.property(anySettings, commands, (breaker, given) => {
        let latest: number | undefined;
        for (const { event, at, before, after, effect } of play(breaker, given)) {
          if (effect.type === 'permitted' && effect.isProbe) latest = effect.ticket;
          if (before.type === 'closed' || after.type !== 'closed') continue;
          expect(event).toEqual({ type: 'success', ticket: latest });
          expect(after).toEqual(closeBreaker(at, before.ticket + 1));
        }
      }),
    );
  });

  it('stays open however calls end that began before it opened', () => {
    fc.assert(
      fc.property(anySettings, commands, (breaker, given) => {
        for (const { event, before, after } of play(breaker, given)) {
          if (before.type === 'open' && event.type !== 'permit') expect(after).toBe(before);
        }
      }),
    );
  });
});

describe('stepBreaker', () => {
  const anyInstant = fc.oneof(
    fc.constantFrom(0, 1, 1e12, 8.64e15, -1, -8.64e15, Number.MAX_VALUE, Infinity, -Infinity, Number.NaN),
    fc.double({ noNaN: true }),
    fc.integer({ min: 0, max: 100_000 }),
  );
  const largest = fc
    .record({ failureRatio: ratios, minimumThroughput: fc.maxSafeNat().map((count) => count + 1) })
    .map((input) =>
      defineCircuitBreaker({ ...input, samplingDuration: Number.MAX_VALUE, breakDuration: Number.MAX_VALUE }),
    );
  const anyEvents = fc.array(
    fc.record({
      type: fc.constantFrom<Command>('permit', 'success', 'failure', 'abandon'),
      ticket: fc.oneof(fc.constant('current' as const), fc.integer({ min: -1, max: 5 })),
      at: anyInstant,
    }),
    { maxLength: 30 },
  );

  it('never throws, nor changes the state that it was given, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.oneof(anySettings, largest), anyEvents, anyInstant, (breaker, events, startAt) => {
        let state: BreakerState = closeBreaker(startAt);
        for (const { type, ticket, at } of events) {
          const given = structuredClone(state);
          const event: BreakerEvent =
            type === 'permit' ? { type } : { type, ticket: ticket === 'current' ? state.ticket : ticket };
          const next: BreakerState = stepBreaker(breaker, state, event, at).state;

          expect(state).toEqual(given);
          expect(next.ticket).toBeGreaterThanOrEqual(state.ticket);
          if (next.type === 'closed') {
            expect([next.successes.length, next.failures.length]).toEqual([10, 10]);
          }
          state = next;
        }
      }),
    );
  });

  it('permits a probe after a break that began or was asked at NaN, and says how long to wait', () => {
    const breaker = defineCircuitBreaker({ minimumThroughput: 1, breakDuration: 5_000 });
    for (const openedAt of [0, Number.NaN]) {
      const failure = { type: 'failure', ticket: 0 } as const;
      const opened = stepBreaker(breaker, closeBreaker(openedAt), failure, openedAt).state;

      const asked = stepBreaker(breaker, opened, { type: 'permit' }, openedAt);
      if (asked.effect.type === 'refused') expect(asked.effect.retryAfterMs).toBe(5_000);
      expect(stepBreaker(breaker, opened, { type: 'permit' }, 10_000).effect.type).toBe('permitted');
    }
    const open = { type: 'open', ticket: 1, until: 5_000 } as const;
    const { effect } = stepBreaker(breaker, open, { type: 'permit' }, Number.NaN);
    expect(effect).toEqual({ type: 'refused', retryAfterMs: 5_000 });
  });

  it('permits a probe within one break of the first call that asks, also after the clock was set back', () => {
    fc.assert(
      fc.property(
        wholeSettings,
        fc.integer({ min: -1e12, max: 1e12 }),
        fc.integer({ min: -1e12, max: 1e12 }),
        (breaker, openedAt, askedAt) => {
          const open: BreakerState = { type: 'open', ticket: 0, until: openedAt + breaker.breakDurationMs };
          const asked = stepBreaker(breaker, open, { type: 'permit' }, askedAt);
          const later = askedAt + breaker.breakDurationMs;
          const next = stepBreaker(breaker, asked.state, { type: 'permit' }, later);

          expect([asked.effect, next.effect]).toContainEqual(
            expect.objectContaining({ type: 'permitted', isProbe: true }),
          );
        },
      ),
    );
  });
});
