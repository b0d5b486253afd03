import type { Clock } from '@retry/core';

/** When an answer was asked for, when it came, and what the server's clock said in between. */
export interface Reading {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly serverAt: number;
}

/**
 * An estimate of the broker's clock. The server read its clock somewhere between the request and the reply, so that its
 * offset lies between `serverAt - receivedAt` and `serverAt - sentAt`. The known offset moves only as far as it has to in order
 * to lie there: a reply that travelled slowly says little and moves nothing.
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

  note({ sentAt, receivedAt, serverAt }: Reading): void {
    this.#offsetMs = Math.min(Math.max(this.#offsetMs, serverAt - receivedAt), serverAt - sentAt);
  }
}
