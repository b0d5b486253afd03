/** `npm run bench -- redis`: our queue on Redis beside BullMQ and bee-queue, interleaved, on one private server. */
import { createRedisBroker } from '@retry/redis-queue';
import { createClient } from 'redis';
import { endActors } from './harness/actors.ts';
import { EXCHANGE_COSTS, printExchangeCosts, smallCallsOf } from './harness/exchange-cost.ts';
import { queueTables } from './harness/queue-tables.ts';
import { openRedisServer } from './harness/redis-server.ts';
import { compare } from './harness/tables.ts';
import { readVersions } from './harness/versions.ts';
import { lookAtMany, workInFrontOfMany } from './harness/waiting-runs.ts';
import { openSmallCalls } from './queues/bare/redis.ts';
import { isFull, isWanted, printHeader } from './report.ts';
import { redisCallTargets, redisTargets } from './targets/redis.ts';

const server = await openRedisServer();
const ours = { defaults: 'retry on Redis', best: 'retry on Redis, prefetch 500' };
const defaults = [ours.defaults, 'BullMQ', 'bee-queue'];
/** What the engine and its client give for the same promises, by one script an exchange. */
const bare = { contender: 'bare on Redis', label: 'bare' };
const everybody = [...defaults, ours.best, 'BullMQ, best', 'bee-queue, best'];

const tables = queueTables({
  busy: everybody,
  bare,
  few: everybody,
  strict: [
    { contender: 'retry on Redis, prefetch 0', label: ours.defaults },
    ...['BullMQ', 'bee-queue'],
    { contender: 'bare on Redis, strict', label: 'bare' },
  ],
  handling: [ours.defaults, 'BullMQ, best', 'bee-queue, best'],
  usual: defaults,
  failing: defaults,
  submitting: defaults,
  waiting: defaults,
  names: {
    one: { contender: ours.defaults, label: 'retry on Redis, 1 name' },
    many: [ours.defaults, 'BullMQ'],
  },
  due: ['while'],
  falling: defaults,
  targets: redisTargets,
  mostBytes: { processed: 100_000_000, submitted: 100_000_000 },
});

printHeader('redis', [server.version, ...readVersions(['bullmq', 'bee-queue', 'redis'])]);
for (const table of tables) await compare(server, ours, table);
await lookAtMany(server, defaults, isFull ? 1_000_000 : 200_000);
await workInFrontOfMany(server, { contender: ours.defaults, delayed: 0.5, target: '≤ 1.18' });
await workInFrontOfMany(server, { contender: bare.contender, delayed: 0 });
if (isWanted(EXCHANGE_COSTS)) await measureExchanges();
endActors();
await server.stop();

/** The time of the scripts by the server's own count. */
async function measureExchanges(): Promise<void> {
  await server.clear();
  const observer = createClient({ url: server.url });
  await observer.connect();
  const broker = await createRedisBroker({ url: server.url, prefix: 'bench' });
  const measured = {
    ours: smallCallsOf(broker, () => broker.close()),
    bare: await openSmallCalls({ url: server.url, name: 'bench-bare' }),
    targets: redisCallTargets,
  };
  await printExchangeCosts(measured, 4_000, async (calls, call) => {
    await observer.sendCommand(['CONFIG', 'RESETSTAT']);
    for (let index = 0; index < calls; index += 1) await call();
    const stats = await observer.info('commandstats');
    const spent = [...stats.matchAll(/cmdstat_(?:eval|evalsha|fcall):calls=\d+,usec=(\d+)/g)];
    return spent.reduce((sum, [, usec]) => sum + Number(usec), 0) / calls;
  });
  await observer.close();
}
