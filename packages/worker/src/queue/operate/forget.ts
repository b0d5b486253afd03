import type { Duration } from '@retry/core';
import type { Broker, Run } from '@retry/core/broker';
import type { Fields, Report } from '@retry/core/fields';
import { isListOf, QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import type { EndState } from '@retry/core/lifecycle';
import { DEAD_LETTER_STATES } from '@retry/core/lifecycle';
import type { AnyTask } from '../../task/task.ts';
import { readByIds, readByList } from '../read-runs.ts';
import { MAX_LIMIT, SETTLED_STATES } from '../views/list-options.ts';
import { readTaskFilter, taskQuery } from '../views/task-filter.ts';
import { A_LIMIT, readAge, readIds } from './dead-letter-filter.ts';
import type { Ages, LetterQuery } from './letter-query.ts';
import { listedBy, matchesListed, queryNow } from './letter-query.ts';
import { discardSelected, selected } from './selected-runs.ts';

/** Selects ended runs: those that match every given field; one of `ids`, `task`, `olderThan` and `state`, or `all: true`, is required. */
export interface ForgetFilter {
  /** Only these runs; in any of the states unless `state` is given. */
  readonly ids?: readonly string[] | undefined;
  /** A task, or the name of one: then runs of all its versions, unless `version` is given. */
  readonly task?: AnyTask | string | undefined;
  /** Only runs of this version; needs `task`. */
  readonly version?: string | undefined;
  /** Only runs that ended at least this long ago. */
  readonly olderThan?: Duration | undefined;
  /** @default completed, cancelled and dropped ones: dead letters only where their state is given, or their id */
  readonly state?: EndState | readonly EndState[] | undefined;
  /** 1 to 100 000. @default as many as there are */
  readonly limit?: number | undefined;
  /** Selects every run of the states. @default false */
  readonly all?: boolean | undefined;
  /** Returns the ids that would be forgotten, and forgets nothing. @default false */
  readonly dryRun?: boolean | undefined;
}

/** The method of a queue that deletes what has ended. */
export interface Forgetting {
  /**
   * Deletes ended runs for good, before retention does; their keys stay known as those of other forgotten runs. Runs that have not
   * ended are left as they are.
   *
   * @returns the ids that were, or with `dryRun` would be, forgotten
   * @throws {InvalidOptionsError} for an empty filter, or when a field is wrong
   */
  readonly forget: (filter: ForgetFilter) => Promise<readonly string[]>;
}

const KEYS: readonly (keyof ForgetFilter)[] = [
  ...(['ids', 'task', 'version', 'olderThan', 'state', 'limit', 'all', 'dryRun'] as const),
];

/** A checked filter. */
interface Selection {
  readonly ids: readonly string[] | undefined;
  /** `undefined`: any of the named runs, else those that are no dead letters. */
  readonly states: readonly EndState[] | undefined;
  readonly query: LetterQuery;
  readonly ages: Ages;
  readonly limit: number;
  readonly dryRun: boolean;
}

/** Creates the method of a queue that deletes ended runs: a page is read and deleted before the next one is. */
export function createForgetting(broker: Broker): Forgetting {
  return {
    forget: async (filter) => {
      const call = { subject: 'queue.forget', keys: KEYS, synonyms: QUEUE_SYNONYMS };
      const selection = readOptions(filter, call, readForget);
      const query = await queryNow(broker, selection);
      const isSelected = matches(selection, query);
      const forgotten: string[] = [];
      for await (const page of pages(broker, selection, query)) {
        const runs = page.flatMap((run) => (run !== undefined && isSelected(run) ? [selected(run)] : []));
        const some = runs.slice(0, selection.limit - forgotten.length);
        forgotten.push(
          ...(selection.dryRun ? some.map(({ id }) => id) : await discardSelected(broker, some)),
        );
        if (forgotten.length >= selection.limit) break;
      }
      return forgotten;
    },
  };
}

function readForget(fields: Fields, report: Report): Selection {
  const isAll = fields.choice('all', false, [true, false]);
  if (!isAll && SELECTING.every((key) => fields.value(key) === undefined)) {
    const cure =
      'Name ids, task, olderThan or state; all: true means every completed, cancelled and dropped run.';
    fields.fail('', 'must select runs', cure);
  }
  const filter = readTaskFilter(fields, report);
  const olderThanMs = readAge(fields, 'olderThan');
  return {
    ids: readIds(fields, report),
    states: readStates(fields),
    query: taskQuery(filter),
    ages: { olderThanMs, newerThanMs: undefined },
    limit: fields.value('limit') === undefined ? Infinity : fields.number('limit', undefined, A_FORGET_LIMIT),
    dryRun: fields.choice('dryRun', false, [true, false]),
  };
}

const A_FORGET_LIMIT = { ...A_LIMIT, cure: 'Leave it out for as many as there are.' };
const SELECTING: readonly (keyof ForgetFilter)[] = ['ids', 'task', 'olderThan', 'state'];

function readStates(fields: Fields): readonly EndState[] | undefined {
  const value = fields.value('state');
  if (value === undefined) return undefined;
  const asked: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (asked.length > 0 && isListOf(asked, isEndedState)) return [...new Set(asked.filter(isEndedState))];
  const cure = `Use one or more of ${ENDED_STATES.join(', ')}.`;
  fields.fail('state', 'must be a state in which runs end, or a list of them', cure);
  return undefined;
}

/** The states in which runs end, those that need no operator's attention first. */
const ENDED_STATES: readonly EndState[] = [...SETTLED_STATES, ...DEAD_LETTER_STATES];

function isEndedState(state: unknown): state is EndState {
  return ENDED_STATES.some((known) => known === state);
}

function matches({ states }: Selection, query: LetterQuery): (run: Run) => boolean {
  const { lane, endedBefore = Infinity } = query;
  const isListed = matchesListed(query);
  return (run) =>
    isEndedState(run.state) &&
    (states?.includes(run.state) ?? true) &&
    (lane === undefined || run.lane === lane) &&
    (run.endedAt ?? Infinity) < endedBefore &&
    isListed(run);
}

async function* pages(
  broker: Broker,
  { ids, states = SETTLED_STATES }: Selection,
  query: LetterQuery,
): AsyncGenerator<readonly (Run | undefined)[]> {
  if (ids !== undefined) return yield* readByIds(broker, ids);
  for (const state of states)
    yield* readByList(broker, { ...listedBy(query), state, payloads: 'omit' }, () => MAX_LIMIT);
}
