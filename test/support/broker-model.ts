import type {
  Attendance,
  Claim,
  ClaimedRun,
  Concurrency,
  EndAnswer,
  HeartbeatAnswer,
  HeartbeatRequest,
  RescheduleAnswer,
  SettleAnswer,
  Settlement,
} from '@retry/core/broker';
import type { RunEventType, RunState } from '@retry/core/lifecycle';
import { isDeadLetter } from '@retry/core/lifecycle';
import { extrasOf } from './broker-extras.ts';
import type { ModelHold } from './broker-model-holds.ts';
import { noteProbe, passageOf } from './broker-model-holds.ts';
import type { ModelOperation } from './broker-model-operations.ts';
import { letLeasesEnd } from './broker-model-operations.ts';
import type { ModelHolder } from './broker-model-unique.ts';
import type { ModelNotes } from './broker-notes.ts';
import type { ModelGrant } from './broker-reservations.ts';

/** When something is due: already, at the next advance, or not within the test. */
export type Ripeness = 'now' | 'soon' | 'never';

/** The lane of a task that limits how many of its runs are started: all claims of it bring a limit along, which varies. */
export const LIMITED_LANE = 'z';

/** A run as the model keeps it: no payloads, no instants. */
export interface ModelRun {
  readonly id: string;
  readonly lane: string;
  concurrency: Concurrency | undefined;
  readonly fairnessKey: string | undefined;
  readonly isKeyed: boolean;
  state: RunState;
  epoch: number;
  failures: number;
  stalls: number;
  releases: number;
  rateLimits: number;
  redrives: number;
  carried: number;
  settledBy: string | undefined;
  /** The error group of a dead letter. */
  errorGroup: string | undefined;
  isCancelRequested: boolean;
  holdsKey: boolean;
  /** Whether it takes a slot of its lane beside that of its own key. */
  holdsLane: boolean;
  /** Whether it came to its lane by turn and has not left it. */
  hasTurn: boolean;
  /** Of the schedule while scheduled, of the lease while started. */
  ripeness: Ripeness;
}

/**
 * The slow obvious broker, written from the comments of the port and independent of core's lifecycle:
 * one list per lane, walked from the front at each claim.
 */
export interface Model {
  readonly runs: Map<string, ModelRun>;
  /** The ids that wait in each lane, next one first. */
  readonly lanes: Map<string, string[]>;
  /** The ids that are behind the turns of their fairness keys, of all lanes, in the order in which they came. */
  behind: string[];
  /** Scheduled ids, in the order of their runAt. */
  scheduled: string[];
  submitted: number;
  forgotten: number;
  /** Keys of runs that were forgotten. */
  readonly keys: Set<string>;
  /** Workers that are alive: on which lanes, and until when. */
  readonly attendances: Map<string, { readonly lanes: readonly string[]; until: Ripeness }>;
  /** Every claimed run that may still be settled, with a current epoch or an old one. */
  claims: ClaimedRun[];
  /** The latest claim that returned a run, to be repeated. */
  lastClaim: { readonly requestId: string; readonly got: readonly string[] } | undefined;
  requests: number;
  /** Every start that was granted. */
  readonly grants: ModelGrant[];
  readonly notes: ModelNotes;
  /** Those that have ended may be among them. */
  holds: readonly ModelHold[];
  /** Of unique keys; those that have lost theirs may be among them. */
  readonly holders: Map<string, ModelHolder>;
  /** How many unique submissions there have been, by key. */
  readonly uniques: Map<string, number>;
  /** Of dead letters, by id, in the order in which they are claimed. */
  readonly operations: Map<string, ModelOperation>;
  /** How often time has passed. */
  advances: number;
}

/** A model without runs. */
export function createModel(): Model {
  return {
    runs: new Map(),
    lanes: new Map(),
    behind: [],
    scheduled: [],
    submitted: 0,
    forgotten: 0,
    keys: new Set(),
    attendances: new Map(),
    claims: [],
    lastClaim: undefined,
    requests: 0,
    grants: [],
    notes: { kept: new Map(), versions: [] },
    holds: [],
    holders: new Map(),
    uniques: new Map(),
    operations: new Map(),
    advances: 0,
  };
}

/** The state that each ending event leads to. */
const ENDS: Partial<Record<RunEventType, RunState>> = {
  complete: 'completed',
  fail: 'failed',
  cancel: 'cancelled',
  drop: 'dropped',
};

/** What the model keeps of a submission. */
export type ModelSubmission = Pick<ModelRun, 'id' | 'lane' | 'concurrency' | 'fairnessKey' | 'isKeyed'>;

/** A new run; nothing when the id is known. */
export function modelSubmit(
  model: Model,
  { id, lane, concurrency, fairnessKey, isKeyed }: ModelSubmission,
  ripeness: Ripeness,
): 'created' | 'exists' {
  if (model.runs.has(id) || model.keys.has(id)) return 'exists';
  const carried = extrasOf(id).spent?.attempts ?? 0;
  const counters = { epoch: 0, failures: 0, stalls: 0, releases: 0, rateLimits: 0, redrives: 0, carried };
  const flags = {
    settledBy: undefined,
    errorGroup: undefined,
    isCancelRequested: false,
    holdsKey: false,
    holdsLane: false,
    hasTurn: false,
  };
  const identity = { id, lane, concurrency, fairnessKey, isKeyed };
  const run: ModelRun = { ...identity, state: 'submitted', ...counters, ...flags, ripeness };
  model.runs.set(id, run);
  model.submitted++;
  // Earlier claims of this id belong to a run that was forgotten.
  model.claims = model.claims.filter((claimed) => claimed.run.id !== id);
  sendBack(model, run, ripeness);
  return 'created';
}

/** Starts the runs that a claim must return. Their ids; those over the limit end with `!`, those that probe with `?`. */
export function modelClaim(
  model: Model,
  { lanes, limit, concurrency, dueLimits }: Pick<Claim, 'lanes' | 'limit' | 'concurrency' | 'dueLimits'>,
  lease: Ripeness,
): readonly string[] {
  const got: string[] = [];
  for (const [lane, laneLimit] of lanes) {
    const ofTask = concurrency?.get(lane);
    const passage = passageOf(model, lane);
    if (passage === 'closed') continue;
    let left = Math.min(laneLimit, limit - got.length, passage === 'probe' ? 1 : Infinity);
    const due = dueLimits?.get(lane);
    if (due === undefined) promote(model, lane);
    else promoteFirst(model, lane, Math.min(Math.max(due, left - waitingIn(model, lane)), left));
    const inOrder = [...laneOf(model, lane)];
    for (const id of inOrder) {
      const run = model.runs.get(id);
      if (left <= 0 || run === undefined) break;
      inOrder.push(...passTurn(model, run));
      if (ofTask !== undefined && (run.concurrency?.key ?? lane) === lane)
        run.concurrency = { ...run.concurrency, key: lane, ...ofTask };
      const ofLane = (run.concurrency?.key ?? lane) === lane ? undefined : ofTask;
      const isFull =
        run.concurrency !== undefined &&
        !run.holdsKey &&
        heldOf(model, run.concurrency) >= run.concurrency.limit;
      if (isFull && run.concurrency?.whenFull === 'wait') continue;
      // Each limit of a task is one that runs wait for.
      if (ofLane !== undefined && heldOf(model, { key: lane }) >= ofLane.limit) continue;
      remove(laneOf(model, lane), id);
      Object.assign(run, { state: 'started', epoch: run.epoch + 1, ripeness: lease });
      run.holdsKey = run.concurrency !== undefined && !isFull;
      run.holdsLane = ofLane !== undefined && !isFull;
      got.push(`${id}${isFull ? '!' : ''}${passage === 'probe' ? '?' : ''}`);
      if (passage === 'probe') noteProbe(model, lane);
      left--;
    }
  }
  return got;
}

/** Applies a settlement and returns its answer. `back` is when a run that is not ended is due. */
export function modelSettle(
  model: Model,
  { id, epoch, event, next, onlyIfExpired, group }: Settlement,
  back: Ripeness,
): SettleAnswer {
  const run = model.runs.get(id);
  if (run === undefined) return 'gone';
  if (run.settledBy === `${epoch}:${event}`) return 'already';
  if (run.state !== 'started' || run.epoch !== epoch) return 'fenced';
  if (onlyIfExpired === true && run.ripeness !== 'now') return 'fenced';
  charge(run, event, next);
  run.settledBy = `${epoch}:${event}`;
  const wasAsked = run.isCancelRequested;
  const isWaiting = (next.state === 'submitted' || next.state === 'scheduled') && !wasAsked;
  run.holdsKey = run.holdsKey && isWaiting && run.concurrency?.holdWhileRetrying === true;
  run.holdsLane = false;
  run.isCancelRequested = false;
  if (next.state !== 'submitted' && next.state !== 'scheduled') run.state = ENDS[event] ?? next.state;
  else if (wasAsked) run.state = 'cancelled';
  else if (event === 'release' && next.state === 'submitted') toFront(model, run);
  else sendBack(model, run, back);
  if (isDeadLetter(run.state)) run.errorGroup = group?.id ?? 'other';
  return 'ok';
}

/** Counts the charge of a settlement. */
function charge(run: ModelRun, event: RunEventType, { state, epoch, errors }: Settlement['next']): void {
  const isShared = event === 'stall' && errors.some((error) => error.epoch === epoch && error.stalledWith);
  if (event === 'retry' || event === 'fail') run.failures++;
  if (event === 'stall' && !isShared) run.stalls++;
  if (isShared || event === 'release' || event === 'drop' || event === 'limit') run.releases++;
  if (event === 'limit' && state === 'scheduled') run.rateLimits++;
}

export function modelHeartbeat(
  model: Model,
  { id, epoch }: { readonly id: string; readonly epoch: number },
  lease: Ripeness,
): HeartbeatAnswer {
  const [answer = 'gone'] = modelLeases(model, [{ id, epoch }]);
  const run = model.runs.get(id);
  if (run !== undefined && (answer === 'ok' || answer === 'cancel') && run.ripeness !== 'never')
    run.ripeness = lease;
  return answer;
}

export function modelCancel(model: Model, id: string): 'cancelled' | 'requested' | 'ended' | 'gone' {
  const run = model.runs.get(id);
  if (run === undefined) return 'gone';
  if (run.state === 'started') {
    run.isCancelRequested = true;
    return 'requested';
  }
  if (run.state !== 'submitted' && run.state !== 'scheduled') return 'ended';
  takeOut(model, run);
  run.holdsKey = false;
  run.state = 'cancelled';
  return 'cancelled';
}

/** Ends a waiting run by hand, as a cancel does. */
export function modelEnd(
  model: Model,
  { id, as, group }: Pick<ModelRun, 'id'> & { readonly as: 'completed' | 'failed'; readonly group?: string },
): EndAnswer {
  const answer = modelCancel(model, id);
  if (answer !== 'cancelled') return answer;
  const run = model.runs.get(id);
  if (run === undefined) return 'gone';
  run.state = as;
  if (as === 'failed') run.errorGroup = group ?? 'other';
  return 'done';
}

/** Moves a waiting run to another instant; one that is in its lane stays there if that is now. */
export function modelReschedule(model: Model, id: string, ripeness: Ripeness): RescheduleAnswer {
  const run = model.runs.get(id);
  if (run === undefined) return 'gone';
  if (run.state !== 'submitted' && run.state !== 'scheduled') return 'refused';
  if (run.state === 'submitted' && ripeness === 'now') return 'rescheduled';
  takeOut(model, run);
  sendBack(model, run, ripeness);
  return 'rescheduled';
}

export function modelRedrive(
  model: Model,
  id: string,
  attempts: 'keep' | 'reset',
  due: Ripeness,
): 'redriven' | 'refused' | 'gone' {
  const run = model.runs.get(id);
  if (run === undefined) return 'gone';
  if (!isDeadLetter(run.state)) return 'refused';
  run.redrives++;
  run.errorGroup = undefined;
  const none = { failures: 0, stalls: 0, releases: 0, rateLimits: 0, carried: 0 };
  if (attempts === 'reset') Object.assign(run, none);
  sendBack(model, run, due);
  return 'redriven';
}

export function modelDiscard(model: Model, id: string): 'discarded' | 'refused' | 'gone' {
  const run = model.runs.get(id);
  if (run === undefined) return 'gone';
  if (['submitted', 'scheduled', 'started'].includes(run.state)) return 'refused';
  model.runs.delete(id);
  model.forgotten++;
  if (run.isKeyed) model.keys.add(id);
  return 'discarded';
}

/** What is answered of leases that are not extended. */
export function modelLeases(model: Model, leases: readonly HeartbeatRequest[]): readonly HeartbeatAnswer[] {
  return leases.map(({ id, epoch }) => {
    const run = model.runs.get(id);
    if (run === undefined) return 'gone';
    if (run.state !== 'started' || run.epoch !== epoch) return 'fenced';
    return run.isCancelRequested ? 'cancel' : 'ok';
  });
}

/** How many dead letters each error group has, and their attempts, by lane and id. */
export function modelGroups(
  model: Model,
): Readonly<Record<string, readonly [count: number, attempts: number]>> {
  const groups: Record<string, [number, number]> = {};
  for (const { lane, errorGroup, failures, stalls } of model.runs.values()) {
    if (errorGroup === undefined) continue;
    const [count, attempts] = groups[`${lane}/${errorGroup}`] ?? [0, 0];
    groups[`${lane}/${errorGroup}`] = [count + 1, attempts + failures + stalls];
  }
  return groups;
}

/** Records a worker and counts the waiting runs of lanes without one; `undefined` where concurrency keys matter. */
export function modelAttend(
  model: Model,
  { worker, lanes }: Pick<Attendance, 'worker' | 'lanes'>,
  until: Ripeness,
): ReadonlyMap<string, number | undefined> {
  model.attendances.delete(worker);
  if (until !== 'now') model.attendances.set(worker, { lanes, until });
  const attended = new Set([...model.attendances.values()].flatMap((attendance) => attendance.lanes));
  const depths = new Map<string, number | undefined>();
  for (const { lane, concurrency, state, ripeness } of model.runs.values()) {
    const isWaiting = state === 'submitted' || (state === 'scheduled' && ripeness === 'now');
    if (!isWaiting || attended.has(lane)) continue;
    const counted = depths.has(lane) ? depths.get(lane) : 0;
    const isCounted = concurrency === undefined && lane !== LIMITED_LANE && counted !== undefined;
    depths.set(lane, isCounted ? counted + 1 : undefined);
  }
  return depths;
}

/** Lets time pass: what was due soon is due now. */
export function modelAdvance(model: Model): void {
  for (const run of model.runs.values()) if (run.ripeness === 'soon') run.ripeness = 'now';
  for (const [worker, { until }] of model.attendances) if (until === 'soon') model.attendances.delete(worker);
  for (const hold of model.holds) if (hold.until === 'soon') hold.until = 'now';
  for (const holder of model.holders.values()) if (holder.until === 'soon') holder.until = 'now';
  letLeasesEnd(model);
  model.advances++;
}

function sendBack(model: Model, run: ModelRun, ripeness: Ripeness): void {
  run.ripeness = ripeness;
  run.state = ripeness === 'now' ? 'submitted' : 'scheduled';
  if (run.state !== 'submitted') model.scheduled.push(run.id);
  else if (run.fairnessKey !== undefined && turnOf(model, run) !== undefined) model.behind.push(run.id);
  else toBack(model, run);
}

function toBack(model: Model, run: ModelRun): void {
  run.hasTurn = run.fairnessKey !== undefined;
  laneOf(model, run.lane).push(run.id);
}

/** The run of the lane and fairness key that has the turn. */
function turnOf(model: Model, { lane, fairnessKey }: ModelRun): ModelRun | undefined {
  return [...model.runs.values()].find(
    (run) => run.hasTurn && run.lane === lane && run.fairnessKey === fairnessKey,
  );
}

/** Ends the turn of a run, if it has one: the first run behind it comes to the back of the lane, and is returned. */
function passTurn(model: Model, run: ModelRun): readonly string[] {
  if (!run.hasTurn) return [];
  run.hasTurn = false;
  const behind = model.behind.flatMap((id) => model.runs.get(id) ?? []);
  const next = behind.find(({ lane, fairnessKey }) => lane === run.lane && fairnessKey === run.fairnessKey);
  if (next === undefined) return [];
  remove(model.behind, next.id);
  toBack(model, next);
  return [next.id];
}

function takeOut(model: Model, run: ModelRun): void {
  remove(laneOf(model, run.lane), run.id);
  remove(model.behind, run.id);
  remove(model.scheduled, run.id);
  passTurn(model, run);
}

function toFront(model: Model, run: ModelRun): void {
  run.state = 'submitted';
  laneOf(model, run.lane).unshift(run.id);
}

/** Only short delays of one length ever come due, so the order of their scheduling is that of their runAt. */
function promote(model: Model, lane: string): void {
  for (const id of [...model.scheduled]) {
    const run = model.runs.get(id);
    if (run === undefined || run.lane !== lane || run.ripeness !== 'now') continue;
    remove(model.scheduled, id);
    sendBack(model, run, 'now');
  }
}

/** Moves so many due runs to the front of their lane, in their order. */
function promoteFirst(model: Model, lane: string, limit: number): void {
  const due = model.scheduled.flatMap((id) => model.runs.get(id) ?? []);
  const first = due.filter((run) => run.lane === lane && run.ripeness === 'now').slice(0, Math.max(limit, 0));
  for (const run of first.reverse()) {
    remove(model.scheduled, run.id);
    toFront(model, run);
  }
}

function heldOf(model: Model, { key }: Pick<Concurrency, 'key'>): number {
  const runs = [...model.runs.values()];
  const own = runs.filter((run) => run.holdsKey && run.concurrency?.key === key);
  return own.length + runs.filter((run) => run.holdsLane && run.lane === key).length;
}

/** How many runs of a lane a claim may find, those behind turns included. */
function waitingIn(model: Model, lane: string): number {
  return laneOf(model, lane).length + model.behind.filter((id) => model.runs.get(id)?.lane === lane).length;
}

function laneOf(model: Model, name: string): string[] {
  const lane = model.lanes.get(name) ?? [];
  model.lanes.set(name, lane);
  return lane;
}

function remove(ids: string[], id: string): void {
  const index = ids.indexOf(id);
  if (index >= 0) ids.splice(index, 1);
}
