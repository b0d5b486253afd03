import fc from 'fast-check';
import { tierOf } from '../tiers.ts';

/** Returns how many runs a property makes: FC_NUM_RUNS, else those of the tier. @throws when that is no integer ≥ 1 */
export function runsOfProperties(): number {
  const { FC_NUM_RUNS: given, RETRY_TESTS: tier = 'all' } = process.env;
  const runs = given === undefined ? tierOf(tier).runs : Number(given);
  if (!Number.isInteger(runs) || runs < 1)
    throw new Error(`FC_NUM_RUNS must be an integer ≥ 1, got ${given}.`);
  return runs;
}

/** Returns how many runs a property makes of which each takes long, or a moment: this share of the usual number. */
export function propertyRuns(share: number): number {
  return Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) * share);
}
