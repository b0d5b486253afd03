import { addToNewest, emptySlices, shiftSlices, slideTo, sumOf } from '../sliding-window.ts';
import { checkOpening, checkStep } from './check-step.ts';
import type {
  BreakerEvent,
  BreakerState,
  BreakerStep,
  CircuitBreakerSettings,
  ClosedBreaker,
} from './circuit-breaker.ts';

/**
 * Returns the state of a closed breaker that has counted no outcome.
 *
 * @param ticket - higher than every ticket before, so that calls of an earlier state cannot report. @default 0
 * @throws {InvalidOptionsError} when an argument is wrong
 */
export function closeBreaker(nowAt: number, ticket = 0): ClosedBreaker {
  checkOpening(nowAt, ticket);
  return closeBreakerBy(nowAt, ticket);
}

/** Closes as `closeBreaker` does, for arguments that have been checked. */
export function closeBreakerBy(nowAt: number, ticket: number): ClosedBreaker {
  const slices = emptySlices();
  return { type: 'closed', ticket, successes: slices, failures: slices, steppedAt: nowAt };
}

/**
 * Returns the state of a circuit breaker after an event, and what the event caused. Pure, and total: an event that does
 * not fit the state changes nothing.
 *
 * A closed breaker opens with a failure, if the window then has at least `minimumThroughput` outcomes, at least
 * `failureRatio` of them failures. The window moves in slices of a tenth of `samplingDuration`, counted from the instant
 * at which the breaker closed: an outcome counts for at least nine tenths of it, and for less than all of it.
 *
 * @param nowAt - epoch milliseconds. If it is earlier than before, no time counts as elapsed in the window, and a break
 *   lasts at most `breakDuration` from now.
 * @throws {InvalidOptionsError} when an argument is wrong
 * @see docs/sources.md#circuit-breakers
 */
export function stepBreaker(
  breaker: CircuitBreakerSettings,
  state: BreakerState,
  event: BreakerEvent,
  nowAt: number,
): BreakerStep {
  checkStep({ breaker, state, event, nowAt });
  return stepBreakerBy(breaker, state, event, nowAt);
}

/** Steps as `stepBreaker` does, for arguments that have been checked. */
export function stepBreakerBy(
  breaker: CircuitBreakerSettings,
  state: BreakerState,
  event: BreakerEvent,
  nowAt: number,
): BreakerStep {
  if (event.type === 'permit') return permit(breaker, state, nowAt);
  if (event.ticket !== state.ticket || state.type === 'open') return unchanged(state);
  switch (event.type) {
    case 'success':
      return state.type === 'closed'
        ? unchanged(count(breaker, state, 'successes', nowAt))
        : { state: closeBreakerBy(nowAt, state.ticket + 1), effect: { type: 'closed' } };
    case 'failure':
      return state.type === 'closed'
        ? openIfTooMany(breaker, count(breaker, state, 'failures', nowAt), nowAt)
        : open(breaker, state, nowAt);
    case 'abandon':
      return unchanged(
        state.type === 'closed' ? state : { ...state, ticket: state.ticket + 1, until: nowAt },
      );
  }
}

function unchanged(state: BreakerState): BreakerStep {
  return { state, effect: { type: 'none' } };
}

function permit(
  { breakDurationMs }: CircuitBreakerSettings,
  state: BreakerState,
  nowAt: number,
): BreakerStep {
  const { ticket } = state;
  if (state.type === 'closed') return { state, effect: { type: 'permitted', ticket, isProbe: false } };
  // A break that began at NaN has no end.
  if (nowAt >= state.until || Number.isNaN(state.until)) {
    const probe = { type: 'half-open', ticket: ticket + 1, until: nowAt + breakDurationMs } as const;
    return { state: probe, effect: { type: 'permitted', ticket: probe.ticket, isProbe: true } };
  }
  // A clock that was set back must not make the break longer.
  const until = nowAt + breakDurationMs < state.until ? nowAt + breakDurationMs : state.until;
  const retryAfterMs = Math.min(until - nowAt, breakDurationMs) || breakDurationMs;
  return { state: { ...state, until }, effect: { type: 'refused', retryAfterMs } };
}

function open(
  { breakDurationMs }: CircuitBreakerSettings,
  { ticket }: BreakerState,
  nowAt: number,
): BreakerStep {
  const until = nowAt + breakDurationMs;
  return { state: { type: 'open', ticket, until }, effect: { type: 'opened', until } };
}

function openIfTooMany(breaker: CircuitBreakerSettings, state: ClosedBreaker, nowAt: number): BreakerStep {
  const failures = sumOf(state.failures);
  const throughput = sumOf(state.successes) + failures;
  const isTooMany = throughput >= breaker.minimumThroughput && failures / throughput >= breaker.failureRatio;
  return isTooMany ? open(breaker, state, nowAt) : unchanged(state);
}

function count(
  { samplingDurationMs }: CircuitBreakerSettings,
  state: ClosedBreaker,
  outcome: 'successes' | 'failures',
  nowAt: number,
): ClosedBreaker {
  const slide = slideTo(samplingDurationMs, state.steppedAt, nowAt);
  const moved = {
    ...state,
    successes: shiftSlices(state.successes, slide.count),
    failures: shiftSlices(state.failures, slide.count),
    steppedAt: slide.steppedAt,
  };
  return { ...moved, [outcome]: addToNewest(moved[outcome], 1) };
}
