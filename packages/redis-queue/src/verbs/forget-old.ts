import { forgetOldScript } from '../scripts/forget-old.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';

/** Forgets completed runs whose time is over, and returns the server's clock. */
export async function forgetOldRuns(store: Store): Promise<number> {
  for (;;) {
    const [now, isMore] = (await runScript(store, forgetOldScript, store.retention)) as readonly number[]; // what our own script returns
    if (isMore !== 1) return now ?? 0;
  }
}
