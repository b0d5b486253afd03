import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRedisBroker } from './packages/redis-queue/src/index.ts';
import { createPostgresBroker, migrate } from './packages/postgres/src/index.ts';
import { reserveStarts } from './packages/core/src/broker/kit/start-counts.ts';
const WORKERS = 20, MS = 3000;
const request = { key: 'k', limit: 1_000_000_000, windowMs: 60_000, count: 5 };
async function verb(b) { await b.reserve([request]); }
function cas(b) {
  let note, now = Date.now();
  return async () => {
    for (;;) {
      const { counts } = reserveStarts(note && JSON.parse(note.value), request, now);
      const w = await b.notes.write([{ key: 'limit/k', seen: note?.version ?? 0, value: JSON.stringify(counts), ttlMs: 130_000 }]);
      now = w.now;
      if (w.outcome === 'written') { note = { value: JSON.stringify(counts), version: w.versions[0] }; return; }
      tries++;
      const page = await b.notes.read({ prefix: 'limit/k', limit: 1 });
      note = page.notes[0]; now = page.now;
    }
  };
}
let tries = 0;
async function time(name, brokers, make) {
  tries = 0; let done = 0; const until = performance.now() + MS; let worst = 0;
  await Promise.all(brokers.map(async (b) => { const one = make(b); while (performance.now() < until) { const t = performance.now(); await one(); worst = Math.max(worst, performance.now() - t); done++; } }));
  console.log(name, Math.round(done / MS * 1000), 'reservations/s', tries, 'lost swaps', 'slowest', Math.round(worst), 'ms');
}
async function measure(name, open) {
  const brokers = await Promise.all(Array.from({ length: WORKERS }, open));
  for (let r = 0; r < 3; r++) { await time(`${name} verb `, brokers, (b) => () => verb(b)); await time(`${name} notes`, brokers, cas); }
  await Promise.all(brokers.map((b) => b.close()));
}
const port = 7391;
const server = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', mkdtempSync('/tmp/w/rd-')], { stdio: 'ignore' });
await new Promise((r) => setTimeout(r, 700));
await measure('redis', async () => { const b = createRedisBroker({ url: `redis://127.0.0.1:${port}`, prefix: 'p' }); await b.ready(); return b; });
server.kill();
const { startPostgres } = await import('./.proto-pg.mts').catch(() => ({}));
if (startPostgres) {
  const { url, stop } = await startPostgres();
  const pg = (await import('pg')).default;
  const pool = new pg.Pool({ connectionString: url, max: 2 }); await migrate(pool, { schema: 'p' });
  await measure('postgres', async () => { const b = createPostgresBroker({ url, schema: 'p', connections: 1 }); await b.ready(); return b; });
  await pool.end(); await stop();
}
process.exit(0);
