/** `npm run chaos -- redis`: kills and freezes real worker processes while they work, then asks what became of all. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Broker, Run } from '@retry/core/broker';
import { createQueue, defineTask } from '@retry/worker';
import { isRaging, startCrew } from './crew.ts';
import { engineOf } from './engines.ts';
import { findBroken } from './findings.ts';
import type { Deed } from './plan.ts';
import { FREEZE_EVERY, RUNS } from './plan.ts';

const name = process.argv[2];
const engine = engineOf(name);
const folder = mkdtempSync(join(tmpdir(), 'retry-chaos-'));
const log = join(folder, 'deeds.jsonl');
const server = await engine.start();
const broker = await engine.connect(server.address);
console.log(`chaos on ${name}: ${server.source}`);

const ids = await submitAll(broker);
const startedAt = Date.now();
const crew = startCrew(fileURLToPath(new URL('worker.mjs', import.meta.url)), [
  name ?? '',
  server.address,
  log,
]);
await rest(1_000);
for (let strike = 1; isRaging(crew); strike += 1) {
  await rest(Math.random() * 400);
  await crew.strike(strike % FREEZE_EVERY === 0 ? 'freeze' : 'kill');
}
await untilDone(broker);
const tookMs = Date.now() - startedAt;
await crew.stop();

const deeds = readFileSync(log, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Deed); // written by our own workers
const runs: (Run | undefined)[] = [];
for (let from = 0; from < ids.length; from += 1_000)
  runs.push(...(await broker.get(ids.slice(from, from + 1_000))));
const audit = await broker.audit();
await broker.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });

const broken = findBroken({ deeds, audit, runs, lastStrikeAt: crew.lastStrikeAt() });
const count = (type: Deed['type']): number => deeds.filter((deed) => deed.type === type).length;
const figures = { engine: name, runs: RUNS, tookMs, kills: crew.kills(), freezes: crew.freezes() };
const told = { executions: count('start'), stalls: count('stalled'), fenced: count('fenced') };
console.log(JSON.stringify({ ...figures, ...told, unbalanced: audit.unbalanced, broken }));
console.log(broken.length === 0 ? 'ok: nothing lost, nothing twice' : `FAIL: ${broken.join('; ')}`);
process.exit(broken.length === 0 ? 0 : 1);

async function submitAll(to: Broker): Promise<readonly string[]> {
  const queue = createQueue({ broker: to });
  const task = defineTask({ name: 'chaos', run: () => {} });
  const submitted: string[] = [];
  for (let from = 0; from < RUNS; from += 1_000) {
    const numbers = Array.from({ length: 1_000 }, (_, index) => from + index);
    submitted.push(...(await queue.submitMany(task, numbers)).map(({ id }) => id));
  }
  return submitted;
}

async function untilDone(from: Broker): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const { submitted, scheduled, started } = await from.audit();
    if (submitted + scheduled + started === 0) return;
    await rest(100);
  }
}
