import type { RunView, SearchOptions } from '@retry/worker';
import type { SearchAnswer } from '../api.ts';
import type { Mask, Maskable } from '../show/mask.ts';
import { runRow } from '../show/run-row.ts';
import type { Call } from './call.ts';
import { given, pageOf } from './call.ts';

const NAMES = ['text', 'task', 'version'] as const;

const SOUGHT_IN = ['id', 'names and messages of stored errors', 'payload'];

/** `GET search`. */
export async function search({ desk, visitor, query }: Call): Promise<SearchAnswer> {
  const { runs, searched, isComplete, next } = await desk.queue.search(searchOptions(query));
  const text = query.get('text');
  const isMasked = !visitor.rights.unmask;
  const shown = isMasked && text !== null ? runs.filter((run) => isFound(run, text, desk.mask)) : runs;
  return {
    runs: shown.map((run) => runRow(run, desk.mask)),
    ...{ searched, isComplete },
    ...(next !== undefined && { next }),
    looked: { in: text === null ? [] : SOUGHT_IN, isMasked },
  };
}

function searchOptions(query: URLSearchParams): SearchOptions<'ms'> {
  const states = query.getAll('state');
  const attempt = query.get('attempt');
  const options = {
    limit: 50,
    ...given(query, NAMES),
    ...(states.length > 0 && { state: states }),
    ...(attempt !== null && { attempt: Number(attempt) }),
    ...instants(query),
    ...pageOf(query),
  };
  return options as SearchOptions<'ms'>; // checked by the queue
}

/** Epoch milliseconds, or ISO text. */
function instants(query: URLSearchParams): Partial<Record<'from' | 'to', string | number>> {
  const names = ['from', 'to'] as const;
  const found = names.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, /^\d+$/.test(value) ? Number(value) : value] as const];
  });
  return Object.fromEntries(found);
}

/** Whether the text is in what a visitor may see of a run. */
function isFound({ id, task, version, errors, payload }: RunView, text: string, mask: Mask): boolean {
  const sought = text.toLowerCase();
  const isIn = (shown: string): boolean => shown.toLowerCase().includes(sought);
  const masked = (kind: Maskable['kind'], value: unknown): unknown => mask({ kind, task, version, value });
  return (
    isIn(id) ||
    errors.some(({ name, message }) => isIn(name) || isIn(String(masked('message', message)))) ||
    isIn(JSON.stringify(masked('payload', payload)) ?? '')
  );
}
