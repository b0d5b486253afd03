import type { Broker, ListQuery, Run } from '@retry/core/broker';
import { MAX_BATCH_BYTES, runBytes } from '@retry/core/broker/kit';
import { isRefused } from '../broker.ts';
import { halves } from '../halves.ts';

/** Reads runs by their ids, with payloads and results, in calls of bounded size. */
export interface RunReader {
  /** How many ids the next call may ask for, 1 to 500: fewer while runs are large. */
  readonly size: () => number;
  /**
   * Returns the runs of these ids, in their order.
   *
   * @param onRefused - called with each id that the broker refuses for good; its run is then `undefined`. Without it, the
   *   call rejects.
   */
  readonly read: (ids: readonly string[], onRefused?: OnRefused) => Promise<readonly (Run | undefined)[]>;
}

type OnRefused = (id: string, error: unknown) => void;

const MAX_IDS = 500;

/** Creates a reader of a broker's runs. A call that is refused is divided into halves. */
export function createRunReader(broker: Broker): RunReader {
  let size = MAX_IDS;
  const read: RunReader['read'] = async (ids, onRefused) => {
    try {
      const runs = await broker.get(ids);
      size = nextSize(size, runs);
      return runs;
    } catch (error) {
      const [id = ''] = ids;
      if (!isRefused(broker, error) || (ids.length === 1 && onRefused === undefined)) throw error;
      if (ids.length === 1) onRefused?.(id, error);
      if (ids.length === 1) return [undefined];
      const [first, second] = halves(ids);
      return [...(await read(first, onRefused)), ...(await read(second, onRefused))];
    }
  };
  return { size: () => size, read };
}

/** Yields the runs of these ids, in their order, in parts of bounded size; `undefined` for those that there are not. */
export async function* readByIds(
  broker: Broker,
  ids: readonly string[],
): AsyncGenerator<readonly (Run | undefined)[]> {
  const reader = createRunReader(broker);
  for (let from = 0; from < ids.length; ) {
    const part = ids.slice(from, from + reader.size());
    yield reader.read(part);
    from += part.length;
  }
}

/**
 * Yields the runs that a broker lists, page by page. A page may be short, or empty, though others follow.
 *
 * @param limit - asked before each page: the most runs of it, 1 to 1 000
 */
export async function* readByList(
  broker: Broker,
  query: Omit<ListQuery, 'limit' | 'after'>,
  limit: () => number,
): AsyncGenerator<readonly Run[]> {
  let after: string | undefined;
  do {
    const page = await broker.list({ ...query, limit: limit(), ...(after !== undefined && { after }) });
    yield page.runs;
    after = page.next;
  } while (after !== undefined);
}

function nextSize(size: number, runs: readonly (Run | undefined)[]): number {
  const bytes = runs.reduce((sum, run) => sum + (run === undefined ? 0 : runBytes(run)), 0);
  if (bytes > MAX_BATCH_BYTES) return Math.max(1, size >> 1);
  return bytes * 4 < MAX_BATCH_BYTES ? Math.min(MAX_IDS, size * 2) : size;
}
