import type { ConnectOptions } from '../connect/connect-options.ts';
import { withQueue } from '../connect/with-queue.ts';
import type { Input, Report } from '../report.ts';
import { instantsAsText } from '../terminal/instants-as-text.ts';
import { operationTable } from './operation-table.ts';

/** Lists the operations that have not ended, and the latest 100 others. */
export async function listAction(input: Input<ConnectOptions>): Promise<Report> {
  const operations = await withQueue(input, ({ queue }) => queue.operations.list());
  const now = input.environment.now();
  return {
    json: instantsAsText({ operations }),
    text: (screen) =>
      operations.length === 0 ? 'There are no operations.' : operationTable(operations, now, screen),
  };
}
