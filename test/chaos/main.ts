/** `npm run chaos -- redis`: kills and freezes real worker processes while they work, then checks what became of all runs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Run } from '@retry/core/broker';
import { createQueue } from '@retry/worker';
import { longestCalm } from './calm.ts';
import { watchClock } from './clock-steps.ts';
import { isRaging, startCrew } from './crew.ts';
import { engineOf } from './engines.ts';
import { findBroken } from './findings.ts';
import type { Planned } from './mortals.ts';
import { areOperationsDone, beginOperations, readMortals, submitMortals } from './mortals.ts';
import { startOperator } from './operator.ts';
import type { Deed } from './plan.ts';
import { DEAD_BEFORE, FREEZE_EVERY, OPERATIONS_BEFORE, RUNS } from './plan.ts';
import { chaosTasks } from './tasks.ts';

const name = process.argv[2];
const engine = engineOf(name);
const folder = mkdtempSync(join(tmpdir(), 'retry-chaos-'));
const log = join(folder, 'deeds.jsonl');
/** Exists once the causes of some dead letters are mended. */
const mended = join(folder, 'mended');
const server = await engine.start();
const broker = await engine.connect(server.address);
console.log(`chaos on ${name}: ${server.source}`);

const queue = createQueue({ broker });
const tasks = chaosTasks(
  () => {},
  () => false,
);
const mortalIds = await submitMortals(queue, tasks.mortal);
const ids = await submitAll();
const startedAt = Date.now();
const clock = watchClock();
const crew = startCrew(fileURLToPath(new URL('worker.mjs', import.meta.url)), [
  name ?? '',
  server.address,
  log,
  mended,
]);
await untilDead();
const operator = startOperator(queue, tasks, ids);
let planned: readonly Planned[] = [];
for (let strike = 1; isRaging(crew); strike += 1) {
  await rest(Math.random() * 400);
  if (strike === OPERATIONS_BEFORE) planned = await beginOperations(broker, mended);
  await crew.strike(strike % FREEZE_EVERY === 0 ? 'freeze' : 'kill');
}
const operations = await operator.stop();
await untilDone();
const tookMs = Date.now() - startedAt;
await crew.stop();

const deeds = readFileSync(log, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Deed); // written by our own workers
const runs = await getAll(ids);
const uniques = await Promise.all([...operations.uniques.values()].map(getAll));
const mortals = await readMortals(broker, await getAll(mortalIds), planned);
const audit = await broker.audit();
await broker.close();
await server.stop();
rmSync(folder, { recursive: true, force: true });

const clockStepMs = clock.stop();
const broken = findBroken({
  deeds,
  audit,
  runs,
  uniques,
  mortals,
  held: operations.held,
  strikes: crew.strikes(),
  clockStepMs,
});
const count = (type: Deed['type']): number => deeds.filter((deed) => deed.type === type).length;
const figures = {
  engine: name,
  runs: RUNS,
  tookMs,
  kills: crew.kills(),
  freezes: crew.freezes(),
  clockStepMs,
};
const operated = {
  holds: operations.held.length,
  rescheduled: operations.rescheduled,
  uniques: uniques.flat().length,
  releases: runs.reduce((sum, run) => sum + (run?.releases ?? 0), 0),
};
const died = {
  dead: audit.ended.failed,
  groups: mortals.groups.map(({ count }) => count),
  planned: planned.map(({ ids: some }) => some.length),
  carried: mortals.planned.map(({ operation }) => operation?.done),
};
const events = {
  ...{ executions: count('start'), stalls: count('stalled'), fenced: count('fenced') },
  calmMs: Math.round(longestCalm(deeds, crew.strikes())),
};
console.log(
  JSON.stringify({ ...figures, ...operated, ...died, ...events, unbalanced: audit.unbalanced, broken }),
);
console.log(broken.length === 0 ? 'ok: nothing lost, nothing twice' : `FAIL: ${broken.join('; ')}`);
process.exit(broken.length === 0 ? 0 : 1);

async function submitAll(): Promise<readonly string[]> {
  const submitted: string[] = [];
  for (let from = 0; from < RUNS; from += 1_000) {
    const numbers = Array.from({ length: 1_000 }, (_, index) => from + index);
    submitted.push(...(await queue.submitMany(tasks.plain, numbers)).map(({ id }) => id));
  }
  return submitted;
}

async function getAll(wanted: readonly string[]): Promise<readonly (Run | undefined)[]> {
  const found: (Run | undefined)[] = [];
  for (let from = 0; from < wanted.length; from += 1_000)
    found.push(...(await broker.get(wanted.slice(from, from + 1_000))));
  return found;
}

async function untilDead(): Promise<void> {
  while ((await broker.audit()).ended.failed < DEAD_BEFORE) await rest(100);
}

async function untilDone(): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const { submitted, scheduled, started } = await broker.audit();
    if (submitted + scheduled + started === 0 && (await areOperationsDone(broker))) return;
    await rest(100);
  }
}
