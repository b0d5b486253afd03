import {
  AttemptTimeoutError,
  type Counters,
  type DecisionContext,
  decide,
  definePolicy,
  NonRetryableError,
  type PolicyInput,
} from '@retry/core';
import { describe, expect, it, vi } from 'vitest';

const NOW = 1_000_000;
const CONTEXT: DecisionContext = { now: NOW, random: () => 0.5 };
const boom = new TypeError('boom');
const timeout = new AttemptTimeoutError(1_000, 1);

function decisionOn(input: PolicyInput, counters: Counters = { failures: 1 }, error: unknown = boom) {
  return decide(definePolicy(input), counters, { error }, CONTEXT);
}

describe('decide', () => {
  it('retries after the delay of the policy', () => {
    expect(decisionOn({})).toEqual({ type: 'retry', delayMs: 50, runAt: 1_000_050 });
    expect(decisionOn({}, { failures: 2 })).toEqual({ type: 'retry', delayMs: 100, runAt: 1_000_100 });
  });

  it('fails exhausted when the attempts are used up', () => {
    expect(decisionOn({}, { failures: 3 })).toEqual({ type: 'fail', reason: 'exhausted' });
    expect(decisionOn({}, { failures: 4 })).toEqual({ type: 'fail', reason: 'exhausted' });
    // seed 002: max_attempts = 1 means exactly one attempt
    expect(decisionOn({ maxAttempts: 1 })).toEqual({ type: 'fail', reason: 'exhausted' });
  });

  it('charges stalls', () => {
    expect(decisionOn({}, { failures: 1, stalls: 1 })).toMatchObject({ type: 'retry', delayMs: 100 });
    expect(decisionOn({}, { failures: 1, stalls: 2 })).toMatchObject({ reason: 'exhausted' });
  });

  it('retries for ever without a limit', () => {
    expect(decisionOn({ maxAttempts: Infinity }, { failures: 1e15 })).toMatchObject({ type: 'retry' });
  });

  it('fails unexpected when no matcher of retryOn matches the error', () => {
    expect(decisionOn({ retryOn: [RangeError] })).toEqual({ type: 'fail', reason: 'unexpected' });
    expect(decisionOn({ retryOn: 'nothing' })).toEqual({ type: 'fail', reason: 'unexpected' });
    expect(decisionOn({ retryOn: [RangeError, TypeError] })).toMatchObject({ type: 'retry' });
  });

  it.each([undefined, null, '', 0, Symbol('x')])("expects %o when retryOn is 'everything'", (error) => {
    expect(decisionOn({ retryOn: 'everything' }, { failures: 1 }, error)).toMatchObject({ type: 'retry' });
  });

  it('fails stopped when a matcher of stopOn matches the error', () => {
    expect(decisionOn({ stopOn: [RangeError, TypeError] })).toEqual({ type: 'fail', reason: 'stopped' });
    expect(decisionOn({ stopOn: [RangeError] })).toMatchObject({ type: 'retry' });
  });

  it.each<[PolicyInput['retryOn']]>([[[RangeError]], ['nothing']])(
    'retries an attempt timeout whatever retryOn says: %o',
    (retryOn) => {
      const policy = definePolicy({ retryOn: retryOn ?? [] });

      expect(decide(policy, { failures: 1 }, { error: boom, timedOut: true }, CONTEXT)).toMatchObject({
        type: 'retry',
      });
      expect(decisionOn({ retryOn: retryOn ?? [] }, { failures: 1 }, timeout)).toMatchObject({
        type: 'retry',
      });
    },
  );

  it('matches an attempt timeout like any error with retryTimeouts: false', () => {
    const input = { retryTimeouts: false } as const;

    expect(decisionOn({ ...input, retryOn: [RangeError] }, { failures: 1 }, timeout)).toMatchObject({
      reason: 'unexpected',
    });
    expect(decisionOn({ ...input, retryOn: 'nothing' }, { failures: 1 }, timeout)).toMatchObject({
      reason: 'unexpected',
    });
    expect(decisionOn({ ...input, retryOn: [Error] }, { failures: 1 }, timeout)).toMatchObject({
      type: 'retry',
    });
  });

  it('never retries an attempt timeout that stopOn matches, or whose error forbids it', () => {
    const stopped = { type: 'fail', reason: 'stopped' };
    const forbidden = { error: new NonRetryableError('no'), timedOut: true };

    expect(decisionOn({ stopOn: [{ name: 'AttemptTimeoutError' }] }, { failures: 1 }, timeout)).toEqual(
      stopped,
    );
    expect(decide(definePolicy(), { failures: 1 }, forbidden, CONTEXT)).toEqual(stopped);
  });

  it('believes the caller before the error about what was a timeout', () => {
    const policy = definePolicy({ retryOn: 'nothing' });
    const failure = { error: timeout, timedOut: false };

    expect(decide(policy, { failures: 1 }, failure, CONTEXT)).toMatchObject({ reason: 'unexpected' });
  });

  it('calls the gate for an attempt timeout, too', () => {
    expect(decisionOn({ retryIf: () => false }, { failures: 1 }, timeout)).toMatchObject({
      reason: 'stopped',
    });
  });

  it('reads the delay that the server asks for from the error itself', () => {
    const error = Object.assign(new Error('busy'), { response: { headers: { 'retry-after': '30' } } });

    expect(decisionOn({}, { failures: 1 }, error)).toEqual({
      type: 'retry',
      delayMs: 31_500,
      runAt: NOW + 31_500,
      askedBy: 'server',
    });
  });

  it('obeys a server that forbids a retry on the error itself', () => {
    const error = Object.assign(new Error('busy'), { headers: new Headers({ 'x-should-retry': 'false' }) });

    expect(decisionOn({}, { failures: 1 }, error)).toEqual({ type: 'fail', reason: 'retry-after' });
  });

  it('fails stopped on an error whose cause is a NonRetryableError only where stopOn says so', () => {
    const error = new Error('loading failed', { cause: new NonRetryableError('no') });

    expect(decisionOn({}, undefined, error)).toMatchObject({ type: 'retry' });
    expect(decisionOn({ stopOn: [{ cause: NonRetryableError }] }, undefined, error)).toEqual({
      type: 'fail',
      reason: 'stopped',
    });
  });

  it('fails stopped on a NonRetryableError whatever the policy', () => {
    const error = new NonRetryableError('no');

    expect(decisionOn({ retryOn: [Error] }, { failures: 1 }, error)).toEqual({
      type: 'fail',
      reason: 'stopped',
    });
  });

  it('fails not-retryable when the policy is not', () => {
    expect(decisionOn({ retryable: false })).toEqual({ type: 'fail', reason: 'not-retryable' });
  });

  it('fails stopped when the gate refuses', () => {
    expect(decisionOn({ retryIf: () => false })).toEqual({ type: 'fail', reason: 'stopped' });
    expect(decisionOn({ retryIf: () => true })).toMatchObject({ type: 'retry' });
  });

  it('passes the gate the error, the attempt that just failed and what is known about the run', () => {
    const retryIf = vi.fn(() => true);

    decisionOn({ retryIf }, { failures: 1, stalls: 1 });

    expect(retryIf).toHaveBeenCalledExactlyOnceWith(
      boom,
      expect.objectContaining({ attempt: 2, failures: 1, stalls: 1 }),
    );
  });

  it('does not call the gate for the failure that exhausts the attempts', () => {
    // seed 004: the gate is not consulted on the exhausting failure
    const retryIf = vi.fn(() => true);

    expect(decisionOn({ retryIf, maxAttempts: 2 }, { failures: 2 })).toMatchObject({ reason: 'exhausted' });
    expect(retryIf).not.toHaveBeenCalled();
  });

  it('does not call the gate for errors that another rule stops', () => {
    const retryIf = vi.fn(() => true);

    decisionOn({ retryIf, stopOn: [TypeError] });
    decisionOn({ retryIf, retryOn: [RangeError] });
    decisionOn({ retryIf, retryable: false });

    expect(retryIf).not.toHaveBeenCalled();
  });

  it('passes a custom strategy the error, the retry and the previous delay', () => {
    const strategy = vi.fn(() => 5);

    decisionOn({ backoff: { type: 'custom', strategy, base: 9 } }, { failures: 2, previousDelayMs: 7 });

    expect(strategy.mock.calls).toMatchObject([[2, { error: boom, previousDelayMs: 7, baseMs: 9 }]]);
  });

  it('passes a custom strategy the time, the elapsed time and the duration of the attempt', () => {
    const strategy = vi.fn(() => 5);
    const policy = definePolicy({ backoff: { type: 'custom', strategy } });
    const context = { ...CONTEXT, startedAt: NOW - 700, attemptMs: 300 };

    decide(policy, { failures: 1 }, { error: boom }, context);

    expect(strategy.mock.calls).toMatchObject([[1, { now: NOW, elapsedMs: 700, attemptMs: 300 }]]);
  });

  it('lets decorrelated backoff grow from the previous delay', () => {
    const input = { backoff: { type: 'decorrelated', base: 100 } } as const;

    expect(decisionOn(input, { failures: 2, previousDelayMs: 200 })).toMatchObject({ delayMs: 350 });
  });
});

describe('decide, when something throws', () => {
  const thrown = new RangeError('mine');
  const throws = (): never => {
    throw thrown;
  };

  it.each<[string, PolicyInput]>([
    ['the gate', { retryIf: throws }],
    ['a predicate of retryOn', { retryOn: [throws] }],
    ['a predicate of stopOn', { stopOn: [throws] }],
    ['a custom strategy', { backoff: { type: 'custom', strategy: throws } }],
  ])('fails stopped and keeps what %s threw', (_name, input) => {
    expect(decisionOn(input)).toEqual({ type: 'fail', reason: 'stopped', thrown });
  });

  it('keeps a thrown undefined', () => {
    const retryIf = () => {
      throw undefined;
    };

    expect(Object.keys(decisionOn({ retryIf }))).toEqual(['type', 'reason', 'thrown']);
  });

  it.each([
    ['a promise', Promise.resolve(true)],
    // biome-ignore lint/suspicious/noThenProperty: a gate may return anything, also a thenable.
    ['what can be awaited', { then: () => true }],
  ])('fails stopped when the gate answers %s', (_name, answer) => {
    // What JavaScript callers write.
    const decision = decisionOn({ retryIf: () => answer as never });

    expect(decision).toMatchObject({ type: 'fail', reason: 'stopped', thrown: { code: 'ASYNC_GATE' } });
  });

  it('treats an error that cannot be read like any other error', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    expect(decisionOn({}, { failures: 1 }, proxy)).toMatchObject({ type: 'retry' });
    expect(decisionOn({ retryOn: [{ code: 'X' }] }, { failures: 1 }, proxy)).toMatchObject({
      reason: 'unexpected',
    });
  });
});
