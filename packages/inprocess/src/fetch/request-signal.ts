import type { AttemptContext } from '../call/context.ts';
import { nested } from '../call/plan.ts';
import type { JoinedSignal } from '../time/abort-hub.ts';
import { joinSignals } from '../time/abort-hub.ts';

/** Bodies that can still be read; releases their signals when they are collected. */
const unread = new FinalizationRegistry<() => void>((release) => release());

/**
 * Returns the signal of a request. It aborts with the attempt, and with the caller's signal even after the attempt
 * has ended, while the body of the response is being read. A single signal is returned as it is.
 */
export function requestSignal(caller: AbortSignal | null | undefined, context: AttemptContext): JoinedSignal {
  if (!caller) return { signal: context.signal };
  // Without a timeout, and without a call around it, only the caller can abort the attempt.
  const isFree = context.remainingMs === Infinity && nested.nesting === undefined;
  return isFree ? { signal: caller } : joinSignals(caller, context.signal);
}

/** Releases the signals once the body of the response can no longer be read. */
export function releaseAfter({ body }: Response, release: () => void): void {
  if (body) unread.register(body, release);
  else release();
}
