import type { Broker, Run } from '@retry/core/broker';
import { QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import { hasAttemptsLeft } from '../../task/run-policy.ts';
import type { TaskFor } from '../../task/task.ts';
import { readByIds, readByList } from '../read-runs.ts';
import type { Listed } from '../views/list-runs.ts';
import { listRuns } from '../views/list-runs.ts';
import type { Listing } from '../views/listing.ts';
import type { RunView } from '../views/run-view.ts';
import { createIdSource, createListSource } from '../views/sources.ts';
import type { Times } from '../views/times.ts';
import type {
  DeadLetterListOptions,
  DiscardFilter,
  RedriveFilter,
  RedriveSettings,
  Selection,
} from './dead-letter-filter.ts';
import {
  DISCARD_KEYS,
  LETTER_KEYS,
  REDRIVE_CURES,
  REDRIVE_KEYS,
  readChoice,
  readLetterPage,
  readRedrive,
} from './dead-letter-filter.ts';
import type { ListLetterGroups } from './letter-groups.ts';
import { listLetterGroups } from './letter-groups.ts';
import { isWhollyListed, listedBy, matchesLetter, matchesListed, queryNow } from './letter-query.ts';
import type { SelectedRun } from './selected-runs.ts';
import { discardSelected, MAX_SELECTED_TOGETHER, redriveSelected, selected } from './selected-runs.ts';

/** Manages failed, stalled and rate limited runs, which are kept with their errors until they are redriven or discarded. */
export interface DeadLetters<Own extends Times = 'ms'> {
  /**
   * Lists the selected runs as people read them; without a filter those that failed. `await` it for a page, or iterate over it for
   * all, as with `queue.list`.
   *
   * @throws {InvalidOptionsError} when an option is wrong
   */
  readonly list: ListDeadLetters<Own>;
  /**
   * Returns the dead letters by cause: a page of groups, those with most of them first. They are counted when runs die, so it takes
   * one read of an index, however many there are. Where only the name of a task is given, a page may be short, or empty: only one
   * without `next` is the last.
   *
   * @throws {InvalidOptionsError} when an option is wrong
   * @throws {InsightError} `NO_INSIGHT` when the broker keeps no groups
   */
  readonly groups: ListLetterGroups<Own>;
  /**
   * Sends the selected runs back to their lanes now. At a rate, or whichever process dies, `plan` does so.
   *
   * @returns the ids that were, or with `dryRun` would be, redriven
   * @throws {InvalidOptionsError} for an empty filter: `{ all: true }` selects every one of the state
   */
  readonly redrive: (filter: RedriveFilter) => Promise<readonly string[]>;
  /**
   * Deletes the selected runs for good.
   *
   * @returns the ids that were deleted
   * @throws {InvalidOptionsError} for an empty filter: `{ all: true }` selects every one of the state
   */
  readonly discard: (filter: DiscardFilter) => Promise<readonly string[]>;
}

/** Lists dead letters. */
export interface ListDeadLetters<Own extends Times> {
  <Payload, Result, At extends Times = Own>(
    options: DeadLetterListOptions<At> & { readonly task: TaskFor<Payload, Result> },
  ): Listing<RunView<Payload, Result, At>>;
  <At extends Times = Own>(options?: DeadLetterListOptions<At>): Listing<RunView<unknown, unknown, At>>;
}

interface Parts<Own extends Times> {
  readonly broker: Broker;
  readonly times: Own;
}

/** The most runs of one page. */
const PAGE = MAX_SELECTED_TOGETHER;

/** Creates the dead letters of a broker. */
export function createDeadLetters<Own extends Times>(parts: Parts<Own>): DeadLetters<Own> {
  const { broker } = parts;
  return {
    list: ((options?: unknown) => listLetters(parts, options)) as ListDeadLetters<Own>, // the caller's types say how instants are written
    groups: ((options?: unknown) => listLetterGroups(broker, parts.times, options)) as ListLetterGroups<Own>, // as above
    redrive: async (filter) => {
      const call = {
        subject: 'deadLetters.redrive',
        keys: REDRIVE_KEYS,
        cures: REDRIVE_CURES,
        synonyms: QUEUE_SYNONYMS,
      };
      const settings = readOptions(filter, call, readRedrive);
      const runs = await selectRuns(broker, settings, isRedrivable(settings));
      return settings.dryRun ? runs.map(({ id }) => id) : redriveSelected(broker, runs, settings);
    },
    discard: async (filter) => {
      const call = { subject: 'deadLetters.discard', keys: DISCARD_KEYS, synonyms: QUEUE_SYNONYMS };
      const selection = readOptions(filter, call, readChoice);
      return discardSelected(broker, await selectRuns(broker, selection));
    },
  };
}

function listLetters<Own extends Times>({ broker, times }: Parts<Own>, options: unknown): Listed<Times> {
  const call = { subject: 'deadLetters.list', keys: LETTER_KEYS, synonyms: QUEUE_SYNONYMS };
  return listRuns(async () => {
    const page = readOptions(options, call, (fields, report) => readLetterPage<Times>(fields, report, times));
    const { ids, state = 'failed', payloads } = page;
    const query = await queryNow(broker, page);
    if (ids !== undefined)
      return { ...page, source: createIdSource(broker, ids), matches: matchesLetter(query, page.state) };
    const listed = { ...listedBy(query), states: [state], payloads, disposable: 'omit' } as const;
    const matches = isWhollyListed(query) ? undefined : matchesListed(query);
    return { ...page, source: createListSource(broker, listed), matches };
  });
}

/** With `keepAttempts`, a run without attempts left would get one more than its policy allows. */
function isRedrivable({ task, keepAttempts }: RedriveSettings): (run: Run) => boolean {
  return (run) => !keepAttempts || task === undefined || hasAttemptsLeft(run, task.retry);
}

async function selectRuns(
  broker: Broker,
  selection: Selection,
  isSelected: (run: Run) => boolean = () => true,
): Promise<readonly SelectedRun[]> {
  const runs: SelectedRun[] = [];
  for await (const run of select(broker, selection)) if (isSelected(run)) runs.push(selected(run));
  return runs;
}

/** Yields the selected runs and reads them lazily. */
async function* select(broker: Broker, selection: Selection): AsyncGenerator<Run> {
  let left = selection.limit;
  const dated = { ...selection, query: await queryNow(broker, selection) };
  const runs = selection.ids === undefined ? listed(broker, dated) : named(broker, dated);
  for await (const run of runs) {
    yield run;
    left -= 1;
    if (left === 0) return;
  }
}

/** Starts with a page of the needed size, and grows it while pages are too short. */
async function* listed(broker: Broker, { query, state = 'failed', limit }: Selection): AsyncGenerator<Run> {
  const isSelected = matchesListed(query);
  const asked = { ...listedBy(query), state, payloads: 'omit', disposable: 'omit' } as const;
  let next = limit;
  const size = (): number => {
    const now = Math.min(next, PAGE);
    next = now * 2;
    return now;
  };
  for await (const runs of readByList(broker, asked, size)) yield* runs.filter(isSelected);
}

/** Yields the runs of these ids that are dead letters and match. */
async function* named(broker: Broker, selection: Selection): AsyncGenerator<Run> {
  const { ids = [], query, state } = selection;
  const isSelected = matchesLetter(query, state);
  for await (const runs of readByIds(broker, ids)) yield* runs.filter(isSelected);
}
