import type { Broker, Run } from '@retry/core/broker';
import type { Fields, Report } from '@retry/core/fields';
import { QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import type { InstantInput } from '../../option-rules.ts';
import { readInstant } from '../../option-rules.ts';
import type { Filter, PageOptions, PageSettings, RunFilter } from './list-options.ts';
import { allOf, FILTER_KEYS, PAGE_KEYS, readFilter, readPageOptions } from './list-options.ts';
import type { Listing, ListPage } from './listing.ts';
import { createListing } from './listing.ts';
import type { RunView } from './run-view.ts';
import { viewRun } from './run-view.ts';
import { scan } from './scan.ts';
import { createListSource } from './sources.ts';
import type { Times } from './times.ts';
import { instantWriter } from './times.ts';

/** The options of `queue.search`. */
export interface SearchOptions<At extends Times = Times> extends RunFilter, PageOptions<At> {
  /** Text in the id, in the name or message of a stored error, or in the JSON text of the payload; 1 to 512 units. Case plays no part. */
  readonly text?: string | undefined;
  /** Only runs that ended at this instant or later; of those that have not ended, that were submitted then or later. */
  readonly from?: InstantInput | undefined;
  /** Only runs that ended, or were submitted, before this instant. */
  readonly to?: InstantInput | undefined;
}

/** A page of what a search found. */
export interface SearchPage<Item> extends ListPage<Item> {
  /** How many runs were looked at for this page. */
  readonly searched: number;
  /** Whether these are all that there are from `after` on: there is no `next`. */
  readonly isComplete: boolean;
}

const KEYS: readonly (keyof SearchOptions)[] = [...PAGE_KEYS, ...FILTER_KEYS, 'text', 'from', 'to'];

/** The most bytes of runs that one page looks at. */
const MAX_SEARCHED_BYTES = 33_554_432;

const MAX_TEXT_LENGTH = 512;

/** A listing of what a search found, whatever its payloads and results. */
type Searched = Listing<RunView<never, never, Times>, SearchPage<RunView<never, never, Times>>>;

/** Searches the runs of a broker, page by page. */
export function searchRuns(broker: Broker, times: Times, options: unknown): Searched {
  const call = { subject: 'search', keys: KEYS, synonyms: QUEUE_SYNONYMS };
  const read = async (): Promise<SearchSettings> =>
    readOptions(options, call, (fields, report) => readSearch(fields, report, times));
  const asked = read();
  const readAfter = async (after?: string): Promise<SearchPage<RunView<never, never, Times>>> => {
    const settings = await asked;
    return readPage(broker, after === undefined ? settings : { ...settings, after });
  };
  return createListing(readAfter(), readAfter);
}

interface SearchSettings extends PageSettings<Times>, Filter {}

async function readPage(
  broker: Broker,
  { listed, times, after, limit, matches }: SearchSettings,
): Promise<SearchPage<RunView<never, never, Times>>> {
  const source = createListSource(broker, listed);
  const page = await scan(source, { after, limit, matches, maxBytes: MAX_SEARCHED_BYTES });
  const style = { writeInstant: instantWriter(times), payloads: 'include' } as const;
  const { searched, next } = page;
  const found = { runs: page.runs.map((run) => viewRun(run, style)), searched };
  return next === undefined ? { ...found, isComplete: true } : { ...found, isComplete: false, next };
}

function readSearch(fields: Fields, report: Report, times: Times): SearchSettings {
  const { listed, matches } = readFilter(fields, report);
  const text = fields.optional('text', A_TEXT);
  const from = readInstant(fields, 'from') ?? -Infinity;
  const to = readInstant(fields, 'to') ?? Infinity;
  if (from > to) fields.fail('to', 'must not be earlier than from', 'Swap them, or leave one out.');
  const isTimed = from > -Infinity || to < Infinity;
  return {
    ...readPageOptions<Times>(fields, times),
    listed,
    matches: allOf([
      matches,
      isTimed ? ({ endedAt, submittedAt }) => isWithin(endedAt ?? submittedAt, from, to) : undefined,
      text === undefined ? undefined : hasText(text.toLowerCase()),
    ]),
  };
}

function isWithin(at: number | undefined, from: number, to: number): boolean {
  return at !== undefined && at >= from && at < to;
}

function hasText(text: string): (run: Run) => boolean {
  const isIn = (other: string): boolean => other.toLowerCase().includes(text);
  return ({ id, payload, errors }) =>
    isIn(id) || errors.some(({ name, message }) => isIn(name) || isIn(message)) || isIn(payload);
}

const A_TEXT = {
  accepts: (value: unknown): value is string =>
    typeof value === 'string' && value.length >= 1 && value.length <= MAX_TEXT_LENGTH,
  message: `must be text of 1 to ${MAX_TEXT_LENGTH} units`,
  cure: 'Leave it out to search by the other options only.',
};
