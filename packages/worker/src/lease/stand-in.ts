import type { HeartbeatConnection, HeartbeatRequest } from '@retry/core/broker';
import type { LeaseAnswer } from './lease-thread.ts';

/** Of a lease: how long the loop may be quiet before its heartbeats are sent for it. */
const QUIET_PART = 6;

/** Heartbeats per lease, as the event loop sends them. */
const HEARTBEATS_PER_LEASE = 3;

/** The most leases that one call extends. */
const MAX_LEASES = 1_000;

/** What a stand-in works with. */
export interface StandInParts {
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  /** How often the event loop has turned. */
  readonly turns: () => number;
  /** Every lease of the worker. */
  readonly leases: () => readonly HeartbeatRequest[];
  readonly heartbeat: HeartbeatConnection['heartbeat'];
  readonly onAnswers: (answers: readonly LeaseAnswer[]) => void;
  readonly onError: (error: unknown) => void;
  /** Called once for each block that is longer than `maxBlockMs`. */
  readonly onGiveUp: (leases: readonly HeartbeatRequest[]) => void;
}

/**
 * Sends the heartbeats of a worker whose event loop does not turn. Three times a lease, from a sixth of a lease after its last
 * turn: the last heartbeat of the loop is at most a third of a lease older, so half a lease is left for the first call. Ends
 * when the block has lasted for `maxBlockMs`, so that the runs of an endless loop are claimed by others.
 */
export class StandIn {
  readonly #parts: StandInParts;
  /** Leases that were lost during this block; the loop, which would remove them, does not turn. */
  readonly #lost = new Set<string>();
  #turns: number | undefined;
  #turnedAt = 0;
  #sentAt = -Infinity;
  #isSending = false;
  #hasGivenUp = false;

  constructor(parts: StandInParts) {
    this.#parts = parts;
  }

  /** Sends heartbeats if it is time. @param now - of a monotonic clock, in ms */
  async tick(now: number): Promise<void> {
    const { leaseMs, maxBlockMs, turns } = this.#parts;
    const seen = turns();
    if (seen !== this.#turns) {
      this.#turns = seen;
      this.#turnedAt = now;
      this.#hasGivenUp = false;
      this.#lost.clear();
      return;
    }
    const blockedMs = now - this.#turnedAt;
    if (blockedMs < leaseMs / QUIET_PART || this.#hasGivenUp) return;
    if (blockedMs > maxBlockMs) return this.#giveUp();
    if (this.#isSending || now - this.#sentAt < leaseMs / HEARTBEATS_PER_LEASE) return;
    this.#isSending = true;
    if (await this.#sendAll()) this.#sentAt = now;
    this.#isSending = false;
  }

  #giveUp(): void {
    this.#hasGivenUp = true;
    const leases = this.#leases();
    if (leases.length > 0) this.#parts.onGiveUp(leases);
  }

  /** @returns whether every call was answered; if not, all are sent again by the next tick */
  async #sendAll(): Promise<boolean> {
    const leases = this.#leases();
    let isAnswered = true;
    for (let first = 0; first < leases.length; first += MAX_LEASES)
      isAnswered = (await this.#send(leases.slice(first, first + MAX_LEASES))) && isAnswered;
    return isAnswered;
  }

  async #send(leases: readonly HeartbeatRequest[]): Promise<boolean> {
    const { heartbeat, leaseMs, onAnswers, onError } = this.#parts;
    try {
      const answers = await heartbeat(leases, leaseMs);
      const changed = leases.flatMap((lease, index): LeaseAnswer[] => {
        const answer = answers[index] ?? 'ok';
        if (answer === 'fenced' || answer === 'gone') this.#lost.add(keyOf(lease));
        return answer === 'ok' ? [] : [{ ...lease, answer }];
      });
      if (changed.length > 0) onAnswers(changed);
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  #leases(): readonly HeartbeatRequest[] {
    return this.#parts.leases().filter((lease) => !this.#lost.has(keyOf(lease)));
  }
}

function keyOf({ id, epoch }: HeartbeatRequest): string {
  return `${epoch} ${id}`;
}
