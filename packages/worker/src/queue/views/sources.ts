import { InvalidOptionsError } from '@retry/core';
import type { Broker, ListQuery, Run, RunPage } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import { createRunReader } from '../read-runs.ts';
import { readPageCursor, writePageCursor, wrongCursor } from './cursor.ts';
import type { Source } from './scan.ts';

/** Where a list ends, so that the next call begins there. */
type Cursor = readonly [list: RunState | 'ids', position: string | number | null];

/** What `createListSource` asks a broker for, state by state. */
export interface ListedRuns extends Omit<ListQuery, 'state' | 'limit' | 'after'> {
  readonly states: readonly RunState[];
}

/** Creates a source of the runs in these states, one state after the other. */
export function createListSource(broker: Pick<Broker, 'list'>, { states, ...query }: ListedRuns): Source {
  return {
    read: async (after, limit) => {
      const [state, position] = readPlace(after, states) ?? [states[0], null];
      if (state === undefined) return { runs: [] };
      const asked: ListQuery = { ...query, state, limit };
      const page =
        position === null
          ? await broker.list(asked)
          : await listAfter(broker, asked, [String(position), after]);
      const following = states[states.indexOf(state) + 1];
      if (page.next !== undefined) return { runs: page.runs, next: writePageCursor([state, page.next]) };
      return following === undefined
        ? { runs: page.runs }
        : { runs: page.runs, next: writePageCursor([following, null]) };
    },
  };
}

/** Reads the runs after a position of the broker's, which is only a part of the cursor that the caller has given. */
async function listAfter(
  broker: Pick<Broker, 'list'>,
  asked: ListQuery,
  [position, given = '']: readonly [position: string, given: string | undefined],
): Promise<RunPage> {
  try {
    return await broker.list({ ...asked, after: position });
  } catch (error) {
    const isWrong =
      error instanceof InvalidOptionsError && error.problems.every(({ path }) => path === 'after');
    throw isWrong ? wrongCursor(given, 'list') : error;
  }
}

/** Creates a source of the runs that have these ids, in their order. */
export function createIdSource(broker: Broker, ids: readonly string[]): Source {
  const reader = createRunReader(broker);
  return {
    read: async (after, limit) => {
      const [, position = 0] = readPlace(after, ['ids']) ?? [];
      const from = Number(position);
      const part = ids.slice(from, from + Math.min(limit, reader.size()));
      const end = from + part.length;
      const runs = (await reader.read(part)).filter((run): run is Run => run !== undefined);
      return end < ids.length ? { runs, next: writePageCursor(['ids', end]) } : { runs };
    },
  };
}

/** @throws {InvalidOptionsError} for anything but a cursor in one of these lists */
function readPlace<List extends Cursor[0]>(
  after: string | undefined,
  lists: readonly List[],
): readonly [List, Cursor[1]] | undefined {
  if (after === undefined) return undefined;
  const [name, position = null] = readPageCursor(after);
  const list = lists.find((each) => each === name);
  const isPosition = position === null || typeof position === (list === 'ids' ? 'number' : 'string');
  if (list !== undefined && isPosition) return [list, position as Cursor[1]]; // as just checked
  throw wrongCursor(after, 'list');
}
