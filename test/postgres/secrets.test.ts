import { inspect } from 'node:util';
import { InvalidOptionsError } from '@retry/core';
import { hideSecrets } from '@retry/core/broker/kit';
import type { PostgresBrokerOptions } from '@retry/postgres';
import { createPostgresBroker, migrate } from '@retry/postgres';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCommand, runCommand } from '../../packages/postgres/src/command.ts';

/** Passwords as people have them, which occur in no other text. */
const password = (): fc.Arbitrary<string> =>
  fc
    .string({
      unit: fc.constantFrom(...'aZ09!$&\'()*+,;=:@/?#[]%{}|\\^` é€"<>~'),
      minLength: 1,
      maxLength: 20,
    })
    .map((text) => `s3${text}cr3t`);

const isWritten = (text: string): boolean => !/[\s"'`]/.test(text);

/** Everything that is printed of a thrown value. */
function printed(error: unknown): string {
  const own =
    error instanceof Error ? Object.getOwnPropertyNames(error).map((key) => Reflect.get(error, key)) : [];
  return [
    String(error),
    inspect(error, { depth: 9, showHidden: true }),
    ...own.map((value) => inspect(value)),
  ].join('\n');
}

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error('It was to throw.');
}

/** A port without a server. */
const NOWHERE = '127.0.0.1:1';

describe('a password of a URL', () => {
  it('appears in nothing that a broker rejects with', async () => {
    await fc.assert(
      fc.asyncProperty(password(), fc.boolean(), async (secret, isEncoded) => {
        const shown = isEncoded ? encodeURIComponent(secret) : secret;
        fc.pre(isEncoded || isWritten(secret));
        const url = `postgres://app:${shown}@${NOWHERE}/db`;

        const error = await thrownBy(async () => {
          const broker = createPostgresBroker({ url });
          await broker.audit().finally(() => broker.close());
        });

        for (const text of [secret, shown]) expect(printed(error)).not.toContain(text);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['as url, wrongly written', (url: string) => ({ url: url.replace('@', '@:notaport:') })],
    ['as url without its scheme', (url: string) => ({ url: url.replace('postgres://', '') })],
    ['as url without a colon', (url: string) => ({ url: url.replace('://', '//') })],
    ['as url of another server', (url: string) => ({ url: url.replace('postgres:', 'redis:') })],
    ['as schema', (url: string) => ({ url: 'postgres://h/db', schema: url.repeat(2) })],
    ['as client', (url: string) => ({ client: url })],
    ['as settings of a client', (url: string) => ({ client: { connectionString: url } })],
    ['as a key of another library', (url: string) => ({ connectionString: url })],
    ['by a key with a slip', (url: string) => ({ ulr: url })],
    ['in a list', (url: string) => ({ url: [url] })],
    [
      'on its own',
      (url: string) => ({ url, password: decodeURIComponent(url.split(':')[2]?.split('@')[0] ?? '') }),
    ],
    ['as the options', (url: string) => url],
  ])('appears in no error about options: %s', async (_how, optionsOf) => {
    await fc.assert(
      fc.asyncProperty(password(), async (secret) => {
        const shown = encodeURIComponent(secret);
        const options = optionsOf(`postgres://app:${shown}@h/db`) as PostgresBrokerOptions; // wrong on purpose

        const error = await thrownBy(() => createPostgresBroker(options));

        expect(error).toBeInstanceOf(InvalidOptionsError);
        for (const text of [secret, shown]) expect(printed(error)).not.toContain(text);
      }),
    );
  });

  it.each([
    ['in place of the command', (url: string) => [url]],
    ['behind it', (url: string) => ['migrate', url]],
    ['by an option with a slip', (url: string) => ['migrate', `--urll=${url}`]],
    ['by an option with a slip, apart', (url: string) => ['migrate', '--urll', url]],
    ['as the schema', (url: string) => ['migrate', '--schema', url.repeat(3)]],
    ['as the server', (url: string) => ['migrate', '--url', url]],
    [
      'as the server, without its scheme',
      (url: string) => ['migrate', '--url', url.replace('postgres://', '')],
    ],
    ['in place of the command, without its scheme', (url: string) => [url.replace('postgres://', '')]],
    ['as the server, wrongly written', (url: string) => ['migrate', '--url', url.replace('/db', ':x/db')]],
  ])('appears in nothing that the program prints: %s', async (_how, argsOf) => {
    await fc.assert(
      fc.asyncProperty(password(), async (secret) => {
        fc.pre(isWritten(secret));
        const args = argsOf(`postgres://app:${secret}@${NOWHERE}/db`);

        const error = await thrownBy(async () => runCommand(readCommand(args, {})));

        expect(hideSecrets(error instanceof Error ? error.message : String(error))).not.toContain(secret);
      }),
      { numRuns: 30 },
    );
  });

  it('does not appear when a broker is inspected', async () => {
    const broker = createPostgresBroker({ url: `postgres://app:s3cr3t@${NOWHERE}/db` });
    await broker.audit().catch(() => undefined);

    expect(inspect(broker, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
    await broker.close();
  });
});

describe('options', () => {
  it.each([
    [{}, 'the Postgres broker needs a url or a client, and not both'],
    [{ url: 'postgres://h/db', client: { query: () => 1 } }, 'needs a url or a client, and not both'],
    [{ url: 5 }, 'url must be the URL of a Postgres database, got 5'],
    [{ url: '' }, 'url must be the URL'],
    [{ client: {} }, 'client must have query(text, values)'],
    [{ client: null }, 'client must have query(text, values), got null'],
    [{ url: 'postgres://h/db', keepCompleted: { count: -1 } }, 'keepCompleted.count must be an integer ≥ 0'],
    [
      { url: 'postgres://h/db', keepCompleted: { bytes: -1 } },
      'keepCompleted.bytes must be ≥ 0, or Infinity, got -1',
    ],
    [{ url: 'postgres://h/db', keepCompleted: { size: 1 } }, 'keepCompleted.size is not a known key'],
    [
      { url: 'postgres://h/db', keepCompleted: 5 },
      'keepCompleted must be an object, got 5. Use keepCompleted: { count: 5 }.',
    ],
    [{ url: 'postgres://h/db', keepDead: '7d' }, "Use keepDead: { for: '7d' }."],
    [{ url: 'postgres://h/db', keepKeys: 'long' }, 'keepKeys must be a duration ≥ 0, got "long"'],
    [{ url: 'postgres://h/db', keepKeys: null }, 'keepKeys must be a duration ≥ 0, got null'],
    [{ url: 'postgres://h/db', connections: 0 }, 'connections must be an integer ≥ 1, got 0'],
    [{ url: 'postgres://h/db', listen: 'yes' }, 'listen is not one of the choices, got "yes"'],
    [{ url: 'postgres://h/db', wakeOnCommit: 1 }, 'wakeOnCommit is not one of the choices, got 1'],
    [{ url: 'postgres://h/db', schema: 7 }, 'schema must be a name'],
    [{ url: 'postgres://h/db', schema: '$migrate$' }, 'schema must be a name'],
    [{ url: 'postgres://h/db', keepComplete: 5 }, 'keepComplete is not a known key'],
    [{ pool: {} }, 'Use client.'],
    [{ connection: {} }, 'Use client.'],
    [{ knex: {} }, 'Use client.'],
    [{ host: 'h' }, "Use url: 'postgres://user:password@host:5432/database'."],
    [{ schemaName: 'a' }, 'Use schema.'],
    [{ prefix: 'a' }, 'Use schema.'],
    [{ url: 'postgres://h/db', deleteAfterDays: 7 }, "Use keepCompleted: { count: 1_000, for: '7d' }."],
    [{ url: 'postgres://h/db', migrate: true }, 'Call await migrate(client)'],
    [{ url: 'postgres://h/db', pollInterval: 7 }, 'It belongs to the worker'],
    [{ connectionString: 'postgres://h/db' }, 'Use url.'],
    [{ url: 'postgres://h/db', max: 10 }, 'Use connections.'],
  ])('that are wrong are one error that says what to write: %j', (options, message) => {
    const create = (): unknown => createPostgresBroker(options as unknown as PostgresBrokerOptions); // wrong on purpose

    expect(create).toThrow(InvalidOptionsError);
    expect(create).toThrow(message);
  });

  it('may each be undefined', async () => {
    const options = {
      client: undefined,
      connections: undefined,
      schema: undefined,
      keepCompleted: undefined,
    };
    const more = { keepKeys: undefined, listen: undefined, wakeOnCommit: undefined };

    const broker = createPostgresBroker({ url: 'postgres://h/db', ...options, ...more });

    expect(broker.facts?.ownsConnection).toBe(true);
    await broker.close();
  });

  it.each([{ shema: 'jobs' }, { schema: null }, { schema: '' }, null, 5])(
    'of a migration are checked: %j',
    async (options) => {
      const client = { query: () => Promise.reject(new Error('nothing is to be sent')) };

      await expect(migrate(client, options as never)).rejects.toThrow(InvalidOptionsError);
    },
  );
});
