import type { WaitOptions } from '@retry/core/broker';
import type { IdleNotice } from './idle-notice.ts';

/** Whatever else happens, a caller that waits for a result polls this often. */
const POLL_MS = 1_000;

/** The same where no notifications arrive. */
const DEAF_POLL_MS = 100;

/** Those who wait for results in this process, and what wakes them. */
export class ResultWatch {
  readonly #notice: IdleNotice;
  readonly #waiters = new Set<() => void>();

  constructor(notice: IdleNotice) {
    this.#notice = notice;
  }

  /** A run may have ended whose result a caller waits for. */
  wake(): void {
    for (const finish of [...this.#waiters]) finish();
  }

  /** Resolves when that happens, after the timeout, or when the signal aborts; now and then without a reason. */
  wait({ timeoutMs, signal }: WaitOptions): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(finish);
        signal?.removeEventListener('abort', finish);
        if (this.#waiters.size === 0) void this.#notice.set('no');
        resolve();
      };
      const finishIn = (ms: number): void => {
        clearTimeout(timer);
        if (this.#waiters.has(finish)) timer = setTimeout(finish, Math.min(timeoutMs, ms));
      };
      this.#waiters.add(finish);
      signal?.addEventListener('abort', finish);
      finishIn(POLL_MS);
      // What ended before others knew of the waiting here has sent no notification: the caller is to poll once more.
      void this.#notice.set('yes').then((news) => {
        if (news === 'new') finish();
        else if (news === 'deaf') finishIn(DEAF_POLL_MS);
      });
    });
  }

  /** Ends every wait. */
  close(): void {
    this.wake();
  }
}
