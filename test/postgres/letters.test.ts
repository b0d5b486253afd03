import { STATE_LETTERS } from '@retry/core/broker/kit';
import { DEAD_LETTER_STATES, isEnd, RUN_STATES } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';
import { deadLetterOf } from '../../packages/postgres/src/schema/rows.ts';
import { sqlText } from '../support/sql-text.ts';

describe('the letters in SQL texts', () => {
  it('are different for all states and dead letters', () => {
    const letters = [...Object.values(STATE_LETTERS), ...DEAD_LETTER_STATES.map(deadLetterOf)];

    expect(new Set(letters).size).toBe(letters.length);
  });

  it('name every state', () => {
    for (const state of RUN_STATES) {
      expect(sqlText('nameOf(x, NameOfState)')).toContain(`when '${STATE_LETTERS[state]}' then '${state}'`);
    }
  });

  it('list the states that have not ended', () => {
    const active = RUN_STATES.filter((state) => !isEnd(state) && state !== 'unsubmitted');

    expect(sqlText('States.active')).toBe(active.map((state) => `'${STATE_LETTERS[state]}'`).join(', '));
  });
});
