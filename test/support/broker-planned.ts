/** Commands of operations on dead letters: put, claim, change, and the steps of a carrier. */
import type { Broker } from '@retry/core/broker';
import {
  changeOperation,
  claimOperation,
  getOperation,
  listOperations,
  putOperation,
  readOperationIds,
  stepOperation,
} from '@retry/core/broker/kit';
import fc from 'fast-check';
import { assertSame } from './broker-agrees.ts';
import type { Model, Ripeness } from './broker-model.ts';
import { modelDiscard, modelRedrive } from './broker-model.ts';
import {
  modelChange,
  modelClaimOperation,
  modelFigures,
  modelFree,
  modelPut,
  modelStep,
} from './broker-model-operations.ts';
import type { Operation } from './broker-operations.ts';

/** What the commands are about. */
interface Subjects {
  readonly ids: fc.Arbitrary<string>;
  readonly msOf: (ripeness: Ripeness) => number;
}

const names = fc.constantFrom('o1', 'o2', 'o3', 'o4');

/** What the filters of operations name. */
const IDS = ['a', 'b'];

/** Random commands of operations. After each, all that is kept of them is compared. */
export function planned(subjects: Subjects): fc.Arbitrary<Operation> {
  return fc
    .oneof(puts(), claims(subjects), changes(), steps(subjects), steps(subjects))
    .map(([name, step]) => [
      name,
      async (model, real) => {
        await step(model, real);
        await assertOperations(model, real.broker);
      },
    ]);
}

function puts(): fc.Arbitrary<Operation> {
  const requests = fc.record({
    ...{ id: names, planned: fc.nat({ max: 4 }), isPlanExact: fc.boolean() },
    ...{ kind: fc.constantFrom('redrive', 'redrive', 'discard'), isKeeping: fc.boolean() },
    ids: fc.option(fc.constant(IDS), { nil: undefined }),
  });
  return requests.map(({ ids, isKeeping, ...request }) => [
    `put ${JSON.stringify({ ...request, isKeeping, ids })}`,
    async (model, { broker }) => {
      const filter = { state: 'failed', endedBefore: 9e15, errorGroup: 'p', ...(ids && { ids }) } as const;
      const attempts = request.kind === 'redrive' ? { keepAttempts: isKeeping } : {};
      const answer = await putOperation(broker, { ...request, ...attempts, filter });
      assertSame(answer, modelPut(model, { ...request, ids: ids?.length }));
    },
  ]);
}

function claims({ msOf }: Subjects): fc.Arbitrary<Operation> {
  const claim = fc.record(
    { carrier: fc.constantFrom('one', 'other'), lease: fc.constantFrom('soon', 'never'), id: names },
    { requiredKeys: ['carrier', 'lease'] },
  );
  return claim.map(({ lease: drawn, ...asked }) => [
    `claim an operation ${JSON.stringify({ ...asked, lease: drawn })}`,
    async (model, { broker, clock }) => {
      // On a real clock a lease that ends soon may have ended already.
      const lease = clock === 'real' ? 'never' : drawn;
      const got = await claimOperation(broker, { ...asked, leaseMs: msOf(lease) });
      const id = modelFree(model, { ...asked, lease });
      const operation = id === undefined ? undefined : model.operations.get(id);
      assertSame([got?.operation.id, got?.progress], [id, operation?.progress]);
      if (got === undefined || operation === undefined) return;
      modelClaimOperation(operation, { ...asked, lease }, got);
      assertSame(await readOperationIds(broker, got, { from: 0, most: 9 }), IDS.slice(0, operation.ids ?? 0));
    },
  ]);
}

function changes(): fc.Arbitrary<Operation> {
  const to = fc.constantFrom('running', 'running', 'paused', 'paused', 'cancelled');
  return fc
    .tuple(names, to)
    .map(([id, state]) => [
      `change ${id} to ${state}`,
      async (model, { broker }) =>
        assertSame(await changeOperation(broker, id, state), modelChange(model, id, state)),
    ]);
}

function steps({ ids, msOf }: Subjects): fc.Arbitrary<Operation> {
  const step = fc.record({
    ...{ id: names, late: fc.constantFrom(0, 0, 0, 0, 1), skipped: fc.nat({ max: 3 }) },
    ...{ isLast: fc.constantFrom(false, false, false, true) },
    ...{ some: fc.uniqueArray(ids, { maxLength: 4 }) },
    due: fc.constantFrom<Ripeness>('now', 'now', 'soon', 'never'),
  });
  return step.map(({ id, late, skipped, isLast, some, due }) => [
    `step of ${id}: ${JSON.stringify({ late, skipped, isLast, some, due })}`,
    async (model, { broker }) => {
      const operation = model.operations.get(id);
      const claim = operation?.claims[late];
      if (operation === undefined || claim === undefined) return;
      const { kind, keepAttempts = false } = claim.claimed.operation;
      const { now } = await broker.exchange({});
      const runAts = new Map(due === 'now' ? [] : some.map((run) => [run, now + msOf(due)]));
      const taken = { ids: some, skipped, isLast, progress: `${operation.done} done`, runAts };
      const move = (run: string): boolean =>
        kind === 'discard'
          ? modelDiscard(model, run) === 'discarded'
          : modelRedrive(model, run, keepAttempts ? 'keep' : 'reset', due) === 'redriven';
      assertSame(
        await stepOperation(broker, claim.claimed, taken),
        modelStep(operation, claim, { ...taken, move }),
      );
    },
  ]);
}

async function assertOperations(model: Model, broker: Pick<Broker, 'notes'>): Promise<void> {
  const listed = await listOperations(broker);
  assertSame(
    Object.fromEntries(listed.map(({ id, state, done, skipped }) => [id, { state, done, skipped }])),
    Object.fromEntries([...model.operations].map(([id, operation]) => [id, modelFigures(operation)])),
  );
  for (const one of listed) assertSame(await getOperation(broker, one.id), one);
}
