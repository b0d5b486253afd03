import type { Run } from '@retry/core/broker';
import {
  type EventFrom,
  NEW_RUN,
  type RunEvent,
  type RunRecord,
  type RunState,
  type StateAfter,
  transition,
} from '@retry/core/lifecycle';
import { describe, expect, expectTypeOf, it } from 'vitest';

/** The type of the run that a move leaves behind. */
type Moved<Answer> = Extract<Answer, { type: 'moved' }> extends { readonly run: infer Kept } ? Kept : never;

function inState<State extends RunState>(state: State): RunRecord<State> {
  return { ...NEW_RUN, state };
}

// Types are checked by tsc (`npm run types`); running these only shows that the values agree with them.
describe('transition, by its types', () => {
  it('narrows the state that follows', () => {
    const claimed = transition(inState('submitted'), { type: 'start', at: 1 });
    const done = transition(inState('started'), { type: 'complete', at: 1 });
    const retried = transition(inState('started'), { type: 'retry', at: 1, runAt: 2 });
    const limited = transition(inState('submitted'), { type: 'limit', at: 1 });

    expectTypeOf<Moved<typeof claimed>['state']>().toEqualTypeOf<'started'>();
    expectTypeOf<Moved<typeof done>['state']>().toEqualTypeOf<'completed'>();
    expectTypeOf<Moved<typeof retried>['state']>().toEqualTypeOf<'submitted' | 'scheduled'>();
    expectTypeOf<Moved<typeof limited>['state']>().toEqualTypeOf<'scheduled' | 'rateLimited'>();
    expect([claimed, done, retried, limited].map(({ type }) => type)).toEqual(Array(4).fill('moved'));
  });

  it('leads from state to state without a cast', () => {
    const submitted = transition(NEW_RUN, { type: 'submit', at: 1 });
    if (submitted.type === 'rejected' || submitted.run.state === 'scheduled')
      throw new Error('not submitted');
    const started = transition({ ...submitted.run, state: submitted.run.state }, { type: 'start', at: 2 });
    if (started.type === 'rejected') throw new Error('not started');
    const completed = transition(started.run, { type: 'complete', at: 3 });

    expectTypeOf<Moved<typeof completed>['state']>().toEqualTypeOf<'completed'>();
    expect(completed).toMatchObject({ type: 'moved', run: { state: 'completed' } });
  });

  it('refuses an event that a known state does not accept', () => {
    const answers = [
      // @ts-expect-error only a started run completes
      transition(inState('submitted'), { type: 'complete', at: 1 }),
      // @ts-expect-error only a submitted run starts
      transition(inState('scheduled'), { type: 'start', at: 1 }),
      // @ts-expect-error a started run is not submitted
      transition(inState('started'), { type: 'submit', at: 1 }),
      // @ts-expect-error completed runs stay so
      transition(inState('completed'), { type: 'redrive', at: 1 }),
      // @ts-expect-error cancelled runs stay so
      transition(inState('cancelled'), { type: 'redrive', at: 1 }),
      // @ts-expect-error dropped runs stay so
      transition(inState('dropped'), { type: 'redrive', at: 1 }),
      // @ts-expect-error only a stalled run recovers
      transition(inState('failed'), { type: 'recover', at: 1, runAt: 2 }),
      // @ts-expect-error an event of any type may be one that the state does not accept
      transition(inState('submitted'), { type: 'complete', at: 1 } as RunEvent),
    ];

    expect(answers.map(({ type }) => type)).toEqual(Array(8).fill('rejected'));
  });

  it('requires the fields of an event', () => {
    // @ts-expect-error a retry needs runAt
    const answer = transition(inState('started'), { type: 'retry', at: 1 });

    expect(answer.type).toBe('moved');
  });

  it('accepts any event if the state is not known', () => {
    const run: RunRecord = inState('submitted');

    const answer = transition(run, { type: 'complete', at: 1 });

    expectTypeOf<Moved<typeof answer>['state']>().toEqualTypeOf<'completed'>();
    expect(answer.type).toBe('rejected');
  });

  it('keeps the types of other keys of the run', () => {
    const run: Run<'submitted'> = { ...inState('submitted'), id: 'a', lane: 'b', payload: '1', errors: [] };

    const answer = transition(run, { type: 'start', at: 1 });

    expectTypeOf<Moved<typeof answer>>().toExtend<Run<'started'>>();
    expect(answer).toMatchObject({ run: { id: 'a' } });
  });
});

describe('EventFrom', () => {
  it('lists the events that a state accepts', () => {
    expectTypeOf<EventFrom<'unsubmitted'>['type']>().toEqualTypeOf<'submit'>();
    expectTypeOf<EventFrom<'scheduled'>['type']>().toEqualTypeOf<
      'promote' | 'reschedule' | 'cancel' | 'end'
    >();
    expectTypeOf<EventFrom<'submitted'>['type']>().toEqualTypeOf<
      'start' | 'reschedule' | 'cancel' | 'end' | 'drop' | 'limit'
    >();
    expectTypeOf<EventFrom<'started'>['type']>().toEqualTypeOf<
      'heartbeat' | 'complete' | 'retry' | 'fail' | 'release' | 'limit' | 'stall' | 'cancel' | 'drop'
    >();
    expectTypeOf<EventFrom<'stalled'>['type']>().toEqualTypeOf<'recover' | 'giveUp' | 'redrive'>();
    expectTypeOf<EventFrom<'failed' | 'rateLimited'>['type']>().toEqualTypeOf<'redrive'>();
    expectTypeOf<EventFrom<'completed' | 'cancelled' | 'dropped'>>().toBeNever();
    expectTypeOf<EventFrom<RunState>>().toEqualTypeOf<RunEvent>();
  });
});

describe('StateAfter', () => {
  it('is the state that an event leads to', () => {
    expectTypeOf<StateAfter<'stalled', 'recover'>>().toEqualTypeOf<'submitted' | 'scheduled'>();
    expectTypeOf<StateAfter<'started' | 'submitted', 'drop'>>().toEqualTypeOf<'dropped'>();
    expectTypeOf<StateAfter<'scheduled', 'end'>>().toEqualTypeOf<'completed' | 'failed'>();
    expectTypeOf<StateAfter<'started', 'release'>>().toEqualTypeOf<'submitted' | 'scheduled'>();
    expectTypeOf<StateAfter<'completed', 'redrive'>>().toBeNever();
  });
});
