import type { AttemptContext } from '../call/context.ts';
import { installed } from '../call/instruments.ts';
import type { JoinedSignal } from '../time/join-signals.ts';
import { joinSignals } from '../time/join-signals.ts';

/** Bodies that are being read, or may be. */
const unread = new FinalizationRegistry<() => void>((release) => release());

/**
 * The signal to send a request with: it aborts with the attempt, and with the caller for as long as the answer's
 * body is read, when the attempt has ended already. One signal alone is passed on as it is.
 */
export function requestSignal(caller: AbortSignal | null | undefined, context: AttemptContext): JoinedSignal {
  if (!caller) return { signal: context.signal };
  // Without a limit, and without a call around it, nobody but the caller aborts the attempt.
  const isFree = context.remainingMs === Infinity && installed.nesting === undefined;
  return isFree ? { signal: caller } : joinSignals(caller, context.signal);
}

/** Lets go of the signals once nobody can read the answer's body any more. */
export function releaseAfter({ body }: Response, release: () => void): void {
  if (body) unread.register(body, release);
  else release();
}
