import { randomUUID } from 'node:crypto';
import type { Policy } from '@retry/core';
import { preview } from '@retry/core';
import type { Broker, Operation, OperationFilter, Run } from '@retry/core/broker';
import { allowedAttempts, QUEUE_SYNONYMS, readOptions, settingsOf } from '@retry/core/fields';
import { taskOfLane } from '../../task/lane.ts';
import type { AnyTask } from '../../task/task.ts';
import { matchesLetter, queryAt } from '../operate/letter-query.ts';
import { readByIds } from '../read-runs.ts';
import type { ApplyOptions } from './apply-options.ts';
import { APPLY_KEYS, readApply } from './apply-options.ts';
import type { CountedLetters, PlannedGroup } from './count-letters.ts';
import { countLetters, countRuns, letterPages } from './count-letters.ts';
import type { PlanFilter, PlanSettings } from './plan-options.ts';
import { PLAN_KEYS, readPlan } from './plan-options.ts';
import type { Operations, OperationWaitOptions } from './queue-operations.ts';

/** The method of dead letters that plans before it acts. */
export interface PlannedDeadLetters {
  /**
   * Returns what a redrive or discard of the selected dead letters would do: how many, by cause and by task, and what load that is.
   * Nothing is changed before `plan.apply()`.
   *
   * @throws {InvalidOptionsError} for an empty filter: `{ all: true }` selects every one of the state
   */
  readonly plan: (filter: PlanFilter) => Promise<Plan>;
}

/** What a redrive or discard of many dead letters would do. Nothing is changed before `apply`. */
export interface Plan {
  /** The instant of the plan by the broker's clock, in epoch milliseconds: it covers what ended before. */
  readonly at: number;
  /** How many dead letters it covers. */
  readonly count: number;
  /** `false`: there are at least `count`; counting ended at `countUpTo`. */
  readonly isComplete: boolean;
  /** Its causes, by the fingerprint of the latest error, largest first. */
  readonly groups: readonly PlannedGroup[];
  /** The one with most dead letters first; each version by itself. */
  readonly tasks: readonly PlannedTask[];
  /** The ids of the first of them, at most ten. */
  readonly firstIds: readonly string[];
  /** What a redrive of them would add to what the lanes start now. */
  readonly load: PlannedLoad;
  /**
   * Begins to redrive, or to discard, what the plan covers, and returns the operation; this process or any worker carries it on.
   * Runs that changed since the plan are skipped.
   *
   * @throws {InvalidOptionsError} for wrong options
   * @throws {OperationError} `TOO_MANY_OPERATIONS`
   */
  readonly apply: (options?: ApplyOptions) => Promise<AppliedOperation>;
}

/** An operation that was just applied. */
export interface AppliedOperation extends Operation {
  /** Resolves when it is done or cancelled, as `queue.operations.wait` does. */
  readonly wait: (options?: OperationWaitOptions) => Promise<Operation>;
}

/** The dead letters of one task in a plan. */
export interface PlannedTask {
  /** The task's name. */
  readonly task: string;
  /** The task's version. */
  readonly version: string;
  /** How many dead letters of the plan it has, ≥ 1. */
  readonly count: number;
  /** Runs that were submitted with a policy of their own. */
  readonly ownPolicies: number;
  /** The policy of the task now; absent where neither `task` nor `tasks` named it. */
  readonly policy?: Policy;
  /**
   * How long after its start a run that fails at each attempt is dead again, at most, by the policy of the task: `Infinity` where it
   * may retry for ever.
   */
  readonly deadAgainAfterMs?: number;
}

/** What the plan adds to what flows already. */
export interface PlannedLoad {
  /** How many runs that are: the `count` of the plan. */
  readonly runs: number;
  /** The attempts if each of them fails; absent where a policy is not known, as those of runs with policies of their own. */
  readonly maxAttempts?: number;
  /** Attempts that start per second now in these lanes; absent where no worker has reported. */
  readonly startsPerSecond?: number;
}

/** Returns what a redrive or discard of the selected dead letters would do. @throws {InvalidOptionsError} for a wrong filter */
export async function createPlan(broker: Broker, operations: Operations, filter: PlanFilter): Promise<Plan> {
  const call = { subject: 'deadLetters.plan', keys: PLAN_KEYS, synonyms: QUEUE_SYNONYMS };
  const settings = readOptions(filter, call, readPlan);
  const at = Math.floor((await broker.exchange({})).now);
  const dated = { ...settings, query: queryAt(settings, at) };
  const { filter: planned, counted } = await count(broker, dated, at);
  const { groups, lanes, firstIds, isComplete } = counted;
  const tasks = lanes.map((lane) => plannedTask(lane, settings.tasks));
  const apply = async (options: ApplyOptions = {}): Promise<AppliedOperation> => {
    const given = { task: settings.task, isComplete };
    const subject = { subject: 'plan.apply', keys: APPLY_KEYS, synonyms: QUEUE_SYNONYMS };
    const applied = readOptions(options, subject, (fields) => readApply(fields, given));
    const id = randomUUID();
    const request = { id, filter: planned, planned: counted.count, isPlanExact: isComplete, ...applied };
    const operation = await operations.begin(request);
    return { ...operation, wait: (wait) => operations.wait(id, wait) };
  };
  const load = await loadOf(broker, tasks, counted);
  return { at, count: counted.count, isComplete, groups, tasks, firstIds, load, apply };
}

interface Counted {
  readonly filter: OperationFilter;
  readonly counted: CountedLetters;
}

/** Counts by the index of the dead letters, or where runs are named or limited in number, by the runs. */
async function count(broker: Broker, settings: PlanSettings, at: number): Promise<Counted> {
  const { ids, first, state = 'failed', query, countUpTo } = settings;
  const endedBefore = Math.min(query.endedBefore ?? at, at);
  const filter: OperationFilter = { ...query, state, endedBefore };
  if (ids === undefined && first === undefined)
    return { filter, counted: await countLetters(broker, filter, countUpTo) };
  const runs =
    ids === undefined
      ? await firstOf(broker, filter, first ?? 0)
      : await named(broker, { ...settings, ids }, endedBefore);
  return { filter: { ...filter, ids: runs.map(({ id }) => id) }, counted: countRuns(runs) };
}

async function firstOf(broker: Broker, filter: OperationFilter, first: number): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for await (const part of letterPages(broker, filter, () => first - runs.length)) {
    runs.push(...part);
    if (runs.length >= first) break;
  }
  return runs.slice(0, first);
}

async function named(
  broker: Broker,
  { ids, state, query, first = Infinity }: PlanSettings & { readonly ids: readonly string[] },
  endedBefore: number,
): Promise<readonly Run[]> {
  const isSelected = matchesLetter({ ...query, endedBefore }, state);
  const runs: Run[] = [];
  for await (const part of readByIds(broker, ids)) {
    for (const run of part.filter(isSelected)) runs.push({ ...run, payload: '' });
    if (runs.length >= first) break;
  }
  return runs.slice(0, first);
}

function plannedTask(
  { lane, count: runs, ownPolicies }: CountedLetters['lanes'][number],
  tasks: readonly AnyTask[],
): PlannedTask {
  const known = tasks.find((task) => task.lane === lane);
  const { name: task, version } = taskOfLane(lane);
  const named = { task, version, count: runs, ownPolicies };
  if (known === undefined) return named;
  return { ...named, policy: known.retry, deadAgainAfterMs: preview(known.retry, { limit: 0 }).total.maxMs };
}

async function loadOf(
  broker: Broker,
  tasks: readonly PlannedTask[],
  { count: runs, lanes }: CountedLetters,
): Promise<PlannedLoad> {
  let maxAttempts: number | undefined = 0;
  for (const { policy, ownPolicies, count: each } of tasks) {
    const isKnown = policy !== undefined && ownPolicies === 0;
    maxAttempts =
      isKnown && maxAttempts !== undefined
        ? maxAttempts + each * allowedAttempts(settingsOf(policy))
        : undefined;
  }
  const names = lanes.slice(0, 1_000).map(({ lane }) => lane);
  const report = names.length === 0 ? undefined : await broker.figures?.({ lanes: { lanes: names } });
  const rates = (report?.lanes.lanes ?? []).flatMap(({ rates: reported }) =>
    reported === undefined ? [] : [reported],
  );
  const startsPerSecond = rates.reduce((sum, { starts }) => sum + starts.perSecond, 0);
  return {
    runs,
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(rates.length > 0 && { startsPerSecond }),
  };
}
