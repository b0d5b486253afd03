import type { ListQuery } from '@retry/core/broker';
import { readCursor, writeCursor } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const query: ListQuery = { state: 'submitted', limit: 10 };
const position = ['waiting', 'l', 7] as const;
const read = (after: string, more: Partial<ListQuery> = {}) =>
  readCursor('one', { ...query, ...more, after });

describe('a cursor', () => {
  const cursor = writeCursor('one', query, position);

  it('is read as the position that was written, whatever text is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer(), (text, number) => {
        const written = writeCursor('one', query, ['list', text, number]);

        expect(readCursor('one', { ...query, after: written })).toEqual(['list', text, number]);
      }),
    );
  });

  it('is absent on the first page', () => {
    expect(readCursor('one', query)).toBeUndefined();
  });

  it('may be used with another limit and other filters', () => {
    expect(read(cursor, { limit: 3, errorName: 'E', payloads: 'omit' })).toEqual(position);
  });

  it.each([
    ['another broker', () => readCursor('other', { ...query, after: cursor })],
    ['another state', () => read(cursor, { state: 'failed' })],
    ['another lane', () => read(cursor, { lane: 'l' })],
    ['an id', () => read('a')],
    ['nothing', () => read('')],
    ['no text', () => read(7 as never)],
    ['a part of it', () => read(cursor.slice(0, -1))],
  ])('is refused with its cure: %s', (_, call) => {
    expect(call).toThrow(/after must be the next of a page .* Leave it out for the first page\./s);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }));
  });

  it('is refused after any one character of it was changed', () => {
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom('0', 'x', '"'), (at, character) => {
        fc.pre(cursor[at] !== character);
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);

        expect(() => read(changed)).toThrow(/after must be/);
      }),
    );
  });
});
