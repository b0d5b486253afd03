import type { StartCorrection } from '@retry/core/broker';
import type { Execution } from '../../run/execution.ts';
import type { SharedLimit } from '../plan/shared-limit.ts';

/** Starts that a limit has granted to one run, or to several with one call. */
export interface StartGrant {
  readonly limit: SharedLimit;
  /** By the broker's clock. */
  readonly grantedAt: number;
  /** When the worker has counted them, by its estimate of that clock. */
  readonly countedAt: number;
}

/** What one run counts as. */
interface CountedStart {
  readonly grant: StartGrant;
  cost: number;
}

/**
 * What the runs of a worker count as against limits that all workers share, and the corrections that the broker has not been told of yet.
 *
 * A call that fails may have been written. What takes starts away is not sent again then, because twice would be too much; what adds some
 * is, because a limit would be exceeded without it.
 */
export class StartGrants {
  readonly #starts = new WeakMap<Execution, CountedStart>();
  #corrections: readonly StartCorrection[] = [];

  /** Whether the broker is to be told of anything. */
  get hasCorrections(): boolean {
    return this.#corrections.length > 0;
  }

  /** Notes what the start of a run counts as. */
  note(execution: Execution, grant: StartGrant, cost: number): void {
    this.#starts.set(execution, { grant, cost });
  }

  /** Corrects what the start of a run counts as. @returns whether it was counted at all */
  spend(execution: Execution, actual: number): boolean {
    const start = this.#starts.get(execution);
    if (start === undefined) return false;
    const { limit } = start.grant;
    if (actual < start.cost) limit.noteFreed();
    this.correct(start.grant, actual - start.cost);
    start.cost = actual;
    return true;
  }

  /** Notes that more starts were made than were granted, or fewer. */
  correct({ limit, grantedAt, countedAt }: StartGrant, count: number): void {
    if (count === 0) return;
    limit.noteCorrection(countedAt, count);
    this.#corrections = [...this.#corrections, { key: limit.settings.key, grantedAt, count }];
  }

  /** Takes the corrections that are to be sent. */
  take(): readonly StartCorrection[] {
    const corrections = this.#corrections;
    this.#corrections = [];
    return corrections;
  }

  /** Notes that the call with these corrections has failed. */
  noteFailure(corrections: readonly StartCorrection[]): void {
    this.#corrections = [...corrections.filter(({ count }) => count > 0), ...this.#corrections];
  }
}
