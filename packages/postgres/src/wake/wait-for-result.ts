import type { WaitOptions } from '@retry/core/broker';
import type { WaitingNotice } from './waiting-notice.ts';

/** A caller that waits for a result polls this often, in ms, even when notifications arrive. */
const POLL_MS = 1_000;

/** The same where no notifications arrive. */
const UNNOTIFIED_POLL_MS = 100;

/** The callers of this process that wait for results. */
export class ResultWaits {
  readonly #notice: WaitingNotice;
  readonly #waits = new Set<() => void>();

  constructor(notice: WaitingNotice) {
    this.#notice = notice;
  }

  /** Ends every wait: a run may have ended whose result a caller waits for. */
  wake(): void {
    for (const finish of [...this.#waits]) finish();
  }

  /** Resolves at `wake`, after the timeout, or when the signal aborts; at times without a reason. */
  wait({ timeoutMs, signal }: WaitOptions): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const finish = (): void => {
        clearTimeout(timer);
        this.#waits.delete(finish);
        signal?.removeEventListener('abort', finish);
        if (this.#waits.size === 0) this.#notice.stop();
        resolve();
      };
      const finishIn = (ms: number): void => {
        clearTimeout(timer);
        if (this.#waits.has(finish)) timer = setTimeout(finish, Math.min(timeoutMs, ms));
      };
      this.#waits.add(finish);
      signal?.addEventListener('abort', finish);
      finishIn(POLL_MS);
      // Runs that ended before the wait was announced have sent no notification, so the caller polls once more.
      void this.#notice.start().then((state) => {
        if (state === 'new') finish();
        else if (state === 'unreachable') finishIn(UNNOTIFIED_POLL_MS);
      });
    });
  }
}
