import type { Targets } from './target.ts';
import { targetsOfHandling } from './target.ts';

/** What our defaults are to reach on Redis, by the title of a table. */
export const redisTargets: Readonly<Record<string, Targets>> = {
  'process, 100 at a time': { rates: { BullMQ: '≥ 7', 'bee-queue': '≥ 6' } },
  'process, 10 at a time': { rates: { BullMQ: '≥ 7', 'bee-queue': '≥ 6' } },
  'process, one at a time': { rates: { BullMQ: '≥ 12', 'bee-queue': '≥ 14' } },
  'process, strictly one at a time (prefetch 0)': { rates: { BullMQ: '≥ 1.1', 'bee-queue': '≥ 1.4' } },
  ...targetsOfHandling({
    rates: { 'BullMQ, best': '≥ 1.05', 'bee-queue, best': '≥ 1.05' },
    cpu: { 'BullMQ, best': '≤ 0.5', 'bee-queue, best': '≤ 0.6' },
  }),
  'process, payloads of 20 KB, 100 at a time': { rates: { BullMQ: '≥ 2', 'bee-queue': '≥ 1.4' } },
  'process, payloads of 200 KB, 100 at a time': { rates: { BullMQ: '≥ 1.4', 'bee-queue': '≥ 1.1' } },
  'process, each run fails twice, 100 at a time': { rates: { BullMQ: '≥ 9.5', 'bee-queue': '≥ 3.5' } },
  'submit, one by one': { rates: { BullMQ: '≥ 1.3', 'bee-queue': '≥ 0.9' } },
  'submit, 100 in flight': { rates: { BullMQ: '≥ 2.7', 'bee-queue': '≥ 1.15' } },
  'submit, 1 000 in flight': { rates: { BullMQ: '≥ 8', 'bee-queue': '≥ 2.6' } },
  'submit, bulk calls of 1 000': { rates: { BullMQ: '≥ 7.5', 'bee-queue': '≥ 1.8' } },
  'submit, payloads of 20 KB, 100 in flight': { rates: { BullMQ: '≥ 1.3', 'bee-queue': '≥ 1' } },
  'submit, payloads of 200 KB, 100 in flight': { rates: { BullMQ: '≥ 1', 'bee-queue': '≥ 0.85' } },
  'from submit to start in another process, p50 of 200 runs, one each 5 ms': {
    rates: { BullMQ: '≤ 1', 'bee-queue': '≤ 1.5' },
  },
};

/** Microseconds of the server for the smallest calls. */
export const redisCallTargets = { nothing: '≤ 8', exchange: '≤ 28', submit: '≤ 8' } as const;
