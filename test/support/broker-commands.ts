import type {
  AttemptError,
  Broker,
  Claim,
  ClaimedRun,
  Concurrency,
  Run,
  Submission,
} from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import fc from 'fast-check';
import { assertAgrees, assertSame } from './broker-agrees.ts';
import type { Model, Ripeness } from './broker-model.ts';
import {
  modelAdvance,
  modelCancel,
  modelClaim,
  modelDiscard,
  modelHeartbeat,
  modelRedrive,
  modelSettle,
  modelSubmit,
} from './broker-model.ts';
import { LONG_MS } from './broker-scene.ts';
import { settlementOf } from './settle.ts';

/** A broker under random commands, and its time. */
export interface Real {
  readonly broker: Broker;
  readonly advance: (ms: number) => Promise<void>;
  /** `real`: time goes by between commands too, so what is to come soon may have come. */
  readonly clock: 'fake' | 'real';
}

/** What is to come soon, in ms: it may come early on a real clock, and then the model follows. */
const SHORT_MS = 30;

/** Long enough for what takes {@link SHORT_MS}. */
const PASS_MS = 50;

type Step = (model: Model, real: Real) => Promise<void>;

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const LANES = ['x', 'y'];

const ids = fc.constantFrom(...IDS);
const lanes = fc.constantFrom(...LANES);
const soon = fc.constantFrom<Ripeness>('now', 'now', 'soon', 'soon', 'never');
const leases = fc.constantFrom<Ripeness>('soon', 'never');
const picks = fc.nat({ max: 20 });
const concurrencies: fc.Arbitrary<Concurrency | undefined> = fc.constantFrom(
  undefined,
  { key: 'k', limit: 1, whenFull: 'wait' },
  { key: 'k', limit: 2, whenFull: 'wait' },
  { key: 'j', limit: 1, whenFull: 'claim' },
  { key: 'j', limit: 1, whenFull: 'wait' },
);

/** How a claim may end: the events, first one first, and when the run goes on, if it does. */
const outcomes = (at: number, back: Ripeness) => {
  const runAt = at + msOf(back);
  const ends = (['complete', 'fail', 'stall', 'cancel', 'drop', 'limit'] as const).map((type) => [
    { type, at },
  ]);
  return [
    ...ends,
    [{ type: 'retry', at, runAt }],
    [{ type: 'retry', at, runAt }],
    [{ type: 'release', at }],
    [{ type: 'limit', at, runAt: at + msOf(limitedUntil(back)) }],
    [
      { type: 'stall', at },
      { type: 'recover', at, runAt },
    ],
    [
      { type: 'stall', at },
      { type: 'give-up', at },
    ],
  ] satisfies readonly (readonly RunEvent[])[];
};

/** Random commands for any broker; each compares the broker with the model in all that shows. */
export function brokerCommands(): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  return [
    submits(),
    submits(),
    claims(),
    claims(),
    fc.constant(command('claim again', claimAgain)),
    settles(),
    settles(),
    settles(),
    fc
      .tuple(picks, leases)
      .map(([pick, lease]) => command(`heartbeat ${pick} ${lease}`, heartbeat(pick, lease))),
    fc.array(ids, { minLength: 1, maxLength: 2 }).map((some) => command(`cancel ${some}`, cancel(some))),
    fc
      .tuple(fc.array(ids, { minLength: 1, maxLength: 4 }), fc.constantFrom('keep', 'reset'))
      .map(([some, attempts]) => command(`redrive ${some} ${attempts}`, redrive(some, attempts))),
    fc.array(ids, { minLength: 1, maxLength: 3 }).map((some) => command(`discard ${some}`, discard(some))),
    fc.constant(command('find expired', findExpired)),
    fc.constant(command('advance', advance)),
  ];
}

function command(name: string, step: Step): fc.AsyncCommand<Model, Real> {
  return {
    check: () => true,
    run: async (model, real) => {
      await step(model, real);
      await assertAgrees(model, real);
    },
    toString: () => name,
  };
}

function submits(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  const one = fc.record({ id: ids, lane: lanes, ripeness: soon, concurrency: concurrencies });
  return fc.array(one, { minLength: 1, maxLength: 4 }).map((some) =>
    command(`submit ${JSON.stringify(some)}`, async (model, { broker }) => {
      const answers = await broker.submit(
        some.map(({ id, lane, ripeness, concurrency }): Submission => {
          const submission = { id, lane, payload: `"${id}"`, delayMs: msOf(ripeness) };
          return concurrency === undefined ? submission : { ...submission, concurrency };
        }),
      );
      assertSame(
        answers,
        some.map((run) => modelSubmit(model, run, run.ripeness)),
      );
    }),
  );
}

function claims(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  const asked = fc.uniqueArray(fc.tuple(lanes, fc.nat({ max: 5 })), {
    selector: ([lane]) => lane,
    maxLength: 2,
  });
  return fc.tuple(asked, fc.nat({ max: 6 }), leases).map(([entries, limit, lease]) =>
    command(`claim ${JSON.stringify(entries)} limit ${limit} lease ${lease}`, async (model, real) => {
      const requestId = `request-${++model.requests}`;
      const claim: Claim = { worker: 'w', requestId, limit, lanes: new Map(entries), leaseMs: msOf(lease) };
      const { claimed } = await real.broker.exchange({ claim });
      await adoptDue(model, real);
      const got = claimed.map(({ run, isOverLimit }) => (isOverLimit ? `${run.id}!` : run.id));
      assertSame(got, modelClaim(model, claim.lanes, { limit, lease }));
      if (claimed.length === 0) return;
      model.claims.push(...claimed);
      model.lastClaim = { requestId, got: claimed.map(({ run }) => `${run.id} ${run.epoch}`) };
    }),
  );
}

async function claimAgain({ lastClaim }: Model, { broker }: Real): Promise<void> {
  if (lastClaim === undefined) return;
  const claim = { worker: 'w', requestId: lastClaim.requestId, limit: 9, lanes: new Map(), leaseMs: LONG_MS };
  const { claimed } = await broker.exchange({ claim });
  assertSame(
    claimed.map(({ run }) => `${run.id} ${run.epoch}`),
    lastClaim.got,
  );
}

function settles(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  const cleaner = fc.constantFrom(false, false, true);
  return fc.tuple(picks, picks, soon, cleaner).map(([pick, kind, back, onlyIfExpired]) =>
    command(`settle ${pick} by ${kind} back ${back} ${onlyIfExpired}`, async (model, real) => {
      const claimed = model.claims.at(-1 - (pick % Math.max(1, model.claims.length)));
      if (claimed === undefined) return;
      const { now } = await real.broker.exchange({});
      const all = outcomes(now, back);
      const run = onlyIfExpired ? await seenByCleaner(real, claimed) : claimed.run;
      const events = all[kind % all.length] ?? [];
      const settlement = settlementOf(run, events, { onlyIfExpired, errors: errorsAfter(run, events, pick) });
      const { settled } = await real.broker.exchange({ settle: [settlement] });
      adoptExpiry(model, real, { id: claimed.run.id, isAccepted: settled[0] === 'ok' });
      const due = settlement.event === 'limit' ? limitedUntil(back) : back;
      assertSame(settled, [modelSettle(model, settlement, due)]);
    }),
  );
}

/** What failed leaves an error behind, two times of three with a stack; what did not changes none. */
function errorsAfter(run: Run, [event]: readonly RunEvent[], pick: number): Run['errors'] {
  if (event?.type !== 'fail' && event?.type !== 'retry') return run.errors;
  const { epoch, errors } = run;
  const error = { epoch, at: event.at, name: 'Error', message: `no. ${epoch}` };
  return [...errors.map(withoutStack), pick % 3 === 0 ? error : { ...error, stack: `at ${epoch} ü` }];
}

function withoutStack({ stack: _, ...error }: AttemptError): AttemptError {
  return error;
}

/** A cleaner settles what it finds, a wish to cancel included; a worker what it was handed. */
async function seenByCleaner({ broker }: Real, { run }: ClaimedRun): Promise<Run> {
  const [found] = await broker.get([run.id]);
  return found?.state === 'started' && found.epoch === run.epoch ? found : run;
}

/** A rate limit always goes through the schedule; all short delays there have one length. */
function limitedUntil(back: Ripeness): Ripeness {
  return back === 'now' ? 'soon' : back;
}

function heartbeat(pick: number, lease: Ripeness): Step {
  return async (model, { broker }) => {
    const claimed = model.claims.at(-1 - (pick % Math.max(1, model.claims.length)));
    if (claimed === undefined) return;
    const beat = { id: claimed.run.id, epoch: claimed.run.epoch };
    assertSame(await broker.heartbeat([beat], msOf(lease)), [modelHeartbeat(model, beat, lease)]);
  };
}

function cancel(some: readonly string[]): Step {
  return async (model, { broker }) =>
    assertSame(
      await broker.cancel(some),
      some.map((id) => modelCancel(model, id)),
    );
}

function redrive(some: readonly string[], attempts: 'keep' | 'reset'): Step {
  return async (model, { broker }) =>
    assertSame(
      await broker.redrive(some, { keepAttempts: attempts === 'keep' }),
      some.map((id) => modelRedrive(model, id, attempts)),
    );
}

function discard(some: readonly string[]): Step {
  return async (model, { broker }) =>
    assertSame(
      await broker.discard(some),
      some.map((id) => modelDiscard(model, id)),
    );
}

async function findExpired(model: Model, real: Real): Promise<void> {
  const found = await real.broker.findExpired(100);
  for (const { id } of found) adoptExpiry(model, real, { id, isAccepted: true });
  const expired = [...model.runs.values()].filter(
    ({ state, ripeness }) => state === 'started' && ripeness === 'now',
  );
  assertSame(found.map(({ id }) => id).sort(), expired.map(({ id }) => id).sort());
}

async function advance(model: Model, real: Real): Promise<void> {
  await real.advance(PASS_MS);
  modelAdvance(model);
}

/** On a real clock, what was to come soon may have come: then the model follows the broker. */
async function adoptDue(model: Model, { broker, clock }: Real): Promise<void> {
  if (clock === 'fake') return;
  for (const run of await broker.get(model.scheduled)) {
    const known = run && model.runs.get(run.id);
    if (known?.ripeness === 'soon' && run?.state !== 'scheduled') known.ripeness = 'now';
  }
}

function adoptExpiry(
  model: Model,
  { clock }: Real,
  { id, isAccepted }: { readonly id: string; readonly isAccepted: boolean },
): void {
  const run = model.runs.get(id);
  if (clock === 'real' && isAccepted && run?.ripeness === 'soon') run.ripeness = 'now';
}

function msOf(ripeness: Ripeness): number {
  return { now: 0, soon: SHORT_MS, never: LONG_MS }[ripeness];
}
