import type { LiveWorker } from '@retry/core/broker';
import { listWorkers } from '@retry/core/broker/kit';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import type { Input, Report } from '../report.ts';
import { ageText } from '../terminal/age.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import { printable } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Cell, type Column, renderTable } from '../terminal/table.ts';

/** Lists the live workers: where they run, what they do, and in which lanes. */
export async function listAction(input: Input<ConnectOptions>): Promise<Report> {
  const workers = await withQueue(input, ({ broker }) => listWorkers(broker));
  const now = input.environment.now();
  return {
    json: instantsAsText({ workers }),
    text: (screen) => (workers.length === 0 ? 'No worker is alive.' : workerTable(workers, now, screen)),
  };
}

const COLUMNS: readonly Column[] = [
  { title: 'host' },
  { title: 'process', align: 'right' },
  { title: 'busy', align: 'right' },
  { title: 'leases', align: 'right' },
  { title: 'lag', align: 'right' },
  { title: 'up', align: 'right' },
  { title: 'version' },
  { title: 'lanes' },
];

/** Returns workers as a table. */
export function workerTable(workers: readonly LiveWorker[], now: number, screen: Screen): string {
  const rows = workers.map(({ worker, lanes, facts }): readonly Cell[] => [
    printable(facts?.host ?? worker),
    facts?.pid === undefined ? '-' : String(facts.pid),
    facts === undefined ? '-' : `${facts.slotsTaken}/${facts.slots}`,
    facts === undefined ? '-' : String(facts.leases),
    lagCell(facts?.eventLoopLagMs),
    facts?.startedAt === undefined ? '-' : ageText(now - facts.startedAt),
    printable(facts?.version ?? '-'),
    printable(lanes.join(' ')),
  ]);
  return renderTable(COLUMNS, rows, screen);
}

/** A lag from which handlers and heartbeats come late, in ms. */
const LONG_LAG_MS = 200;

function lagCell(lagMs: number | undefined): Cell {
  if (lagMs === undefined) return '-';
  return lagMs > LONG_LAG_MS ? { text: ageText(lagMs), style: 'warning' } : ageText(lagMs);
}
