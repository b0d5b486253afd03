import type { HoldRequest } from '@retry/core/broker';
import { holdLanes, resumeLanes } from '@retry/core/broker/kit';
import type { CircuitBreakerSettings, ClosedBreaker } from '@retry/core/circuit-breaker';
import { closeBreaker, countsAsFailure, stepBreaker } from '@retry/core/circuit-breaker';
import { clipName, storable } from '../../error-text.ts';
import type { WorkerEvents } from '../../events.ts';
import type { Execution } from '../../run/execution.ts';
import { giveBackLane } from '../../run/roster.ts';
import type { Outcome } from '../../settle/outcome.ts';
import type { Decided, Settled } from '../../settle/settlement.ts';
import { storedLine } from '../../settle/stored-error.ts';
import type { AnyTask } from '../../task/task.ts';
import type { WorkerContext } from '../worker-context.ts';

/** What an attempt says about the dependency of its task. */
type Sample = 'success' | 'failure';

/** The circuit breaker of one lane, as far as this worker has seen. */
interface LaneBreaker {
  readonly settings: CircuitBreakerSettings;
  state: ClosedBreaker;
  /** When this worker put the lane on hold last. */
  heldAt: number;
  isOpening: boolean;
}

/**
 * The circuit breakers of a worker's lanes.
 *
 * 1. *closed*: each worker samples its own attempts. When too many fail, it puts the lane on hold for all workers.
 * 2. *open*: no worker claims a run of the lane. The worker that put it on hold does not sample attempts that were claimed before;
 *    another one may open it again by its own.
 * 3. *half-open*: after each break the broker lets one run through, whichever worker claims it. Its success ends the hold; its
 *    failure prolongs it.
 *
 * A call that fails is reported, and changes nothing: the next outcome leads to the same call.
 */
export class LaneBreakers {
  readonly #worker: WorkerContext;
  readonly #breakers = new Map<string, LaneBreaker>();

  constructor(worker: WorkerContext) {
    const { settings } = worker;
    this.#worker = worker;
    const state = closeBreaker(settings.clock.now());
    for (const { lane, circuitBreaker } of settings.tasks.values()) {
      if (circuitBreaker === undefined) continue;
      this.#breakers.set(lane, { settings: circuitBreaker, state, heldAt: -Infinity, isOpening: false });
    }
  }

  /** Notes that a probe was claimed. */
  noteProbe(task: AnyTask): void {
    this.#emit(task, { state: 'half-open' });
  }

  /** Counts an attempt, or applies the outcome of a probe. */
  note({ task, claimedAt, isProbe }: Execution, { outcome, settled }: Decided): void {
    const breaker = this.#breakers.get(task.lane);
    const sample = sampleOf(outcome, settled);
    // A task may have lost its circuit breaker since the lane was put on hold.
    if (isProbe && sample === 'success') this.#worker.follow(this.#close(task, breaker));
    if (sample === undefined || breaker === undefined) return;
    const why = isProbe
      ? this.#failedProbe(breaker, sample, claimedAt)
      : this.#tooManyFailed(breaker, sample, claimedAt);
    if (why !== undefined) this.#worker.follow(this.#open(task, breaker, `${why}: ${this.#text(outcome)}`));
  }

  /** Returns why the breaker opens again, if it does: after a break the broker has let another probe through, whose outcome is newer. */
  #failedProbe({ settings }: LaneBreaker, sample: Sample, claimedAt: number): string | undefined {
    const tookMs = this.#worker.settings.clock.now() - claimedAt;
    return sample === 'success' || tookMs >= settings.breakDurationMs ? undefined : 'a probe failed';
  }

  /** Counts an attempt. @returns why the breaker opens, if it does */
  #tooManyFailed(breaker: LaneBreaker, type: Sample, claimedAt: number): string | undefined {
    if (claimedAt <= breaker.heldAt || breaker.isOpening) return undefined;
    const { settings, state: before } = breaker;
    const event = { type, ticket: before.ticket };
    const { state } = stepBreaker(settings, before, event, this.#worker.settings.clock.now());
    // The window is left as it was until the lane is on hold: should that fail, the next failure tries it again.
    if (state.type !== 'closed') return `${countsOf(before)} failed, the latest`;
    breaker.state = state;
    return undefined;
  }

  async #open(task: AnyTask, breaker: LaneBreaker, why: string): Promise<void> {
    const { broker, clock, name } = this.#worker.settings;
    const { breakDurationMs } = breaker.settings;
    const reason = clipName(storable(why));
    const hold: HoldRequest = {
      lane: task.lane,
      source: 'circuit-breaker',
      forMs: breakDurationMs,
      probeMs: breakDurationMs,
      reason,
      by: name,
    };
    breaker.isOpening = true;
    try {
      await holdLanes(broker, [hold]);
      this.#reset(breaker);
      breaker.heldAt = clock.now();
      this.#emit(task, { state: 'open', reason });
      giveBackLane(this.#worker.executions, task.lane);
    } catch (error) {
      this.#worker.emitError(error, `putting the lane ${task.lane} on hold`);
    } finally {
      breaker.isOpening = false;
    }
  }

  async #close(task: AnyTask, breaker: LaneBreaker | undefined): Promise<void> {
    const { lane } = task;
    try {
      await resumeLanes(this.#worker.settings.broker, [{ lane, source: 'circuit-breaker' }]);
      if (breaker !== undefined) this.#reset(breaker);
      this.#emit(task, { state: 'closed' });
    } catch (error) {
      this.#worker.emitError(error, `resuming the lane ${lane}`);
    }
  }

  #reset(breaker: LaneBreaker): void {
    breaker.state = closeBreaker(this.#worker.settings.clock.now(), breaker.state.ticket + 1);
  }

  /** The text of an attempt's error, as it may be stored. */
  #text(outcome: Outcome): string {
    return 'error' in outcome ? storedLine(outcome.error, this.#worker.settings.redact) : 'unknown';
  }

  #emit({ name, version }: AnyTask, change: Pick<WorkerEvents['breaker'], 'state' | 'reason'>): void {
    this.#worker.emitter.emit('breaker', () => ({ task: name, version, ...change }));
  }
}

/** How many attempts of the window have failed, with the failure that follows it. */
function countsOf({ successes, failures }: ClosedBreaker): string {
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 1);
  return `${sum(failures)} of ${sum([...failures, ...successes])} attempts`;
}

/**
 * Returns what the circuit breaker counts of an attempt; `undefined` when it says nothing about the dependency: its error is
 * unexpected or stops the retrying, its payload cannot be read, or it did not end by itself.
 */
export function sampleOf(outcome: Outcome, { reason }: Pick<Settled, 'reason'>): Sample | undefined {
  switch (outcome.type) {
    case 'completed':
      return 'success';
    case 'failed':
    case 'asked':
      return isFailure(reason) ? 'failure' : undefined;
    case 'released':
    case 'cancelled':
    case 'unreadable':
    case 'stalled':
    case 'limited':
    case 'early':
      return undefined;
  }
}

function isFailure(reason: Settled['reason']): boolean {
  if (reason === 'stalled' || reason === 'unreadable') return false;
  if (reason === 'refused' || reason === 'releases-exhausted') return false;
  return reason === 'asked' || countsAsFailure(reason);
}
