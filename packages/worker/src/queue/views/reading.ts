import type { Broker } from '@retry/core/broker';
import { QUEUE_SYNONYMS, readOptions } from '@retry/core/fields';
import type { TaskFor } from '../../task/task.ts';
import { isTask } from '../../task/task.ts';
import { readRunId } from '../results/wait-options.ts';
import type { Submitted } from '../submission.ts';
import type { ListOptions, ViewOptions } from './list-options.ts';
import { LIST_KEYS, readListOptions, VIEW_KEYS } from './list-options.ts';
import type { Listed } from './list-runs.ts';
import { listRuns } from './list-runs.ts';
import type { Listing } from './listing.ts';
import type { RunResult } from './run-result.ts';
import { runResult } from './run-result.ts';
import type { RunView } from './run-view.ts';
import { viewRun } from './run-view.ts';
import type { SearchOptions, SearchPage } from './search.ts';
import { searchRuns } from './search.ts';
import { createListSource } from './sources.ts';
import type { Times } from './times.ts';
import { instantWriter, readTimes } from './times.ts';

/** The methods of a queue that return runs. `Own` is how the queue writes instants. */
export interface RunReading<Own extends Times = 'ms'> {
  /**
   * Returns a run as people read it; `undefined` when there is none. Given a task, the view has the types of its payload and result,
   * and there is none for a run of another task. Another version is returned, too.
   */
  readonly get: GetRun<Own>;
  /** Returns the run's state, result, attempts, retries and errors so far; `undefined` when there is no such run. */
  readonly result: (run: Submitted | string) => Promise<RunResult<Own> | undefined>;
  /**
   * Lists runs in any state: `await` it for a page, or iterate over it for all. Within a state they have the order of the broker's
   * `list`.
   *
   * A page is bounded: where only some runs match it may be short, or empty. Only a page without `next` is the last.
   *
   * @throws {InvalidOptionsError} when an option is wrong
   */
  readonly list: ListRuns<Own>;
  /**
   * Searches runs by text, task, attempt, state and time: `await` it for a page, or iterate over it for all. A page looks at 10 000
   * runs and 32 MiB of them, or a little more; it says how many it looked at, and whether these were all.
   *
   * @throws {InvalidOptionsError} when an option is wrong
   */
  readonly search: SearchRuns<Own>;
}

/** Returns one run. */
export interface GetRun<Own extends Times> {
  <Result = unknown, At extends Times = Own>(
    run: Submitted<Result> | string,
    options?: ViewOptions<At>,
  ): Promise<RunView<unknown, Result, At> | undefined>;
  <Payload, Result, At extends Times = Own>(
    task: TaskFor<Payload, Result>,
    run: Submitted | string,
    options?: ViewOptions<At>,
  ): Promise<RunView<Payload, Result, At> | undefined>;
}

/** Lists runs. */
export interface ListRuns<Own extends Times> {
  <Payload, Result, At extends Times = Own>(
    options: ListOptions<At> & { readonly task: TaskFor<Payload, Result> },
  ): Listing<RunView<Payload, Result, At>>;
  <At extends Times = Own>(options?: ListOptions<At>): Listing<RunView<unknown, unknown, At>>;
}

/** Searches runs. */
export interface SearchRuns<Own extends Times> {
  <Payload, Result, At extends Times = Own>(
    options: SearchOptions<At> & { readonly task: TaskFor<Payload, Result> },
  ): Searching<RunView<Payload, Result, At>>;
  <At extends Times = Own>(options?: SearchOptions<At>): Searching<RunView<unknown, unknown, At>>;
}

/** The pages of a search. */
type Searching<View> = Listing<View, SearchPage<View>>;

interface Parts<Own extends Times> {
  readonly broker: Broker;
  readonly times: Own;
}

/** Creates the reading methods over a broker. */
export function createReading<Own extends Times>(parts: Parts<Own>): RunReading<Own> {
  return {
    get: (async (...args: readonly unknown[]) => {
      // A task may come first.
      const [first, second] = args;
      return isTask(first)
        ? getRun(parts, { task: first.name, run: second, options: args[2] })
        : getRun(parts, { task: undefined, run: first, options: second });
    }) as GetRun<Own>, // the caller's types say how instants are written
    result: async (run) => {
      const [found] = await parts.broker.get([readRunId(run, 'result')]);
      return found && runResult(found, instantWriter(parts.times));
    },
    list: ((options?: unknown) => listOf(parts, options)) as ListRuns<Own>, // as above
    search: ((options?: unknown) => searchRuns(parts.broker, parts.times, options)) as SearchRuns<Own>, // as above
  };
}

/** The arguments of `get`. */
interface Asked {
  /** The name of the task that the run has to be of. */
  readonly task: string | undefined;
  readonly run: unknown;
  readonly options: unknown;
}

async function getRun<Own extends Times>(
  { broker, times: own }: Parts<Own>,
  { task, run, options }: Asked,
): Promise<RunView<never, never, Times> | undefined> {
  const id = readRunId(run, 'get');
  const call = { subject: 'get', keys: VIEW_KEYS };
  const times = options === undefined ? own : readOptions(options, call, (fields) => readTimes(fields, own));
  const [found] = await broker.get([id]);
  const view = found && viewRun(found, { writeInstant: instantWriter(times), payloads: 'include' });
  return task === undefined || view?.task === task ? view : undefined;
}

function listOf<Own extends Times>({ broker, times }: Parts<Own>, options: unknown): Listed<Times> {
  const call = { subject: 'list', keys: LIST_KEYS, synonyms: QUEUE_SYNONYMS };
  return listRuns(async () => {
    const settings = readOptions(options, call, (fields, report) => readListOptions(fields, report, times));
    return { ...settings, source: createListSource(broker, settings.listed) };
  });
}
