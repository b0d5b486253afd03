import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { readdirSync, readFileSync } from 'node:fs';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { contendOnRetry } from './queues/on-retry.ts';
import { graphileWorker } from './queues/graphile-worker.ts';
import { pgBoss } from './queues/pg-boss.ts';
const server = await startPrivatePostgres(['shared_buffers=512MB','max_wal_size=8GB','max_connections=100']);
const admin = new pg.Pool({ connectionString: server.url, max: 2 });
const SCHEMA='bench_retry';
const ours = contendOnRetry('retry', async () => {
  await admin.query(`drop schema if exists ${SCHEMA} cascade`);
  await migrate(admin, { schema: SCHEMA });
  const broker = createPostgresBroker({ url: server.url, schema: SCHEMA });
  return { broker, close: () => broker.close() };
});
const all: any = { retry: ours, graphile: graphileWorker(server.url), boss: pgBoss(server.url)};
function ticks(){ let s=0; for (const pid of readdirSync('/proc').filter(n=>/^\d+$/.test(n))) { try { const f=readFileSync(`/proc/${pid}/stat`,'utf8').replace(/^.*\) /,'').split(' '); if (Number(pid)===server.pid()||Number(f[1])===server.pid()) s+=Number(f[11])+Number(f[12])+(Number(f[13])+Number(f[14])); } catch {} } return s*10; }
const [,, what, ns='20000', names='retry'] = process.argv;
for (const n of ns.split(',').map(Number)) for (let r=0;r<3;r++) for (const name of names.split(',')) {
  await admin.query('drop schema if exists bench_boss, bench_bull cascade; '); await admin.query('checkpoint');
  const bench = await all[name].open();
  const failures = what==='fail'?2:0;
  for (let f=0; f<n; f+=1000) await bench.submitBulk(Array.from({length:1000},(_, i)=>f+i),{failures});
  let done=0; let fin: any; const p=new Promise(r=>{fin=r});
  const w0=(await admin.query('select pg_current_wal_lsn() l')).rows[0].l; const c0=process.cpuUsage(), s0=ticks(), t0=performance.now();
  const stop=await bench.work({concurrency:100, failures, onDone:()=>{ if(++done===n) fin(); }});
  await p; const ms=performance.now()-t0; const c=process.cpuUsage(c0), s=ticks()-s0;
  await stop(); await new Promise(r=>setTimeout(r,1200)); const st=(await admin.query("select n_tup_upd u, n_tup_hot_upd h from pg_stat_user_tables where schemaname='bench_retry' and relname='run'")).rows[0]; const w1=(await admin.query('select pg_current_wal_lsn() l')).rows[0].l; const wal=(await admin.query(`select pg_wal_lsn_diff('${w1}','${w0}') d`)).rows[0].d; await bench.close();
  const ex=n*(failures+1);
  console.log(what, n, name, 'rate', Math.round(ex/ms*1000), 'us wall', (ms*1000/ex).toFixed(1), 'client us', ((c.user+c.system)/ex).toFixed(1), 'server us', (s*1000/ex).toFixed(1), 'upd', st, 'wal/run', Math.round(wal/n));
}
await admin.end(); await server.stop(); process.exit(0);
