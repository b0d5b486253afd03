import type { Clock } from '@retry/core';
import { hideSecrets } from '@retry/core/broker/kit';

/** A process warning. */
export interface ProcessWarning {
  /** Stable: `RETRY_UNHANDLED_ERROR`, `RETRY_UNATTENDED_LANE`, `RETRY_LEASES_ON_LOOP`. */
  readonly code: string;
  readonly message: string;
  readonly cure: string;
}

const ONE_MINUTE_MS = 60_000;

/**
 * Creates a function that emits process warnings without passwords, at most one a minute of each code; it returns whether
 * the warning was emitted.
 */
export function warnRarely(clock: Pick<Clock, 'now'>): (warning: ProcessWarning) => boolean {
  const warnedAt = new Map<string, number>();
  return ({ code, message, cure }) => {
    const now = clock.now();
    if (now - (warnedAt.get(code) ?? -Infinity) < ONE_MINUTE_MS) return false;
    warnedAt.set(code, now);
    process.emitWarning(hideSecrets(message), { type: 'RetryWarning', code, detail: cure });
    return true;
  };
}
