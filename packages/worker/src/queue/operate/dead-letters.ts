import type { Clock } from '@retry/core';
import { isEligible } from '@retry/core';
import type { Broker, ListQuery, Run } from '@retry/core/broker';
import { QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import { sleep } from '../../sleep.ts';
import { taskOfRun } from '../../task/run-policy.ts';
import { inBatches } from '../batch.ts';
import { createRunReader } from '../read-runs.ts';
import type {
  DeadLetterFilter,
  DiscardFilter,
  RedriveFilter,
  RedriveSettings,
  Selection,
} from './dead-letter-filter.ts';
import {
  DEAD_LETTER_STATES,
  DISCARD_KEYS,
  LIST_KEYS,
  REDRIVE_KEYS,
  readChoice,
  readRedrive,
  readSelection,
} from './dead-letter-filter.ts';

/** Manages failed, stalled and rate limited runs, which are kept with their errors until they are redriven or discarded. */
export interface DeadLetters {
  /** Returns the selected runs with payloads and errors; without a filter the first hundred that failed. */
  readonly list: (filter?: DeadLetterFilter) => Promise<readonly Run[]>;
  /**
   * Sends the selected runs back to their lanes.
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

/** The most runs of one call. */
const PAGE = 1_000;

/** Creates the dead letters of a broker. */
export function createDeadLetters(broker: Broker, clock: Clock): DeadLetters {
  return {
    list: async (filter) => {
      const call = { subject: 'deadLetters.list', keys: LIST_KEYS, synonyms: QUEUE_SYNONYMS };
      const selection = readOptions(filter, call, (fields, report) => readSelection(fields, report, clock));
      const found: Run[] = [];
      for await (const run of select(broker, selection, 'include')) found.push(run);
      return found;
    },
    redrive: async (filter) => {
      const call = { subject: 'deadLetters.redrive', keys: REDRIVE_KEYS, synonyms: QUEUE_SYNONYMS };
      const settings = readOptions(filter, call, (fields, report) => readRedrive(fields, report, clock));
      const ids = await selectIds(broker, settings, isRedrivable(settings));
      return settings.dryRun ? ids : redriveAll(broker, clock, { ...settings, ids });
    },
    discard: async (filter) => {
      const call = { subject: 'deadLetters.discard', keys: DISCARD_KEYS, synonyms: QUEUE_SYNONYMS };
      const selection = readOptions(filter, call, (fields, report) => readChoice(fields, report, clock));
      const discarded: string[] = [];
      for (const ids of inBatches(await selectIds(broker, selection), { count: PAGE })) {
        const answers = await broker.discard(ids);
        discarded.push(...ids.filter((_, index) => answers[index] === 'discarded'));
      }
      return discarded;
    },
  };
}

/** With `keepAttempts`, a run without attempts left would get one more than its policy allows. */
function isRedrivable({ task, keepAttempts }: RedriveSettings): (run: Run) => boolean {
  return (run) => !keepAttempts || task === undefined || isEligible(taskOfRun(task, run).task.retry, run);
}

async function selectIds(
  broker: Broker,
  selection: Selection,
  isSelected: (run: Run) => boolean = () => true,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const run of select(broker, selection, 'omit')) if (isSelected(run)) ids.push(run.id);
  return ids;
}

/** Yields the selected runs and reads them lazily. */
async function* select(
  broker: Broker,
  selection: Selection,
  payloads: 'include' | 'omit',
): AsyncGenerator<Run> {
  let left = selection.limit;
  const runs = selection.ids === undefined ? listed(broker, selection, payloads) : named(broker, selection);
  for await (const run of runs) {
    yield run;
    left -= 1;
    if (left === 0) return;
  }
}

/** Starts with a page of the needed size, and grows it while pages are too short. */
async function* listed(
  broker: Broker,
  { query, state = 'failed', limit }: Selection,
  payloads: 'include' | 'omit',
): AsyncGenerator<Run> {
  let size = Math.min(limit, PAGE);
  let after: string | undefined;
  for (;;) {
    const asked: ListQuery = { ...query, state, limit: size, payloads, disposable: 'omit' };
    const page = await broker.list(after === undefined ? asked : { ...asked, after });
    yield* page.runs;
    after = page.next;
    // A page may be short, or empty: only one without a next page is the last.
    if (after === undefined) return;
    size = Math.min(size * 2, PAGE);
  }
}

/** Yields the runs of these ids that are dead letters and match. */
async function* named(broker: Broker, { ids = [], state, query }: Selection): AsyncGenerator<Run> {
  const reader = createRunReader(broker);
  const { lane, errorName, endedBefore = Infinity } = query;
  const isSelected = (run: Run): boolean =>
    DEAD_LETTER_STATES.some((known) => known === run.state && (state ?? known) === known) &&
    (lane === undefined || run.lane === lane) &&
    (errorName === undefined || run.errors.at(-1)?.name === errorName) &&
    (run.endedAt ?? Infinity) < endedBefore;
  for (let from = 0; from < ids.length; ) {
    const part = ids.slice(from, from + reader.size());
    for (const run of await reader.read(part)) if (run !== undefined && isSelected(run)) yield run;
    from += part.length;
  }
}

interface Redrive extends Pick<RedriveSettings, 'perSecond' | 'keepAttempts' | 'signal'> {
  readonly ids: readonly string[];
}

async function redriveAll(broker: Broker, clock: Clock, redrive: Redrive): Promise<readonly string[]> {
  const { ids, perSecond, keepAttempts, signal } = redrive;
  const count = Math.max(Math.floor(Math.min(perSecond, PAGE)), 1);
  const redriven: string[] = [];
  for (let from = 0; from < ids.length && signal?.aborted !== true; from += count) {
    const part = ids.slice(from, from + count);
    const answers = await broker.redrive(part, { keepAttempts });
    redriven.push(...part.filter((_, index) => answers[index] === 'redriven'));
    const isLast = from + count >= ids.length;
    if (!isLast && perSecond < Infinity) await sleep(clock, (count / perSecond) * 1_000, signal);
  }
  return redriven;
}
