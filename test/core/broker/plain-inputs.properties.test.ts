import type { Run, Settlement, Submission } from '@retry/core/broker';
import { newRun } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findSettlementProblems,
  isPlainSettlement,
} from '../../../packages/core/src/broker/kit/check/check-exchange.ts';
// Not exported: the quick questions that come before the rules.
import { findingsIn } from '../../../packages/core/src/broker/kit/check/check-findings.ts';
import {
  findSubmissionProblems,
  isPlainSubmission,
} from '../../../packages/core/src/broker/kit/check/check-submission.ts';
import { RUN_FIELDS } from '../../../packages/core/src/broker/kit/run/run-fields.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** A value that most fields must refuse, and some take. */
const ODD = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    0,
    1,
    -1,
    0.5,
    2 ** 53,
    Number.NaN,
    Infinity,
    5n,
    '',
    'x',
    'x'.repeat(600),
    '\0',
  ),
  fc.constantFrom<unknown>([], {}, [null], [5], new Map(), new Date(0), Symbol('odd'), () => 5),
  fc.constantFrom('completed', 'scheduled', 'started', 'complete', 'retry'),
);

/** The value with some of its fields, at any depth that is listed, replaced. */
function mutated<Value extends object>(value: Value, paths: readonly string[]): fc.Arbitrary<Value> {
  const changes = fc.array(fc.tuple(fc.constantFrom(...paths), ODD), { maxLength: 2 });
  return changes.map((all) => {
    const changed: Value = structuredClone(value);
    for (const [path, odd] of all) setIn(changed, path.split('.'), odd);
    return changed;
  });
}

function setIn(target: object, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) Reflect.set(target, key, value);
  else {
    const next: unknown = Reflect.get(target, key);
    if (typeof next === 'object' && next !== null) setIn(next, rest, value);
  }
}

const SUBMISSION: Submission = { id: 'a', lane: 'l', payload: '{}' };
const SUBMISSION_KEYS = [
  'id',
  'lane',
  'payload',
  'runAt',
  'delayMs',
  'keyed',
  'keepResultMs',
  'concurrency',
  'retry',
  'origin',
  'context',
  'spent',
  'unique',
  'unknown',
];

const RUN: Run = {
  ...newRun({ id: 'a', lane: 'l', payload: '1' } as Run),
  ...{ state: 'scheduled', epoch: 1, failures: 1, previousDelayMs: 5, runAt: 9, createdAt: 1, startedAt: 2 },
  errors: [
    {
      epoch: 1,
      at: 3,
      name: 'Error',
      message: 'no',
      startedAt: 2,
      durationMs: 1,
      reason: 'retried',
      worker: 'w',
    },
  ],
};
const SETTLEMENT: Settlement = { id: 'a', epoch: 1, event: 'retry', next: RUN, delayMs: 5 };
const ERROR_KEYS = [
  'epoch',
  'at',
  'name',
  'message',
  'stack',
  'startedAt',
  'durationMs',
  'worker',
  'reason',
  'code',
  'causeCode',
  'status',
  'retryAfterMs',
  'stalledWith',
  'isRedacted',
  'unrecorded',
  'context',
];
const RUN_KEYS = [
  ...['lane', 'payload', ...Object.keys(RUN_FIELDS)],
  ...['errors.0', ...ERROR_KEYS.map((key) => `errors.0.${key}`)],
];
const SETTLEMENT_KEYS = [
  ...['id', 'epoch', 'event', 'next', 'delayMs', 'onlyIfExpired', 'group', 'submit'],
  ...RUN_KEYS.map((key) => `next.${key}`),
];

describe('an input that is plain', () => {
  it('has nothing that the rules of settlements would find', () => {
    expect(isPlainSettlement(SETTLEMENT)).toBe(true);
    fc.assert(
      fc.property(mutated(SETTLEMENT, SETTLEMENT_KEYS), (settlement) => {
        const findings = findingsIn([]);
        findSettlementProblems(settlement, 'settle', findings);

        if (isPlainSettlement(settlement)) expect(findings.problems).toEqual([]);
      }),
      { numRuns: propertyRuns(25) },
    );
  });

  it('has nothing that the rules of submissions would find', () => {
    expect(isPlainSubmission(SUBMISSION)).toBe(true);
    fc.assert(
      fc.property(mutated(SUBMISSION, SUBMISSION_KEYS), (submission) => {
        const findings = findingsIn([]);
        findSubmissionProblems(submission, 'submit', findings);

        if (isPlainSubmission(submission)) expect(findings.problems).toEqual([]);
      }),
      { numRuns: propertyRuns(10) },
    );
  });
});
