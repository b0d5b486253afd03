import { createPostgresBroker } from '@retry/postgres';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { openPGlite } from '../support/pglite.ts';

const URL = 'postgres://ada:hunter2@db.example/app?sslmode=verify-full';

const open: { end?: () => Promise<void>; close?: () => Promise<void> }[] = [];

afterEach(async () => {
  for (const client of open.splice(0)) await (client.end ?? client.close)?.call(client);
});

function moduleOver<Client extends (typeof open)[number]>(client: Client) {
  open.push(client);
  return createPostgresBroker({ client: client as never }).facts?.heartbeats;
}

describe('the module of heartbeats', () => {
  it.each([
    ['a connection string', {}],
    ['the size of the pool', { max: 50, min: 2, maxUses: 7 }],
    [
      'times',
      { idleTimeoutMillis: 1, connectionTimeoutMillis: 5_000, statement_timeout: 1_000, keepAlive: true },
    ],
    ['a name', { application_name: 'api', allowExitOnIdle: true }],
  ])('connects by the connection string of a pool that has %s', (_, options) => {
    const module = moduleOver(new pg.Pool({ connectionString: URL, ...options }));

    expect(module).toMatchObject({ driver: { name: 'pg' } });
    expect(typeof module === 'object' && module.options()).toEqual({ url: URL, schema: 'retry' });
    expect(JSON.stringify(module)).not.toContain('hunter2');
  });

  it.each([
    ['a password of its own', { connectionString: URL, password: 'secret' }],
    ['a password that is asked for', { connectionString: URL, password: () => 'secret' }],
    ['a certificate', { connectionString: URL, ssl: { rejectUnauthorized: false } }],
    ['another host', { connectionString: URL, host: 'other.example' }],
    ['settings of sessions', { connectionString: URL, options: '-c search_path=app' }],
    ['no connection string', { host: '127.0.0.1', user: 'ada', database: 'app' }],
    ['nothing but the environment', {}],
    ['an option that is not known', { connectionString: URL, tunnel: true }],
  ])('does not connect where a pool has %s', (_, options) => {
    expect(moduleOver(new pg.Pool(options))).toBeUndefined();
  });

  it('does not connect for a single client', () => {
    const { query, connect } = new pg.Client({ connectionString: URL });

    expect(moduleOver({ query, connect } as object)).toBe('shared-client');
  });

  it('is not needed for PGlite: no other process has its runs', async () => {
    expect(moduleOver(await openPGlite())).toBe('not-needed');
  });
});
