import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
// @ts-expect-error -- a tool without types
import { definitionsOf, readInline, signatureOf, tokensOf } from '../../.tools/sql.mjs';
// @ts-expect-error -- a tool without types
import { composeSql, readFolder } from '../../.tools/sql-code.mjs';
import { createCall } from '../../packages/postgres/src/driver/call.ts';
import { fillIn } from '../../packages/postgres/src/schema/migrations.ts';
import { FUNCTION_NAMES } from '../../packages/postgres/src/schema/signatures.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';

interface SqlFile {
  readonly path: string;
  readonly source: string;
}

interface Definition extends SqlFile {
  readonly text: string;
}

const FILES = ['functions', 'inline', 'migrations', 'parts', 'verbs', 'views'].flatMap((folder) =>
  readFolder(folder),
) as readonly SqlFile[];
const DEFINITIONS = composeSql().definitions as readonly Definition[];
const ALL_SOURCES = FILES.map(({ source }) => source).join('\n');

const wordsOf = (sql: string): readonly string[] =>
  (tokensOf(sql) as readonly { kind: string; text: string }[])
    .filter(({ kind }) => kind === 'word')
    .map(({ text }) => text);

describe.each(FILES)('$path', ({ source }) => {
  it('has lines of at most 100 characters, without tabs and trailing spaces', () => {
    const wrong = source.split('\n').filter((line) => line.length > 100 || /\t|\s$/.test(line));

    expect(wrong).toEqual([]);
    expect(source).toMatch(/[^\n]\n$/);
  });

  it('has keywords in small letters', () => {
    expect(wordsOf(source).filter((word) => /^[A-Z]{2,}$/.test(word))).toEqual([]);
  });

  it('begins with a head', () => {
    expect(source).toMatch(/^-- [A-Z]/);
  });
});

describe.each(DEFINITIONS.map((one) => ({ ...one, ...(signatureOf(one.text) as Signature) })))(
  '$name in $path',
  ({ text, source, name, parameters }) => {
    const [, head = ''] = new RegExp(`((?:--.*\\n)+)create (?:function|view) ${name}\\b`).exec(source) ?? [];

    it('has a head that names what it gets', () => {
      expect(head).toMatch(/^-- [A-Z]/);
      for (const [parameter] of parameters) expect(head).toMatch(new RegExp(`\\b${parameter}\\b`));
    });

    it('has a head that says what it returns and locks', () => {
      const [signature = ''] = text.split(' as $$');
      if (!/ returns void /.test(signature) && signature.startsWith('create function'))
        expect(head).toMatch(/^-- Returns\b/m);
      if (!/ (?:stable|immutable)\b/.test(signature) && signature.startsWith('create function'))
        expect(head).toMatch(/^-- Locks\b/m);
    });

    it('calls functions of more than four parameters by the names of these', () => {
      for (const [index, called] of LONG_CALLS.entries()) {
        const calls = [
          ...text.matchAll(new RegExp(`(?<!create function )\\b${called}\\(\\s*(\\w+ =>)?`, 'g')),
        ];
        expect(
          calls.filter(([, named]) => named === undefined).map(([call]) => call),
          `${index}`,
        ).toEqual([]);
      }
    });
  },
);

interface Signature {
  readonly name: string;
  readonly parameters: readonly (readonly [string, string])[];
}

const LONG_CALLS: readonly string[] = DEFINITIONS.map(({ text }) => signatureOf(text) as Signature)
  .filter(({ parameters }) => parameters.length > 4)
  .map(({ name }) => name);

describe('the folder sql', () => {
  it('has no inline function that nothing calls', () => {
    const inline = FILES.flatMap(
      ({ source }) => readInline(source) as readonly (readonly [string, unknown])[],
    );
    const words = wordsOf(ALL_SOURCES);

    const unused = inline
      .map(([name]) => name)
      .filter((name) => words.filter((word) => word === name).length < 2);

    expect(inline.length).toBeGreaterThan(20);
    expect(unused).toEqual([]);
  });

  it('has no part that nothing includes', () => {
    const parts = FILES.flatMap(({ path }) => /^sql\/parts\/(.*)\.sql$/.exec(path)?.[1] ?? []);

    expect(parts.filter((name) => !new RegExp(`-- @include ${name}( |$)`, 'm').test(ALL_SOURCES))).toEqual(
      [],
    );
  });

  it('has no flag that no part asks for, and asks for none that is never given', () => {
    const given = [...ALL_SOURCES.matchAll(/-- @include \S+(.*)/g)].flatMap(
      ([, flags = '']) => flags.match(/\S+/g) ?? [],
    );
    const asked = [...ALL_SOURCES.matchAll(/-- @if (\S+)/g)].map(([, flag]) => flag);

    expect([...new Set(given)].sort()).toEqual([...new Set(asked)].sort());
  });

  it('has no function that neither a client nor another function calls', () => {
    const words = wordsOf(ALL_SOURCES);
    const inner = DEFINITIONS.filter(({ path }) => path.startsWith('sql/functions/'));
    const names = inner.map(({ text }) => (signatureOf(text) as Signature).name);

    expect(names.filter((name) => words.filter((word) => word === name).length < 2)).toEqual([]);
  });

  it('is made of definitions that are found again as they are written', () => {
    expect(DEFINITIONS.flatMap(({ text }) => definitionsOf(text))).toEqual(
      DEFINITIONS.map(({ text }) => text),
    );
  });
});

describeOnPostgres('a server', (server) => {
  let pool: pg.Pool | undefined;
  let schema: TestSchema | undefined;
  beforeAll(async () => {
    pool = openPool(server().url, 1);
    schema = await createTestSchema(pool);
    await pool.query(`set search_path = ${schema.name}; set check_function_bodies = on`);
  });
  afterAll(async () => {
    await schema?.drop();
    await pool?.end();
  });

  it.each(DEFINITIONS)('parses what $path creates', async ({ text }) => {
    if (text.startsWith('create view')) return;
    const statement = fillIn(text.replace(/^create /, 'create or replace '), schema?.name ?? '');

    await expect(pool?.query(statement)).resolves.toMatchObject({ command: 'CREATE' });
  });

  it.each(FUNCTION_NAMES)('prepares the call of %s', async (name) => {
    const texts: string[] = [];
    const query = async (text: string) => {
      texts.push(text);
      return { rows: [{ answer: null }] };
    };
    await createCall({ query }, schema?.name ?? '')(name, {} as never); // every value is absent

    for (const text of texts) {
      await pool?.query(`prepare ${name} as ${text}`);
      await pool?.query(`deallocate ${name}`);
    }
    expect(texts).toHaveLength(1);
  });
});
