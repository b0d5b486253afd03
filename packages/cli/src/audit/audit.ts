import type { Audit } from '@retry/core/broker';
import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import { EXIT } from '../exit.ts';
import type { Input, Report } from '../report.ts';
import { wholeText } from '../terminal/counts.ts';
import type { Screen } from '../terminal/screen.ts';
import { type Cell, renderTable } from '../terminal/table.ts';

/** Counts the runs in each state, and whether none is lost. Exit status 1 if the figures do not add up. */
export async function auditAction(input: Input<ConnectOptions>): Promise<Report> {
  const audit = await withQueue(input, ({ queue }) => queue.counts());
  return {
    json: audit,
    text: (screen) => auditText(audit, screen),
    exitCode: audit.unbalanced === 0 ? EXIT.fine : EXIT.found,
  };
}

function auditText(audit: Audit, screen: Screen): string {
  const { created, submitted, scheduled, started, ended, forgotten, unbalanced } = audit;
  const rows: readonly (readonly [string, number])[] = [
    ...Object.entries({ submitted, scheduled, started, ...ended, forgotten }),
    ['created', created],
  ];
  const columns = [{ title: 'runs' }, { title: 'count', align: 'right' }] as const;
  const table = renderTable(
    columns,
    rows.map(([name, count]): readonly Cell[] => [name, wholeText(count)]),
    screen,
  );
  const verdict =
    unbalanced === 0
      ? screen.paint('good', 'Balanced: every run is in exactly one place.')
      : screen.paint('bad', `Not balanced by ${unbalanced}: this is a bug, please report it.`);
  return `${table}\n\n${verdict}`;
}
