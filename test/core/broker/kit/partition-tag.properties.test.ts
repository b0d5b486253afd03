import { partitionTag, textProblem } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Names that any broker keeps, with braces more often than by chance, some of them as long as an id may be. */
const ids = fc
  .oneof(
    fc.string({ minLength: 1, unit: fc.constantFrom('{', '}', 'a', 'é', '🚀') }),
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.string({ minLength: 300, maxLength: 512, unit: fc.constantFrom('{', '}', 'a', 'é', '語') }),
  )
  .filter((id) => textProblem(id) === undefined);

describe('partitionTag', () => {
  it.each([
    ['order-1', 'order-1'],
    ['{order-1}a', 'order-1'],
    ['x{order-1}b{c}', 'order-1'],
    ['{{a}}', '{a'],
    ['a{b', 'a{b'],
    ['{}a', '{{a'],
    ['a}b', 'a{b'],
    ['a}{b', 'a{{b'],
  ])('of %s is %s', (id, tag) => {
    expect(partitionTag(id)).toBe(tag);
  });

  it('is that of every id that begins with it in braces', () => {
    fc.assert(
      fc.property(ids, fc.string({ unit: 'binary' }), (id, rest) => {
        expect(partitionTag(`{${partitionTag(id)}}${rest}`)).toBe(partitionTag(id));
      }),
    );
  });

  it('has 1 to 440 bytes of UTF-8, and no closing brace', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const tag = partitionTag(id);

        expect(textProblem(tag, 440)).toBeUndefined();
        expect(tag).not.toContain('}');
      }),
    );
  });

  it('spreads ids that are too long by all of their text', () => {
    const long = 'x'.repeat(500);

    expect(partitionTag(`${long}a`)).not.toBe(partitionTag(`${long}b`));
  });
});
