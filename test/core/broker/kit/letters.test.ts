import {
  ANSWER_LETTERS,
  DESTINATION_LETTERS,
  readAnswers,
  STATE_LETTERS,
  stateOfLetter,
} from '@retry/core/broker/kit';
import { isEnd, RUN_STATES } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';

describe('letters of states', () => {
  it('exist for every state of the lifecycle', () => {
    expect(Object.keys(STATE_LETTERS).sort()).toEqual([...RUN_STATES].sort());
  });

  it.each(RUN_STATES)('lead back to %s, in either case', (state) => {
    expect(stateOfLetter(STATE_LETTERS[state])).toBe(state);
    if (isEnd(state)) expect(stateOfLetter(STATE_LETTERS[state].toLowerCase())).toBe(state);
  });

  it('are capitals exactly for end states', () => {
    const capitals = RUN_STATES.filter((state) => /^[A-Z]$/.test(STATE_LETTERS[state]));

    expect(capitals).toEqual(RUN_STATES.filter(isEnd));
  });

  it('differ from one another without regard to case', () => {
    const letters = Object.values(STATE_LETTERS).map((letter) => letter.toLowerCase());

    expect(new Set(letters).size).toBe(RUN_STATES.length);
  });

  it('are undefined for other text', () => {
    expect(stateOfLetter('?')).toBeUndefined();
    expect(stateOfLetter('')).toBeUndefined();
  });
});

describe('letters of destinations', () => {
  it('are those of the state, for every end state', () => {
    for (const state of RUN_STATES.filter(isEnd))
      expect(DESTINATION_LETTERS[state]).toBe(STATE_LETTERS[state]);
  });

  it('differ from one another without regard to case', () => {
    const letters = Object.values(DESTINATION_LETTERS).map((letter) => letter.toLowerCase());

    expect(new Set(letters).size).toBe(letters.length);
  });
});

describe('letters of answers', () => {
  const verbs = ['submit', 'settle', 'heartbeat', 'change'] as const;

  it.each(verbs)('of %s lead back to their answers', (verb) => {
    for (const [answer, letter] of Object.entries(ANSWER_LETTERS[verb])) {
      expect(readAnswers(verb, letter)).toEqual([answer]);
    }
  });

  it('are read in the order of the reply', () => {
    expect(readAnswers('settle', 'ogfa')).toEqual(['ok', 'gone', 'fenced', 'already']);
    expect(readAnswers('submit', '')).toEqual([]);
  });

  it('without a meaning are refused', () => {
    expect(() => readAnswers('submit', 'cz')).toThrow(new TypeError('cz has a letter of no answer'));
    expect(() => readAnswers('change', 'o', (reply) => new RangeError(`${reply}`))).toThrow(
      new RangeError('o'),
    );
  });
});
