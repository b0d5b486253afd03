import type { AbortListener } from '../time/abort-hub.ts';
import { offAbort, onAbort } from '../time/abort-hub.ts';
import type { Attempt } from './attempt.ts';
import { Call } from './call.ts';

/** A call whose caller can abort. It is its own listener, as many thousands may wait at once. */
export class AbortableCall extends Call implements AbortListener {
  /** The attempt that runs, where it can be told. */
  #attempt: Attempt | undefined;
  /** Clears the latest timer. */
  #cancel: (() => void) | undefined;
  #reject: ((reason: unknown) => void) | undefined;

  /** From now on it is over at once when the signal aborts; what is under way then is not heard any more. */
  heed(reject: (reason: unknown) => void): void {
    this.#reject = reject;
    if (this.plan.signal !== undefined) onAbort(this.plan.signal, this);
  }

  onAborted(): void {
    const error: unknown = this.plan.signal?.reason;
    this.#reject?.(error);
    this.#cancel?.();
    this.#attempt?.interrupt?.(error);
    this.end({ error, attempt: this.begun, reason: 'aborted' });
  }

  override hold(cancel: () => void): void {
    this.#cancel = cancel;
  }

  override note(attempt: Attempt | undefined): void {
    this.#attempt = attempt;
  }

  override leave(): void {
    const { signal } = this.plan;
    if (signal?.aborted === false) offAbort(signal, this);
    super.leave();
  }
}
