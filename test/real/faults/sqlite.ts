import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, type Modules, versioned } from '../installed.ts';
import { checkScenes, type Scene } from './scenes.ts';

/** A connection to a file, that waits for no lock. */
interface Connection {
  readonly run: (statement: string) => unknown;
  readonly close: () => unknown;
}

type Open = (module: Modules, file: string) => Connection;

const DRIVERS: Readonly<Record<string, Open>> = {
  libsql: ({ default: Database }, file) => {
    const database = new Database(file);
    return { run: (statement) => database.exec(statement), close: () => database.close() };
  },
  '@libsql/client': ({ createClient }, file) => {
    const client = createClient({ url: `file:${file}` });
    let transaction: Modules;
    const run: Connection['run'] = async (statement) => {
      if (statement === 'commit') return transaction.commit();
      if (!statement.startsWith('begin')) return (transaction ?? client).execute(statement);
      transaction = await client.transaction(statement === 'begin' ? 'deferred' : 'write');
    };
    const close: Connection['close'] = () => {
      transaction?.close();
      client.close();
    };
    return { run, close };
  },
  'node-sqlite3-wasm': ({ default: { Database } }, file) => {
    const database = new Database(file);
    return { run: (statement) => database.exec(statement), close: () => database.close() };
  },
  'node:sqlite': ({ DatabaseSync }, file) => {
    const database = new DatabaseSync(file);
    return { run: (statement) => database.exec(statement), close: () => database.close() };
  },
};

interface Given {
  readonly open: (file: string) => Connection;
}

/** Runs statements on two connections to a new file with a table. The first that fails is thrown. */
function playing(...statements: readonly (readonly [by: 'one' | 'other', statement: string])[]) {
  return ({ open }: Given): Promise<unknown> =>
    inFolder(async (folder) => {
      const file = join(folder, 'bank.db');
      const one = open(file);
      await one.run('create table bank (id integer primary key, balance integer not null)');
      await one.run('insert into bank values (1, 0)');
      const other = open(file);
      try {
        for (const [by, statement] of statements) await (by === 'one' ? one : other).run(statement);
      } finally {
        await one.close();
        await other.close();
      }
    });
}

async function inFolder(use: (folder: string) => Promise<unknown>): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'retry-sqlite-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ADD = 'update bank set balance = balance + 1';
const READ = 'select * from bank';

/** What https://sqlite.org/rescode.html says: a statement that fails with one of these has changed nothing. */
const SCENES: Readonly<Record<string, Scene<Given>>> = {
  'SQLITE_BUSY, another writes': {
    kind: 'not applied',
    says: /locked/,
    happen: playing(['one', 'begin immediate'], ['one', ADD], ['other', ADD]),
  },
  'SQLITE_BUSY, another begins to write': {
    kind: 'not applied',
    says: /locked/,
    happen: playing(['one', 'begin immediate'], ['other', 'begin immediate']),
  },
  // COMMIT can be tried again: the transaction is still open.
  'SQLITE_BUSY at COMMIT, another reads': {
    kind: 'not applied',
    says: /locked/,
    happen: playing(
      ['one', 'begin'],
      ['one', READ],
      ['other', 'begin immediate'],
      ['other', ADD],
      ['other', 'commit'],
    ),
  },
  // What was read is old: the whole transaction has to be repeated.
  SQLITE_BUSY_SNAPSHOT: {
    kind: 'not applied',
    says: /locked/,
    happen: playing(
      ['one', 'pragma journal_mode = wal'],
      ['one', 'begin'],
      ['one', READ],
      ['other', ADD],
      ['one', ADD],
    ),
  },
  'SQLITE_CONSTRAINT, a key that is there': {
    kind: 'permanent',
    says: /UNIQUE constraint/,
    happen: playing(['one', 'insert into bank values (1, 0)']),
  },
  'SQLITE_CONSTRAINT, a value that is missing': {
    kind: 'permanent',
    says: /NOT NULL constraint/,
    happen: playing(['one', 'insert into bank values (2, null)']),
  },
  SQLITE_READONLY: {
    kind: 'permanent',
    says: /readonly database/,
    happen: playing(['one', 'pragma query_only = 1'], ['one', ADD]),
  },
  SQLITE_FULL: {
    kind: 'permanent',
    says: /full/,
    happen: playing(
      ['one', 'pragma max_page_count = 2'],
      ['one', 'create table large as select randomblob(100000)'],
    ),
  },
  'SQLITE_ERROR, a wrong statement': {
    kind: 'permanent',
    says: /syntax error/,
    happen: playing(['one', 'selekt 1']),
  },
  'SQLITE_ERROR, a table that is not': {
    kind: 'permanent',
    says: /no such table/,
    happen: playing(['one', 'select * from missing']),
  },
  SQLITE_NOTADB: {
    kind: 'permanent',
    says: /not a database/,
    happen: ({ open }) =>
      inFolder(async (folder) => {
        const file = join(folder, 'text.db');
        writeFileSync(file, 'text '.repeat(1_000));
        const connection = open(file);
        try {
          await connection.run(READ);
        } finally {
          await connection.close();
        }
      }),
  },
  SQLITE_CANTOPEN: {
    kind: 'permanent',
    says: /open/,
    happen: ({ open }) =>
      inFolder(async (folder) => void (await open(join(folder, 'none', 'bank.db')).run(READ))),
  },
};

/** Files of SQLite through the drivers that need no install script. */
export async function checkSqlite(): Promise<void> {
  console.log('better-sqlite3, sqlite3: not run, their install scripts are not run here');
  for (const [name, open] of Object.entries(DRIVERS)) {
    const isOfNode = name.startsWith('node:');
    const module = await (isOfNode ? import(name) : load(name)).catch(() => undefined);
    if (module === undefined) {
      console.log(`${name}: not run, Node ${process.version} has none`);
      continue;
    }
    const { SQLITE_BUSY_SNAPSHOT, ...others } = SCENES;
    const scenes = name === 'node-sqlite3-wasm' ? others : SCENES;
    if (scenes === others) console.log(`${name}: SQLITE_BUSY_SNAPSHOT not run, it has no write-ahead log`);
    const what = isOfNode ? `${name} of Node ${process.version}` : versioned(name);
    await checkScenes(what, scenes, { open: (file) => open(module, file) });
  }
}
