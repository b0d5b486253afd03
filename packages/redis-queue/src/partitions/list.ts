import type { Broker, ListQuery, Run, RunPage } from '@retry/core/broker';
import type { Position } from '@retry/core/broker/kit';
import { MAX_BATCH_BYTES, readCursor, runBytes, writeCursor } from '@retry/core/broker/kit';

/** The broker in the cursors: those of its partitions are in them, and have the names of their queue. */
const BROKER = 'redis partitions';

/** Lists the runs of one partition after another: the order of a list holds within each partition only. */
export async function listParts(parts: readonly Pick<Broker, 'list'>[], query: ListQuery): Promise<RunPage> {
  const { after: _, ...first } = query;
  const runs: Run[] = [];
  let next: Position | undefined = readCursor(BROKER, query) ?? ['partition', 0];
  while (next !== undefined && runs.length < query.limit && !isLarge(runs)) {
    const [, index, after] = next as readonly [string, number, string?]; // as written below
    const asked = { ...first, limit: query.limit - runs.length };
    const page = await parts[index]?.list(after === undefined ? asked : { ...asked, after });
    runs.push(...(page?.runs ?? []));
    next = index + 1 < parts.length ? ['partition', index + 1] : undefined;
    if (page?.next === undefined) continue;
    next = ['partition', index, page.next];
    break;
  }
  return next === undefined ? { runs } : { runs, next: writeCursor(BROKER, query, next) };
}

/** A page that is large already does not get as much again of the next partition. */
function isLarge(runs: readonly Run[]): boolean {
  return runs.reduce((sum, run) => sum + runBytes(run), 0) > MAX_BATCH_BYTES / 8;
}
