import { migrationSql } from '@retry/postgres';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../packages/postgres/src/driver/call.ts';
import { createCall } from '../../packages/postgres/src/driver/call.ts';
import { FUNCTION_NAMES, parametersOf } from '../../packages/postgres/src/schema/signatures.ts';

/** Sends nothing, remembers what it was given, and answers as the server does. */
function createRecorder() {
  const sent: { readonly text: string; readonly values: readonly unknown[] | undefined }[] = [];
  const client = {
    query: async (text: string, values?: unknown[]) => {
      sent.push({ text, values });
      return { rows: [{ answer: null }] };
    },
  };
  return { sent, client };
}

describe('the parameters of an SQL function', () => {
  it.each(FUNCTION_NAMES)('are the head that is created: %s', (name) => {
    const list = parametersOf(name).map(({ parameter, type }) => `${parameter} ${type}`);

    expect(migrationSql()).toContain(`function ${name}(${list.join(', ')}) returns `);
  });

  it.each(FUNCTION_NAMES)('are named in the call, each with its type: %s', async (name) => {
    const { client, sent } = createRecorder();

    await createCall(client, 's')(name, {} as never); // every value is absent

    const named = parametersOf(name).map(
      ({ parameter, type }, index) => `${parameter} => $${index + 1}::text::${type}`,
    );
    expect(sent.map(({ text }) => text)).toEqual([`select "s".${name}(${named.join(', ')}) as answer`]);
  });

  it('are sent by name, whatever the order of the arguments', async () => {
    const { client, sent } = createRecorder();
    const call = createCall(client, 's');

    await call('find_expired', { exceptLanes: ['m'], limit: 5, lanes: null });
    await call('find_expired', { limit: 5, lanes: null, exceptLanes: ['m'] });

    expect(sent.map(({ values }) => values)).toEqual([
      ['5', null, '{"m"}'],
      ['5', null, '{"m"}'],
    ]);
  });

  it('are all given, with their types, and no others: anything else does not compile', () => {
    const callWrongly = (call: Call): readonly Promise<unknown>[] => [
      call('get_runs', { ids: ['a'], collect: null }),
      // @ts-expect-error `collect` is missing
      call('get_runs', { ids: ['a'] }),
      // @ts-expect-error `limit` is no parameter
      call('get_runs', { ids: ['a'], collect: false, limit: 1 }),
      // @ts-expect-error `limit` is no parameter, also where it comes with others
      call('get_runs', { ...{ ids: ['a'], collect: false, limit: 1 } }),
      // @ts-expect-error numbers are no text
      call('get_runs', { ids: [1], collect: false }),
      // @ts-expect-error there is no such function
      call('get_run', { ids: ['a'], collect: false }),
    ];

    expect(callWrongly).toBeTypeOf('function');
  });
});
