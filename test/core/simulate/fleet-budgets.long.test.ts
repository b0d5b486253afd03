import { describe, expect, it } from 'vitest';
import { fleetsWith, LOCAL, SHARED, simulatePanel } from '../../../docs/pictures/storms.ts';
import { readText } from '../../support/repository.ts';

/** The timelines of 1, 10 and 100 processes. */
const [local, shared] = [LOCAL, SHARED].map((budget) => fleetsWith(budget).map(simulatePanel));

function seedsDown(timelines: typeof local): string | undefined {
  return timelines?.map(({ collapsedShare, runs }) => Math.round(collapsedShare * runs)).join(', ');
}

function amplifications(timelines: typeof local): readonly string[] | undefined {
  return timelines?.map(({ amplification }) => amplification.mean.toFixed(2));
}

describe('the same storm with 1, 10 and 100 processes', () => {
  it('keeps the server down the more, the more processes have a budget of their own', () => {
    expect(seedsDown(local)).toBe('0, 2, 30');
    expect(amplifications(local)).toEqual(['1.07', '1.27', '1.98']);
  });

  it('passes with a budget that they share, whatever their number', () => {
    expect(seedsDown(shared)).toBe('0, 0, 0');
    expect(amplifications(shared)).toEqual(['1.04', '1.07', '1.06']);
  });

  it('is in the documentation with these figures', () => {
    const row = (timelines: typeof local): string =>
      `${seedsDown(timelines)} of 30 | ${amplifications(timelines)?.join(', ')} |`;

    expect(readText('docs/storms.md')).toContain(row(local));
    expect(readText('docs/storms.md')).toContain(row(shared));
  });
});
