import type { AbortListener } from './abort-hub.ts';
import type { Attempt } from './attempt.ts';
import type { Call } from './call.ts';

/** What a caller's abort ends, and how; only calls whose caller can abort have one. */
export class Abortable implements AbortListener {
  /** The attempt that runs. */
  attempt: Attempt | undefined;
  /** Clears the latest timer. */
  cancel: (() => void) | undefined;
  readonly #call: Call;
  readonly #signal: AbortSignal;
  readonly #reject: (reason: unknown) => void;

  constructor(call: Call, signal: AbortSignal, reject: (reason: unknown) => void) {
    this.#call = call;
    this.#signal = signal;
    this.#reject = reject;
  }

  onAborted(): void {
    const { reason } = this.#signal;
    this.#reject(reason);
    this.cancel?.();
    this.attempt?.interrupt?.(reason);
    this.#call.abort(this.attempt, reason);
  }
}
