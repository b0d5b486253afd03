import { isFull } from '../report.ts';
import type { Entry, Table } from './tables.ts';
import type { Named } from './workloads.ts';
import { processing, submitting, waiting } from './workloads.ts';

/** Whom the tables of a queue's benchmark compare. */
export interface Entrants {
  /** 100 at a time: everybody, with their defaults and at their best. */
  readonly busy: readonly Named[];
  /** What the engine does by bare statements, 100 at a time. */
  readonly bare: Entry;
  /** 10 at a time, and one. */
  readonly few: readonly Named[];
  /** One by one, without anything held in reserve. */
  readonly strict: readonly Named[];
  /** Our defaults beside those that are compared in all other tables of processing. */
  readonly usual: readonly Named[];
  /** Large payloads. @default the usual ones */
  readonly large?: readonly Named[];
  readonly failing: readonly Named[];
  readonly submitting: readonly Named[];
  readonly waiting: readonly Named[];
  /** One task name, and those that work on a thousand. */
  readonly names: { readonly one: Named; readonly many: readonly Named[] };
  /** Whether runs fall due while the worker is at work, or did before it starts. */
  readonly due: readonly ('while' | 'before')[];
  /** The bytes of payloads in a sample, at most. */
  readonly mostBytes: { readonly processed: number; readonly submitted: number };
}

const PAYLOADS = [20_000, 200_000];
const DUE_AT_ONCE = isFull ? 200_000 : 50_000;

/** The tables of every queue's benchmark. */
export function queueTables(who: Entrants): readonly Table[] {
  return [...processTables(who), ...submitTables(who), ...depthTables(who), latencyTable(who)];
}

function processTables({
  busy,
  bare,
  few,
  strict,
  usual,
  large = usual,
  failing,
  mostBytes,
}: Entrants): readonly Table[] {
  const unit = 'runs/s';
  return [
    {
      title: 'process, 100 at a time',
      unit,
      entries: [...processing(busy, { concurrency: 100 }), bare],
    },
    { title: 'process, 10 at a time', unit, entries: processing(few, { concurrency: 10 }) },
    { title: 'process, one at a time', unit, entries: processing(few, { concurrency: 1 }) },
    {
      title: 'process, strictly one at a time (prefetch 0)',
      unit,
      entries: processing(strict, { concurrency: 1 }),
    },
    {
      title: 'process, handlers of 5 ms, 10 at a time',
      unit,
      rounds: 3,
      entries: processing(usual, { concurrency: 10, handlerMs: 5 }),
    },
    ...PAYLOADS.map((bytes) => ({
      title: `process, payloads of ${bytes / 1_000} KB, 100 at a time`,
      unit,
      rounds: 3,
      most: mostBytes.processed / bytes,
      entries: processing(large, { concurrency: 100, bytes }),
    })),
    {
      title: 'process, each run fails twice, 100 at a time',
      unit: 'executions/s',
      entries: processing(failing, { concurrency: 100, failures: 2 }),
    },
  ];
}

function submitTables({ submitting: who, mostBytes }: Entrants): readonly Table[] {
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
      entries: submitting(who, { way }),
    })),
    ...PAYLOADS.map((bytes) => ({
      title: `submit, payloads of ${bytes / 1_000} KB, 100 in flight`,
      unit,
      rounds: 3,
      most: mostBytes.submitted / bytes,
      entries: submitting(who, { way: 100, bytes }),
    })),
  ];
}

function depthTables({ usual, names, due }: Entrants): readonly Table[] {
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
      entries: processing(usual, { concurrency: 10, processes }),
    })),
    ...due.map((when) => ({
      title: `process, ${DUE_AT_ONCE / 1_000} 000 due at once${when === 'before' ? ', before the worker starts' : ''}, 100 at a time`,
      unit,
      rounds: 1,
      count: DUE_AT_ONCE,
      entries: processing(usual, { concurrency: 100, due: when }),
    })),
  ];
}

function latencyTable({ waiting: who }: Entrants): Table {
  return {
    title: 'from submit to start in another process, p50 of 200 runs, one each 5 ms',
    unit: 'ms',
    rounds: 3,
    count: 200,
    entries: waiting(who),
  };
}
