import { isFull, isWanted, printMarkdown, printTable, roundsOr, short } from '../report.ts';
import { inRounds } from '../rounds.ts';
import type { Target } from '../targets/target.ts';
import { actorOf, endActors } from './actors.ts';
import { now, rest } from './clock.ts';
import { openAll } from './samples.ts';
import type { BenchServer } from './server.ts';

const CALLS = 5;
const HOUR_MS = 3_600_000;
/** How many runs are in front of which a worker works, and how many it works off. */
const [FEW, MANY, WORKED] = [10_000, 10_000_000, 200_000];

/** What an operator sees of a queue in which very many runs wait: a page of 100 of them, and the counts. */
export async function lookAtMany(
  server: BenchServer,
  contenders: readonly string[],
  count: number,
): Promise<void> {
  const title = `${spaced(count)} waiting: a page of 100, the counts, and what is stored`;
  if (!isWanted(title)) return;
  const rows: string[][] = [];
  for (const contender of contenders) {
    try {
      rows.push([contender, ...(await lookOnce(server, contender, count))]);
    } catch (error) {
      rows.push([contender, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)]);
      endActors(contender);
    }
  }
  const columns = ['', 'page, ms', 'counts, ms', 'caller blocked, ms', 'bytes per run', 'submitted in, s'];
  printMarkdown(`${title} (one round, median of ${CALLS} calls)`, columns, rows);
}

async function lookOnce(server: BenchServer, contender: string, count: number): Promise<readonly string[]> {
  const actor = actorOf(contender);
  await openAll(server, contender, [actor]);
  const before = await server.storedBytes();
  const { ms } = await actor.submit({ count, bytes: 0, way: 'bulk' });
  const bytesPerRun = ((await server.storedBytes()) - before) / count;
  const seen = await actor.look(0, CALLS);
  await actor.close();
  return [seen.listMs, seen.countMs, seen.blockedMs, bytesPerRun, ms / 1_000].map(short);
}

/** What `workInFrontOfMany` measures. */
export interface InFront {
  readonly contender: string;
  /** What part of the runs is due over the next hour; the others are due at once. */
  readonly delayed: 0 | 0.5;
  /** Of the time of a run, in front of many ÷ in front of few. */
  readonly target?: Target;
}

/** How fast a worker is in front of ten million runs beside the same in front of ten thousand. */
export async function workInFrontOfMany(server: BenchServer, measured: InFront): Promise<void> {
  const { contender, delayed, target } = measured;
  const waiting = delayed === 0 ? 'of which none is delayed' : 'half of them due over an hour';
  const title = `${contender}: process in front of ${spaced(MANY)}, ${waiting}, 100 at a time`;
  if (!isFull || !isWanted(title)) return;
  await server.clear();
  const depths = [FEW, MANY];
  for (const depth of depths) await fillTo(server, measured, depth);
  const results = await inRounds(
    depths.map((depth) => ({ name: `${spaced(depth)} more` })),
    roundsOr(5),
    (index) => workOnce(contender, depths[index] ?? FEW),
  );
  printTable(title, 'ns per run', results, target && { [`${spaced(MANY)} more`]: target });
  endActors(contender);
}

async function fillTo(server: BenchServer, { contender, delayed }: InFront, depth: number): Promise<void> {
  const actor = actorOf(contender, depth);
  const later = depth * delayed;
  await actor.open(contender, { url: server.url, name: `bench_${depth}` });
  await actor.submit({ count: depth - later, bytes: 0, way: 'bulk' });
  const parts = Math.min(later / 1_000, 360);
  for (let part = 0; part < parts; part += 1) {
    const dueAt = Date.now() + HOUR_MS * ((part + 1) / parts);
    await actor.submit({ count: Math.ceil(later / parts), bytes: 0, way: 'bulk', dueAt });
  }
}

/** Submits more runs, and works off as many: nanoseconds for each. */
async function workOnce(contender: string, depth: number): Promise<number> {
  const actor = actorOf(contender, depth);
  await actor.submit({ count: WORKED, bytes: 0, way: 'bulk' });
  const startedAt = now();
  await actor.start({ count: WORKED, concurrency: 100, handlerMs: 0, failures: 0, tasks: 1 });
  while ((await actor.done()) < WORKED) await rest(1);
  const tookMs = now() - startedAt;
  await actor.finish();
  return (tookMs / WORKED) * 1e6;
}

function spaced(count: number): string {
  return count.toLocaleString('en').replaceAll(',', ' ');
}
