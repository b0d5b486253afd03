import { decide, definePolicy, type FailReason, NonRetryableError } from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** The rules in the order of `decide`; `totalTimeout` and later ones need the clock. */
const ORDER: readonly FailReason[] = [
  'stopped',
  'unexpected',
  'not-retryable',
  'exhausted',
  'retry-after',
  'total-timeout',
  'budget',
];

/** A decision about a failure that exactly these rules refuse. */
function decisionRefusedBy(refusing: ReadonlySet<FailReason>) {
  const policy = definePolicy({
    backoff: { type: 'constant', base: '10s' },
    jitter: 'none',
    stopOn: refusing.has('stopped') ? [Error] : [],
    retryOn: refusing.has('unexpected') ? [RangeError] : 'everything',
    retryable: !refusing.has('not-retryable'),
    totalTimeout: refusing.has('total-timeout') ? '5s' : Infinity,
  });
  return decide(
    policy,
    { failures: refusing.has('exhausted') ? 3 : 1 },
    {
      error: new TypeError('boom'),
      serverDelay: { type: refusing.has('retry-after') ? 'refused' : 'absent' },
    },
    { now: 0, random: () => 0, budget: { allowsRetry: !refusing.has('budget') } },
  );
}

describe('decide', () => {
  it.each(ORDER)('fails %s when that rule alone refuses', (reason) => {
    expect(decisionRefusedBy(new Set([reason]))).toEqual({ type: 'fail', reason });
  });

  it.each(ORDER.slice(1).map((later, index) => [ORDER[index] ?? later, later] as const))(
    'asks %s before %s',
    (earlier, later) => {
      expect(decisionRefusedBy(new Set([later, earlier]))).toEqual({ type: 'fail', reason: earlier });
    },
  );

  it('fails for the first rule that refuses, for any set of rules that do', () => {
    fc.assert(
      fc.property(fc.subarray([...ORDER], { minLength: 1 }), (refusing) => {
        expect(decisionRefusedBy(new Set(refusing))).toEqual({ type: 'fail', reason: refusing[0] });
      }),
    );
  });

  it('retries when no rule refuses', () => {
    expect(decisionRefusedBy(new Set())).toEqual({ type: 'retry', delayMs: 10_000, runAt: 10_000 });
  });

  it('calls the gate after maxAttempts and before the server', () => {
    const policy = definePolicy({ retryIf: () => false });
    const failure = { error: 1, serverDelay: { type: 'refused' } } as const;
    const context = { now: 0, random: () => 0 };

    expect(decide(policy, { failures: 3 }, failure, context)).toMatchObject({ reason: 'exhausted' });
    expect(decide(policy, { failures: 1 }, failure, context)).toMatchObject({ reason: 'stopped' });
  });

  it('stops on a NonRetryableError before it reads retryOn', () => {
    const policy = definePolicy({ retryOn: 'nothing' });
    const failure = { error: new NonRetryableError('no') };

    const decision = decide(policy, { failures: 1 }, failure, { now: 0, random: () => 0 });

    expect(decision).toEqual({ type: 'fail', reason: 'stopped' });
  });
});
