import { MAX_INSTANT_AT } from '@retry/core';
import type {
  AttemptError,
  Broker,
  Claim,
  ClaimedRun,
  Concurrency,
  ExpiredScope,
  ListQuery,
  Run,
  SettleAnswer,
  Settlement,
  Submission,
} from '@retry/core/broker';
import { cancelRuns, discardRuns, partitionTag, redriveRuns } from '@retry/core/broker/kit';
import type { RunEvent } from '@retry/core/lifecycle';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import fc from 'fast-check';
import { assertAgrees, assertSame, payloadOf } from './broker-agrees.ts';
import { extrasOf } from './broker-extras.ts';
import { insights } from './broker-insights.ts';
import type { Model, ModelRun, Ripeness } from './broker-model.ts';
import {
  LIMITED_LANE,
  modelAdvance,
  modelAttend,
  modelCancel,
  modelClaim,
  modelDiscard,
  modelHeartbeat,
  modelLeases,
  modelRedrive,
  modelSettle,
  modelSubmit,
} from './broker-model.ts';
import { ERROR_GROUPS, operations } from './broker-operations.ts';
import { planned } from './broker-planned.ts';
import { LONG_MS } from './broker-scene.ts';
import { UNIQUE_IDS, uniques } from './broker-uniques.ts';
import { settlementOf } from './settle.ts';

/** A broker under random commands, and its time. */
export interface Real {
  readonly broker: Broker;
  readonly advance: (ms: number) => Promise<void>;
  /** `real`: time passes between commands, too, so what is due soon may be due already. */
  readonly clock: 'fake' | 'real';
}

/** What is due soon, in ms; on a real clock it may be due earlier than the model expects, which then follows. */
const SHORT_MS = 30;

/** Longer than {@link SHORT_MS} on any clock. */
const PASS_MS = 50;

type Step = (model: Model, real: Real) => Promise<void>;

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const LANES = ['x', 'y', LIMITED_LANE];

const ids = fc.constantFrom(...IDS);
const knownIds = fc.oneof(
  { weight: 3, arbitrary: ids },
  { weight: 1, arbitrary: fc.constantFrom(...UNIQUE_IDS) },
);
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
  { key: 'k', limit: 1, whenFull: 'wait', holdWhileRetrying: true },
  { key: 'k', limit: 2, whenFull: 'wait', holdWhileRetrying: true },
  { key: 'j', limit: 1, whenFull: 'claim', holdWhileRetrying: true },
  { key: LIMITED_LANE, limit: 2, whenFull: 'wait' },
  { key: LIMITED_LANE, limit: 1, whenFull: 'wait', holdWhileRetrying: true },
);

const fairnessKeys = fc.constantFrom(undefined, undefined, undefined, 's', 't', 't');

/** Delays that do not pass within a test. */
const nevers = fc.constantFrom(LONG_MS, LONG_MS, MAX_INSTANT_AT, 1e300);

/** How a settlement is sent. */
interface Sending {
  readonly pick: number;
  readonly kind: number;
  readonly back: Ripeness;
  readonly onlyIfExpired: boolean;
  /** `delay`: `runAt` is near, and `delayMs` decides. */
  readonly dueBy: 'instant' | 'delay';
  /** The run that it submits, if its run ends. */
  readonly submit: Pick<ModelRun, 'lane' | 'fairnessKey' | 'ripeness'> | undefined;
  /** What a dead letter is counted under. */
  readonly group: string | undefined;
  /** Without payload, lane, concurrency, policy and origin, as from a cleaner that does not have them. */
  readonly isBare: boolean;
}

/** Ways to end a claim, each by the events of its settlement in order. */
const outcomes = (at: number, { back, dueBy }: Sending) => {
  const runAtOf = (ripeness: Ripeness): number =>
    at + (dueBy === 'delay' ? Math.min(1, msOf(ripeness)) : msOf(ripeness));
  const runAt = runAtOf(back);
  const ends = (['complete', 'fail', 'stall', 'cancel', 'drop', 'limit'] as const).map((type) => [
    { type, at },
  ]);
  return [
    ...ends,
    [{ type: 'retry', at, runAt }],
    [{ type: 'retry', at, runAt }],
    [{ type: 'release', at }],
    [{ type: 'release', at, runAt }],
    [{ type: 'limit', at, runAt: runAtOf(limitedUntil(back)) }],
    [
      { type: 'stall', at },
      { type: 'recover', at, runAt },
    ],
    [
      { type: 'stall', at },
      { type: 'giveUp', at },
    ],
    [
      { type: 'stall', at, isShared: true },
      { type: 'recover', at, runAt },
    ],
    [{ type: 'stall', at, isShared: true }],
  ] satisfies readonly (readonly RunEvent[])[];
};

/** Random commands for any broker; each compares all that is visible of the broker with the model. */
export function brokerCommands(): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  return [
    submits(),
    submits(),
    uniques({ lanes, concurrencies, fairnessKeys, msOf }).map(([name, step]) => command(name, step)),
    claims(),
    claims(),
    fc.constant(command('claim again', claimAgain)),
    settles(),
    settles(),
    settles(),
    fc
      .tuple(picks, leases)
      .map(([pick, lease]) => command(`heartbeat ${pick} ${lease}`, heartbeat(pick, lease))),
    fc.array(knownIds, { minLength: 1, maxLength: 2 }).map((some) => command(`cancel ${some}`, cancel(some))),
    fc
      .tuple(
        fc.array(knownIds, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('keep', 'reset'),
        fc.constantFrom('now', 'now', 'soon', 'never'),
      )
      .map(([some, attempts, due]) =>
        command(`redrive ${some} ${attempts} ${due}`, redrive(some, attempts, due)),
      ),
    fc
      .array(knownIds, { minLength: 1, maxLength: 3 })
      .map((some) => command(`discard ${some}`, discard(some))),
    findsExpired(),
    lists(),
    attends(),
    insights(),
    fc.array(picks, { maxLength: 20 }).map((some) => command(`read leases ${some}`, readLeases(some))),
    fc
      .array(knownIds, { minLength: 1, maxLength: 3 })
      .map((some) => command(`collect ${some}`, collect(some))),
    fc.constant(command('advance', advance)),
    planned({ ids: knownIds, msOf }).map(([name, step]) => command(name, step)),
    ...operations({ ids: knownIds, lanes, msOf }).map((some) =>
      some.map(([name, step]) => command(name, step)),
    ),
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
  const one = fc.record({
    ...{ id: ids, lane: lanes, ripeness: soon, neverMs: nevers, concurrency: concurrencies },
    fairnessKey: fairnessKeys,
    isKeyed: fc.constantFrom(false, false, false, false, false, false, false, true),
    keepResultMs: fc.constantFrom(undefined, undefined, 0, SHORT_MS, LONG_MS, 1e300),
  });
  const mixed = fc.array(one, { minLength: 1, maxLength: 4 });
  // What brokers have a short way for: runs of one lane that are due, an id among them twice now and then.
  const alike = fc
    .tuple(mixed, lanes)
    .map(([some, lane]) => some.map((run) => ({ ...run, lane, ripeness: 'now' as const, isKeyed: false })));
  return fc.oneof(mixed, alike).map((some) =>
    command(`submit ${JSON.stringify(some)}`, async (model, { broker }) => {
      const answers = await broker.submit(
        some.map(
          ({ id, lane, ripeness, neverMs, isKeyed, concurrency, fairnessKey, keepResultMs }): Submission => {
            const delayMs = ripeness === 'never' ? neverMs : msOf(ripeness);
            return {
              ...{ id, lane, payload: payloadOf(id), delayMs, keyed: isKeyed, ...extrasOf(id) },
              ...(concurrency && { concurrency }),
              ...(fairnessKey !== undefined && { fairnessKey }),
              ...(keepResultMs !== undefined && { keepResultMs }),
            };
          },
        ),
      );
      assertSame(
        answers,
        some.map((run) => modelSubmit(model, run, run.ripeness)),
      );
    }),
  );
}

/** What a claim asks for. */
interface Asking {
  readonly entries: readonly (readonly [lane: string, limit: number])[];
  readonly limit: number;
  readonly lease: Ripeness;
  /** The limit of the limited lane. */
  readonly ofTask: number;
  /** How many due runs come first, in lanes where no run has a concurrency key. */
  readonly due: number | undefined;
}

function askings(): fc.Arbitrary<Asking> {
  const entries = fc.uniqueArray(fc.tuple(lanes, fc.nat({ max: 5 })), {
    selector: ([lane]) => lane,
    maxLength: 2,
  });
  const limits = fc.integer({ min: 1, max: 4 });
  const dues = fc.option(fc.nat({ max: 2 }), { nil: undefined });
  return fc
    .tuple(entries, fc.nat({ max: 6 }), leases, limits, dues)
    .map(([some, limit, lease, ofTask, due]) => ({ entries: some, limit, lease, ofTask, due }));
}

function claims(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return askings().map((asking) =>
    command(nameOf(asking), async (model, real) => {
      const claim = claimOf(model, asking);
      const { claimed } = await real.broker.exchange({ claim });
      await seeClaimed(model, real, { claim, lease: asking.lease, claimed });
    }),
  );
}

function nameOf({ entries, limit, lease, ofTask, due }: Asking): string {
  return `claim ${JSON.stringify(entries)} limit ${limit} lease ${lease} of task ${ofTask} due ${due}`;
}

/** Of runs with a concurrency key it is not specified whether they count as waiting in their lane. */
function dueLimitsOf(model: Model, { entries, due }: Asking): Claim['dueLimits'] {
  if (due === undefined) return undefined;
  const keyed = new Set([...model.runs.values()].flatMap((run) => (run.concurrency ? run.lane : [])));
  const lanes = entries.flatMap(([lane]) => (lane === LIMITED_LANE || keyed.has(lane) ? [] : [lane]));
  return new Map(lanes.map((lane) => [lane, due]));
}

function claimOf(model: Model, asking: Asking): Claim {
  const { entries, limit, lease, ofTask } = asking;
  const requestId = `request-${++model.requests}`;
  const dueLimits = dueLimitsOf(model, asking);
  const claim = {
    ...{ worker: 'w', requestId, limit, lanes: new Map(entries), leaseMs: msOf(lease) },
    ...(dueLimits !== undefined && { dueLimits }),
  };
  if (!claim.lanes.has(LIMITED_LANE)) return claim;
  return { ...claim, concurrency: new Map([[LIMITED_LANE, { limit: ofTask, whenFull: 'wait' }]]) };
}

interface Claimed {
  readonly claim: Claim;
  readonly lease: Ripeness;
  readonly claimed: readonly ClaimedRun[];
}

async function seeClaimed(model: Model, real: Real, { claim, lease, claimed }: Claimed): Promise<void> {
  await adoptDue(model, real);
  const got = claimed.map(
    ({ run, isOverLimit, isProbe }) => `${run.id}${isOverLimit ? '!' : ''}${isProbe ? '?' : ''}`,
  );
  assertSame(got, modelClaim(model, claim, lease));
  if (claimed.length === 0) return;
  model.claims.push(...claimed);
  model.lastClaim = {
    requestId: claim.requestId,
    got: claimed.map(({ run }) => `${run.id} ${run.epoch}`),
  };
}

/** A repeated claim returns what is still leased by it; it may leave out the rest. */
async function claimAgain({ lastClaim, runs }: Model, { broker }: Real): Promise<void> {
  if (lastClaim === undefined) return;
  const claim = { worker: 'w', requestId: lastClaim.requestId, limit: 9, lanes: new Map(), leaseMs: LONG_MS };
  const { claimed } = await broker.exchange({ claim });
  const again = claimed.map(({ run }) => `${run.id} ${run.epoch}`);
  const leased = new Set(
    [...runs.values()].filter(({ state }) => state === 'started').map(({ id, epoch }) => `${id} ${epoch}`),
  );
  assertSame(
    again,
    lastClaim.got.filter((run) => leased.has(run) || again.includes(run)),
  );
}

function sendings(kinds: fc.Arbitrary<number>): fc.Arbitrary<Sending> {
  return fc.record({
    ...{ pick: picks, kind: kinds, back: soon, onlyIfExpired: fc.constantFrom(false, false, true) },
    ...{ dueBy: fc.constantFrom('instant', 'delay'), isBare: fc.boolean() },
    submit: fc.option(fc.record({ lane: lanes, fairnessKey: fairnessKeys, ripeness: soon }), {
      nil: undefined,
    }),
    group: fc.option(ERROR_GROUPS, { nil: undefined }),
  });
}

function settles(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return sendings(picks).map((sent) =>
    command(`settle ${JSON.stringify(sent)}`, async (model, real) => {
      const settlement = await settlementFor(model, real, sent);
      if (settlement === undefined) return;
      const { settled } = await real.broker.exchange({ settle: [settlement] });
      seeSettled(model, real, { settlement, sent, settled });
    }),
  );
}

/** Commands that settle a run, more often than not as completed, and claim others in the same call. */
export function exchangeCommands(): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  const kinds = fc.oneof(fc.constant(COMPLETES), picks);
  const exchanging = fc.tuple(sendings(kinds), askings());
  const exchange = exchanging.map(([sent, asking]) =>
    command(`settle ${JSON.stringify(sent)} and ${nameOf(asking)}`, async (model, real) => {
      const settlement = await settlementFor(model, real, sent);
      if (settlement === undefined) return;
      const claim = claimOf(model, asking);
      const { settled, claimed } = await real.broker.exchange({ settle: [settlement], claim });
      seeSettled(model, real, { settlement, sent, settled });
      await seeClaimed(model, real, { claim, lease: asking.lease, claimed });
    }),
  );
  return [exchange, exchange, exchange];
}

/** Of the {@link outcomes} of a run, the first. */
const COMPLETES = 0;

/** A settlement of a run that was claimed; none if none was. */
async function settlementFor(model: Model, real: Real, sent: Sending): Promise<Settlement | undefined> {
  const claimed = model.claims.at(-1 - (sent.pick % Math.max(1, model.claims.length)));
  if (claimed === undefined) return undefined;
  const { now } = await real.broker.exchange({});
  const all = outcomes(now, sent);
  const run = sent.onlyIfExpired ? await seenByCleaner(real, claimed) : claimed.run;
  const ended = settlementBy(run, all[sent.kind % all.length] ?? [], sent);
  return withSubmit(withGroup(ended, sent), sent);
}

interface Settled {
  readonly settlement: Settlement;
  readonly sent: Sending;
  readonly settled: readonly SettleAnswer[];
}

function seeSettled(model: Model, real: Real, { settlement, sent, settled }: Settled): void {
  adoptExpiry(model, real, { id: settlement.id, isAccepted: settled[0] === 'ok' });
  assertSame(settled, [modelSettle(model, settlement, backOf(settlement, sent))]);
  if (settled[0] === 'ok') modelSubmitted(model, settlement, sent);
}

/** Keeps the run that an accepted settlement submits. */
function modelSubmitted(model: Model, { submit }: Settlement, sent: Sending): void {
  if (submit === undefined || sent.submit === undefined) return;
  modelSubmit(
    model,
    { ...submit, fairnessKey: sent.submit.fairnessKey, concurrency: undefined, isKeyed: false },
    sent.submit.ripeness,
  );
}

/** The settlement with a group, which only a dead letter has, and what it says of another one, which counts for nothing. */
function withGroup(settlement: Settlement, { group, pick }: Sending): Settlement {
  if (group === undefined) return settlement;
  const next = { ...settlement.next, ...(pick % 2 === 0 && { errorGroup: 'mine' }) };
  return { ...settlement, next, group: { id: group, title: `Error: ${group}, ${pick % 3}` } };
}

/** The settlement with the run that it submits: one for each run of the commands, however often that ends. */
function withSubmit(settlement: Settlement, { submit }: Sending): Settlement {
  if (submit === undefined || !isEnd(settlement.next.state)) return settlement;
  const { lane, fairnessKey, ripeness } = submit;
  const id = `{${partitionTag(settlement.id)}}next`;
  return {
    ...settlement,
    submit: {
      ...{ id, lane, payload: payloadOf(id), delayMs: msOf(ripeness) },
      ...(fairnessKey !== undefined && { fairnessKey }),
    },
  };
}

function settlementBy(run: Run, events: readonly RunEvent[], sent: Sending): Settlement {
  const { onlyIfExpired, pick } = sent;
  const whole = settlementOf(run, events, { onlyIfExpired, errors: errorsAfter(run, events, pick) });
  const { concurrency: _, fairnessKey: __, retry: ___, origin: ____, ...bare } = whole.next;
  const next = sent.isBare ? { ...bare, payload: '', lane: 'elsewhere' } : whole.next;
  if (sent.dueBy === 'instant' || next.state !== 'scheduled') return { ...whole, next };
  return { ...whole, next, delayMs: msOf(backOf(whole, sent)) };
}

function backOf({ event }: Settlement, { back }: Sending): Ripeness {
  return event === 'limit' ? limitedUntil(back) : back;
}

/** A failure adds an error, two times of three with a stack; any other event changes none. */
function errorsAfter(run: Run, [event]: readonly RunEvent[], pick: number): Run['errors'] {
  const { epoch, errors } = run;
  if (event?.type === 'stall' && event.isShared === true)
    return [
      ...errors,
      { epoch, at: event.at, name: 'StalledError', message: 'silent', stalledWith: pick + 1 },
    ];
  if (event?.type !== 'fail' && event?.type !== 'retry') return errors;
  const error = { epoch, at: event.at, name: 'Error', message: `no. ${epoch}` };
  return [...errors.map(withoutStack), pick % 3 === 0 ? error : { ...error, stack: `at ${epoch} ü` }];
}

function withoutStack({ stack: _, ...error }: AttemptError): AttemptError {
  return error;
}

/** A cleaner settles the run that it finds, with its cancel request; a worker the run that it claimed. */
async function seenByCleaner({ broker }: Real, { run }: ClaimedRun): Promise<Run> {
  const [found] = await broker.get([run.id]);
  return found?.state === 'started' && found.epoch === run.epoch ? found : run;
}

/** A rate limit always schedules the run; all short delays have the same length. */
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
      await cancelRuns(broker, some),
      some.map((id) => modelCancel(model, id)),
    );
}

function redrive(some: readonly string[], attempts: 'keep' | 'reset', due: Ripeness): Step {
  return async (model, { broker }) => {
    const { now } = await broker.exchange({});
    const runAts = new Map(due === 'now' ? [] : some.map((id) => [id, now + msOf(due)]));
    assertSame(
      await redriveRuns(broker, some, { keepAttempts: attempts === 'keep', runAts }),
      some.map((id) => modelRedrive(model, id, attempts, due)),
    );
  };
}

function discard(some: readonly string[]): Step {
  return async (model, { broker }) =>
    assertSame(
      await discardRuns(broker, some),
      some.map((id) => modelDiscard(model, id)),
    );
}

function findsExpired(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  const some = fc.subarray([...LANES, 'empty']);
  const scopes = fc.oneof(
    fc.constant({}),
    some.map((only) => ({ lanes: only })),
    some.map((except) => ({ exceptLanes: except })),
  );
  return scopes.map((scope: ExpiredScope) =>
    command(`find expired ${JSON.stringify(scope)}`, async (model, real) => {
      const found = await real.broker.findExpired(100, scope);
      for (const { id } of found) adoptExpiry(model, real, { id, isAccepted: true });
      const { lanes: only, exceptLanes = [] } = scope;
      const expired = [...model.runs.values()].filter(
        ({ state, ripeness, lane }) =>
          state === 'started' &&
          ripeness === 'now' &&
          (only?.includes(lane) ?? true) &&
          !exceptLanes.includes(lane),
      );
      assertSame(found.map(({ id }) => id).sort(), expired.map(({ id }) => id).sort());
      assertSame(new Set(found.map(({ payload }) => payload)), new Set(found.length > 0 ? [''] : []));
    }),
  );
}

function lists(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  const ended = ['completed', 'failed', 'cancelled', 'stalled', 'dropped', 'rateLimited'] as const;
  const states = ['submitted', 'scheduled', 'started', ...ended] as const;
  const queries = fc.record(
    {
      ...{ state: fc.constantFrom(...states), limit: fc.integer({ min: 1, max: 5 }) },
      ...{ lane: lanes, payloads: fc.constantFrom('include', 'omit'), errorGroup: ERROR_GROUPS },
    },
    { requiredKeys: ['state', 'limit'] },
  );
  return queries.map(({ errorGroup, ...rest }) => {
    const isGrouped = errorGroup !== undefined && isDeadLetter(rest.state);
    const query: ListQuery = isGrouped ? { ...rest, errorGroup } : rest;
    return command(`list ${JSON.stringify(query)}`, async (model, { broker }) => {
      const { state, lane, payloads } = query;
      const waits = state === 'submitted' || state === 'scheduled';
      const known = [...model.runs.values()].filter(
        (run) =>
          run.state === state &&
          (lane === undefined || run.lane === lane) &&
          (!isGrouped || run.errorGroup === errorGroup),
      );
      const expected = known.map(({ id }) => [id, payloads === 'omit' ? '' : payloadOf(id)] as const);
      const listed = await listPages(broker, query);
      assertSame(listed.length, new Set(listed.map(([id]) => id)).size);
      // Of a run that is due the model does not know whether it was promoted already.
      if (!waits) assertSame(sortById(listed), sortById(expected));
    });
  });
}

async function listPages(broker: Broker, query: ListQuery): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  let after: string | undefined;
  do {
    const { runs, next } = await broker.list(after === undefined ? query : { ...query, after });
    assertSame(runs.slice(query.limit), []);
    found.push(...runs.map(({ id, payload }) => [id, payload] as const));
    after = next;
  } while (after !== undefined);
  return found;
}

function sortById(rows: readonly (readonly [id: string, payload: string])[]): unknown {
  return [...rows].sort(([left], [right]) => (left < right ? -1 : 1));
}

function attends(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  const attendances = fc.record({
    ...{ worker: fc.constantFrom('one', 'other'), lanes: fc.subarray(LANES), until: soon },
  });
  return attendances.map(({ worker, lanes: some, until }) =>
    command(`attend ${worker} on ${some} ${until}`, async (model, { broker, clock }) => {
      const flow = {
        windowMs: 10,
        lanes: some.map((lane) => ({ lane, starts: 3, retries: 1, ends: 2, maxLatenessMs: 5 })),
      };
      const facts = { slots: 2, slotsTaken: 1, leases: 1, flow };
      const found = await broker.attend({ worker, lanes: some, ttlMs: msOf(until), facts });
      const depths = modelAttend(model, { worker, lanes: some }, until);
      if (clock === 'real') return;
      const sure = [...depths].filter((depth) => depth[1] !== undefined).sort();
      const shown = found.map(({ lane, waiting }) => [lane, waiting] as const);
      const isSure = ([lane]: readonly [string, number]): boolean =>
        !(depths.has(lane) && depths.get(lane) === undefined);
      assertSame(shown.filter(isSure).sort(), sure);
    }),
  );
}

function readLeases(some: readonly number[]): Step {
  return async (model, { broker }) => {
    const leases = some.flatMap((pick) => {
      const claimed = model.claims.at(-1 - (pick % Math.max(1, model.claims.length)));
      return claimed === undefined ? [] : [{ id: claimed.run.id, epoch: claimed.run.epoch }];
    });
    assertSame(await broker.heartbeat(leases, 0), modelLeases(model, leases));
  };
}

/** On a broker that keeps everything, collecting a result changes nothing visible. */
function collect(some: readonly string[]): Step {
  return async (model, { broker }) => {
    const read = await broker.get(some, { collect: true });
    assertSame(
      read.map((run) => run?.epoch),
      some.map((id) => model.runs.get(id)?.epoch),
    );
  };
}

async function advance(model: Model, real: Real): Promise<void> {
  await real.advance(PASS_MS);
  modelAdvance(model);
}

/** On a real clock, what was due soon may be due already: then the model follows the broker. */
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
