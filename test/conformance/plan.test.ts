import { describe, expect, it } from 'vitest';
import { findDifference } from './compare.ts';
import { fluid } from './fluid.ts';
import { type PlannedVariant, planCases, withAnswer } from './plan.ts';
import { reportCases } from './report.ts';
import type { VectorCase } from './vectors.ts';

const delayCase = { id: 'a', kind: 'delay', config: { wait: 2 }, attempt: 1, attempt_base: 1, delay: 2 };
const LATER = { 'aio-fluid': { telepathy: 'nobody can' } };

describe('planCases', () => {
  it('runs a case of a kind that has a runner', () => {
    expect(typesOf('aio-fluid', delayCase)).toEqual(['run']);
  });

  it('names a kind that follows later', () => {
    expect(typesOf('aio-fluid', { id: 'b', kind: 'telepathy' }, LATER)).toEqual(['notYetCovered']);
  });

  it('recognises a deviation by the fields of the case, whatever its id', () => {
    const negative = { ...delayCase, id: 'zzz', config: { wait: -2 }, delay: -2 };

    expect(typesOf('aio-fluid', negative)).toEqual(['deviated']);
  });

  it('returns unknown for a kind that has no runner and is not listed', () => {
    expect(typesOf('aio-fluid', { id: 'c', kind: 'telepathy' })).toEqual(['unknown']);
    expect(typesOf('aio-fluid', { id: 'c', kind: 'constructor' })).toEqual(['unknown']);
  });

  it('returns unknown for every case of an unknown system', () => {
    expect(typesOf('sidekiq', delayCase)).toEqual(['unknown']);
  });
});

describe('withAnswer', () => {
  const variantOf = (answer: () => unknown): PlannedVariant => ({
    system: 'aio-fluid',
    given: delayCase,
    answer,
    agrees: () => true,
    answerTo: answer,
    expected: () => 2,
  });

  it('awaits an asynchronous answer', async () => {
    expect((await withAnswer(variantOf(() => Promise.resolve(2)))).answer()).toBe(2);
    expect((await withAnswer(variantOf(() => 2))).answer()).toBe(2);
  });

  it('keeps the error of an answer that throws or rejects', async () => {
    const error = new Error('no');
    const late = await withAnswer(variantOf(() => Promise.reject(error)));
    const early = await withAnswer(
      variantOf(() => {
        throw error;
      }),
    );

    expect(late.answer).toThrow(error);
    expect(early.answer).toThrow(error);
  });
});

describe('reportCases', () => {
  it('counts the cases by system and kind', () => {
    const given = [delayCase, { id: 'b', kind: 'telepathy' }];
    const cases = planCases({ system: 'aio-fluid', cases: given }, [fluid], LATER);

    const report = reportCases(cases, 'here');

    expect(report).toContain('1 run + 0 deviated + 1 not yet covered = 2 cases of here');
    expect(report).toMatch(/ {2}delay +1 +0 +0 +1\n/);
  });
});

describe('findDifference', () => {
  it('allows for the last digits of a double', () => {
    expect(findDifference(0.1 + 0.2, 0.3)).toBeUndefined();
    expect(findDifference(1 + 2e-9, 1)).toBe('answer is 1.000000002, expected 1');
  });

  it('never equates a finite number with Infinity, or any other number with 0', () => {
    expect(findDifference(1, Infinity)).toBe('answer is 1, expected Infinity');
    expect(findDifference(1e-6, 0)).toBe('answer is 0.000001, expected 0');
    expect(findDifference(undefined, 0)).toBe('answer is undefined, expected 0');
  });

  it('returns the path of a difference in lists and records', () => {
    expect(findDifference({ delays: [1, 3] }, { delays: [1, 2] })).toBe('answer.delays[1] is 3, expected 2');
    expect(findDifference({ delays: [1] }, { delays: [1, 2] })).toBe('answer.delays is [1], expected [1,2]');
    expect(findDifference({}, { retry: true })).toBe('answer.retry is undefined, expected true');
  });
});

function typesOf(system: string, given: VectorCase, later = {}): readonly string[] {
  return planCases({ system, cases: [given] }, [fluid], later).map(({ type }) => type);
}
