import { isFull } from '../report.ts';
import type { Targets } from '../targets/target.ts';
import type { Table } from './tables.ts';
import type { Named } from './workloads.ts';
import { processing, submitting, waiting } from './workloads.ts';

/** Whom the tables of a queue's benchmark compare. */
export interface Entrants {
  /** 100 at a time: everybody, with their defaults and at their best. */
  readonly busy: readonly Named[];
  /** 10 at a time, and one. */
  readonly few: readonly Named[];
  /** One by one, without anything held in reserve. */
  readonly strict: readonly Named[];
  /** Our defaults beside the best settings of others, where handlers take time. */
  readonly handling: readonly Named[];
  /** Our defaults beside those that are compared in all other tables of processing. */
  readonly usual: readonly Named[];
  /** What the engine does by bare statements, beside the usual ones. */
  readonly bare: Named;
  readonly failing: readonly Named[];
  readonly submitting: readonly Named[];
  readonly waiting: readonly Named[];
  /** One task name, and those that work on a thousand. */
  readonly names: { readonly one: Named; readonly many: readonly Named[] };
  /** Whether runs fall due while the worker is at work, or did before it starts. */
  readonly due: readonly ('while' | 'before')[];
  /** Those that work on them. */
  readonly falling: readonly Named[];
  /** What our defaults are to reach, by the title of a table; see `DUE`. */
  readonly targets: Readonly<Record<string, Targets>>;
  /** The bytes of payloads in a sample, at most. */
  readonly mostBytes: { readonly processed: number; readonly submitted: number };
}

const PAYLOADS = [20_000, 200_000];
/** How long handlers wait for something, in ms, and how many at a time. */
const HANDLERS = [1, 5, 50].flatMap((handlerMs) =>
  [10, 100].map((concurrency) => ({ handlerMs, concurrency })),
);
/** What starting a worker costs, its connections and its thread, is spread over so long; over more where few runs fit into it. */
const HANDLING_MS = 4_000;
const SLOW_HANDLING_MS = 16_000;
const DUE_AT_ONCE = isFull ? 200_000 : 50_000;
/** The titles of these tables without how many runs there are. */
const DUE = { while: 'due at once', before: 'due at once, before the worker starts' } as const;
/** What starting a worker costs is spread over so long where few runs fit into a sample. */
const STRICT_MS = 2_000;

/** The tables of every queue's benchmark. */
export function queueTables(who: Entrants): readonly Table[] {
  const tables = [...processTables(who), ...submitTables(who), ...depthTables(who), latencyTable(who)].map(
    (table): Table => ({ targets: who.targets[table.title], ...table }),
  );
  checkTargets(tables, who.targets);
  return tables;
}

/** A table or a line that has been renamed would lose its target unseen. @throws when one has */
function checkTargets(tables: readonly Table[], all: Entrants['targets']): void {
  for (const [title, targets] of Object.entries(all)) {
    const labels = tables
      .filter((table) => table.targets === targets)
      .flatMap(({ entries }) => entries.map(({ contender, label = contender }) => label));
    for (const label of Object.values(targets).flatMap(Object.keys))
      if (!labels.includes(label))
        throw new Error(`There is a target for ${label} in "${title}", but no such line.`);
  }
}

function processTables({
  busy,
  bare,
  few,
  strict,
  handling,
  usual,
  failing,
  mostBytes,
}: Entrants): readonly Table[] {
  const unit = 'runs/s';
  return [
    {
      title: 'process, 100 at a time',
      unit,
      entries: processing([...busy, bare], { concurrency: 100 }),
    },
    {
      title: 'process, 10 at a time',
      unit,
      entries: processing([...few, bare], { concurrency: 10 }),
    },
    {
      title: 'process, one at a time',
      unit,
      entries: processing([...few, bare], { concurrency: 1 }),
    },
    {
      title: 'process, strictly one at a time (prefetch 0)',
      unit,
      sampleMs: STRICT_MS,
      entries: processing(strict, { concurrency: 1 }),
    },
    ...HANDLERS.map((load) => ({
      title: `process, handlers of ${load.handlerMs} ms, ${load.concurrency} at a time`,
      unit,
      rounds: 3,
      costsFirst: true,
      sampleMs: load.handlerMs > load.concurrency ? SLOW_HANDLING_MS : HANDLING_MS,
      entries: processing(handling, load),
    })),
    ...PAYLOADS.map((bytes) => ({
      title: `process, payloads of ${bytes / 1_000} KB, 100 at a time`,
      unit,
      rounds: 3,
      most: mostBytes.processed / bytes,
      entries: processing([...usual, bare], { concurrency: 100, bytes }),
    })),
    {
      title: 'process, each run fails twice, 100 at a time',
      unit: 'executions/s',
      entries: processing(failing, { concurrency: 100, failures: 2 }),
    },
  ];
}

function submitTables({ submitting: who, bare, mostBytes }: Entrants): readonly Table[] {
  const unit = 'runs/s';
  const ways = [
    ['one by one', 1],
    ['100 in flight', 100],
    ['1 000 in flight', 1_000],
    ['bulk calls of 1 000', 'bulk'],
  ] as const;
  return [
    ...ways.map(([title, way]) => ({
      title: `submit, ${title}`,
      unit,
      rounds: 3,
      entries: submitting([...who, bare], { way }),
    })),
    ...PAYLOADS.map((bytes) => ({
      title: `submit, payloads of ${bytes / 1_000} KB, 100 in flight`,
      unit,
      rounds: 3,
      most: mostBytes.submitted / bytes,
      entries: submitting([...who, bare], { way: 100, bytes }),
    })),
  ];
}

function depthTables({ usual, bare, names, due, falling, targets }: Entrants): readonly Table[] {
  const unit = 'runs/s';
  return [
    {
      title: 'process, 1 000 task names, 100 at a time',
      unit,
      rounds: 3,
      entries: [
        ...processing([names.one], { concurrency: 100 }),
        ...processing(names.many, { concurrency: 100, tasks: 1_000 }),
      ],
    },
    ...[2, 3].map((processes) => ({
      title: `process, ${processes} processes, 10 at a time each`,
      unit,
      rounds: 3,
      entries: processing([...usual, bare], { concurrency: 10, processes }),
    })),
    ...due.map((when) => ({
      title: `process, ${DUE_AT_ONCE / 1_000} 000 ${DUE[when]}, 100 at a time`,
      targets: targets[DUE[when]],
      unit,
      rounds: 1,
      count: DUE_AT_ONCE,
      entries: processing(falling, { concurrency: 100, due: when }),
    })),
  ];
}

function latencyTable({ waiting: who, bare }: Entrants): Table {
  return {
    title: 'from submit to start in another process, p50 of 200 runs, one each 5 ms',
    unit: 'ms',
    rounds: 3,
    count: 200,
    entries: waiting([...who, bare]),
  };
}
