import { afterAll, describe, expect, it } from 'vitest';
import { celery } from './celery.ts';
import { cmdx } from './cmdx.ts';
import { findDifference } from './compare.ts';
import { fluid } from './fluid.ts';
import { jobbers } from './jobbers.ts';
import { judgeRefusal, type PlannedCase, type PlannedVariant, planCases, withAnswer } from './plan.ts';
import { reportCases } from './report.ts';
import { tasker } from './tasker.ts';
import { readVectors, vectorFolder } from './vectors.ts';

const files = readVectors(vectorFolder);
const systems = [fluid, celery, jobbers, tasker, cmdx];
const cases = files.flatMap((file) => planCases(file, systems));

afterAll(() => {
  console.log(reportCases(cases, vectorFolder));
});

describe('the vectors', () => {
  it('leave no case in silence: each is run, a deviation, or named as not yet covered', () => {
    const unknown = cases.filter(({ type }) => type === 'unknown');

    expect(unknown.map(({ system, given }) => `${system} ${given.kind} ${given.id}`)).toEqual([]);
  });

  it('give each case an id of its own', () => {
    const ids = cases.map(({ given }) => given.id);

    expect(new Set(ids).size).toBe(ids.length);
  });
});

for (const { system } of files) {
  describe(system, () => {
    for (const planned of cases.filter((planned) => planned.system === system)) addTest(planned);
  });
}

function addTest(planned: PlannedCase): void {
  const { id, kind } = planned.given;
  if (planned.type === 'run') it(`${id} ${kind}`, () => checkAll(planned.variants));
  if (planned.type === 'deviated') {
    it(`${id} ${kind} deviates: ${planned.deviation.name}`, () => checkAll(planned.variants));
  }
}

async function checkAll(variants: readonly PlannedVariant[]): Promise<void> {
  expect(variants.length).toBeGreaterThan(0);
  for (const variant of variants) expect(checkVariant(await withAnswer(variant))).toBeUndefined();
}

/** What is wrong with a case: the difference from that system, or from what we do instead of it. */
function checkVariant(variant: PlannedVariant): string | undefined {
  const { given, answer, expected, deviation } = variant;
  const at = given.version === undefined ? '' : ` at ${given.version}`;
  if (deviation !== undefined) {
    if (isSame(variant)) return `it agrees${at} and is no deviation`;
    const difference = deviation.differs(variant);
    return difference && `${difference}${at}`;
  }
  const refusal = judgeRefusal(variant);
  if (refusal === 'both refuse') return undefined;
  if (refusal === 'only we refuse') return `our validation refuses it${at}: ${refusalOf(answer)}`;
  const difference = findDifference(answer(), expected());
  return difference && `${difference}${at}`;
}

/** Whether a case that is listed as a deviation agrees after all. */
function isSame(variant: PlannedVariant): boolean {
  if (variant.given.error !== undefined) return false;
  if (judgeRefusal(variant) !== 'answers') return false;
  return findDifference(variant.answer(), variant.expected()) === undefined;
}

function refusalOf(answer: () => unknown): string {
  try {
    answer();
    return '';
  } catch (error) {
    return String(error);
  }
}
