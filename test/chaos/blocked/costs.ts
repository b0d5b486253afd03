import { setTimeout as rest } from 'node:timers/promises';
import type { Result } from '../../bench/rounds.ts';
import { inRounds, median } from '../../bench/rounds.ts';
import {
  IDLE_MS,
  IDLE_PROCESSES,
  RATED_PAIRS,
  ROUNDS_PER_PAIR,
  SAMPLE_RUNS,
  SETTLE_MS,
  WARM_UPS,
} from './plan.ts';
import type { Member } from './process.ts';
import { startMember } from './process.ts';
import type { Place, Rate } from './system.ts';
import { SYSTEMS } from './systems.ts';

/** What working off runs is like with the thread, beside without it. */
export interface Throughput {
  /** Runs per second. */
  readonly rates: readonly Result[];
  /** Microseconds of processor time of a run. */
  readonly cpuUs: readonly number[];
}

/** Compares workers with and without the thread, in rounds; the first row is the one without. */
export async function compareThroughput(server: Omit<Place, 'name'>): Promise<Throughput> {
  const rows = [{ name: 'loop' }, { name: 'thread' }] as const;
  const spent: number[][] = rows.map(() => []);
  let pair: Rated[] = [];
  let taken = 0;
  const rates = await inRounds(rows, RATED_PAIRS * ROUNDS_PER_PAIR, async (index) => {
    if (taken % (ROUNDS_PER_PAIR * rows.length) === 0) pair = await replacePair(pair, server);
    taken += 1;
    const { perSecond = Number.NaN, cpuUs = Number.NaN } = (await pair[index]?.rate()) ?? {};
    spent[index]?.push(cpuUs);
    return perSecond;
  });
  for (const { close } of pair) await close();
  return { rates, cpuUs: spent.map(median) };
}

/** A worker process, whose runs this one submits: it would else collect the garbage of that while it is measured. */
interface Rated {
  readonly rate: () => Promise<Rate>;
  readonly close: () => Promise<void>;
}

let pairs = 0;

async function replacePair(old: readonly Rated[], server: Omit<Place, 'name'>): Promise<Rated[]> {
  for (const { close } of old) await close();
  pairs += 1;
  const pair: Rated[] = [];
  for (const name of ['loop', 'thread'] as const)
    pair.push(await startRated(name, { ...server, name: `rate_${name}_${pairs}` }));
  for (let count = 0; count < WARM_UPS; count += 1) for (const { rate } of pair) await rate();
  return pair;
}

async function startRated(system: 'loop' | 'thread', place: Place): Promise<Rated> {
  const submitter = await (await SYSTEMS[system]()).open(place);
  const member = await startMember(system, place);
  return {
    rate: async () => {
      await submitter.fill?.(SAMPLE_RUNS);
      return await member.rate(SAMPLE_RUNS);
    },
    close: async () => {
      member.kill();
      await submitter.close();
    },
  };
}

/** What the thread takes of an idle process. */
export interface IdleCost {
  readonly memoryMb: number;
  /** Of one processor core. */
  readonly percent: number;
}

/** Compares idle worker processes with as many that have no thread, at the same time; returns differences of medians. */
export async function measureIdle(server: Omit<Place, 'name'>): Promise<IdleCost> {
  const start = (system: 'thread' | 'loop'): Promise<Member> =>
    startMember(system, { ...server, name: 'idle' });
  const [withThread, without]: Member[][] = [[], []];
  for (let index = 0; index < IDLE_PROCESSES; index += 1) {
    withThread?.push(await start('thread'));
    without?.push(await start('loop'));
  }
  const all = [...(withThread ?? []), ...(without ?? [])];
  const askAll = (of: 'rssBytes' | 'cpuMs'): Promise<number[]> => Promise.all(all.map((one) => one.read(of)));
  await rest(SETTLE_MS);
  const before = await askAll('cpuMs');
  await rest(IDLE_MS);
  const after = await askAll('cpuMs');
  const bytes = await askAll('rssBytes');
  for (const member of all) member.kill();
  const spent = after.map((ms, index) => ms - (before[index] ?? 0));
  return {
    memoryMb: differenceOf(bytes) / 1e6,
    percent: (differenceOf(spent) / IDLE_MS) * 100,
  };
}

/** The median of those with a thread, which are the first half, less that of the others. */
function differenceOf(values: readonly number[]): number {
  const half = values.length / 2;
  return median(values.slice(0, half)) - median(values.slice(half));
}
