import { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import {
  createPostgresBroker,
  type MigrateOptions,
  migrate,
  migrationSql,
  type PostgresBrokerOptions,
} from '@retry/postgres';
import { describe, expect, it, vi } from 'vitest';
import { eachWrongOption, NO_OPTIONS, NO_VALUES, refusalOf, refusedPaths } from '../support/wrong-input.ts';

const client = { query: vi.fn(async () => ({ rows: [] })) };

const TAKE_OPTIONS: Readonly<Record<string, (given: never) => unknown>> = {
  createPostgresBroker,
  'migrate with options': (given) => migrate(client, given),
  migrationSql,
};

describe.each(Object.entries(TAKE_OPTIONS))('%s', (_name, call) => {
  it.each(NO_OPTIONS)('refuses %s, and sends nothing', async (_kind, given) => {
    expect(await refusalOf(() => call(given as never))).toMatchObject({ code: 'INVALID_OPTIONS' });
    expect(client.query).not.toHaveBeenCalled();
  });
});

describe('every option', () => {
  // A key that is missing here does not compile, and one that is not checked fails.
  const broker: Required<Omit<PostgresBrokerOptions, 'url'>> = {
    client,
    connections: 1,
    schema: 'retry',
    keepCompleted: { count: 5 },
    keepDead: { for: '1d' },
    keepKeys: '1h',
    listen: true,
    wakeOnCommit: false,
    onError: () => {},
  };
  const byUrl: Required<Pick<PostgresBrokerOptions, 'url'>> = { url: 'postgres://host/db' };
  const migration: Required<MigrateOptions> = { schema: 'retry' };

  it.each([
    ['createPostgresBroker', createPostgresBroker, broker],
    ['createPostgresBroker by a URL', createPostgresBroker, byUrl],
    ['migrate', (given: object) => migrate(client, given), migration],
    ['migrationSql', migrationSql, migration],
  ] as const)('of %s is checked', async (_name, call, valid) => {
    for (const [key, name, options] of eachWrongOption(valid)) {
      expect([name, ...(await refusedPaths(() => call(options as never)))]).toContain(key);
    }
    expect(client.query).not.toHaveBeenCalled();
  });
});

describe('a client', () => {
  it('instead of the options is one problem', async () => {
    class Pool extends EventEmitter {
      readonly options = { password: 'geheim' };
      query = client.query;
    }

    const error = await refusalOf(() => createPostgresBroker(new Pool() as never));

    expect(error.problems).toMatchObject([{ path: '', cure: 'Use createPostgresBroker({ client }).' }]);
    expect(inspect(error, { depth: 9 })).not.toContain('geheim');
  });

  const values = [
    ...NO_VALUES,
    ['a URL', 'postgres://me:geheim@host/db'],
    ['none', undefined],
    ['{}', {}],
  ] as const;

  it.each(values)('of migrate is not %s', async (_name, given) => {
    const error = await refusalOf(() => migrate(given as never));

    expect(error.message).toMatch(/^invalid migration\n- client /);
    expect(error.message).not.toContain('geheim');
  });

  it.each(values)('of a transaction is not %s', async (_name, given) => {
    const { within } = createPostgresBroker({ client });

    expect((await refusalOf(() => within(given))).message).toMatch(/^invalid transaction\n/);
  });
});
