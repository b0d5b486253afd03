import { expect, it } from 'vitest';
import { composeText, make } from '../../packages/redis-queue/src/store/compose.ts';

const LIBRARY = `
-- Mentions unused in a comment only.
local call, sub = redis.call, string.sub
local unused = 1

local function inner(id)
  return call('HGET', RECORD, id)
end
-- Of the comment above a declaration nothing is kept, either: unused.
local function outer(id)
  return inner(id)
end
local other = 2
`;

it('a script has the declarations that it mentions and those that they need, in their order', () => {
  const { text } = composeText({ library: [LIBRARY], main: 'return outer(ARGV[1])' });

  expect(text.match(/^local (?:function )?\w+/gm)).toEqual([
    'local BODY',
    'local RECORD',
    'local FIXED',
    'local call',
    'local function inner',
    'local function outer',
  ]);
});

it('a script gets the keys that it mentions, and always the first', () => {
  const { text, keys } = composeText({ library: [LIBRARY], main: "return call('HGET', SLOTS_TAKEN, '')" });

  expect(keys).toEqual(['body', 'slots-taken']);
  expect(text).toContain('local SLOTS_TAKEN = KEYS[2]\nlocal FIXED = 2\n');
});

it('a rare function makes what the script has not made already, and its keys come behind the others', () => {
  const rare = [
    { signature: 'first(id)', library: [LIBRARY], body: 'return outer(id), state' },
    { signature: 'second(id)', library: [LIBRARY], body: `${make('first')}\nreturn first(id) + other` },
  ];
  const main = `local found = call('GET', BODY)\nif not found then\n${make('second')}\nfound = second('')\nend`;

  const { text, keys } = composeText({ library: [LIBRARY], state: 'local state = 0', rare, main });

  expect(keys).toEqual(['body', 'record']);
  expect(text.split('\n')).toEqual([
    'local BODY = KEYS[1]',
    'local FIXED = 2',
    'local call, sub = redis.call, string.sub',
    'local state = 0',
    'local first, second',
    "local found = call('GET', BODY)",
    'if not found then',
    'function second(id)',
    'local other = 2',
    'function first(id)',
    'local RECORD = KEYS[2]',
    'local function inner(id)',
    "  return call('HGET', RECORD, id)",
    'end',
    'local function outer(id)',
    '  return inner(id)',
    'end',
    'return outer(id), state',
    'end',
    'return first(id) + other',
    'end',
    "found = second('')",
    'end',
  ]);
});

it('a script cannot make a function that it does not have', () => {
  const rare = [{ signature: 'seldom(id)', library: [], body: 'return id' }];

  expect(() => composeText({ library: [], rare, main: `${make('often')}\nreturn often(1)` })).toThrow(
    'often',
  );
});
