import type { AnyTask } from '../../task/task.ts';
import { isClosed, isFull, roomOf } from './plan.ts';
import { readClaim } from './prefetch.ts';
import type { PlannedClaim, Received, WaitingRun, WorkerState } from './worker-state.ts';

/** A run that has ended, or was lost. */
interface EndedRun {
  readonly hasSlot: boolean;
  /** Whether its handler goes on, and keeps its slot. */
  readonly holdsRoom: boolean;
  /** How long its handler took; absent if it was not called. */
  readonly durationMs: number | undefined;
}

/** What happens to a worker; instants are by its clock. */
type WorkerEvent<Run extends WaitingRun = WaitingRun> =
  /** Something that may be worked on, or an end of something: the latest empty claim says nothing any more. */
  | { readonly type: 'changed' }
  /** The worker is about to plan. */
  | { readonly type: 'turned'; readonly now: number }
  /** An exchange leaves. */
  | { readonly type: 'sent'; readonly claim: PlannedClaim | undefined; readonly now: number }
  /** An exchange was answered; without `received`, its claim was not. */
  | {
      readonly type: 'answered';
      readonly claim: PlannedClaim | undefined;
      readonly sentAt: number;
      readonly now: number;
      readonly received: Received | undefined;
    }
  /** Claimed runs wait for slots. */
  | { readonly type: 'waits'; readonly runs: readonly Run[]; readonly now: number }
  /** The handler of a run that was lost has returned, or was abandoned. */
  | { readonly type: 'room-freed'; readonly task: AnyTask }
  /** The broker answers heartbeats in time, or does not. */
  | { readonly type: 'heartbeats'; readonly areLost: boolean }
  /** The worker claims no more than this many runs from now on, and ends then. */
  | { readonly type: 'drains'; readonly maxRuns: number }
  /** Leases that had expired before it drained are settled. */
  | { readonly type: 'cleaned' }
  | { readonly type: 'stops' };

/** Notes in the state what has happened. */
export function apply<Run extends WaitingRun>(state: WorkerState<Run>, event: WorkerEvent<Run>): void {
  switch (event.type) {
    case 'turned':
      if (state.queued === 0) state.queuedSince = undefined;
      else state.queuedSince ??= event.now;
      if (!state.isStopping) noteObstacles(state, event.now);
      break;
    case 'sent':
      send(state, event.claim, event.now);
      break;
    case 'answered':
      answer(state, event);
      break;
    case 'waits':
      if (event.runs.length > 0) state.waiting.push({ since: event.now, runs: event.runs, first: 0 });
      break;
    case 'room-freed':
      state.empty = undefined;
      state.slots.count(event.task, 'running', -1);
      break;
    case 'heartbeats':
      state.empty = undefined;
      state.areHeartbeatsLost = event.areLost;
      break;
    case 'drains':
      state.empty = undefined;
      state.drain = { maxRuns: event.maxRuns, started: 0, asked: 0, isCleaned: false };
      break;
    case 'cleaned':
      state.empty = undefined;
      if (state.drain !== undefined) state.drain.isCleaned = true;
      break;
    case 'stops':
      state.empty = undefined;
      state.isStopping = true;
      state.waiting = [];
      break;
    case 'changed':
      state.empty = undefined;
  }
}

/** Notes that a run was claimed. A function, as the next two, and no event: every run passes all three. */
export function noteClaimed(state: WorkerState, task: AnyTask): void {
  state.leased += 1;
  state.slots.count(task, 'prefetched', 1);
}

/** Notes that a run that waited has taken a slot. */
export function noteStarted({ slots }: WorkerState, task: AnyTask): void {
  slots.count(task, 'prefetched', -1);
  slots.count(task, 'running', 1);
}

/** Notes that a run has ended, or was lost. */
export function noteEnded(state: WorkerState, task: AnyTask, ended: EndedRun): void {
  const { hasSlot, holdsRoom, durationMs } = ended;
  state.leased -= 1;
  state.empty = undefined;
  if (!holdsRoom) state.slots.count(task, hasSlot ? 'running' : 'prefetched', -1);
  if (durationMs === undefined) return;
  state.estimate.noteEnd(durationMs);
  if (state.drain !== undefined) state.drain.started += 1;
}

function send(state: WorkerState, claim: PlannedClaim | undefined, now: number): void {
  state.empty = undefined;
  state.queuedSince = undefined;
  state.exchanges += 1;
  if (claim === undefined) return;
  state.choice.noteSent(claim, claim.limit, now);
  state.slots.reserve(claim);
  state.retryShares?.noteSent(claim);
  if (state.drain !== undefined) state.drain.asked += claim.limit;
}

function answer(
  state: WorkerState,
  { claim, sentAt, now: answeredAt, received }: Extract<WorkerEvent, { type: 'answered' }>,
): void {
  state.exchanges -= 1;
  state.estimate.noteTrip(answeredAt - sentAt);
  if (claim === undefined) return;
  state.slots.release(claim);
  state.retryShares?.noteAnswered(claim);
  if (state.drain !== undefined) state.drain.asked -= claim.limit;
  if (received === undefined) return;
  const { claimed, lanes, now, nextRunAt = Infinity } = received;
  const { limit, isOfAll } = claim;
  const reading = readClaim({ limit, claimed, isOfAll });
  state.estimate.noteClaim(reading);
  if (lanes.length === claim.lanes.size) state.lateness.noteClaim({ claim, sentAt, claimed, now, nextRunAt });
  state.hasMore = !reading.isShort;
  state.choice.note({ claim, claimed, isCut: reading.isCut });
  if (claimed.length === 0 && isOfAll)
    state.empty = { lanes: new Set(lanes), dueInMs: nextRunAt - now, nextRunAt };
}

/** Notes why a run that is claimed later may be late. Room that a pending claim has reserved is no obstacle to it. */
function noteObstacles(state: WorkerState, now: number): void {
  const { slots, lateness } = state;
  lateness.noteLook(now);
  if (state.isNew) lateness.noteBegin(now);
  state.isNew = false;
  if ((state.areHeartbeatsLost && isClosed(state)) || isFull(state, now)) {
    lateness.noteAllBlocked(now);
    for (const lane of slots.rateLimited)
      if (slots.isRateLimited(lane, now)) lateness.noteBlocked(lane, 'rate-limit', now);
  } else if (slots.limited.size > 0) {
    const room = roomOf(state, now);
    for (const lane of slots.limited.keys()) {
      const cause = room?.lanes.has(lane) === true ? undefined : slots.obstacleOf(lane, now);
      if (cause !== undefined) lateness.noteBlocked(lane, cause, now);
    }
  }
}
