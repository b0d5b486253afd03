import type { Clock } from '@retry/core';
import { RetryError } from '@retry/core';
import type {
  BreakerEffect,
  BreakerEvent,
  BreakerState,
  CircuitBreakerInput,
  CircuitBreakerSettings,
} from '@retry/core/circuit-breaker';
import {
  CIRCUIT_BREAKER_KEYS,
  closeBreaker,
  readCircuitBreaker,
  stepBreaker,
} from '@retry/core/circuit-breaker';
import { A_CLOCK, A_FUNCTION, readOptions } from '@retry/core/fields';
import type { GiveUpReason } from '../call/events.ts';
import { callHook, report } from '../call/hooks.ts';
import { systemClock } from '../time/clock.ts';
import { guardedClock } from '../time/guard-clock.ts';

/** Stops the calls to a dependency that fails too often. Made by `createCircuitBreaker`. */
export interface CircuitBreaker {
  /** `'open'` lasts until the first call after the break, which is the probe; then it is `'half-open'`. */
  readonly state: BreakerState['type'];
  /**
   * Permits one attempt. Calls that have this circuit breaker as an option ask by themselves.
   *
   * @throws {CircuitOpenError} while it is open, and while the probe is under way
   */
  readonly permit: () => CircuitPermit;
}

/** One attempt that was permitted. Its first report counts, further ones change nothing. */
export interface CircuitPermit {
  /** Whether the outcome of this attempt closes or opens the circuit breaker. */
  readonly isProbe: boolean;
  /** Reports a success. */
  readonly succeed: () => void;
  /**
   * Reports a failure.
   *
   * @param reason - why the policy ends the retrying; `unexpected` and `stopped` are counted neither as failure nor as
   *   success. Absent if it continues; anything else is a failure, too, so that `promise.catch(permit.fail)` reports one
   * @returns whether a retry may follow: the circuit breaker is closed
   */
  readonly fail: (reason?: GiveUpReason) => boolean;
  /** Reports that the attempt says nothing about the dependency: it was aborted. */
  readonly abandon: () => void;
}

/** A change of a circuit breaker's state. */
export interface StateChangeEvent {
  /** The state before. */
  readonly from: BreakerState['type'];
  /** The state from now on, another one than before. */
  readonly to: BreakerState['type'];
  /** When the (next) probe may go, in epoch milliseconds of its clock; absent when it has closed. */
  readonly until?: number;
}

/** Options of a circuit breaker. Every key is optional. */
export interface CircuitBreakerOptions extends CircuitBreakerInput {
  /** Called after each change of the state; it is not awaited. */
  readonly onStateChange?: ((event: StateChangeEvent) => unknown) | undefined;
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
  /**
   * Receives what the hook threw, or the clock when an outcome was reported.
   * @default globalThis.reportError, or console.error where there is none
   */
  readonly reportError?: ((error: unknown) => unknown) | undefined;
}

/** Thrown instead of calling a function whose circuit breaker is open. */
export class CircuitOpenError extends RetryError<'CIRCUIT_OPEN'> {
  override readonly name: string = 'CircuitOpenError';
  /** Milliseconds until a call may go, `ms > 0`. */
  readonly retryAfterMs: number;

  /** @param retryAfterMs - milliseconds until a call may go */
  constructor(retryAfterMs: number) {
    super(
      'CIRCUIT_OPEN',
      `the circuit breaker is open, so the function was not called; a call may go in ${retryAfterMs} ms`,
    );
    this.retryAfterMs = retryAfterMs;
  }
}

const KEYS: readonly (keyof CircuitBreakerOptions)[] = [
  ...CIRCUIT_BREAKER_KEYS,
  'onStateChange',
  'clock',
  'reportError',
];

/**
 * Creates a circuit breaker to be shared by the calls to one dependency: while that is down, calls fail immediately
 * instead of waiting and retrying.
 *
 * @throws {InvalidOptionsError} when an option is unknown or wrong
 * @see docs/sources.md#circuit-breakers
 */
export function createCircuitBreaker(options?: CircuitBreakerOptions): CircuitBreaker {
  return readOptions(options, { subject: 'circuit breaker', keys: KEYS }, (fields) => {
    const clock = fields.optional('clock', A_CLOCK);
    const hooks = {
      onStateChange: fields.optional('onStateChange', A_FUNCTION) as CircuitBreakerOptions['onStateChange'], // checked
      reportError: fields.optional('reportError', A_FUNCTION) as CircuitBreakerOptions['reportError'], // checked
    };
    return new Breaker(
      readCircuitBreaker(fields),
      guardedClock(clock, hooks.reportError) ?? systemClock,
      hooks,
    );
  });
}

type Hooks = Pick<CircuitBreakerOptions, 'onStateChange' | 'reportError'>;

class Breaker implements CircuitBreaker {
  readonly #settings: CircuitBreakerSettings;
  readonly #clock: Clock;
  readonly #hooks: Hooks;
  #state: BreakerState;

  constructor(settings: CircuitBreakerSettings, clock: Clock, hooks: Hooks) {
    this.#settings = settings;
    this.#clock = clock;
    this.#hooks = hooks;
    this.#state = closeBreaker(clock.now());
  }

  get state(): BreakerState['type'] {
    return this.#state.type;
  }

  permit(): CircuitPermit {
    const effect = this.#step({ type: 'permit' });
    if (effect.type === 'permitted') return this.#permitOf(effect);
    throw new CircuitOpenError(effect.type === 'refused' ? effect.retryAfterMs : 0);
  }

  #permitOf({ ticket, isProbe }: { readonly ticket: number; readonly isProbe: boolean }): CircuitPermit {
    let isReported = false;
    const settle = (type: 'success' | 'failure' | 'abandon'): void => {
      if (isReported) return;
      isReported = true;
      try {
        this.#step({ type, ticket });
      } catch (thrown) {
        // An error of the user's clock must not replace the result of the attempt, nor its error.
        report(thrown, this.#hooks.reportError);
      }
    };
    return {
      isProbe,
      succeed: () => settle('success'),
      fail: (reason) => {
        settle(isFailure(reason) ? 'failure' : 'abandon');
        return this.state === 'closed';
      },
      abandon: () => settle('abandon'),
    };
  }

  #step(event: BreakerEvent): BreakerEffect {
    const { type: from } = this.#state;
    const { state, effect } = stepBreaker(this.#settings, this.#state, event, this.#clock.now());
    this.#state = state;
    const { onStateChange, reportError } = this.#hooks;
    if (state.type !== from) callHook(onStateChange, changeOf(from, state), reportError);
    return effect;
  }
}

/** Ends that say nothing about the dependency. Every other one is a failure, an error too: that of `promise.catch(permit.fail)`. */
const SAYS_NOTHING: readonly unknown[] = [
  'aborted',
  'unexpected',
  'stopped',
] satisfies readonly GiveUpReason[];

function isFailure(reason: unknown): boolean {
  return !SAYS_NOTHING.includes(reason);
}

function changeOf(from: StateChangeEvent['from'], state: BreakerState): StateChangeEvent {
  const { type: to } = state;
  return state.type === 'closed' ? { from, to } : { from, to, until: state.until };
}
