import type { Run } from '@retry/core/broker';

/** The trace contexts of attempts whose handlers are observed. */
const contexts = new WeakMap<Run, string>();

/** The longest context of an attempt that is stored with its error, in bytes. */
const MAX_BYTES = 512;

/** Keeps the trace context that a subscriber gave to an attempt; one that is no text, or too long, is not kept. */
export function keepAttemptContext(run: Run, context: unknown): void {
  if (typeof context === 'string' && context !== '' && Buffer.byteLength(context) <= MAX_BYTES)
    contexts.set(run, context);
}

/** Returns the trace context of an attempt, to be stored with its error. */
export function attemptContextOf(run: Run): string | undefined {
  return contexts.get(run);
}
