import { readServerDelay } from '@retry/core';
import { holdLanes } from '@retry/core/broker/kit';
import { settingsOf } from '@retry/core/fields';
import { clipName, storable } from '../../error-text.ts';
import type { Execution } from '../../run/execution.ts';
import { giveBackLane } from '../../run/roster.ts';
import type { Outcome } from '../../settle/outcome.ts';
import { storedLine } from '../../settle/stored-error.ts';
import type { AnyTask } from '../../task/task.ts';
import type { WorkerContext } from '../worker-context.ts';

/** The longest hold that a server's answer puts on a lane, in ms. */
const MAX_SERVER_HOLD_MS = 3_600_000;

/** What a server has asked for. */
interface AskedHold {
  /** When it ends, by the worker's clock. */
  readonly until: number;
  /** The error of the attempt that it answered. */
  readonly error: unknown;
}

/** One lane for which a server has asked, as far as this worker knows. */
interface AskedLane {
  readonly name: string;
  /** When its latest hold ends, and when that was stored, by the worker's clock; it may have been resumed since. */
  until: number;
  storedAt: number;
  /** The longest hold that is not stored yet. While there is one, a call is under way. */
  asked: AskedHold | undefined;
}

/**
 * The holds of a worker's lanes for which servers have asked: an attempt failed with an error that says how long to wait, and its task
 * has `adapt`. All runs of the lane wait for that long, on all workers.
 *
 * One call for a lane is under way at a time. The attempts that fail meanwhile lead to one more, if one of them asks for longer; those
 * that were claimed before the hold was stored and ask for no longer lead to none. A call that fails is reported, and changes nothing.
 */
export class ServerHolds {
  readonly #worker: WorkerContext;
  readonly #lanes = new Map<string, AskedLane>();

  constructor(worker: WorkerContext) {
    this.#worker = worker;
  }

  /** Puts the lane on hold if the attempt failed with a delay that a server asked for. */
  note({ task, claimedAt }: Execution, outcome: Outcome): void {
    if (outcome.type !== 'failed' && outcome.type !== 'asked') return;
    const { error } = outcome;
    const holdMs = holdMsOf(task, error, this.#worker.now());
    if (!(holdMs > 0)) return;
    const lane = this.#laneOf(task.lane);
    const until = this.#worker.settings.clock.now() + holdMs;
    if (claimedAt <= lane.storedAt && until <= lane.until) return;
    const isCalling = lane.asked !== undefined;
    if (lane.asked === undefined || until > lane.asked.until) lane.asked = { until, error };
    if (!isCalling) this.#worker.follow(this.#store(lane));
  }

  /** Returns the lanes whose hold was not yet stored at this instant of the worker's clock, and has not ended since. */
  heldSince(at: number): readonly string[] {
    if (this.#lanes.size === 0) return []; // every claim comes here
    const now = this.#worker.settings.clock.now();
    const held = [...this.#lanes.values()].filter(({ storedAt, until }) => storedAt >= at && until > now);
    return held.map(({ name }) => name);
  }

  #laneOf(name: string): AskedLane {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane: AskedLane = { name, until: -Infinity, storedAt: -Infinity, asked: undefined };
    this.#lanes.set(name, lane);
    return lane;
  }

  async #store(lane: AskedLane): Promise<void> {
    let latest: AskedHold | undefined;
    while (lane.asked !== undefined && lane.asked !== latest) {
      latest = lane.asked;
      await this.#hold(lane, latest);
    }
    lane.asked = undefined;
  }

  async #hold(lane: AskedLane, { until, error }: AskedHold): Promise<void> {
    const { broker, clock, name: by } = this.#worker.settings;
    const { name } = lane;
    const forMs = until - clock.now();
    if (forMs <= 0) return; // the call before it took that long
    const reason = this.#reason(error);
    try {
      await holdLanes(broker, [{ lane: name, source: 'handler', forMs, keepLonger: true, reason, by }]);
      lane.until = until;
      lane.storedAt = clock.now();
      giveBackLane(this.#worker.executions, name);
    } catch (failure) {
      this.#worker.emitError(failure, `putting the lane ${name} on hold`);
    }
  }

  #reason(error: unknown): string {
    return clipName(storable(`asked by a server: ${storedLine(error, this.#worker.settings.redact)}`));
  }
}

/** Returns for how long a lane is held after this error; 0 where no server asks, or the policy does not listen. */
function holdMsOf({ retry }: AnyTask, error: unknown, serverNow: number): number {
  const { maxMs, mode, beyondMax } = settingsOf(retry).retryAfter;
  if (mode === 'ignore') return 0;
  const asked = readServerDelay(error, serverNow);
  if (asked.type !== 'delay' || (asked.delayMs > maxMs && beyondMax === 'ignore')) return 0;
  return Math.min(asked.delayMs, maxMs, MAX_SERVER_HOLD_MS);
}
