import type { Clock } from '@retry/core';
import type { CircuitPermit } from '../limits/circuit-breaker.ts';
import { createId } from './create-id.ts';
import type { Ending, Failure, GiveUpReason } from './events.ts';
import type { FailureList } from './history.ts';
import { observer } from './hooks.ts';
import type { RetryOptions } from './options.ts';
import type { Plan } from './plan.ts';

/** What is known of a call: what events, contexts and decisions read. */
export class CallRecord {
  readonly plan: Plan;
  readonly startedAt: number;
  readonly parameters: readonly unknown[];
  attempts: number;
  latest: FailureList | undefined = undefined;
  refused: Failure | undefined = undefined;
  ending: Ending | undefined = undefined;
  permit: CircuitPermit | undefined = undefined;
  /** When the latest attempt started; `NaN` before the first, and when nothing reads it. */
  protected attemptStartedAt: number = Number.NaN;
  #id: string | undefined = undefined;

  constructor(plan: Plan, attempts: number, parameters: readonly unknown[] = []) {
    const isTimed = attempts === 0 && (plan.isTimed || observer.observe !== undefined);
    this.plan = plan;
    this.startedAt = isTimed ? plan.clock.now() : Number.NaN;
    this.parameters = parameters;
    this.attempts = attempts;
  }

  get id(): string {
    this.#id ??= createId(this.options.random);
    return this.#id;
  }

  get name(): string {
    return this.options.name ?? this.plan.fn.name;
  }

  get options(): RetryOptions<never> {
    return this.plan.options;
  }

  get clock(): Clock {
    return this.plan.clock;
  }

  /** Asks the circuit breaker for the next attempt; returns the reason to end the call if it permits none. */
  protected takePermit(): GiveUpReason | undefined {
    try {
      this.permit = this.options.circuitBreaker?.permit();
      return undefined;
    } catch (error) {
      if (this.latest === undefined) this.refused = { error };
      return 'circuit-open';
    }
  }

  elapsedMs(at: number): number {
    return Math.max(at - this.startedAt, 0) || 0;
  }

  attemptMs(at: number): number {
    const { latest } = this;
    const endedAt = latest?.attempt === this.attempts ? latest.failedAt : at;
    return Math.max(endedAt - this.attemptStartedAt, 0) || 0;
  }
}
