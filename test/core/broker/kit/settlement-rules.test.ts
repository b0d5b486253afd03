import type { Run, Settlement } from '@retry/core/broker';
import { destinationOf, newRun, refuseUnsettled } from '@retry/core/broker/kit';
import type { RunState } from '@retry/core/lifecycle';
import { isEnd, RUN_STATES } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';

function settlementTo(state: RunState, event: Settlement['event']): Settlement {
  const next: Run = { ...newRun({ id: 'run-1', lane: 'mail@1', payload: '{}' }), state };
  return { id: 'run-1', epoch: 1, event, next };
}

describe('destinationOf', () => {
  it.each(RUN_STATES.filter(isEnd))('is the end state %s itself', (state) => {
    expect(destinationOf(settlementTo(state, 'fail'))).toBe(state);
  });

  it('is the front of the lane for a released run', () => {
    expect(destinationOf(settlementTo('submitted', 'release'))).toBe('front');
  });

  it('is the back of the lane for a run that is retried immediately', () => {
    expect(destinationOf(settlementTo('submitted', 'retry'))).toBe('back');
  });

  it('is the schedule for a run that is retried later', () => {
    expect(destinationOf(settlementTo('scheduled', 'retry'))).toBe('schedule');
  });
});

describe('refuseUnsettled', () => {
  it.each(['started', 'unsubmitted'] as const)('refuses a settlement that leads to %s', (state) => {
    const settlements = [settlementTo('completed', 'complete'), settlementTo(state, 'heartbeat')];

    expect(() => refuseUnsettled(settlements)).toThrow(
      `a settlement ends a claim, but that of run run-1 leads to ${state}. Settle the next state.`,
    );
  });

  it('accepts settlements that end their claims', () => {
    const settlements = RUN_STATES.filter((state) => state !== 'started' && state !== 'unsubmitted').map(
      (state) => settlementTo(state, 'retry'),
    );

    expect(() => refuseUnsettled(settlements)).not.toThrow();
  });
});
