import { setTimeout as rest } from 'node:timers/promises';
import type { Broker, Operation, Run } from '@retry/core/broker';
import { cancelRuns, discardRuns, getOperation, redriveRuns } from '@retry/core/broker/kit';
import type { ApplyOptions } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import fc from 'fast-check';
import { createSteps } from '../../packages/broker-contract/src/case-scene.ts';
import { settlementOf } from '../support/settle.ts';

/** What happens to some runs after the plan and before it is applied. Runs are picked by their number. */
type Meanwhile = readonly ['redrive' | 'discard' | 'die again' | 'cancel' | 'die', number];

/** Runs that die, a plan, what happens meanwhile, and how the plan is applied. */
export interface History {
  readonly runs: readonly { readonly isOfFirst: boolean; readonly error: number; readonly dies: boolean }[];
  readonly filter: 'task' | 'name' | 'errorName' | 'group' | 'both' | 'ids' | 'limit';
  readonly meanwhile: readonly Meanwhile[];
  readonly apply: 'redrive' | 'discard' | 'spread' | 'keepAttempts';
  readonly maxAttempts: number;
}

export const histories: fc.Arbitrary<History> = fc.record({
  runs: fc.array(
    fc.record({
      isOfFirst: fc.boolean(),
      error: fc.nat({ max: 2 }),
      dies: fc.integer({ min: 0, max: 4 }).map((one) => one > 0),
    }),
    { minLength: 1, maxLength: 24 },
  ),
  filter: fc.constantFrom('task', 'name', 'errorName', 'group', 'both', 'ids', 'limit'),
  meanwhile: fc.array(
    fc.tuple(fc.constantFrom('redrive', 'discard', 'die again', 'cancel', 'die'), fc.nat({ max: 23 })),
    { maxLength: 8 },
  ),
  apply: fc.constantFrom('redrive', 'discard', 'spread', 'keepAttempts'),
  maxAttempts: fc.integer({ min: 1, max: 2 }),
});

/** What a history led to, beside what the plan promised. */
export interface Effect {
  /** The states after, by the ids that the plan covered. */
  readonly moved: readonly string[];
  readonly expected: readonly string[];
  readonly operation: Pick<Operation, 'state' | 'done' | 'skipped' | 'planned'>;
  /** The plan counted what there was. */
  readonly isCounted: boolean;
}

/** Plays a history on a broker that other histories share; its tasks and ids have the number of the history. */
export async function playHistory(broker: Broker, number: number, history: History): Promise<Effect> {
  const queue = createQueue({ broker });
  const { claim, settle, submit, now } = createSteps(broker);
  const retry = { maxAttempts: history.maxAttempts };
  const [first, second] = ['one', 'two'].map((name) =>
    defineTask({ name: `${name}-${number}`, retry, run: () => {} }),
  );
  if (first === undefined || second === undefined) throw new Error('there are two tasks');
  const lanes = [first.lane, second.lane];
  const runs = history.runs.map((run, index) => ({
    ...{ ...run, id: `h${number}-${String(index).padStart(2, '0')}`, name: `E${number}-${run.error}` },
    lane: run.isOfFirst ? first.lane : second.lane,
  }));
  const nameOf = new Map(runs.map(({ id, name }) => [id, name]));
  const bury = async (some: readonly Run[]): Promise<void> => {
    const at = await now();
    await settle(
      ...some.map((run) => {
        const error = { epoch: run.epoch, at, name: nameOf.get(run.id) ?? 'Error', message: 'no' };
        const group = { id: groupOf(error.name), title: error.name };
        return { ...settlementOf(run, { type: 'fail', at }, { errors: [...run.errors, error] }), group };
      }),
    );
  };
  const claimAll = async (): Promise<readonly Run[]> =>
    (await claim({ lanes, worker: `w${number}` })).map(({ run }) => run);

  await submit(...runs.filter(({ dies }) => dies).map(({ id, lane }) => ({ id, lane })));
  await bury(await claimAll());
  await submit(...runs.filter(({ dies }) => !dies).map(({ id, lane }) => ({ id, lane })));
  await rest(2); // a plan covers what ended before its millisecond
  const name = `E${number}-0`;
  const filter = {
    task: { task: first },
    name: { task: first.name, newerThan: '1h' as const },
    errorName: { errorName: name },
    group: { group: groupOf(name) },
    both: { task: first, errorName: name },
    ids: { ids: runs.slice(0, 9).map(({ id }) => id), task: first },
    limit: { task: first, limit: 3 },
  }[history.filter];
  const isOfAnyTask = ['errorName', 'group'].includes(history.filter);
  const matching = runs
    .filter(({ dies, isOfFirst }) => dies && (isOfAnyTask || isOfFirst))
    .filter((run) => !['errorName', 'group', 'both'].includes(history.filter) || run.name === name)
    .filter(({ id }) => history.filter !== 'ids' || runs.slice(0, 9).some((one) => one.id === id))
    .map(({ id }) => id);
  const plan = await queue.deadLetters.plan(filter);
  // Which ones are the first is for the broker to say: the order of a list holds within each partition only.
  const covered = history.filter === 'limit' ? matching.filter((id) => plan.firstIds.includes(id)) : matching;

  const changed = new Set<string>();
  for (const [deed, pick] of history.meanwhile) {
    const run = runs[pick % runs.length];
    if (run === undefined) continue;
    if (deed === 'redrive') await redriveRuns(broker, [run.id]);
    if (deed === 'discard') await discardRuns(broker, [run.id]);
    if (deed === 'cancel') await cancelRuns(broker, [run.id]);
    if (deed === 'die again') await redriveRuns(broker, [run.id]);
    if (deed === 'die again' || deed === 'die') await bury(await claimAll());
    if (run.dies && deed !== 'cancel' && deed !== 'die') changed.add(run.id);
  }
  const read = () => broker.get(runs.map(({ id }) => id));
  const before = await read();

  const isKept = history.apply === 'keepAttempts' && !isOfAnyTask && history.filter !== 'name';
  const ways: Readonly<Record<History['apply'], ApplyOptions>> = {
    redrive: {},
    discard: { kind: 'discard' },
    spread: { spread: '1s' },
    keepAttempts: isKept ? { keepAttempts: true } : {},
  };
  const { id } = await plan.apply(ways[history.apply]);
  const operation = await untilEnded(broker, id);
  const after = await read();
  await discardRuns(
    broker,
    runs.map((run) => run.id),
  );
  await cancelRuns(
    broker,
    runs.map((run) => run.id),
  );

  const moved = runs.flatMap((run, index) => {
    const [was, is] = [before[index], after[index]];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [run.id];
  });
  const planned = history.filter === 'limit' ? Math.min(3, matching.length) : matching.length;
  const hasAttempts = !isKept || history.maxAttempts > 1;
  return {
    moved,
    expected: covered.filter((one) => !changed.has(one) && hasAttempts),
    operation,
    isCounted: [covered.length, plan.count, operation.planned].every((count) => count === planned),
  };
}

async function untilEnded(broker: Broker, id: string): Promise<Operation> {
  for (;;) {
    const operation = await getOperation(broker, id);
    if (operation?.endedAt !== undefined) return operation;
    await rest(1);
  }
}

/** The id of the error group of runs with this error. */
function groupOf(errorName: string): string {
  return `g-${errorName}`;
}
