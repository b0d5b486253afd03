import type { Fields } from '../../fields/fields.ts';
import { readOptions } from '../../fields/read-options.ts';
import { A_SHARE, FINITE_AT_LEAST_0 } from '../../fields/value-rules.ts';

/** A budget of all processes together, as people write it; `ratio`, `perSecond` or both. */
export interface SharedBudgetInput {
  /** Retries per first attempt, a finite number ≥ 0. @default 0 */
  readonly ratio?: number | undefined;
  /** Retries per second of all processes together, whatever the traffic is; a finite number ≥ 0. @default 0 */
  readonly perSecond?: number | undefined;
  /**
   * How many retries beyond that there may be in any time, of all processes together; an integer ≥ 1, and at least two seconds of
   * `perSecond`. @default 100, at least ten seconds of `perSecond`
   */
  readonly burst?: number | undefined;
  /** What this process may take of `perSecond` and `burst` while the store does not answer, `0 ≤ share ≤ 1`. @default 0.1 */
  readonly localShare?: number | undefined;
}

/** A checked budget of all processes. */
export interface SharedBudget {
  /** Retries per first attempt. */
  readonly ratio: number;
  /** Retries per second of all processes together. */
  readonly perSecond: number;
  /** Tokens of which none is spent: those of the bucket and of all leases together are never more. */
  readonly burst: number;
  /** How long a process may spend the tokens that it has taken, in ms. */
  readonly leaseMs: number;
  /** The share of this process while the store does not answer. */
  readonly localShare: number;
}

/** The longest lease, in ms, and the shortest: a store takes some milliseconds to renew it. */
const LEASE_MS = { most: 5_000, least: 1_000 } as const;

/** Which part of `burst` may be leased at `perSecond` in the time of a lease: the rest waits for processes that need more. */
const LEASED_SHARE = 0.5;

/** The keys of a shared budget. */
export const SHARED_BUDGET_KEYS: readonly (keyof SharedBudgetInput)[] = [
  ...(['ratio', 'perSecond', 'burst', 'localShare'] as const),
];

/** Checks a shared budget and fills in the defaults. @throws {InvalidOptionsError} listing every problem */
export function defineSharedBudget(input: SharedBudgetInput): SharedBudget {
  return readOptions(input, { subject: 'shared budget', keys: SHARED_BUDGET_KEYS }, readSharedBudget);
}

/** Reads a shared budget among other options. */
export function readSharedBudget(fields: Fields): SharedBudget {
  const ratio = fields.number('ratio', 0, AT_LEAST_0);
  const perSecond = fields.number('perSecond', 0, AT_LEAST_0);
  const leastBurst = Math.max(1, Math.ceil((perSecond * LEASE_MS.least) / 1_000 / LEASED_SHARE));
  const burst = fields.number('burst', Math.max(100, Math.ceil(10 * perSecond)), {
    accepts: (count) => Number.isSafeInteger(count) && count >= leastBurst,
    message: `must be an integer of at least ${leastBurst}`,
    cure: 'Use at least two seconds of perSecond, or leave it out.',
  });
  if (fields.value('ratio') === undefined && fields.value('perSecond') === undefined)
    fields.fail('ratio', 'is missing', 'Use ratio: 0.1, or perSecond: 10.');
  const localShare = fields.number('localShare', 0.1, {
    ...A_SHARE,
    cure: 'Use one by the number of processes.',
  });
  const leaseMs = Math.min(LEASE_MS.most, (LEASED_SHARE * burst * 1_000) / perSecond);
  return { ratio, perSecond, burst, leaseMs, localShare };
}

const AT_LEAST_0 = { ...FINITE_AT_LEAST_0, cure: 'Leave it out for none.' };

/** Returns the budget of one process while the store does not answer. Its own first attempts count whole. */
export function localBudgetOf(budget: SharedBudget): SharedBudget {
  const { perSecond, burst, localShare } = budget;
  return { ...budget, perSecond: perSecond * localShare, burst: burst * localShare };
}
