import type { Run } from '@retry/core/broker';
import { NEW_RUN, type RunEvent, type RunRecord, transition } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';
import { FAIL, runAfter, START, SUBMIT } from './runs.ts';

describe('transition', () => {
  it('rejects an event that the state does not accept, with the state and the event', () => {
    const run: RunRecord = runAfter(SUBMIT);

    expect(transition(run, { type: 'complete', at: 300 })).toEqual({
      type: 'rejected',
      from: 'submitted',
      event: 'complete',
    });
  });

  it.each(['explode', 'constructor', '__proto__'])('rejects an unknown event: %s', (type) => {
    const event = { type, at: 300 } as unknown as RunEvent; // what JavaScript callers do

    expect(transition(runAfter(SUBMIT), event)).toMatchObject({ type: 'rejected', event: type });
  });

  it.each<RunEvent>([START, FAIL])('leaves the run it was given as it was on %o', (event) => {
    const run = Object.freeze(runAfter(SUBMIT));
    const before = structuredClone(run);

    transition(run, Object.freeze({ ...event }));

    expect(run).toEqual(before);
  });

  it('returns equal results for equal input', () => {
    const run = runAfter(SUBMIT);

    expect(transition(run, START)).toEqual(transition(run, START));
  });

  it('keeps other keys of the run', () => {
    const run: Run<'unsubmitted'> = { ...NEW_RUN, id: 'a', lane: 'mail@1', payload: '{}', errors: [] };

    const answer = transition(run, SUBMIT);

    expect(answer).toMatchObject({ run: { id: 'a', lane: 'mail@1', payload: '{}', errors: [] } });
  });
});
