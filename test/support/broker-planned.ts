/** Commands of operations on dead letters: put, claim, change, and the steps of a carrier. */
import type { Broker, OperationStep } from '@retry/core/broker';
import { discardRuns, redriveRuns } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { assertSame } from './broker-agrees.ts';
import type { Model, Ripeness } from './broker-model.ts';
import { modelDiscard, modelRedrive } from './broker-model.ts';
import {
  modelChange,
  modelClaimOperation,
  modelFigures,
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

/** Random commands of operations; none where a broker has none. After each, all that is kept of them is compared. */
export function planned(subjects: Subjects): fc.Arbitrary<Operation> {
  return fc
    .oneof(puts(), claims(subjects), changes(), steps(subjects), steps(subjects))
    .map(([name, step]) => [
      name,
      async (model, real) => {
        if (real.broker.operations === undefined) return;
        await step(model, real);
        await assertOperations(model, real.broker.operations);
      },
    ]);
}

function puts(): fc.Arbitrary<Operation> {
  const requests = fc.record({
    ...{ id: names, planned: fc.nat({ max: 4 }), isPlanExact: fc.boolean(), keepAttempts: fc.boolean() },
    ids: fc.option(fc.constant(['a', 'b']), { nil: undefined }),
  });
  return requests.map(({ ids, ...request }) => [
    `put ${JSON.stringify({ ...request, ids })}`,
    async (model, { broker }) => {
      const filter = { state: 'failed', endedBefore: 9e15, errorGroup: 'p', ...(ids && { ids }) } as const;
      const answer = await broker.operations?.put({ ...request, kind: 'redrive', filter });
      assertSame(answer, modelPut(model, request));
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
      const got = await broker.operations?.claim({ ...asked, leaseMs: msOf(lease) });
      assertSame(
        got && [got.operation.id, got.epoch, got.progress],
        modelClaimOperation(model, { ...asked, lease }),
      );
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
        assertSame(await broker.operations?.change(id, state), modelChange(model, id, state)),
    ]);
}

function steps({ ids, msOf }: Subjects): fc.Arbitrary<Operation> {
  const step = fc.record({
    ...{ id: names, late: fc.constantFrom(0, 0, 0, 0, 1), skipped: fc.nat({ max: 3 }) },
    ...{ isLast: fc.constantFrom(false, false, false, true), verb: fc.constantFrom('redrive', 'discard') },
    ...{ some: fc.uniqueArray(ids, { maxLength: 4 }), attempts: fc.constantFrom('keep', 'reset') },
    due: fc.constantFrom<Ripeness>('now', 'now', 'soon', 'never'),
  });
  return step.map(({ id, late, skipped, isLast, verb, some, attempts, due }) => [
    `step of ${id}: ${JSON.stringify({ late, skipped, isLast, verb, some, attempts, due })}`,
    async (model, { broker }) => {
      const { epoch = 1, done = 0 } = model.operations.get(id) ?? {};
      const operation: OperationStep = {
        ...{ id, skipped, isLast, epoch: Math.max(1, epoch - late) },
        progress: `${done} done`,
      };
      const { now } = await broker.exchange({});
      const runAts = new Map(due === 'now' ? [] : some.map((run) => [run, now + msOf(due)]));
      if (verb === 'redrive') {
        const move = (run: string) => modelRedrive(model, run, attempts, due);
        assertSame(
          await redriveRuns(broker, some, { operation, runAts, keepAttempts: attempts === 'keep' }),
          modelStep(model, operation, { ids: some, success: 'redriven', move }),
        );
        return;
      }
      const move = (run: string) => modelDiscard(model, run);
      assertSame(
        await discardRuns(broker, some, { operation }),
        modelStep(model, operation, { ids: some, success: 'discarded', move }),
      );
    },
  ]);
}

async function assertOperations(
  model: Model,
  operations: Pick<NonNullable<Broker['operations']>, 'list' | 'get'>,
): Promise<void> {
  const listed = await operations.list();
  assertSame(
    Object.fromEntries(listed.map(({ id, state, done, skipped }) => [id, { state, done, skipped }])),
    Object.fromEntries([...model.operations].map(([id, operation]) => [id, modelFigures(operation)])),
  );
  for (const one of listed) assertSame(await operations.get(one.id), one);
}
