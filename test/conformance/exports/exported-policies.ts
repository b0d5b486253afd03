import { definePolicy, delayBounds, type Policy, type PolicyInput } from '@retry/core';
import { type ExportedSystem, exportPolicy } from '@retry/core/dialects/export';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { expect } from 'vitest';

/** The delays that a real system waited, retry by retry. */
export type Recorded = readonly number[];

/** How much later or earlier a recorded delay may be, in milliseconds. */
export interface Slack {
  readonly belowMs: number;
  readonly aboveMs: number;
}

/** The ends of `Math.random`: with these a real library draws the ends of its range. */
export const ENDS = [0, 1 - 2 ** -53];

/** What every policy of these tests has: systems do not follow what a server asks for. */
const PLAIN = { retryAfter: { mode: 'ignore' } } as const satisfies PolicyInput;

/** Returns a policy and its options for a system, which say all of it. */
export function exported(
  system: ExportedSystem,
  input: PolicyInput,
): { readonly policy: Policy; readonly options: Readonly<Record<string, unknown>> } {
  const policy = definePolicy({ ...PLAIN, ...input });
  const { options, lost } = exportPolicy(policy, system);
  expect(lost, `${system} ${JSON.stringify(input)}`).toEqual([]);
  return { policy, options };
}

/** Holds the recorded delays to the bounds of the policy: as many, and each within them. */
export function expectWithin(policy: Policy, recorded: Recorded, slack: Slack): void {
  expect(recorded).toHaveLength(allowedAttempts(settingsOf(policy)) - 1);
  for (const [index, delayMs] of recorded.entries()) {
    const [least, most] = delayBounds(policy, index + 1);
    expect(delayMs, `retry ${index + 1}`).toBeGreaterThanOrEqual(least - slack.belowMs);
    expect(delayMs, `retry ${index + 1}`).toBeLessThanOrEqual(most + slack.aboveMs);
  }
}

/** Holds the delays of the lowest and the highest draws to the bounds of the policy: equal to 1 ms, or 1.2 %. */
export function expectEnds(policy: Policy, [lowest, highest]: readonly [Recorded, Recorded]): void {
  const bounds = lowest.map((_, index) => delayBounds(policy, index + 1));
  expect(lowest).toHaveLength(allowedAttempts(settingsOf(policy)) - 1);
  for (const [index, [least, most]] of bounds.entries()) {
    const tolerance = Math.max(1, 0.012 * most);
    expect(Math.abs((lowest[index] ?? NaN) - least), `retry ${index + 1}, lowest`).toBeLessThanOrEqual(
      tolerance,
    );
    expect(Math.abs((highest[index] ?? NaN) - most), `retry ${index + 1}, highest`).toBeLessThanOrEqual(
      tolerance,
    );
  }
}
