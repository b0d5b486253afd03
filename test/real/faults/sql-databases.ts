import { openPostgres } from '../../support/servers/postgres.ts';
import { findFreePort, untilAnswered } from '../../support/servers/run-server.ts';
import { load, type Modules, versioned } from '../installed.ts';
import { type Driver, MYSQL_DRIVERS, POSTGRES_DRIVERS, type Server } from '../live-drivers.ts';
import { withMariadb } from '../private-mariadb.ts';
import { checkScenes, type Scene, withSilent } from './scenes.ts';

type Fault = Scene<Given>;

interface Given {
  readonly server: Server;
  /** Runs these statements on a connection of its own, and waits at `null` until all that do have come as far. */
  readonly run: (statements: readonly (string | null)[], server?: Partial<Server>) => Promise<unknown>;
  /** Ends the connection whose statement has this text. */
  readonly kill: (text: string) => Promise<unknown>;
}

const add = (id: number): string => `update bank set balance = balance + 1 where id = ${id}`;

/** Two transactions at the same time; both wait for each other at `null`. */
async function together({ run }: Given, ...both: readonly (readonly (string | null)[])[]): Promise<void> {
  const ended = await Promise.allSettled(both.map((statements) => run(statements)));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Faults of both databases; what is written otherwise is an argument. */
function faultsOf(word: {
  readonly sleep: string;
  readonly lockTimeout: string;
}): Readonly<Record<string, Fault>> {
  const crossed = (one: number, other: number): readonly (string | null)[] => [
    'begin',
    add(one),
    null,
    add(other),
    'commit',
  ];
  return {
    'a deadlock': { kind: 'not applied', happen: (given) => together(given, crossed(1, 2), crossed(2, 1)) },
    'a lock that is not given up': {
      kind: 'not applied',
      happen: (given) =>
        together(
          given,
          ['begin', add(1), null, word.sleep.replace('5', '2'), 'rollback'],
          [word.lockTimeout, null, add(1)],
        ),
    },
    'a connection that is ended': {
      kind: 'ambiguous',
      happen: ({ run, kill }) => Promise.all([run([word.sleep]), kill(word.sleep)]),
    },
    'a key that is there': {
      kind: 'permanent',
      says: /duplicate/i,
      happen: ({ run }) => run(['insert into bank values (1, 0)']),
    },
    'a table that is not': {
      kind: 'permanent',
      says: /nothing/,
      happen: ({ run }) => run(['select * from nothing']),
    },
    'a wrong statement': { kind: 'permanent', says: /syntax/i, happen: ({ run }) => run(['selekt 1']) },
    'a database that is not': {
      kind: 'permanent',
      says: /retry_none/,
      happen: ({ run }) => run(['select 1'], { database: 'retry_none' }),
    },
    'a refused port': {
      kind: 'not applied',
      happen: async ({ run }) => run(['select 1'], { port: await findFreePort() }),
    },
    'a connection that breaks off while it begins': {
      kind: 'ambiguous',
      happen: ({ run }) => withSilent((port) => run(['select 1'], { port })),
    },
  };
}

/** Returns what runs statements; those that are `null` wait until as many have come to theirs as transactions are run together. */
function runnerOf(driver: Driver, module: Modules, server: Server): Given['run'] {
  let waiting: (() => void)[] = [];
  const meet = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < 2) return;
      for (const go of waiting) go();
      waiting = [];
    });
  };
  return (statements, other) =>
    driver(module, { ...server, ...other }, async (query) => {
      for (const statement of statements) await (statement === null ? meet() : query(statement));
    });
}

interface Database {
  /** Its name and version. */
  readonly name: string;
  readonly server: Server;
  readonly drivers: Readonly<Record<string, Driver>>;
  readonly faults: Readonly<Record<string, Fault>>;
  /** What a driver's package is loaded as, if not by its name. */
  readonly entries?: Readonly<Record<string, string>>;
  readonly kill: (run: Given['run'], text: string) => Promise<unknown>;
}

async function check(database: Database): Promise<void> {
  const { server, drivers, faults, entries = {}, kill } = database;
  for (const [name, driver] of Object.entries(drivers)) {
    const run = runnerOf(driver, await load(entries[name] ?? name), server);
    const given = { server, run, kill: (text: string) => kill(run, text) };
    await checkScenes(`${versioned(name)} on ${database.name}`, faults, given);
  }
}

/** The name and the version that a server has for itself. */
async function nameOf(driver: Driver, module: Modules, server: Server): Promise<string> {
  let name = '';
  await driver(module, server, async (query) => {
    const answer = (await query('select version() as version')) as Modules;
    name = String((answer.rows ?? answer)[0].version).replace(/ (on|\().*/, '');
  });
  return name;
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

/** Postgres through five drivers. */
export async function checkPostgres(): Promise<void> {
  const postgres = await openPostgres();
  const { port, username } = new URL(postgres.url);
  const server = { host: '127.0.0.1', port: Number(port), user: username, database: 'postgres' } as const;
  try {
    const pg = POSTGRES_DRIVERS['pg'];
    if (pg === undefined) return;
    const setUp = runnerOf(pg, await load('pg'), server);
    await setUp(['drop table if exists bank', 'create table bank (id int primary key, balance int)']);
    await setUp(['insert into bank values (1, 0), (2, 0)']);
    const common = faultsOf({
      sleep: 'select pg_sleep(5)',
      lockTimeout: `set lock_timeout = '100ms'`,
    });
    const serial = ['begin isolation level repeatable read', 'select * from bank', null, add(1), 'commit'];
    await check({
      name: await nameOf(pg, await load('pg'), server),
      server,
      drivers: POSTGRES_DRIVERS,
      faults: {
        ...common,
        'a serialization failure': {
          kind: 'not applied',
          happen: (given) => together(given, serial, serial),
        },
      },
      kill: async (_, text) => {
        await later();
        await setUp([`select pg_terminate_backend(pid) from pg_stat_activity where query = '${text}'`]);
      },
    });
    await setUp(['drop table bank']);
  } finally {
    await postgres.stop();
  }
}

/** A private MariaDB through three drivers. */
export function checkMariadb(): Promise<void> {
  return withMariadb(checkOn);
}

async function checkOn(port: number): Promise<void> {
  const server = { host: '127.0.0.1', port, user: 'root', database: 'retry_real' } as const;
  const mysql = MYSQL_DRIVERS['mysql'];
  if (mysql === undefined) return;
  const setUp = runnerOf(mysql, await load('mysql'), { ...server, database: 'mysql' });
  await untilAnswered(() => setUp(['create database if not exists retry_real']));
  await setUp([
    'create or replace table retry_real.bank (id int primary key, balance int) engine = innodb',
    'insert into retry_real.bank values (1, 0), (2, 0)',
  ]);
  await check({
    name: await nameOf(mysql, await load('mysql'), server),
    server,
    drivers: MYSQL_DRIVERS,
    entries: { mysql2: 'mysql2/promise' },
    faults: faultsOf({
      sleep: 'select sleep(5)',
      lockTimeout: 'set innodb_lock_wait_timeout = 1',
    }),
    kill: async (_, text) => {
      await later();
      await mysql(await load('mysql'), server, async (query) => {
        const rows = (await query(
          `select id from information_schema.processlist where info = '${text}'`,
        )) as {
          id: number;
        }[];
        for (const { id } of rows) await query(`kill ${id}`);
      });
    },
  });
}
