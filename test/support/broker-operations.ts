import type { Broker, EndRequest, HoldRequest, ResumeRequest } from '@retry/core/broker';
import { endRuns, holdLanes, listHolds, rescheduleRuns, resumeLanes } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { assertSame } from './broker-agrees.ts';
import type { Model, Ripeness } from './broker-model.ts';
import { modelEnd, modelReschedule } from './broker-model.ts';
import type { ModelHold, ModelHoldRequest } from './broker-model-holds.ts';
import { modelHold, modelHolds, modelResume } from './broker-model-holds.ts';
import { noteWrites } from './broker-notes.ts';
import { reserves } from './broker-reservations.ts';

/** What operators do, with a name. */
export type Operation = readonly [
  name: string,
  step: (model: Model, real: { readonly broker: Broker; readonly clock: 'fake' | 'real' }) => Promise<void>,
];

/** What the commands are about. */
interface Subjects {
  readonly ids: fc.Arbitrary<string>;
  readonly lanes: fc.Arbitrary<string>;
  readonly msOf: (ripeness: Ripeness) => number;
}

/** The error groups that commands name. */
export const ERROR_GROUPS: fc.Arbitrary<string> = fc.constantFrom('p', 'q', 'other');

/** Random ends by hand, reschedules, holds, resumes, reservations and notes. */
export function operations(subjects: Subjects): fc.Arbitrary<Operation>[] {
  return [
    ends(subjects),
    reschedules(subjects),
    holds(subjects),
    resumes(subjects),
    resumes(subjects),
    reserves(),
    noteWrites(),
  ];
}

function ends({ ids }: Subjects): fc.Arbitrary<Operation> {
  const one: fc.Arbitrary<DrawnEnd> = fc.record(
    { id: ids, as: fc.constantFrom('completed', 'failed'), hasStack: fc.boolean(), group: ERROR_GROUPS },
    { requiredKeys: ['id', 'as', 'hasStack'] },
  );
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((some) => [
    `end ${JSON.stringify(some)}`,
    async (model, { broker }) =>
      assertSame(
        await endRuns(broker, some.map(endRequest)),
        some.map((end) => modelEnd(model, end)),
      ),
  ]);
}

interface DrawnEnd {
  readonly id: string;
  readonly as: 'completed' | 'failed';
  readonly hasStack: boolean;
  readonly group?: string;
}

function endRequest({ id, as, hasStack, group }: DrawnEnd): EndRequest {
  if (as === 'completed') return { id, as, result: '{"by":"hand"}' };
  const error = { name: 'OperatorError', message: 'ü', ...(hasStack && { stack: 'at desk' }) };
  return { id, as, error, ...(group !== undefined && { group: { id: group, title: `By hand: ${group}` } }) };
}

function reschedules({ ids, msOf }: Subjects): fc.Arbitrary<Operation> {
  const one = fc.tuple(ids, fc.constantFrom<Ripeness>('now', 'now', 'soon', 'soon', 'never'));
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((some) => [
    `reschedule ${JSON.stringify(some)}`,
    async (model, { broker }) =>
      assertSame(
        await rescheduleRuns(
          broker,
          some.map(([id, ripeness]) => ({ id, delayMs: msOf(ripeness) })),
        ),
        some.map(([id, ripeness]) => modelReschedule(model, id, ripeness)),
      ),
  ]);
}

const sources = fc.constantFrom('operator', 'handler', 'circuit-breaker');

function holds({ lanes, msOf }: Subjects): fc.Arbitrary<Operation> {
  const one: fc.Arbitrary<ModelHoldRequest> = fc
    .record({
      lane: fc.oneof({ weight: 5, arbitrary: lanes }, { weight: 1, arbitrary: fc.constant(undefined) }),
      source: sources,
      until: fc.constantFrom('now', 'now', 'soon', 'soon', 'never', 'endless'),
      probe: fc.constantFrom<(Ripeness | undefined)[]>(undefined, undefined, 'soon', 'never'),
      keepLonger: fc.constantFrom(false, false, true),
    })
    .map((hold) => ({ ...hold, probe: probeOf(hold) }));
  return fc.array(one, { minLength: 1, maxLength: 2 }).map((some) => [
    `hold ${JSON.stringify(some)}`,
    async (model, { broker, clock }) => {
      const known = some.map((hold) => (clock === 'real' ? withoutSoon(hold) : hold));
      await holdLanes(
        broker,
        known.map((hold) => holdRequest(hold, msOf)),
      );
      for (const hold of known) modelHold(model, hold);
      await assertHolds(model, broker);
    },
  ]);
}

/** A hold that is over when it begins is one that probes, if it can be. */
function probeOf({ lane, until, probe }: ModelHold): Ripeness | undefined {
  if (lane === undefined || until === 'endless') return undefined;
  return until === 'now' ? (probe ?? 'never') : probe;
}

/** On a real clock a hold that ends soon may have ended already. */
function withoutSoon(hold: ModelHoldRequest): ModelHoldRequest {
  const { until, probe } = hold;
  return { ...hold, until: until === 'soon' ? 'never' : until, probe: probe === 'soon' ? 'never' : probe };
}

function holdRequest(
  { lane, source, until, probe, keepLonger }: ModelHoldRequest,
  msOf: Subjects['msOf'],
): HoldRequest {
  return {
    ...(lane !== undefined && { lane }),
    ...{ source, keepLonger, reason: `for ${until}`, by: 'ada' },
    ...(until !== 'endless' && { forMs: msOf(until) }),
    ...(probe !== undefined && { probeMs: msOf(probe) }),
  };
}

function resumes({ lanes }: Subjects): fc.Arbitrary<Operation> {
  const one = fc.record({ lane: lanes, source: sources }, { requiredKeys: [] });
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((some: readonly ResumeRequest[]) => [
    `resume ${JSON.stringify(some)}`,
    async (model, { broker }) => {
      assertSame(
        await resumeLanes(broker, some),
        some.map((request) => modelResume(model, request)),
      );
      await assertHolds(model, broker);
    },
  ]);
}

async function assertHolds(model: Model, broker: Broker): Promise<void> {
  const listed = await listHolds(broker);
  assertSame(
    listed.map(({ lane, source, until, probeMs }) => [
      lane,
      source,
      until === undefined,
      probeMs === undefined,
    ]),
    modelHolds(model).map(({ lane, source, until, probe }) => [
      lane,
      source,
      until === 'endless',
      probe === undefined,
    ]),
  );
}
