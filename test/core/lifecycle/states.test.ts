import { byEnd } from '@retry/core/broker/kit';
import { ARROWS, DEAD_LETTER_STATES, END_STATES, isEnd, RUN_STATES } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';

describe('RUN_STATES', () => {
  it('has the states of the moves, each once', () => {
    const named = ARROWS.flatMap(({ from, to }) => [from, to]);

    expect([...RUN_STATES].sort()).toEqual([...new Set(named)].sort());
  });
});

describe('END_STATES', () => {
  it('has the states that no attempt begins or continues in', () => {
    const attempted = ARROWS.filter(({ to }) => to === 'started').map(({ from }) => from);

    expect(RUN_STATES.filter(isEnd)).toEqual(END_STATES);
    expect(END_STATES.filter((state) => attempted.some((from) => from === state))).toEqual([]);
  });
});

describe('DEAD_LETTER_STATES', () => {
  it('has the states that are redriven, each once', () => {
    const redriven = ARROWS.filter(({ event }) => event === 'redrive').map(({ from }) => from);

    expect([...DEAD_LETTER_STATES].sort()).toEqual([...new Set(redriven)].sort());
  });
});

describe('byEnd', () => {
  it('has a value for each end state', () => {
    expect(byEnd((state) => state.length)).toEqual({
      ...{ completed: 9, failed: 6, cancelled: 9, stalled: 7, dropped: 7, rateLimited: 11 },
    });
  });
});
