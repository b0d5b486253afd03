import {
  type DecisionContext,
  decide,
  definePolicy,
  MAX_INSTANT_AT,
  type PolicyInput,
  RetryAfterError,
  type ServerDelay,
} from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const NOW = 1_000_000;
const SECOND: PolicyInput = { backoff: { type: 'constant', base: '1s' }, jitter: 'none' };

function decisionOn(input: PolicyInput, context: Partial<DecisionContext> = {}) {
  const whole = { now: NOW, random: () => 0, ...context };
  return decide(definePolicy({ ...SECOND, ...input }), { failures: 1 }, { error: 'boom' }, whole);
}

function decisionOnServer(
  serverDelay: PolicyInput['retryAfter'],
  asked: ServerDelay | undefined,
  error?: unknown,
) {
  const policy = definePolicy({ ...SECOND, ...(serverDelay && { retryAfter: serverDelay }) });
  return decide(policy, { failures: 1 }, { error, serverDelay: asked }, { now: NOW, random: () => 0 });
}

it.each([Number.NaN, -5, 0, MAX_INSTANT_AT - 1_000])('keeps its delay when the clock says %d', (now) => {
  expect(decisionOn({}, { now })).toMatchObject({ type: 'retry', delayMs: 1_000 });
});

const asks = (delayMs: number): ServerDelay => ({ type: 'delay', delayMs });
const REFUSED = { type: 'fail', reason: 'retry-after' };

describe('decide with a wall clock', () => {
  it('compares dates of servers with it, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e9 }),
        fc.integer({ min: 2, max: 60 }),
        fc.integer({ min: 0, max: 1e6 }),
        (wallSeconds, seconds, now) => {
          const at = (wallSeconds + seconds) * 1_000;
          const error = { headers: { 'retry-after': new Date(at).toUTCString() } };
          const policy = definePolicy({ ...SECOND, totalTimeout: seconds * 1_000 + 1 });
          const context = { now, startedAt: now, wallNow: () => wallSeconds * 1_000, random: () => 0 };

          expect(decide(policy, { failures: 1 }, { error }, context)).toEqual({
            ...{ type: 'retry', delayMs: seconds * 1_000, runAt: now + seconds * 1_000, askedBy: 'server' },
          });
        },
      ),
    );
  });

  it('does not read it where there is nothing to compare', () => {
    const wallNow = (): never => {
      throw new Error('was read');
    };

    expect(decisionOn({}, { wallNow })).toMatchObject({ type: 'retry', delayMs: 1_000 });
  });

  it('refuses one that is no function', () => {
    const wrong = { wallNow: 5 } as never; // wrong on purpose

    expect(() => decisionOn({}, wrong)).toThrow('context.wallNow must be a function, got 5. Use Date.now');
  });
});

describe('decide with a deadline', () => {
  it('retries when the attempt can start just before it', () => {
    expect(decisionOn({ totalTimeout: 1_001 })).toEqual({ type: 'retry', delayMs: 1_000, runAt: 1_001_000 });
  });

  it('fails when the attempt would start at it or later', () => {
    expect(decisionOn({ totalTimeout: 1_000 })).toEqual({ type: 'fail', reason: 'total-timeout' });
    expect(decisionOn({ totalTimeout: 999 })).toEqual({ type: 'fail', reason: 'total-timeout' });
  });

  it('counts it from the start of the first attempt', () => {
    expect(decisionOn({ totalTimeout: '10s' }, { startedAt: NOW - 8_999 })).toMatchObject({ type: 'retry' });
    expect(decisionOn({ totalTimeout: '10s' }, { startedAt: NOW - 9_000 })).toMatchObject({
      reason: 'total-timeout',
    });
  });

  it('applies the outer deadline', () => {
    expect(decisionOn({}, { deadlineAt: NOW + 1_001 })).toMatchObject({ type: 'retry' });
    expect(decisionOn({}, { deadlineAt: NOW + 1_000 })).toMatchObject({ reason: 'total-timeout' });
  });

  it('applies the earlier of the two', () => {
    expect(decisionOn({ totalTimeout: '1s' }, { deadlineAt: NOW + 60_000 })).toMatchObject({
      reason: 'total-timeout',
    });
    expect(decisionOn({ totalTimeout: '60s' }, { deadlineAt: NOW + 1_000 })).toMatchObject({
      reason: 'total-timeout',
    });
    expect(decisionOn({ totalTimeout: '60s' }, { deadlineAt: NOW + 60_000 })).toMatchObject({
      type: 'retry',
    });
  });

  it('has none unless one is given', () => {
    expect(decisionOn({}, { startedAt: 0 })).toMatchObject({ type: 'retry' });
    expect(decisionOn({}, { startedAt: undefined, deadlineAt: undefined })).toMatchObject({ type: 'retry' });
  });

  it('measures the delay that the server asks for', () => {
    const policy = definePolicy({ ...SECOND, totalTimeout: '5s' });
    const failure = { error: 'boom', serverDelay: asks(5_000) };

    const decision = decide(policy, { failures: 1 }, failure, { now: NOW, random: () => 0 });

    expect(decision).toEqual({ type: 'fail', reason: 'total-timeout' });
  });
});

describe('decide with a budget', () => {
  it('retries when the budget allows it', () => {
    expect(decisionOn({}, { budget: { allowsRetry: true } })).toMatchObject({ type: 'retry' });
    expect(decisionOn({}, { budget: undefined })).toMatchObject({ type: 'retry' });
  });

  it('fails when it does not', () => {
    expect(decisionOn({}, { budget: { allowsRetry: false } })).toEqual({ type: 'fail', reason: 'budget' });
  });
});

describe('decide with a delay from the server', () => {
  it.each<[PolicyInput['retryAfter'], ServerDelay, number]>([
    // A floor: the longer of the two.
    [undefined, asks(30_000), 30_000],
    [undefined, asks(200), 1_000],
    [undefined, asks(0), 1_000],
    [undefined, asks(60_000), 60_000],
    [{ max: 'Infinity' }, asks(86_400_000), 86_400_000],
    // A replacement, capped.
    [{ mode: 'replace' }, asks(200), 200],
    [{ mode: 'replace' }, asks(0), 0],
    [{ mode: 'replace', beyondMax: 'clamp' }, asks(90_000), 60_000],
    [{ mode: 'floor', beyondMax: 'clamp' }, asks(90_000), 60_000],
    [{ mode: 'replace', beyondMax: 'ignore' }, asks(90_000), 1_000],
    [{ mode: 'floor', beyondMax: 'ignore' }, asks(90_000), 1_000],
    [{ mode: 'replace', max: '2s', beyondMax: 'clamp' }, asks(30_000), 2_000],
    // Nothing at all.
    [{ mode: 'ignore' }, asks(30_000), 1_000],
    [{ mode: 'ignore' }, asks(90_000), 1_000],
    [{ mode: 'ignore' }, { type: 'refused' }, 1_000],
    [undefined, { type: 'absent' }, 1_000],
    [undefined, { type: 'malformed', header: 'retry-after', value: 'soon' }, 1_000],
    [{ mode: 'replace' }, { type: 'absent' }, 1_000],
  ])('%o: when it says %o waits %d ms', (serverDelay, asked, delayMs) => {
    expect(decisionOnServer(serverDelay, asked)).toEqual({
      ...{ type: 'retry', delayMs, runAt: NOW + delayMs },
      ...(delayMs !== 1_000 && { askedBy: 'server' }),
    });
  });

  it.each<[PolicyInput['retryAfter'], ServerDelay]>([
    [undefined, { type: 'refused' }],
    [{ mode: 'replace' }, { type: 'refused' }],
    [{ mode: 'replace' }, asks(90_000)],
    [undefined, asks(60_001)],
    [{ max: '10s' }, asks(10_001)],
    [{ max: 0 }, asks(1)],
    [undefined, asks(Infinity)],
  ])('%o: when it says %o fails', (serverDelay, asked) => {
    expect(decisionOnServer(serverDelay, asked)).toEqual(REFUSED);
  });

  it('reads what a RetryAfterError asks for', () => {
    expect(decisionOnServer(undefined, undefined, new RetryAfterError('7s'))).toMatchObject({
      delayMs: 7_000,
    });
    expect(decisionOnServer(undefined, undefined, new RetryAfterError('2m'))).toEqual(REFUSED);
  });

  it('prefers the serverDelay of the failure to that of the error', () => {
    const error = new RetryAfterError('7s');

    expect(decisionOnServer(undefined, asks(3_000), error)).toMatchObject({ delayMs: 3_000 });
    expect(decisionOnServer(undefined, { type: 'absent' }, error)).toMatchObject({ delayMs: 1_000 });
  });

  it('never waits for ever', () => {
    const decision = decisionOnServer({ max: 'Infinity' }, undefined, new RetryAfterError('Infinity'));

    expect(decision).toMatchObject({ type: 'retry', delayMs: MAX_INSTANT_AT - NOW, runAt: MAX_INSTANT_AT });
  });

  it.each<[PolicyInput['retryAfter'], number]>([
    [undefined, Number.NaN],
    [{ mode: 'replace' }, Number.NaN],
    [{ mode: 'replace' }, -5],
    [undefined, -5],
  ])('%o: ignores a delay of %d ms', (serverDelay, delayMs) => {
    expect(decisionOnServer(serverDelay, asks(delayMs))).toMatchObject({ type: 'retry', delayMs: 1_000 });
  });
});
