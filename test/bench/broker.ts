/**
 * `npm run bench -- broker`: what claim and settle cost a run in the memory broker, the worker's own `transition`
 * included, beside a bare array and Map.
 */
import type { Broker, Run, Settlement } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { isWanted, printHeader, printTable, rounds, say } from './report.ts';
import { inRounds } from './rounds.ts';

printHeader('broker', []);

const BATCH = 100;
const RUNS = 50_000;
const LANE = 'no-op@1';
const LANES = new Map([[LANE, BATCH]]);
const IDS = Array.from({ length: RUNS }, (_, index) => `run-${index}`);

/** Nanoseconds of processor time per run to process all runs of a broker. */
async function timeMemoryBroker(): Promise<number> {
  const broker = createMemoryBroker({ keepCompleted: { count: 0 } });
  await broker.submit(IDS.map((id) => ({ id, lane: LANE, payload: 'null' })));
  return timePerRun(() => work(broker));
}

/** Claims a batch in the call that settles the previous one, as a worker does. */
async function work(broker: Broker): Promise<void> {
  let settle: Settlement[] = [];
  for (let request = 0; ; request += 1) {
    const claim = { worker: 'bench', requestId: `${request}`, limit: BATCH, lanes: LANES, leaseMs: 30_000 };
    const { claimed, now } = await broker.exchange({ settle, claim });
    if (claimed.length === 0) return;
    settle = claimed.map(({ run }) => completed(run, now));
  }
}

function completed(run: Run<'started'>, at: number): Settlement {
  const moved = transitionRun(run, { type: 'complete', at });
  if (moved.type === 'rejected') throw new Error('a started run completes');
  return { id: run.id, epoch: run.epoch, event: 'complete', next: moved.run };
}

/** The minimum: returns each run once and records which are claimed. */
function timeSketch(): Promise<number> {
  const waiting = [...IDS];
  const started = new Map<string, number>();
  return timePerRun(async () => {
    for (let first = 0; first < RUNS; first += BATCH) {
      const claimed = await waiting.slice(first, first + BATCH);
      for (const id of claimed) started.set(id, 1);
      for (const id of claimed) started.delete(id);
    }
  });
}

async function timePerRun(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.(); // garbage of the submissions is not part of the measurement
  const startedCpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(startedCpu);
  return ((user + system) * 1_000) / RUNS;
}

if (isWanted('memory broker')) {
  const rows = [
    { name: 'bare array and Map', take: timeSketch },
    { name: 'memory broker: claim and settle', take: timeMemoryBroker },
  ];
  const warmUp = 3;
  for (let round = 0; round < warmUp; round += 1) for (const { take } of rows) await take();
  const results = await inRounds(rows, rounds, (index) => rows[index]?.take() ?? Number.NaN);
  printTable(`memory broker, batches of ${BATCH} no-op runs`, 'ns of CPU per run', results);
  say(
    `\nmemory broker: ${(1e6 / (results[1]?.median ?? Number.NaN)).toFixed(0)} thousand runs per CPU second`,
  );
}
