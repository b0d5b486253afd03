/**
 * `npm run bench -- insight`: how long the figures of operators take in a queue with very many runs, beside how the users of
 * BullMQ and pg-boss get the same ones. With `--full` a million runs wait and a million are dead letters, else a tenth of that.
 */
import type { Broker } from '@retry/core/broker';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import pg from 'pg';
import { openPostgresServer } from './harness/postgres-server.ts';
import { openRedisServer } from './harness/redis-server.ts';
import type { BenchServer } from './harness/server.ts';
import { readVersions } from './harness/versions.ts';
import type { Figure } from './insight/figures.ts';
import { figuresOf } from './insight/figures.ts';
import type { Sizes } from './insight/fill.ts';
import { fillBroker } from './insight/fill.ts';
import type { Peer } from './insight/peers.ts';
import { openBullmq, openPgBoss } from './insight/peers.ts';
import { isFull, isWanted, printHeader, printMarkdown, roundsOr, short } from './report.ts';
import { quantile } from './rounds.ts';

const SIZES: Sizes = isFull
  ? { waiting: 1_000_000, scheduled: 200_000, dead: 1_000_000 }
  : { waiting: 100_000, scheduled: 20_000, dead: 100_000 };

/** What is measured on one server. */
interface Subject {
  readonly open: (url: string) => Promise<Broker>;
  readonly peer: (url: string, sizes: Sizes) => Promise<Peer>;
}

/** The calls of all figures in turn, so that none has the caches for itself. */
async function time(figures: readonly Figure[]): Promise<readonly (readonly string[])[]> {
  const taken = figures.map((): number[] => []);
  const notes = figures.map(() => '');
  for (let round = -1; round < roundsOr(15); round += 1) {
    for (const [index, { take, note }] of figures.entries()) {
      const startedAt = performance.now();
      const answer = await take();
      // The first round connects, plans statements and caches scripts.
      if (round >= 0) taken[index]?.push(performance.now() - startedAt);
      notes[index] = note?.(answer) ?? '';
    }
  }
  return figures.map(({ name }, index) => {
    const ms = taken[index] ?? [];
    return [name, ...[0, 0.5, 1].map((share) => short(quantile(ms, share))), notes[index] ?? ''];
  });
}

async function measure(server: BenchServer, name: string, { open, peer }: Subject): Promise<void> {
  const amount = (count: number): string => count.toLocaleString('en').replaceAll(',', ' ');
  const title = `${name}: ${amount(SIZES.waiting)} waiting, ${amount(SIZES.scheduled)} scheduled, ${amount(SIZES.dead)} dead letters`;
  if (isWanted(title)) {
    const broker = await open(server.url);
    await fillBroker(broker, SIZES);
    const ours = await time(await figuresOf(broker, SIZES));
    await broker.close();
    await server.clear();
    const theirs = await peer(server.url, SIZES);
    const rows = [...ours, ...(await time(theirs.figures))];
    await theirs.close();
    printMarkdown(title, ['', 'least, ms', 'median, ms', 'most, ms', ''], rows);
  }
  await server.stop();
}

const [redis, postgres] = [await openRedisServer(), await openPostgresServer()];
printHeader('insight', [redis.version, postgres.version, ...readVersions(['bullmq', 'pg-boss'])]);

await measure(redis, 'Redis', {
  open: async (url) => createRedisBroker({ url }),
  peer: openBullmq,
});
await measure(postgres, 'Postgres', {
  open: async (url) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await migrate(client);
    await client.end();
    return createPostgresBroker({ url });
  },
  peer: openPgBoss,
});
