import { describe, expect, it } from 'vitest';
// @ts-expect-error -- a tool without types
import * as sql from '../../.tools/sql.mjs';

const { createExpander, createIncluder, definitionsOf, inOrderOfUse, readInline, signatureOf } = sql;

const INLINE = `
-- Whether it is due.
create function isDue(r record, at_now bigint) returns boolean return
  (r.run_at <= at_now and r.state = State.waiting);

create function isLate(r record) returns boolean return
  isDue(r, now_ms() - Limit.lateMs);
`;
const NAMES = {
  State: { waiting: 'w' },
  States: { all: ['w', "it's"] },
  Limit: { lateMs: 5, last: 2n ** 63n - 1n },
  Schema: { name: { sql: '{schema}' } },
  Row: ['id', 'lane'],
  NameOfState: { w: 'waiting', d: 'done' },
};
const expand = createExpander(NAMES, new Map(readInline(INLINE))) as (sql: string) => string;

describe('the text of an SQL file', () => {
  it.each([
    ['a value', 'state = State.waiting', "state = 'w'"],
    ['a list', 'in (States.all)', "in ('w', 'it''s')"],
    ['a large number', 'limit Limit.last', 'limit 9223372036854775807'],
    ['SQL, and what follows it', 'Schema.name.now_ms()', '{schema}.now_ms()'],
    ['an inline function', 'isDue(l, v_now)', "(l.run_at <= v_now and l.state = 'w')"],
    ['an inline function by names', 'isDue(at_now => 1, r => l)', "(l.run_at <= 1 and l.state = 'w')"],
    ['one that calls another', 'isLate(l)', "(l.run_at <= now_ms() - 5 and l.state = 'w')"],
    ['expressions in order', 'array[inOrder(Row, lane => r.lane, id => f(a, b))]', 'array[f(a, b), r.lane]'],
    ['names of letters', 'nameOf(s, NameOfState)', "case s when 'w' then 'waiting' when 'd' then 'done' end"],
    [
      'a name in quotes, or behind a point',
      `select 'State.waiting', "State", r.State`,
      `select 'State.waiting', "State", r.State`,
    ],
    ['a comment', 'a -- State\n-- b\nc', 'a\nc'],
  ])('has %s', (_what, source, text) => {
    expect(expand(source)).toBe(text);
  });

  it.each([
    ['a name that is not there', 'State.gone', 'There is no State.gone.'],
    ['a table in place of a value', 'State', 'A table is no value.'],
    ['too few arguments', 'isDue(r)', 'isDue takes [r,at_now], got [r].'],
    ['an argument of another name', 'isDue(r, late => 1)', 'isDue takes [r,at_now], got [r,late].'],
    ['a list that lacks a name', 'inOrder(Row, id => 1, key => 2)', 'Row: unknown [key], missing [lane].'],
  ])('may not have %s', (_what, source, message) => {
    expect(() => expand(source)).toThrow(message);
  });
});

describe('the parts of an SQL file', () => {
  const include = createIncluder(
    new Map([
      ['outer', 'from (\n  -- @include inner\n)\n'],
      ['inner', 'a\n-- @if many\nb\n-- @else\nc\n-- @end\n'],
    ]),
  ) as (sql: string) => string;

  it('are written where they are included, in the form that the flags ask for', () => {
    expect(include('  -- @include inner\n-- @include inner many')).toBe('  a\n  c\na\nb');
  });

  it('are included by other parts with the same flags', () => {
    expect(include('-- @include outer many')).toBe('from (\n  a\n  b\n)');
  });

  it('have to be there, and to end what they begin', () => {
    expect(() => include('-- @include gone')).toThrow('There is no parts/gone.sql.');
    expect(() => include('-- @if many\na')).toThrow('An @if has no @end.');
  });
});

describe('definitions', () => {
  const FIRST = 'create function a(p_id text) returns text as $$ select b(p_id) $$;';
  const SECOND = 'create function b(p_id text) returns text as $$ select p_id $$;';

  it('come behind those that they name', () => {
    expect(inOrderOfUse([FIRST, SECOND])).toEqual([SECOND, FIRST]);
  });

  it('have a head of one line, which says their parameters', () => {
    const [text] = definitionsOf(
      'create function f(\n  p_ids text[], p_at bigint,\n  out o_n bigint\n) returns record\nas $$\nx\n$$;',
    );

    expect(text).toBe(
      'create function f(p_ids text[], p_at bigint, out o_n bigint) returns record as $$\nx\n$$;',
    );
    expect(signatureOf(text)).toEqual({
      name: 'f',
      parameters: [
        ['p_ids', 'text[]'],
        ['p_at', 'bigint'],
      ],
    });
  });
});
