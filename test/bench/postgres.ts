/**
 * `npm run bench -- postgres`: our queue on Postgres beside graphile-worker and pg-boss, interleaved, on one private server
 * with the settings it comes with.
 */
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { endActors } from './harness/actors.ts';
import { EXCHANGE_COSTS, printExchangeCosts, smallCallsOf } from './harness/exchange-cost.ts';
import { openPostgresServer } from './harness/postgres-server.ts';
import { queueTables } from './harness/queue-tables.ts';
import { compare } from './harness/tables.ts';
import { readVersions } from './harness/versions.ts';
import { lookAtMany, workInFrontOfMany } from './harness/waiting-runs.ts';
import { openSmallCalls } from './queues/bare/postgres.ts';
import { isFull, isWanted, printHeader } from './report.ts';
import { postgresTargets } from './targets/postgres.ts';

const server = await openPostgresServer();
const ours = { defaults: 'retry on a pg.Pool', best: 'retry by url, prefetch 1000' };
const graphile = 'graphile-worker';
const graphileBest = 'graphile-worker, localQueue 1000';
const boss = 'pg-boss, fetch 1';
const bossBest = 'pg-boss, fetch 1000';
/** What the engine and its client give for the same promises, by one statement an exchange. */
const bare = { contender: 'bare on Postgres', label: 'bare' };
const submitters = [ours.defaults, graphile, bossBest];

const tables = queueTables({
  busy: [
    ...[ours.defaults, 'retry by url', graphile, boss],
    ...[ours.best, graphileBest, 'graphile-worker, localQueue 5000', bossBest],
  ],
  bare,
  few: [ours.defaults, graphile, boss, ours.best, graphileBest, bossBest],
  strict: [
    { contender: 'retry on a pg.Pool, prefetch 0', label: ours.defaults },
    ...[graphile, boss],
    { contender: 'bare on Postgres, strict', label: 'bare' },
  ],
  handling: [ours.defaults, graphileBest, bossBest],
  usual: [ours.defaults, graphileBest, bossBest],
  failing: [ours.defaults, graphile, graphileBest, bossBest, bare],
  submitting: submitters,
  waiting: [ours.defaults, graphile, 'pg-boss, notified'],
  names: {
    one: { contender: ours.defaults, label: 'retry on a pg.Pool, 1 name' },
    many: [ours.defaults, graphileBest],
  },
  due: ['while', 'before'],
  falling: [ours.defaults, graphileBest, bossBest, bare],
  targets: postgresTargets,
  mostBytes: { processed: 60_000_000, submitted: 30_000_000 },
});

printHeader('postgres', [server.version, ...readVersions(['graphile-worker', 'pg-boss', 'pg'])]);
for (const table of tables) await compare(server, ours, table);
await lookAtMany(server, submitters, isFull ? 1_000_000 : 200_000);
await workInFrontOfMany(server, { contender: ours.defaults, delayed: 0.5, target: '≤ 1.18' });
await workInFrontOfMany(server, { contender: bare.contender, delayed: 0 });
if (isWanted(EXCHANGE_COSTS)) await measureExchanges();
endActors();
await server.stop();

/** The processor time of the server, which a system with a /proc tells. */
async function measureExchanges(): Promise<void> {
  await server.clear();
  const pool = new pg.Pool({ connectionString: server.url });
  await migrate(pool);
  const broker = createPostgresBroker({ client: pool });
  const measured = {
    ours: smallCallsOf(broker, () => broker.close().then(() => pool.end())),
    bare: await openSmallCalls({ url: server.url, name: 'bench_bare' }),
  };
  await printExchangeCosts(measured, 1_000, async (calls, call) => {
    const before = await server.read();
    for (let index = 0; index < calls; index += 1) await call();
    return (((await server.read()).cpuMs - before.cpuMs) * 1_000) / calls;
  });
}
