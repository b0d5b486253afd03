import type { Target } from './target.ts';

/** What a call costs at most, as a multiple of the first line of its table. */
export const inprocessTargets = {
  timeouts: { withRetry: '≤ 1.2' },
  failures: { withRetry: '≤ 1.35' },
  reading: { withRetry: '≤ 1.03' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Target>>>>;
