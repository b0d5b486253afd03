import { createClient } from 'redis';
import { describe, expect, it } from 'vitest';
// @ts-expect-error -- a tool without types
import { variableOf } from '../../.tools/compose-lua.mjs';
// @ts-expect-error -- a tool without types
import { parseLua } from '../../.tools/lua.mjs';
// @ts-expect-error -- a tool without types
import { composeScripts } from '../../.tools/server-code.mjs';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

interface ScriptFile {
  readonly path: string;
  readonly source: string;
  readonly keys: readonly string[];
  readonly pieces: readonly string[];
}

const FILES = composeScripts() as readonly ScriptFile[];

/** What the server gives to a script, beside the functions of Lua. */
const GIVEN = [
  ...['KEYS', 'ARGV', 'redis', 'cmsgpack', 'cjson'],
  ...['error', 'ipairs', 'math', 'next', 'pairs', 'pcall', 'string', 'table', 'tonumber', 'type', 'unpack'],
];

/** It is called for each run with a concurrency key: a table would have to be made for each. */
const HOT = 'fullOf';

describe.each(FILES)('$path', ({ source, keys, pieces }) => {
  const text = pieces.join('\n');

  it('says in its head which keys the script gets, in their order', () => {
    const [, names = ''] = /^-- Keys: (.*\n(?:-- {6,}.*\n)*)/m.exec(source) ?? [];

    expect(names.match(/\w+/g)).toEqual(keys.map(variableOf));
  });

  it('says in its head what the script gets and returns', () => {
    const [head = ''] = source.split('\n\n');

    expect(head).toMatch(/^-- [A-Z]/);
    expect(head).toContain('\n-- Returns ');
    const given = [...source.replace(head, '').matchAll(/\bARGV\[(\d)\]/g)].map(([, index]) => index);
    for (const index of given)
      expect(head).toMatch(new RegExp(`\\n-- .*ARGV\\[(?:${index}\\]|[1-${index}]…)`));
  });

  it('has no variable but its own and those that the server gives', () => {
    const { globals } = parseLua(text) as { globals: readonly { name: string }[] };

    const foreign = globals.map(({ name }) => name).filter((name) => !GIVEN.includes(name));

    expect([...new Set(foreign)]).toEqual([]);
  });

  it('has no function of more than four parameters', () => {
    const functions = [...text.matchAll(/\bfunction (?<name>\w*)\((?<parameters>[^)]*)\)/g)];

    const long = functions.filter(({ groups }) => (groups?.['parameters'] ?? '').split(',').length > 4);

    expect(long.map(({ groups }) => groups?.['name']).filter((name) => name !== HOT)).toEqual([]);
  });

  it('has no comments and no indentation on the server', () => {
    expect(text).not.toMatch(/^\s|--|\n\s/m);
  });
});

describeOnRedis('a server', (server) => {
  it.each(FILES)('parses $path', async ({ pieces }) => {
    const client = await createClient({ url: server().url }).connect();

    const hash = await client.scriptLoad(pieces.join('\n')).finally(() => client.close());

    expect(hash).toMatch(/^[0-9a-f]{40}$/);
  });
});
