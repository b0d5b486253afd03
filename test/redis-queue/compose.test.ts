import { describe, expect, it } from 'vitest';
// @ts-expect-error -- a tool without types
import { createComposer } from '../../.tools/compose-lua.mjs';
// @ts-expect-error -- a tool without types
import { createExpander, readInline } from '../../.tools/lua.mjs';

const KEY_NAMES = ['body', 'record', 'slots-taken'];

const LIBRARY = `local call, sub = redis.call, string.sub
local unused = 1
local function inner(id)
  return call('HGET', RECORD, id)
end
local function outer(id)
  return inner(id)
end
local other = 2`;

/** Composes the script of a text that uses the library above. */
function compose(text: string, { rare = '', uses = ['library'] } = {}) {
  const library = new Map([['library', { name: 'library', uses: [] as string[], text: LIBRARY }]]);
  const composer = createComposer(
    { library, parts: new Map([['part', { text: 'part()' }]]), rare: [{ name: 'rare', uses, text: rare }] },
    KEY_NAMES,
  );
  const { keys, pieces } = composer({ name: 'script', uses, text });
  return { keys, text: pieces.join('\n') as string };
}

describe('a script', () => {
  it('has the declarations that it mentions and those that they need, in their order', () => {
    const { text } = compose('return outer(ARGV[1])');

    expect(text.match(/^local (?:function )?\w+/gm)).toEqual([
      'local BODY',
      'local RECORD',
      'local FIXED',
      'local call',
      'local function inner',
      'local function outer',
    ]);
  });

  it('gets the keys that it mentions, and always the first', () => {
    const { text, keys } = compose("return call('HGET', SLOTS_TAKEN, '')");

    expect(keys).toEqual(['body', 'slots-taken']);
    expect(text).toContain('local SLOTS_TAKEN = KEYS[2]\nlocal FIXED = 2\n');
  });

  it('makes a rare function with what is not made already, whose keys come behind the others', () => {
    const rare = `local function first(id)
  return outer(id), state
end
local function second(id)
  -- @make first
  return first(id) + other
end`;
    const main = `local state = call('GET', BODY)
if not state then
  -- @make second
  state = second('')
end`;

    const { text, keys } = compose(main, { rare });

    expect(keys).toEqual(['body', 'record']);
    expect(text.split('\n')).toEqual([
      'local BODY = KEYS[1]',
      'local FIXED = 2',
      'local call, sub = redis.call, string.sub',
      'local second, first',
      "local state = call('GET', BODY)",
      'if not state then',
      'function second(id)',
      'local other = 2',
      'function first(id)',
      'local RECORD = KEYS[2]',
      'local function inner(id)',
      "return call('HGET', RECORD, id)",
      'end',
      'local function outer(id)',
      'return inner(id)',
      'end',
      'return outer(id), state',
      'end',
      'return first(id) + other',
      'end',
      "state = second('')",
      'end',
    ]);
  });

  it('has parts in their places', () => {
    expect(compose('if true then\n  -- @include part\nend').text).toContain('if true then\npart()\nend');
  });

  it.each([
    ['a function that is not in rare/', '-- @make often', {}, 'often'],
    ['a part that is not in parts/', '-- @include nowhere', {}, 'nowhere'],
    ['a library that is not in library/', 'return 1', { uses: ['nothing'] }, 'nothing'],
  ])('cannot have %s', (_, text, options, name) => {
    expect(() => compose(text, options)).toThrow(name);
  });
});

describe('names and inline functions', () => {
  const inline = `local function has(sum, one) return sum % (2 * one) >= one end
local function either(one, other) return one or other end
local function less(one, other) return one - other end`;
  const expand = createExpander(
    {
      Flag: { short: 16 },
      Letters: 'ab',
      Record: { state: { from: 1, zeros: '0' }, rest: { from: 2, zeros: '00' }, length: 3 },
    },
    readInline(inline),
  ) as (text: string) => string;

  it.each([
    ['a value in place of its name', 'return Flag.short', 'return 16'],
    ['no name in a string or of a field', "return { Flag = 'Flag.short' }", "return { Flag = 'Flag.short' }"],
    [
      'what is known beforehand',
      "return Letters .. 'c', -Flag.short, #Letters, byte(Letters)",
      "return 'abc', -16, 2, 97",
    ],
    ['an expression in place of a call', 'return has(f(x), Flag.short)', 'return f(x) % 32 >= 16'],
    [
      'parentheses where a call binds more tightly',
      'return not has(x, 2), (has(x, 2))',
      'return not (x % 4 >= 2), (x % 4 >= 2)',
    ],
    [
      'parentheses around arguments',
      'return has(a or b, 2), less(a, b - c)',
      'return (a or b) % 4 >= 2, a - (b - c)',
    ],
    [
      'parentheses in what is put together',
      "return 'x' .. either(a, b) .. less(a, b)",
      "return 'x' .. (a or b) .. a - b",
    ],
    [
      'letters one by one',
      'return each(Letters), isOneOf(code, Letters)',
      "return 'a', 'b', code == 97 or code == 98",
    ],
    ['the fields of a record', 'return rewrite(r, { state = a or b })', 'return (a or b) .. sub(r, 2)'],
    [
      'zeros for fields without a value',
      'return firstRecord({ rest = x })',
      String.raw`return '0' .. x .. '\0\0'`,
    ],
    ['no comments', 'f() -- for readers\n-- only\ng()', 'f()\ng()'],
  ])('become %s', (_, source, text) => {
    expect(expand(source)).toBe(text);
  });

  it.each([
    ['a name that is not there', 'return Flag.long', 'Flag.long'],
    ['a table that is no value', 'return Flag', 'Flag is no value'],
  ])('cannot be %s', (_, source, message) => {
    expect(() => expand(source)).toThrow(message);
  });
});
