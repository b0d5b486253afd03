import type { BreakerState, BreakerStep } from '@retry/core/circuit-breaker';
import { closeBreaker, defineCircuitBreaker, stepBreaker } from '@retry/core/circuit-breaker';
import { describe, expect, it } from 'vitest';

const breaker = defineCircuitBreaker({
  failureRatio: 0.5,
  minimumThroughput: 4,
  samplingDuration: 1_000,
  breakDuration: 500,
});

const step = (state: BreakerState, type: 'success' | 'failure' | 'abandon', nowAt: number): BreakerStep =>
  stepBreaker(breaker, state, { type, ticket: state.ticket }, nowAt);

const permit = (state: BreakerState, nowAt: number): BreakerStep =>
  stepBreaker(breaker, state, { type: 'permit' }, nowAt);

/** Outcomes of calls of the same state, one after the other. */
function counted(outcomes: readonly ('success' | 'failure')[], nowAt = 0): BreakerState {
  return outcomes.reduce<BreakerState>((state, type) => step(state, type, nowAt).state, closeBreaker(0));
}

const OPEN = counted(['failure', 'failure', 'failure', 'failure'], 100);

describe('a closed circuit breaker', () => {
  it('permits every call', () => {
    expect(permit(closeBreaker(0), 0).effect).toEqual({ type: 'permitted', ticket: 0, isProbe: false });
  });

  it('opens with the failure that reaches both the throughput and the ratio', () => {
    const state = counted(['success', 'success', 'failure']);

    expect(step(state, 'failure', 0)).toMatchObject({
      state: { type: 'open', until: 500 },
      effect: { type: 'opened', until: 500 },
    });
  });

  it('stays closed below the minimum throughput, even if every call fails', () => {
    expect(counted(['failure', 'failure', 'failure']).type).toBe('closed');
  });

  it('stays closed below the ratio', () => {
    expect(counted(['success', 'success', 'success', 'failure', 'failure']).type).toBe('closed');
  });

  it('does not open with a success, although that reaches the throughput', () => {
    expect(counted(['failure', 'failure', 'failure', 'success']).type).toBe('closed');
  });

  it('forgets outcomes that are a window old', () => {
    const state = counted(['failure', 'failure', 'failure'], 0);

    expect(step(state, 'failure', 899).state.type).toBe('open');
    expect(step(state, 'failure', 1_000).state.type).toBe('closed');
  });

  it('counts no call that was abandoned', () => {
    const state = counted(['success', 'failure', 'failure']);

    expect(step(state, 'abandon', 0)).toEqual({ state, effect: { type: 'none' } });
  });
});

describe('an open circuit breaker', () => {
  it('refuses calls until the break is over, and says for how long', () => {
    expect(permit(OPEN, 100).effect).toEqual({ type: 'refused', retryAfterMs: 500 });
    expect(permit(OPEN, 599).effect).toEqual({ type: 'refused', retryAfterMs: 1 });
  });

  it('lets one probe go when the break is over', () => {
    const probe = permit(OPEN, 600);

    expect(probe).toMatchObject({
      state: { type: 'half-open' },
      effect: { type: 'permitted', isProbe: true },
    });
    expect(permit(probe.state, 601).effect).toEqual({ type: 'refused', retryAfterMs: 499 });
  });

  it('is not changed by calls that began before it opened', () => {
    expect(step(OPEN, 'success', 200)).toEqual({ state: OPEN, effect: { type: 'none' } });
    expect(step(OPEN, 'failure', 200)).toEqual({ state: OPEN, effect: { type: 'none' } });
  });

  it('lasts no longer than a break from now if the clock was set back', () => {
    const { state, effect } = permit(OPEN, -86_400_000);

    expect(effect).toEqual({ type: 'refused', retryAfterMs: 500 });
    expect(permit(state, -86_399_500).effect).toMatchObject({ type: 'permitted', isProbe: true });
  });
});

describe('a half-open circuit breaker', () => {
  const PROBED = permit(OPEN, 600).state;

  it('closes with an empty window when the probe succeeds', () => {
    const { state, effect } = step(PROBED, 'success', 700);

    expect(effect).toEqual({ type: 'closed' });
    expect(state).toEqual(closeBreaker(700, PROBED.ticket + 1));
  });

  it('opens again when the probe fails', () => {
    expect(step(PROBED, 'failure', 700)).toMatchObject({
      state: { type: 'open', until: 1_200 },
      effect: { type: 'opened', until: 1_200 },
    });
  });

  it('lets the next probe go at once when the probe was abandoned', () => {
    const { state } = step(PROBED, 'abandon', 700);

    expect(state.type).toBe('half-open');
    expect(permit(state, 700).effect).toMatchObject({ type: 'permitted', isProbe: true });
  });

  it('ignores a probe that reports after it was abandoned', () => {
    const { state } = step(PROBED, 'abandon', 700);
    const late = { type: 'success', ticket: PROBED.ticket } as const;

    expect(stepBreaker(breaker, state, late, 701)).toEqual({ state, effect: { type: 'none' } });
  });

  it('replaces a probe that has not reported for as long as a break, and ignores its outcome', () => {
    const { state, effect } = permit(PROBED, 1_100);
    const late = { type: 'success', ticket: PROBED.ticket } as const;

    expect(effect).toMatchObject({ type: 'permitted', isProbe: true });
    expect(stepBreaker(breaker, state, late, 1_101)).toEqual({ state, effect: { type: 'none' } });
  });

  it('ignores the outcome of a call that began before the breaker opened', () => {
    const late = { type: 'failure', ticket: 0 } as const;

    expect(stepBreaker(breaker, PROBED, late, 650)).toEqual({ state: PROBED, effect: { type: 'none' } });
  });
});

describe('a circuit breaker that has closed again', () => {
  it('does not count calls that began before it opened', () => {
    const closed = step(permit(OPEN, 600).state, 'success', 700).state;
    const late = { type: 'failure', ticket: 0 } as const;

    expect(stepBreaker(breaker, closed, late, 701)).toEqual({ state: closed, effect: { type: 'none' } });
  });
});
