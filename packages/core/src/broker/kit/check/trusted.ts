import type { WaitForWork, WaitOptions } from '../../broker.ts';
import type { Claim, ExchangeRequest } from '../../exchange.ts';
import type { Settlement } from '../../settlement.ts';

/**
 * An exchange that `checkInput` passes on unread, because a worker of ours has made it: its settlements are moves of claimed runs by
 * `transitionRun`, at instants that every broker can store, and its names were checked where a user gave them. A copy is read as any other.
 */
export class TrustedExchange implements ExchangeRequest {
  readonly settle: readonly Settlement[];
  readonly claim: Claim | undefined;

  constructor(settle: readonly Settlement[], claim: Claim | undefined) {
    this.settle = settle;
    this.claim = claim;
  }
}

/** A wait for work that `checkInput` passes on unread: see {@link TrustedExchange}. */
export class TrustedWait implements WaitForWork {
  readonly lanes: readonly string[];
  readonly timeoutMs: number;
  readonly signal: WaitOptions['signal'];

  constructor(lanes: Iterable<string>, timeoutMs: number, signal: WaitOptions['signal']) {
    this.lanes = [...lanes];
    this.timeoutMs = timeoutMs;
    this.signal = signal;
  }
}
