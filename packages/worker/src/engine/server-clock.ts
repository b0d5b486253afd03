import type { Clock } from '@retry/core';

/** The server's clock as a reply showed it; instants in epoch milliseconds. */
export interface ClockReading {
  /** When the request was sent, by the worker's clock. */
  readonly sentAt: number;
  /** When its reply arrived, by the worker's clock. */
  readonly receivedAt: number;
  /** What the server's clock said in between. */
  readonly serverAt: number;
}

/**
 * Estimates the broker's clock. The server read its clock between request and reply, so its offset is between
 * `serverAt - receivedAt` and `serverAt - sentAt`. The estimate moves only as far as needed to be in that range: a slow
 * reply has a wide range and moves nothing.
 */
export class ServerClock {
  readonly #clock: Clock;
  #offsetMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Now by the broker's clock, in epoch ms. */
  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /** Corrects the estimate by another reply. */
  note({ sentAt, receivedAt, serverAt }: ClockReading): void {
    this.#offsetMs = Math.min(Math.max(this.#offsetMs, serverAt - receivedAt), serverAt - sentAt);
  }
}
