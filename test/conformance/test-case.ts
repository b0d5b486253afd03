import { expect, it } from 'vitest';
import { findDifference } from './compare.ts';
import { judgeRefusal, type PlannedCase, type PlannedVariant, withAnswer } from './plan.ts';

/** Defines a test of a case: it agrees with that system, or deviates from it by a rule. */
export function testCase(planned: PlannedCase): void {
  const { id, kind } = planned.given;
  if (planned.type === 'run') it(`${id} ${kind}`, () => checkAll(planned.variants));
  if (planned.type === 'unreadable') it(`${id} ${kind}`, () => expect.fail(planned.reason));
  if (planned.type === 'deviated') {
    it(`${id} ${kind} deviates: ${planned.deviation.name}`, () => checkAll(planned.variants));
  }
}

async function checkAll(variants: readonly PlannedVariant[]): Promise<void> {
  expect(variants.length).toBeGreaterThan(0);
  for (const variant of variants) expect(checkVariant(await withAnswer(variant))).toBeUndefined();
}

/** Returns why a case fails: the difference from that system, or from the intended deviation. */
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

/** Returns whether a case that is listed as a deviation agrees nevertheless. */
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
