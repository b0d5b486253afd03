/**
 * `npm run chaos -- redis --blocked`: handlers that compute for longer than their lease, in pairs of worker processes on a real
 * server; what the thread that renews leases keeps, and what it costs. `--only throughput` for one part of it. It ends non-zero
 * when a bar is missed.
 */
import { parseArgs } from 'node:util';
import { engineOf } from '../engines.ts';
import { compareThroughput, measureIdle } from './costs.ts';
import type { Repetition } from './pairs.ts';
import { isClean, loopEndlessly, repeatBlocks } from './pairs.ts';
import * as plan from './plan.ts';
import type { SystemName } from './systems.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true }, blocked: { type: 'boolean' } },
});
const [engine = ''] = positionals;
const server = await engineOf(engine).start();
const at = { engine, address: server.address };
const { BARS, BLOCK_MS, CLEANER_MS, LEASE_MS, MAX_BLOCK_MS } = plan;
const PARTS = { blocks, endless, throughput, idle };
let missed = 0;

console.log(`blocked event loops on ${engine}: ${server.source}`);
for (const [name, part] of Object.entries(PARTS)) {
  if (values.only === undefined || values.only.includes(name)) await part();
}
await server.stop();
process.exit(missed === 0 ? 0 : 1);

async function blocks(): Promise<void> {
  const pairs = `${plan.PAIRS} pairs of workers with ${plan.BLOCKS_PER_PAIR} each`;
  console.log(`blocks of ${BLOCK_MS} ms under a lease of ${LEASE_MS} ms, ${pairs}`);
  const ours = await report('thread', plan.BLOCKS_PER_PAIR);
  const clean = ours.filter(isClean).length;
  judge('once', clean === ours.length, `${clean} of ${ours.length} were executed once and completed`);
  await report('loop', plan.COMPARED_PER_PAIR);
  if (engine === 'redis') await report('BullMQ', plan.COMPARED_PER_PAIR);
}

async function endless(): Promise<void> {
  const tookMs = await loopEndlessly('thread, short maxBlock', at);
  const bar = MAX_BLOCK_MS + LEASE_MS + CLEANER_MS;
  const sums = `maxBlock ${MAX_BLOCK_MS} + lease ${LEASE_MS} + interval ${CLEANER_MS}`;
  const figure = `another worker had the run after ${tookMs.join(', ')} ms; at most ${bar} (${sums})`;
  judge('endless loop', Math.max(...tookMs) <= bar, figure);
}

async function throughput(): Promise<void> {
  const {
    rates: [loop, thread],
    cpuUs,
  } = await compareThroughput(at);
  const { ratio = 0, ratios = [], likely = [] } = thread ?? {};
  const [range, between] = [ratios, likely].map((both) => both.map((one) => one.toFixed(3)).join(' to '));
  const of = `${ratio.toFixed(3)} of ${Math.round(loop?.median ?? 0)} runs/s without the thread`;
  const figure = `${of} (rounds from ${range}; the median is from ${between} in 95 of 100 cases)`;
  const cpu = `processor time of a run ${cpuUs[1]?.toFixed(1)} us, ${cpuUs[0]?.toFixed(1)} without`;
  judge('throughput', ratio >= BARS.throughput, `${figure}; at least ${BARS.throughput}; ${cpu}`);
}

async function idle(): Promise<void> {
  const { memoryMb, percent } = await measureIdle(at);
  judge('memory', memoryMb <= BARS.memoryMb, `${memoryMb.toFixed(1)} MB more; at most ${BARS.memoryMb}`);
  const figure = `${percent.toFixed(2)} % of a core more; at most ${BARS.idlePercent}`;
  judge('idle', percent <= BARS.idlePercent, figure);
}

async function report(system: SystemName, perPair: number): Promise<readonly Repetition[]> {
  const all = await repeatBlocks(system, at, perPair);
  const sum = (of: 'executions' | 'stalls' | 'fenced'): number =>
    all.reduce((total, each) => total + each[of], 0);
  const completed = all.filter(({ end }) => end === 'completed').length;
  const figures = { executions: sum('executions'), stalls: sum('stalls'), fenced: sum('fenced'), completed };
  console.log(
    `${system}: ${JSON.stringify({ blocks: all.length, clean: all.filter(isClean).length, ...figures })}`,
  );
  const unclean = all.filter((each) => !isClean(each));
  if (system === 'thread' && unclean.length > 0) console.log(JSON.stringify(unclean));
  return all;
}

function judge(name: string, isMet: boolean, figure: string): void {
  if (!isMet) missed += 1;
  console.log(`${isMet ? 'ok' : 'FAIL'} ${name}: ${figure}`);
}
