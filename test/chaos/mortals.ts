import { writeFileSync } from 'node:fs';
import type { Broker, ErrorGroup, Operation, OperationRequest, Run } from '@retry/core/broker';
import { getOperation, listOperations, putOperation } from '@retry/core/broker/kit';
import { fingerprint } from '@retry/core/failures';
import type { Queue } from '@retry/worker';
import { MORTALS } from './plan.ts';
import type { chaosTasks } from './tasks.ts';
import { failureOf, MORTAL_ATTEMPTS } from './tasks.ts';

type Mortal = ReturnType<typeof chaosTasks>['mortal'];

const LANE = 'chaos-mortal@1';

/** When an earlier system is said to have started each run. */
const FIRST_STARTED_AT = 1_000;

/** What became of the runs that die. */
export interface MortalEvidence {
  /** In the order of their numbers. */
  readonly runs: readonly (Run | undefined)[];
  readonly groups: readonly ErrorGroup[];
  readonly planned: readonly Planned[];
}

/** An operation, and the runs that it was to move. */
export interface Planned {
  readonly operation: Operation | undefined;
  readonly ids: readonly string[];
}

/** What is done to the dead letters of some causes, by their numbers. The others stay dead. */
const PLANS: readonly Pick<OperationRequest, 'id' | 'kind' | 'perSecond'>[] = [
  { id: 'paced', kind: 'redrive', perSecond: 12 },
  { id: 'fast', kind: 'redrive' },
  { id: 'discard', kind: 'discard' },
];

/** Submits runs that bring attempts of another system along, and a context. Returns their ids. */
export async function submitMortals(queue: Queue, task: Mortal): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let from = 0; from < MORTALS; from += 1_000) {
    const numbers = Array.from({ length: Math.min(1_000, MORTALS - from) }, (_, index) => from + index);
    const submitted = await Promise.all(
      numbers.map((number) => queue.submit(task, number, broughtBy(number))),
    );
    ids.push(...submitted.map(({ id }) => id));
  }
  return ids;
}

function broughtBy(number: number) {
  const attempts = number % MORTAL_ATTEMPTS;
  const errors = [{ name: 'Error', message: 'elsewhere', at: FIRST_STARTED_AT + 5 }];
  return {
    context: `trace-${number}`,
    ...(attempts > 0 && { spent: { attempts, errors, firstStartedAt: FIRST_STARTED_AT } }),
  };
}

/**
 * Mends what the runs of the first causes die of, and begins an operation on the dead letters of each. No process of ours carries one
 * on: the workers do, which are killed meanwhile.
 */
export async function beginOperations(broker: Broker, healed: string): Promise<readonly Planned[]> {
  writeFileSync(healed, '');
  const planned: Planned[] = [];
  for (const [cause, plan] of PLANS.entries()) {
    const { now } = await broker.exchange({});
    const errorGroup = fingerprint(failureOf(cause)).id;
    const filter = { state: 'failed', lane: LANE, errorGroup, endedBefore: now } as const;
    const ids = await listAll(broker, filter);
    await putOperation(broker, { ...plan, filter, planned: ids.length, isPlanExact: true });
    planned.push({ operation: await getOperation(broker, plan.id), ids });
  }
  return planned;
}

async function listAll(broker: Broker, filter: OperationRequest['filter']): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const asked = { ...filter, limit: 1_000, payloads: 'omit' } as const;
    const { runs, next } = await broker.list(after === undefined ? asked : { ...asked, after });
    ids.push(...runs.map(({ id }) => id));
    if (next === undefined) return ids;
    after = next;
  }
}

/** Whether nothing is left to carry on. */
export async function areOperationsDone(broker: Broker): Promise<boolean> {
  return (await listOperations(broker)).every(({ endedAt }) => endedAt !== undefined);
}

/** Reads what became of them. */
export async function readMortals(
  broker: Broker,
  runs: readonly (Run | undefined)[],
  planned: readonly Planned[],
): Promise<MortalEvidence> {
  const page = (await broker.figures?.({ groups: { lane: LANE, limit: 1_000 } }))?.groups;
  const read = planned.map(async ({ operation, ids }) => ({
    operation: operation && (await getOperation(broker, operation.id)),
    ids,
  }));
  return { runs, groups: page?.groups ?? [], planned: await Promise.all(read) };
}

/** Promises that were broken. */
export function findBrokenMortals({ runs, groups, planned }: MortalEvidence): readonly string[] {
  const byId = new Map(runs.flatMap((run) => (run === undefined ? [] : [[run.id, run] as const])));
  const changed = runs.filter((run, number) => run !== undefined && !isAsSubmitted(run, number)).length;
  const many = [...byId.values()].filter(isOvercharged).length;
  const again = [...byId.values()].filter(({ redrives }) => redrives > 1).length;
  const done = (kind: OperationRequest['kind']): number =>
    planned.reduce((sum, { operation }) => sum + (operation?.kind === kind ? operation.done : 0), 0);
  const redriven = [...byId.values()].reduce((sum, { redrives }) => sum + redrives, 0);
  const left = planned.reduce((sum, { operation, ids }) => sum + countLeft(byId, operation, ids), 0);
  return [
    ...(changed > 0 ? [`${changed} runs have lost what they brought along`] : []),
    ...(many > 0 ? [`${many} runs had more attempts than they may have`] : []),
    ...(again > 0 ? [`${again} runs were redriven more than once`] : []),
    ...(left > 0 ? [`${left} runs that were planned were not moved`] : []),
    ...(redriven !== done('redrive')
      ? [`${redriven} runs were redriven, ${done('redrive')} are counted`]
      : []),
    ...(runs.length - byId.size !== done('discard')
      ? [`${runs.length - byId.size} runs were discarded, ${done('discard')} are counted`]
      : []),
    ...planned
      .filter(({ operation }) => operation?.state !== 'done')
      .map(({ operation }) => `the operation ${operation?.id} is ${operation?.state}`),
    ...wrongGroups([...byId.values()], groups),
  ];
}

/**
 * A redrive that starts from 0 forgets the attempts that were brought along, and only these; a run that has been tried since may have
 * a first start of its own.
 */
function isAsSubmitted(run: Run, number: number): boolean {
  const { context, carried, firstStartedAt = 0, redrives, createdAt = Infinity } = run;
  const brought = number % MORTAL_ATTEMPTS;
  if (context !== `trace-${number}`) return false;
  if (carried !== (redrives === 0 ? brought : 0)) return false;
  if (brought === 0 || firstStartedAt === FIRST_STARTED_AT) return true;
  return redrives > 0 && firstStartedAt >= createdAt;
}

function isOvercharged({ carried, failures, stalls }: Run): boolean {
  return carried + failures + stalls > MORTAL_ATTEMPTS;
}

/** How many planned runs are as they were. */
function countLeft(
  byId: ReadonlyMap<string, Run>,
  operation: Operation | undefined,
  ids: readonly string[],
): number {
  if (operation?.kind === 'discard') return ids.filter((id) => byId.has(id)).length;
  return ids.filter((id) => byId.get(id)?.redrives !== 1).length;
}

/** Compares the groups with the dead letters, each counted by hand under the fingerprint of its latest error. */
function wrongGroups(runs: readonly Run[], groups: readonly ErrorGroup[]): readonly string[] {
  const byHand = new Map<string, { count: number; attempts: number; lastSeenAt: number }>();
  for (const { state, errors, failures, stalls, endedAt = 0 } of runs) {
    if (state !== 'failed') continue;
    const { id } = fingerprint(errors.at(-1));
    const { count = 0, attempts = 0, lastSeenAt = 0 } = byHand.get(id) ?? {};
    const latest = Math.max(lastSeenAt, endedAt);
    byHand.set(id, { count: count + 1, attempts: attempts + failures + stalls, lastSeenAt: latest });
  }
  const seen = new Set(groups.map(({ id }) => id));
  const missing = [...byHand.keys()].filter((id) => !seen.has(id)).map((id) => `the group ${id} is missing`);
  const wrong = groups.flatMap(({ id, title, count, attempts, lastSeenAt }) => {
    const own = byHand.get(id);
    // A run that has left may have been the latest one.
    if (own?.count === count && own.attempts === attempts && lastSeenAt >= own.lastSeenAt) return [];
    return [
      `the group ${title} has ${count} dead letters with ${attempts} attempts, not ${JSON.stringify(own)}`,
    ];
  });
  return [...missing, ...wrong];
}
