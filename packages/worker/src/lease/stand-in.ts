import type { HeartbeatConnection, HeartbeatRequest } from '@retry/core/broker';
import { HEARTBEATS_PER_LEASE, MAX_LEASES } from './heartbeats.ts';
import type { LeaseAnswer } from './lease-thread.ts';

/** The loop may be quiet for a lease divided by this number before its heartbeats are sent for it. */
const QUIET_PART = 6;

/** A worker whose event loop may be blocked. */
export interface GuardedWorker {
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  /** How often its event loop has turned. */
  turns(): number;
  /** Every lease of the worker. */
  leases(): readonly HeartbeatRequest[];
  heartbeat: HeartbeatConnection['heartbeat'];
  onAnswers(answers: readonly LeaseAnswer[]): void;
  onError(error: unknown): void;
  /** Called once for each block that is longer than `maxBlockMs`. */
  onGiveUp(leases: readonly HeartbeatRequest[]): void;
}

/**
 * Sends the heartbeats of a worker whose event loop does not turn. Three times a lease, from a sixth of a lease after its last
 * turn: the last heartbeat of the loop is at most a third of a lease older, so half a lease is left for the first call. Ends
 * when the block has lasted for `maxBlockMs`, so that the runs of an endless loop are claimed by others.
 */
export class StandIn {
  readonly #worker: GuardedWorker;
  /** Leases that were lost during this block; the loop, which would remove them, does not turn. */
  readonly #lost = new Set<string>();
  #turns: number | undefined;
  #turnedAt = 0;
  #sentAt = -Infinity;
  #isSending = false;
  #hasGivenUp = false;

  constructor(worker: GuardedWorker) {
    this.#worker = worker;
  }

  /** Sends heartbeats if it is time. @param now - of a monotonic clock, in ms */
  async tick(now: number): Promise<void> {
    const { leaseMs, maxBlockMs } = this.#worker;
    const seen = this.#worker.turns();
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
    if (leases.length > 0) this.#worker.onGiveUp(leases);
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
    try {
      const answers = await this.#worker.heartbeat(leases, this.#worker.leaseMs);
      const changed = leases.flatMap((lease, index): LeaseAnswer[] => {
        const answer = answers[index] ?? 'ok';
        if (answer === 'fenced' || answer === 'gone') this.#lost.add(keyOf(lease));
        return answer === 'ok' ? [] : [{ ...lease, answer }];
      });
      if (changed.length > 0) this.#worker.onAnswers(changed);
      return true;
    } catch (error) {
      this.#worker.onError(error);
      return false;
    }
  }

  #leases(): readonly HeartbeatRequest[] {
    return this.#worker.leases().filter((lease) => !this.#lost.has(keyOf(lease)));
  }
}

function keyOf({ id, epoch }: HeartbeatRequest): string {
  return `${epoch} ${id}`;
}
