import type { WorkerSettings } from '../options.ts';
import type { Received } from './exchanger.ts';
import type { Room, Slots } from './lanes/slots.ts';
import type { AnsweredClaim, Lateness } from './lateness.ts';
import type { ClaimReading, PrefetchEstimate } from './prefetch.ts';
import { readClaim } from './prefetch.ts';

/** Handlers of at most this many ms are short. */
const SHORT_MS = 1;

interface CapacityParts {
  readonly settings: WorkerSettings;
  readonly slots: Slots;
  readonly estimate: PrefetchEstimate;
  readonly lateness: Lateness;
}

interface AnsweredLanes extends Pick<Received, 'claimed' | 'lanes'> {
  /** Whether it asked all lanes with room. */
  readonly isOfAll: boolean;
}

/** What a worker may claim: the runs that there are slots for, and those that it claims in advance. */
export class Capacity {
  readonly #parts: CapacityParts;
  /** Nothing has been claimed yet, so what is due by now found no worker. */
  #isNew = true;

  constructor(parts: CapacityParts) {
    this.#parts = parts;
  }

  /** How many runs the worker leases at most now: those that run and those that it claims in advance. */
  get most(): number {
    const { settings, estimate } = this.#parts;
    return settings.concurrency + estimate.count(settings.clock.now());
  }

  /** Whether handlers are so short that waiting for more of them costs more than another exchange. */
  get areShort(): boolean {
    return this.#parts.estimate.meanMs <= SHORT_MS;
  }

  /**
   * Returns how many runs may be claimed now; `undefined` when none may be.
   *
   * @param isClosed - nothing may be claimed, whatever is free
   */
  room({ isClosed }: { readonly isClosed: boolean }): Room | undefined {
    const { settings, slots, estimate } = this.#parts;
    const now = settings.clock.now();
    const prefetch = estimate.count(now);
    const room = isClosed ? undefined : slots.room(now, prefetch);
    const areAllBlocked = isClosed || this.#isNew || slots.isFull(prefetch);
    this.#isNew = false;
    this.#noteBlockedLanes(room, areAllBlocked, now);
    return room;
  }

  /** Notes that a claim was answered. @returns what that shows about its lanes */
  noteClaim(answered: AnsweredClaim & AnsweredLanes): ClaimReading {
    const { claim, claimed, lanes, isOfAll } = answered;
    const reading = readClaim({ limit: claim.limit, claimed, isOfAll });
    this.#parts.estimate.noteClaim(reading);
    if (lanes.length === claim.lanes.size) this.#parts.lateness.noteClaim(answered);
    return reading;
  }

  /** Reserves room for the runs that a claim may return. @returns frees it */
  reserve(room: Room): () => void {
    return this.#parts.slots.reserve(room);
  }

  /** Milliseconds until a reached rate limit allows another start. */
  opensIn(): number {
    return this.#parts.slots.opensIn(this.#parts.settings.clock.now());
  }

  /** Records why a run that is claimed later may be late. Room that a pending claim has reserved is no obstacle to it. */
  #noteBlockedLanes(room: Room | undefined, areAllBlocked: boolean, now: number): void {
    const { slots, lateness } = this.#parts;
    if (areAllBlocked) {
      lateness.noteAllBlocked(now);
      for (const lane of slots.rateLimited)
        if (slots.isRateLimited(lane, now)) lateness.noteBlocked(lane, 'rate-limit', now);
      return;
    }
    for (const lane of slots.limited) {
      const cause = room?.lanes.has(lane) === true ? undefined : slots.obstacleOf(lane, now);
      if (cause !== undefined) lateness.noteBlocked(lane, cause, now);
    }
  }
}
