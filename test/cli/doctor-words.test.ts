import type { Hold, LaneReport } from '@retry/core/broker';
import { readOptions } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { inShellWords } from '../../packages/cli/src/doctor/in-shell-words.ts';
import { CHECKS, findingsOf } from '../../packages/worker/src/queue/health/findings.ts';
import { readHealthOptions } from '../../packages/worker/src/queue/health/health-options.ts';

const SETTINGS = readOptions({}, { subject: 'health', keys: [] }, readHealthOptions);

/** A finding of each kind that `queue.health` has, about a lane whose name a shell would take apart. */
const FINDINGS = findingsOf(
  CHECKS.map((check) => ({ check, figure: 1e9, lane: 'my mail@1', group: { id: 'cause', title: 'x' } })),
  SETTINGS,
);

function reportOf(holds: readonly Hold[]): LaneReport {
  const none = { count: 0, isComplete: true };
  const lane = { waiting: none, parked: none, scheduled: none, due: none, started: none, workers: 0, holds };
  return { at: 0, isComplete: true, lanes: [{ lane: 'my mail@1', ...lane }], holds, workers: [] };
}

describe('findings of the doctor', () => {
  it('name no call of a program in their cures', () => {
    const cures = FINDINGS.map((finding) => inShellWords(finding, reportOf([])).cure);

    expect(cures).toHaveLength(CHECKS.length);
    for (const cure of cures) expect(cure).not.toContain('queue.');
  });

  it('name the group and the lane as arguments of a command', () => {
    const cureOf = (code: string): string | undefined =>
      FINDINGS.filter((finding) => finding.code === code).map(
        (each) => inShellWords(each, reportOf([])).cure,
      )[0];

    expect(cureOf('DOMINANT_GROUP')).toBe('Fix this cause first, then: retry dlq redrive --group cause');
    expect(cureOf('LANE_ON_HOLD')).toBe("retry lanes resume 'my mail@1' ends it.");
  });

  it('say who put the lane on hold, where that is known', () => {
    const hold = { lane: 'my mail@1', source: 'operator', reason: 'the bank is closed', heldAt: 0 } as const;
    const found = FINDINGS.find(({ code }) => code === 'LANE_ON_HOLD');
    if (found === undefined) throw new Error('every check has a finding');

    expect(inShellWords(found, reportOf([hold])).sentence).toMatch(
      /^Lane my mail@1 is on hold .*the bank is closed\.$/,
    );
    expect(inShellWords(found, reportOf([])).sentence).toBe(found.sentence);
  });
});
