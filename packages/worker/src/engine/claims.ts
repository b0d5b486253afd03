import { randomUUID } from 'node:crypto';
import type { Claim, LaneConcurrency } from '@retry/core/broker';
import type { WorkerSettings } from '../options.ts';
import { globalLimitOf } from '../task/global-limit.ts';
import type { AnyTask } from '../task/task.ts';
import type { Capacity } from './capacity.ts';
import { MAX_PER_EXCHANGE } from './exchange-batch.ts';
import type { Received } from './exchanger.ts';
import { LaneChoice } from './lanes/lane-choice.ts';
import type { Room } from './lanes/slots.ts';
import { claimsOneByOne } from './lanes/slots.ts';

/** A claim of all lanes with room that returned no runs. */
export interface EmptyClaim {
  readonly lanes: ReadonlySet<string>;
  /** How long until the next scheduled run of these lanes is due, in ms. */
  readonly dueInMs: number;
  /** When that is, in epoch ms by the broker's clock; `Infinity` if there is none. */
  readonly nextRunAt: number;
}

/** Whether a claim has found nothing in every lane with room: others may have got theirs while it was under way. */
export function isEmptyFor({ lanes }: Room, emptyClaim: EmptyClaim | undefined): boolean {
  if (emptyClaim === undefined) return false;
  for (const lane of lanes.keys()) if (!emptyClaim.lanes.has(lane)) return false;
  return true;
}

/** A claim, what follows from its answer, and the release of the room that is reserved for it. */
export interface OpenClaim {
  readonly claim: Claim;
  /** By the worker's clock. */
  readonly sentAt: number;
  /** Ends the reservation. @returns the claim, when there was nothing in any lane with room */
  readonly answer: (received: Received | undefined) => EmptyClaim | undefined;
}

interface Sent {
  readonly claim: Claim;
  readonly sentAt: number;
  /** Whether it asks all lanes with room. */
  readonly isOfAll: boolean;
}

/** The claims of a worker: how many runs of which lanes, and what their answers say about the next. */
export class Claims {
  readonly #settings: WorkerSettings;
  readonly #capacity: Omit<Capacity, 'room'>;
  readonly #choice: LaneChoice;
  /** The limits of its tasks over all workers; absent where none has one. */
  readonly #limits: Pick<Claim, 'concurrency'>;
  #hasMore = false;

  constructor(settings: WorkerSettings, capacity: Omit<Capacity, 'room'>) {
    this.#settings = settings;
    this.#capacity = capacity;
    this.#choice = new LaneChoice(settings.tasks.keys());
    const limits = concurrencyOf(settings.tasks.values());
    this.#limits = limits.size === 0 ? {} : { concurrency: limits };
  }

  /** Whether there are probably more: the latest claim returned as many runs as it asked for, or did not ask all lanes. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /**
   * Makes a claim. While there are more runs than one takes, it takes half of the room, at most as many as one exchange settles:
   * the next is sent while these run. Where only one may be under way, it takes all of the room.
   */
  open({ limit, lanes }: Room): OpenClaim {
    const { name, leaseMs, clock } = this.#settings;
    const share = claimsOneByOne(this.#settings) ? limit : Math.ceil(this.#capacity.most / 2);
    const claimLimit = this.#hasMore ? Math.min(limit, share, MAX_PER_EXCHANGE) : limit;
    const sentAt = clock.now();
    const chosen = this.#choice.choose(lanes, claimLimit, sentAt);
    const isOfAll = chosen.size === lanes.size;
    const request = { worker: name, requestId: randomUUID(), leaseMs, ...this.#limits };
    const claim = { ...request, limit: claimLimit, lanes: chosen };
    const free = this.#capacity.reserve(claim);
    return {
      claim,
      sentAt,
      answer: (received) => {
        free();
        return received && this.#note(received, { claim, sentAt, isOfAll });
      },
    };
  }

  #note(received: Received, sent: Sent): EmptyClaim | undefined {
    const { claimed, lanes, nextRunAt = Infinity, now } = received;
    const { claim, sentAt, isOfAll } = sent;
    // Field by field, because every claim comes here.
    const { isShort, isCut } = this.#capacity.noteClaim({
      claim,
      sentAt,
      isOfAll,
      claimed,
      lanes,
      now,
      nextRunAt,
    });
    this.#hasMore = !isShort;
    this.#choice.note({ claim, claimed, isCut });
    if (claimed.length > 0 || !isOfAll) return undefined;
    return { lanes: new Set(lanes), dueInMs: nextRunAt - now, nextRunAt };
  }
}

/** Returns the limits over all workers of the tasks that have one, by lane. */
function concurrencyOf(tasks: Iterable<AnyTask>): ReadonlyMap<string, LaneConcurrency> {
  const limits = new Map<string, LaneConcurrency>();
  for (const task of tasks) {
    const limit = globalLimitOf(task);
    if (limit !== undefined) limits.set(task.lane, limit);
  }
  return limits;
}
