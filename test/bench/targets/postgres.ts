import type { Targets } from './target.ts';
import { targetsOfHandling } from './target.ts';

const [graphile, boss] = ['graphile-worker, localQueue 1000', 'pg-boss, fetch 1000'];

/** What our defaults, a plain `pg.Pool`, are to reach on Postgres, by the title of a table. */
export const postgresTargets: Readonly<Record<string, Targets>> = {
  'process, 100 at a time': {
    rates: { [graphile]: '≥ 1.4', 'graphile-worker, localQueue 5000': '≥ 1.4', [boss]: '≥ 1.8' },
    cpu: { [graphile]: '≤ 1', 'graphile-worker, localQueue 5000': '≤ 1', [boss]: '≤ 0.5' },
    wal: { [graphile]: '≤ 0.9', 'graphile-worker, localQueue 5000': '≤ 0.9', [boss]: '≤ 0.5' },
  },
  'process, 10 at a time': { rates: { [graphile]: '≥ 1.2', [boss]: '≥ 1.8' } },
  'process, one at a time': { rates: { [graphile]: '≥ 0.8', [boss]: '≥ 1.5' } },
  'process, strictly one at a time (prefetch 0)': {
    rates: { 'graphile-worker': '≥ 0.85', 'pg-boss, fetch 1': '≥ 2' },
  },
  ...targetsOfHandling({
    rates: { [graphile]: '≥ 1', [boss]: '≥ 1' },
    cpu: { [graphile]: '≤ 0.8', [boss]: '≤ 0.5' },
  }),
  'process, payloads of 20 KB, 100 at a time': { rates: { [graphile]: '≥ 0.95', [boss]: '≥ 1' } },
  'process, payloads of 200 KB, 100 at a time': { rates: { [graphile]: '≥ 0.9', [boss]: '≥ 1' } },
  'process, each run fails twice, 100 at a time': {
    rates: { 'graphile-worker': '≥ 10', [graphile]: '≥ 1.4', [boss]: '≥ 2.7' },
  },
  'process, 1 000 task names, 100 at a time': { rates: { 'retry on a pg.Pool, 1 name': '≥ 0.85' } },
  'due at once': { rates: { [graphile]: '≥ 1', [boss]: '≥ 1' } },
  'due at once, before the worker starts': { rates: { [graphile]: '≥ 1', [boss]: '≥ 1' } },
  'from submit to start in another process, p50 of 200 runs, one each 5 ms': {
    rates: { 'graphile-worker': '≤ 1', 'pg-boss, notified': '≤ 0.75' },
  },
};
