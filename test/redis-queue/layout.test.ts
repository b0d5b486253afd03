import { readdirSync, readFileSync } from 'node:fs';
import { ANSWER_LETTERS, STATE_LETTERS } from '@retry/core/broker/kit';
import { RUN_STATES } from '@retry/core/lifecycle';
import fc from 'fast-check';
import { createClient } from 'redis';
import { describe, expect, it } from 'vitest';
import type { Layout } from '../../packages/redis-queue/src/record/layout.ts';
import {
  ALL_KINDS,
  BODY,
  FINISHED_ENTRY,
  FIRST_COMPLETION,
  FIRST_START,
  FLAGS,
  FRONT_ENTRY,
  LATER_COMPLETION,
  LATER_COMPLETION_MARK,
  RECORD,
  SCHEDULED_ENTRY,
  writeFields,
} from '../../packages/redis-queue/src/record/layout.ts';
import { luaText } from '../support/lua-text.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

const LAYOUTS: readonly (readonly [name: string, layout: Layout<string>])[] = [
  ['Record', RECORD],
  ['FirstStart', FIRST_START],
  ['FirstCompletion', FIRST_COMPLETION],
  ['LaterCompletion', LATER_COMPLETION],
  ['Body', BODY],
  ['FrontEntry', FRONT_ENTRY],
  ['ScheduledEntry', SCHEDULED_ENTRY],
  ['FinishedEntry', FINISHED_ENTRY],
];

/** As Lua's string.sub does, for positive ends. */
function luaSub(text: string, call: string): string {
  const [first = 1, last] = [...call.matchAll(/\d+/g)].map(Number);
  return text.slice(first - 1, last);
}

describe.each(LAYOUTS)('the layout %s', (luaName, layout) => {
  it('has fields that follow one another without a gap', () => {
    const ranges = layout.names.map((name) => layout.fields[name]);

    expect(ranges[0]?.from).toBe(0);
    expect(ranges.slice(1).map((range) => range?.from)).toEqual(
      ranges.slice(0, -1).map((range) => range?.end),
    );
    expect(ranges.at(-1)?.end).toBe(layout.length);
  });

  it('has the same characters of each field in Lua as in TypeScript', () => {
    const text = Array.from({ length: layout.length + 5 }, (_, index) =>
      String.fromCharCode(0x100 + index),
    ).join('');

    for (const name of layout.names) {
      const range = layout.fields[name];
      expect(luaSub(text, luaText(`fieldOf(text, ${luaName}.${name})`))).toBe(
        text.slice(range?.from, range?.end),
      );
    }
    expect(luaSub(text, luaText(`sub(text, ${luaName}.length + 1)`))).toBe(text.slice(layout.length));
  });
});

describe('the letters of the layout', () => {
  it('are one for each state, and none is the mark of a later completion', () => {
    const letters = Object.values(STATE_LETTERS);

    expect(Object.keys(STATE_LETTERS)).toEqual(RUN_STATES);
    expect(new Set([...letters, LATER_COMPLETION_MARK]).size).toBe(letters.length + 1);
    expect(letters.every((letter) => letter.length === 1)).toBe(true);
  });

  it('are one for each kind of body', () => {
    expect(new Set(ALL_KINDS).size).toBe(10);
  });

  it.each(Object.entries(ANSWER_LETTERS))('are one for each answer to %s', (_verb, letters) => {
    const all: readonly string[] = Object.values(letters);

    expect(new Set(all).size).toBe(all.length);
    expect(all.every((letter) => letter.length === 1)).toBe(true);
  });

  it('have one bit for each flag', () => {
    expect(Object.values(FLAGS)).toEqual(Object.keys(FLAGS).map((_, index) => 2 ** index));
  });
});

describe('the text of the scripts', () => {
  const folder = new URL('../../packages/redis-queue/lua/', import.meta.url);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.lua'),
  );

  it.each(names.filter((name) => !name.endsWith('check-rights.lua')))(
    '%s has no offset, letter or byte of its own',
    (name) => {
      const source = readFileSync(new URL(name, folder), 'utf8');
      const code = source
        .split('\n')
        .filter((line) => !/^\s*--/.test(line))
        .join('\n');

      expect(code).not.toMatch(/\bsub\((?:record|body|old|short|new|first|entry), (?:[2-9]|\d\d)/);
      expect(code).not.toMatch(/[=~]= \d{2,3}\b/);
      expect(code).not.toMatch(/'[A-Za-z]'|find\('/);
    },
  );
});

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length });
/** Values of every field of a record, in its width. */
const values = fc.record(
  Object.fromEntries(
    RECORD.names.map((name) => [name, digits(RECORD.fields[name].end - RECORD.fields[name].from)]),
  ),
) as fc.Arbitrary<Record<(typeof RECORD.names)[number], string>>; // a value for each name

describeOnRedis('a record that Lua writes', (server) => {
  it('is the one that TypeScript writes', async () => {
    const client = await createClient({ url: server().url }).connect();
    const run = async (expression: string, record = '') =>
      String(
        await client.eval(`local sub, record = string.sub, ARGV[1] return ${expression}`, {
          arguments: [record],
        }),
      );

    await fc.assert(
      fc.asyncProperty(values, values, fc.subarray([...RECORD.names]), async (old, next, names) => {
        const changed = Object.fromEntries(names.map((name) => [name, next[name]]));
        const tableOf = (fields: typeof names) =>
          `{ ${fields.map((name) => `${name} = '${next[name]}'`).join(', ')} }`;
        const [some, everything] = [tableOf(names), tableOf([...RECORD.names])];
        const record = `${writeFields(RECORD, old)}1:complete\0{}\0"result"`;
        const expected = writeFields(RECORD, { ...old, ...changed });

        expect(await run(luaText(`rewrite(record, ${some})`), record)).toBe(
          expected + record.slice(RECORD.length),
        );
        expect(await run(luaText(`rewriteFields(record, ${some})`), record)).toBe(expected);
        expect(await run(luaText(`write(Record, ${everything})`))).toBe(writeFields(RECORD, next));
        expect(await run(luaText(`firstRecord(${everything})`))).toBe(`${writeFields(RECORD, next)}\0\0`);
      }),
      { numRuns: 50 },
    );
    await client.close();
  });

  it('has zeros in every field that is not said when it is the first one', async () => {
    const client = await createClient({ url: server().url }).connect();
    const expression = luaText("firstRecord({ state = 'w', flags = '0' })");

    const record = String(await client.eval(`return ${expression}`));

    expect(record).toBe(`w0${'0'.repeat(RECORD.length - 2)}\0\0`);
    await client.close();
  });
});
