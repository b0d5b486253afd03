import { equal, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { listValues, readNote, versionsOf } from './notes.ts';

/** Which notes and queries are refused, and what the others may hold. */
export const notesInputCases: CasesByName = {
  'notes refuse a wrong %s, and write nothing': each(
    () =>
      [
        ['empty key', 'key', ''],
        ['long key', 'key', 'x'.repeat(1_025)],
        ['key with U+0000', 'key', 'a\0'],
        ['key with half a surrogate pair', 'key', 'a\ud800'],
        ['empty value', 'value', ''],
        ['value of more than 65 536 bytes', 'value', 'x'.repeat(65_537)],
        ['value of more bytes than characters', 'value', 'é'.repeat(32_769)],
        ['value with U+0000', 'value', 'a\0'],
        ['value that is left out', 'value', undefined],
        ['version with a fraction', 'seen', 0.5],
        ['version below 0', 'seen', -1],
        ['time to live of 0', 'ttlMs', 0],
        ['time to live without end', 'ttlMs', Infinity],
        ['instant before 1970', 'expiresAt', 0],
        ['probe of what is no hold', 'probeMs', 1],
        ['hold of nobody', 'key', 'hold/somebody/l'],
        ['hold without a source', 'key', 'hold/l'],
      ] as const,
    async ({ broker }, [, key, value]) => {
      const call = broker.notes.write([
        { key: 'fine', value: 'v' },
        { key: 'k', value: 'v', [key]: value },
      ]);

      await rejectsWith(call, { code: 'INVALID_OPTIONS', problems: [{ path: `[1].${key}` }] });
      equal(await listValues(broker), []);
    },
  ),

  'notes refuse a key that is written twice in one write': async ({ broker }) => {
    const call = broker.notes.write([
      { key: 'k', value: '1' },
      { key: 'k', value: '2' },
    ]);

    await rejectsWith(call, { code: 'INVALID_OPTIONS', problems: [{ path: '[1].key' }] });
  },

  'notes refuse more than 500 writes, or 8 MiB, in one write': async ({ broker }) => {
    const writes = (count: number, value: string) =>
      Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value }));

    await rejectsWith(broker.notes.write(writes(501, 'v')), { code: 'INVALID_OPTIONS' });
    await rejectsWith(broker.notes.write(writes(129, 'x'.repeat(65_536))), { code: 'INVALID_OPTIONS' });
    versionsOf(await broker.notes.write(writes(500, 'v')));
    versionsOf(await broker.notes.write(writes(128, 'x'.repeat(65_536))));
  },

  'notes refuse a wrong %s': each(
    () =>
      [
        ['limit of 0', { limit: 0 }, 'limit'],
        ['limit of more than 1000', { limit: 1_001 }, 'limit'],
        ['limit with a fraction', { limit: 1.5 }, 'limit'],
        ['long prefix', { prefix: 'x'.repeat(1_025) }, 'prefix'],
        ['prefix with half a surrogate pair', { prefix: '\ud83d' }, 'prefix'],
        ['page', { after: '' }, 'after'],
      ] as const,
    async ({ broker }, [, query, path]) => {
      await rejectsWith(broker.notes.read({ prefix: '', limit: 1, ...query }), {
        code: 'INVALID_OPTIONS',
        problems: [{ path }],
      });
    },
  ),

  'notes take keys and values of the longest kind: %s': each(
    () => ['x', 'é', '😀'],
    async ({ broker }, letter) => {
      const bytes = new TextEncoder().encode(letter).length;
      const key = letter.repeat(1_024 / bytes);
      const value = letter.repeat(65_536 / bytes);
      await broker.notes.write([{ key, value }]);

      strictEqual((await readNote(broker, key))?.value, value);
    },
  ),

  'notes take any text as a value: %s': each(
    () => [
      ' ',
      '0',
      'null',
      ' 1 2 ',
      '{"a":[1,"\\u0000"]}',
      "'; drop table x; --",
      'ä€😀\u0001\n\r\t\\"',
      '\ufeff',
    ],
    async ({ broker }, value) => {
      await broker.notes.write([{ key: 'k', value }]);

      strictEqual((await readNote(broker, 'k'))?.value, value);
    },
  ),

  'notes tell keys apart that differ in case or in how a letter is written': async ({ broker }) => {
    const keys = ['k', 'K', 'k ', 'é', 'e\u0301', '__proto__', 'constructor'];
    await broker.notes.write(keys.map((key) => ({ key, seen: 0, value: `of ${key}` })));

    for (const key of keys) strictEqual((await readNote(broker, key))?.value, `of ${key}`);
  },
};
