import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRedisBroker } from './packages/redis-queue/src/index.ts';
import { createPostgresBroker, migrate } from './packages/postgres/src/index.ts';
import { claimGroupNotices } from './packages/worker/src/index.ts';
import { createSteps } from './packages/worker/src/testing/contract/case-scene.ts';
import { deadBy } from './packages/worker/src/testing/contract/groups/grouped.ts';
async function measure(name, broker) {
  const steps = createSteps(broker);
  for (let from = 0; from < 1000; from += 250) {
    await steps.submit(...Array.from({ length: 250 }, (_, i) => ({ id: `r${from + i}` })));
    const claimed = await steps.claim({ limit: 250 });
    await steps.settle(...claimed.map(({ run }) => deadBy(run, `g${run.id}`)));
  }
  const t0 = performance.now(); const first = (await claimGroupNotices(broker)).length; const firstMs = performance.now() - t0;
  const times = [];
  for (let i = 0; i < 20; i++) { const t = performance.now(); await claimGroupNotices(broker); times.push(performance.now() - t); }
  times.sort((a, b) => a - b);
  console.log(name, first, 'notices in', Math.round(firstMs), 'ms; then median', times[10].toFixed(1), 'ms, least', times[0].toFixed(1));
  await broker.close();
}
const port = 7392;
const server = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', mkdtempSync('/tmp/w/rd-')], { stdio: 'ignore' });
await new Promise((r) => setTimeout(r, 1000));
const b = createRedisBroker({ url: `redis://127.0.0.1:${port}`, prefix: 'p' }); await b.ready(); await measure('redis', b); server.kill();
const { startPostgres } = await import('./.proto-pg.mts');
const { url, stop } = await startPostgres();
const pg = (await import('pg')).default;
const pool = new pg.Pool({ connectionString: url, max: 2 }); await migrate(pool, { schema: 'p' });
await measure('postgres', createPostgresBroker({ url, schema: 'p' }));
await pool.end(); await stop();
process.exit(0);
