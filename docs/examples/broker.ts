import { PGlite } from '@electric-sql/pglite';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createQueue, defineTask } from '@retry/worker';

const greet = defineTask({ name: 'greet', run: ({ name }: { name: string }) => `hello ${name}` });

const client = await PGlite.create();
await client.exec('create table users (name text)');
await migrate(client);
const broker = createPostgresBroker({ client });
await broker.ready();
const queue = createQueue({ broker });

/** Adds a user and submits a run, both or neither. */
const addUser = (name: string) =>
  client.transaction(async (tx) => {
    await tx.query('insert into users values ($1)', [name]);
    await queue.submit(greet, { name }, { tx });
    if (name === 'Eve') await tx.rollback();
  });

await addUser('Ada');
await addUser('Eve');
const { rows } = await client.query('select name from users');
const { created, submitted, unbalanced } = await queue.counts();
console.log(rows, created, submitted, unbalanced); // => [ { name: 'Ada' } ] 1 1 0
await broker.close();
await client.close();
