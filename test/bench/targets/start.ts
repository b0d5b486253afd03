import type { Target } from './target.ts';

/** Of the time of BullMQ to its first run, and of that of an empty program. */
export const startTargets: Readonly<Record<string, Target>> = {
  'retry on Redis': '≤ 0.5',
  'retry preview': '≤ 2',
};
