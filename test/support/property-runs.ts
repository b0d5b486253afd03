import fc from 'fast-check';

/**
 * Returns how many runs a property makes of which each takes long: this share of the usual number, which is 200, 50 in `npm test`,
 * or FC_NUM_RUNS.
 */
export function propertyRuns(share: number): number {
  return Math.ceil((fc.readConfigureGlobal().numRuns ?? 200) * share);
}
