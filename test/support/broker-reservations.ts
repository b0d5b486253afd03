import type { Reservation } from '@retry/core/broker';
import fc from 'fast-check';
import { assertSame } from './broker-agrees.ts';
import type { Operation } from './broker-operations.ts';

/** Starts that a model has seen granted. */
export interface ModelGrant {
  readonly key: string;
  readonly at: number;
  readonly starts: number;
}

/** Limits whose numbers never change. Windows that pass within a test are for clocks that stand still between commands. */
const LIMITS: readonly Omit<Reservation, 'count'>[] = [
  { key: 'short', limit: 3, windowMs: 20 },
  { key: 'middle', limit: 4, windowMs: 320 },
  { key: 'long', limit: 9, windowMs: 86_400_000 },
];

/** Random reservations. Which starts are within the limit, the model counts by all that were granted. */
export function reserves(): fc.Arbitrary<Operation> {
  const one = fc.record({ limit: fc.nat({ max: LIMITS.length - 1 }), count: fc.integer({ min: 1, max: 4 }) });
  return fc.array(one, { minLength: 1, maxLength: 4 }).map((some) => [
    `reserve ${JSON.stringify(some)}`,
    async (model, { broker, clock }) => {
      const requests = some.map(({ limit, count }) => {
        const chosen = LIMITS[clock === 'real' ? LIMITS.length - 1 : limit];
        return { ...(chosen ?? { key: 'none', limit: 1, windowMs: 1 }), count };
      });
      const { now: at } = await broker.exchange({});
      const answers = await broker.reserve(requests);
      for (const [index, { granted, availableAt }] of answers.entries()) {
        const { key, limit, windowMs, count } = requests[index] ?? {
          ...LIMITS[0],
          key: '',
          limit: 0,
          windowMs: 0,
          count: 0,
        };
        const startsSince = (from: number): number =>
          model.grants
            .filter((grant) => grant.key === key && grant.at > from)
            .reduce((sum, { starts }) => sum + starts, 0);
        const bucketMs = Math.ceil(windowMs / 32);
        const least = Math.min(count, limit - startsSince(at - windowMs - bucketMs));
        const most = Math.min(count, limit - startsSince(at - windowMs));
        assertSame([granted >= least, granted <= most], [true, true]);
        assertSame(availableAt === undefined, granted === count);
        model.grants.push({ key, at, starts: granted });
      }
    },
  ]);
}
