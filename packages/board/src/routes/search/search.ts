import { textProblem } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';
import { integerFrom, readOptions } from '@retry/core/fields';
import type { RunView, SearchOptions } from '@retry/worker';
import type { SearchAnswer } from '../../api.ts';
import { runRow } from '../../show/run-row.ts';
import type { Call, Desk } from '../call.ts';
import { given, pageOf } from '../call.ts';
import { numberOf } from '../query.ts';
import { searchShown } from './search-shown.ts';

const NAMES = ['task', 'version'] as const;

const SOUGHT_IN = ['id', 'names and messages of stored errors', 'payload'];

const MAX_TEXT_LENGTH = 512;
const MAX_LIMIT = 1_000;

/** `GET search`. */
export async function search({ desk, visitor, query }: Call): Promise<SearchAnswer> {
  const { text, limit } = readSought(query);
  const others = otherOptions(query);
  const isMasked = !visitor.rights.unmask;
  const page =
    isMasked && text !== undefined
      ? await searchShown(desk, { ...others, limit, text })
      : await desk.queue.search({ ...others, limit, ...(text !== undefined && { text }) });
  const named = text === undefined || query.has('after') ? undefined : await runNamed(desk, text, others);
  const { runs, searched, isComplete, next } = page;
  return {
    runs: inFront(named, runs).map((run) => runRow(run, desk.mask)),
    ...{ searched, isComplete },
    ...(next !== undefined && { next }),
    looked: { in: text === undefined ? [] : SOUGHT_IN, isMasked },
  };
}

/** What is sought, and how many runs of it. */
type Sought = Pick<SearchOptions, 'text'> & { readonly limit: number };

function readSought(query: URLSearchParams): Sought {
  const sought = { text: query.get('text')?.trim(), limit: pageOf(query).limit };
  return readOptions(sought, { subject: 'search', keys: ['text', 'limit'] }, (fields: Fields) => {
    const text = fields.optional('text', A_TEXT);
    return { limit: fields.number('limit', 50, A_LIMIT), ...(text !== undefined && { text }) };
  });
}

function otherOptions(query: URLSearchParams): SearchOptions<'ms'> {
  const states = query.getAll('state');
  const attempt = query.get('attempt');
  const { after } = pageOf(query);
  const options = {
    ...given(query, NAMES),
    ...(states.length > 0 && { state: states }),
    ...(attempt !== null && { attempt: numberOf(attempt) }),
    ...instants(query),
    ...(after !== undefined && { after }),
  };
  return options as SearchOptions<'ms'>; // checked by the queue
}

/** Epoch milliseconds, or ISO text. */
function instants(query: URLSearchParams): Partial<Record<'from' | 'to', string | number>> {
  const names = ['from', 'to'] as const;
  const found = names.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, numberOf(value)] as const];
  });
  return Object.fromEntries(found);
}

/** Returns the run whose id this is, which a search of a large queue may reach after many pages; it has to match the other options. */
async function runNamed({ queue }: Desk, id: string, options: SearchOptions): Promise<RunView | undefined> {
  const run = textProblem(id) === undefined ? await queue.get(id) : undefined;
  return run !== undefined && isSelected(run, options) ? run : undefined;
}

function isSelected(run: RunView, { state, task, version, attempt, from, to }: SearchOptions): boolean {
  const at = run.endedAt ?? run.submittedAt ?? Number.NaN;
  return (
    (state === undefined || [state].flat().some((each) => each === run.state)) &&
    (task === undefined || task === run.task) &&
    (version === undefined || version === run.version) &&
    (attempt === undefined || attempt === run.attempt) &&
    (from === undefined || at >= Number(new Date(from))) &&
    (to === undefined || at < Number(new Date(to)))
  );
}

function inFront(first: RunView | undefined, runs: readonly RunView[]): readonly RunView[] {
  return first === undefined ? runs : [first, ...runs.filter(({ id }) => id !== first.id)];
}

const A_TEXT = {
  accepts: (value: unknown): value is string =>
    typeof value === 'string' && value.length >= 1 && value.length <= MAX_TEXT_LENGTH,
  message: `must be text of 1 to ${MAX_TEXT_LENGTH} units`,
  cure: 'Leave it out to search by the other options only.',
};

const A_LIMIT = {
  ...integerFrom(1, 'Leave it out for 50.'),
  accepts: (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= MAX_LIMIT,
  message: `must be an integer from 1 to ${MAX_LIMIT}`,
};
