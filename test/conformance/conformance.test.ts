import { afterAll, describe, expect, it } from 'vitest';
import { celery } from './celery.ts';
import { cmdx } from './cmdx.ts';
import { fluid } from './fluid.ts';
import { jobbers } from './jobbers.ts';
import { planCases } from './plan.ts';
import { reportCases } from './report.ts';
import { tasker } from './tasker.ts';
import { testCase } from './test-case.ts';
import { readVectors, vectorFolder } from './vectors.ts';

const files = readVectors(vectorFolder);
const systems = [fluid, celery, jobbers, tasker, cmdx];
const cases = files.flatMap((file) => planCases(file, systems));

// Whoever has cases of their own wants to read how they went.
if (process.env['RETRY_VECTORS'])
  afterAll(() => void process.stdout.write(`${reportCases(cases, vectorFolder)}\n`));

describe('the vectors', () => {
  it('are all accounted for: each is run, a deviation, or listed as not yet covered', () => {
    const unknown = cases.filter(({ type }) => type === 'unknown');

    expect(unknown.map(({ system, given }) => `${system} ${given.kind} ${given.id}`)).toEqual([]);
  });

  it('have unique ids', () => {
    const ids = cases.map(({ given }) => given.id);

    expect(new Set(ids).size).toBe(ids.length);
  });
});

for (const { system } of files) {
  describe(system, () => {
    for (const planned of cases.filter((planned) => planned.system === system)) testCase(planned);
  });
}
