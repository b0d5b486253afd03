import type { Room } from './slots.ts';
import type { ClaimsEnd, EmptyClaim, PlannedClaim, WaitingRun, WorkerState } from './worker-state.ts';

/**
 * The most settlements of one exchange, and the most runs that it claims while there are more: larger claims leave settlements to a third
 * exchange; claims of 550 runs took a fifth longer for each run on Redis.
 */
export const MAX_PER_EXCHANGE = 500;

/** How long a claimed run waits for a slot, at most, in ms; then it is given back: other workers may be idle. */
export const MAX_WAIT_MS = 100;

/** How long a second exchange waits for more to carry while the first is pending, in ms. */
const GATHER_MS = 1;

/** Handlers of at most this many ms are short. */
const SHORT_MS = 1;

/** What a worker does now. */
export interface WorkerPlan {
  /** Whether an exchange leaves: with the settlements that are queued, and with `claim`. */
  readonly exchanges: boolean;
  readonly claim: PlannedClaim | undefined;
  /** How many of the runs that wait for a slot start. */
  readonly start: number;
  /** Until runs have waited for a slot for too long, in ms: see `takeLate`. `Infinity`: none waits. */
  readonly giveBackInMs: number;
  /** The lanes whose work ends the wait; `undefined` where only an event or `wakeInMs` does. */
  readonly waitFor: ReadonlySet<string> | undefined;
  /** When to plan again if nothing happens, in ms from now; `Infinity`: something will. */
  readonly wakeInMs: number;
  /** Why a drain has nothing more to do. */
  readonly drained: ClaimsEnd | undefined;
}

/**
 * Returns what follows from the state at this instant of the worker's clock. Pure: what was not done follows again, until `apply` notes
 * that it was done.
 */
export function plan(state: WorkerState, now: number): WorkerPlan {
  if (isAwaiting(state)) return AWAITING;
  // Before the room: a limit of all workers, which reads their broker's clock, may open between the two.
  const opensInMs = state.sharedLimits.size === 0 ? undefined : opensIn(state, now);
  const room = roomOf(state, now);
  const exchanges = isTimeFor(state, room, now);
  const drained = exchanges || state.drain === undefined ? undefined : drainEnd(state, room);
  const isWaiting = !exchanges && state.exchanges === 0 && state.queued === 0;
  return {
    exchanges,
    claim: exchanges && room !== undefined ? claimOf(state, room, now) : undefined,
    start: startable(state),
    giveBackInMs: giveBackInMs(state, now),
    waitFor: isWaiting && room !== undefined ? state.empty?.lanes : undefined,
    wakeInMs: exchanges ? 0 : wakeInMs(state, room, { now, opensInMs }),
    drained,
  };
}

const AWAITING: WorkerPlan = {
  ...{ exchanges: false, claim: undefined, start: 0, giveBackInMs: Infinity },
  ...{ waitFor: undefined, wakeInMs: Infinity, drained: undefined },
};

/** Whether only the answer to an exchange can bring anything to do: every second turn of a worker that is not busy. */
function isAwaiting({ exchanges, queued, hasMore, waiting }: WorkerState): boolean {
  return exchanges > 0 && queued === 0 && !hasMore && waiting.length === 0;
}

/** Whether nothing runs and everything is settled. */
export function isIdle({ leased, queued, unanswered }: WorkerState): boolean {
  return leased === 0 && queued === 0 && unanswered === 0;
}

/** Returns what may be claimed now; `undefined` when nothing may be. */
export function roomOf(state: WorkerState, now: number): Room | undefined {
  const { slots, estimate, pauses, drain, isStopping, areHeartbeatsLost } = state;
  if (isStopping || (areHeartbeatsLost && isClosed(state))) return undefined;
  const room = slots.room(now, estimate.count(now));
  if (room === undefined) return undefined;
  const lanes = pauses.lanes.size === 0 ? room.lanes : pauses.open(room.lanes, now);
  const limit = drain === undefined ? room.limit : Math.min(room.limit, drainLeft(state));
  return lanes.size === 0 || limit <= 0 ? undefined : { limit, lanes };
}

/** Whether nothing may be claimed, whatever is free: while heartbeats are lost, what is claimed may be lost, too. */
export function isClosed({ areHeartbeatsLost, leased }: WorkerState): boolean {
  return areHeartbeatsLost && leased > 0;
}

/** Whether every slot is taken, those for runs that are claimed in advance included. What pending claims may return takes none yet. */
export function isFull({ slots, concurrency, estimate }: WorkerState, now: number): boolean {
  const { running, prefetched } = slots.taken;
  return running + prefetched >= concurrency && running + prefetched >= concurrency + estimate.count(now);
}

/** How many of the runs that wait may start now. */
function startable({ slots, waiting, isStopping, concurrency }: WorkerState): number {
  const free = concurrency - slots.taken.running;
  if (isStopping || waiting.length === 0 || free <= 0) return 0;
  let count = 0;
  for (const { runs, first } of waiting) {
    for (let index = first; index < runs.length && count < free; index += 1)
      if (runs[index]?.hasEnded === false) count += 1;
  }
  return count;
}

/** Until runs have waited for a slot for too long, in ms; `Infinity`: none waits. */
export function giveBackInMs({ waiting }: WorkerState, now: number): number {
  const [oldest] = waiting;
  return oldest === undefined ? Infinity : Math.max(oldest.since + MAX_WAIT_MS - now, 0);
}

/** How many runs the worker leases at most now: those that run and those that it claims in advance. */
function mostOf({ concurrency, estimate }: WorkerState, now: number): number {
  return concurrency + estimate.count(now);
}

/** Milliseconds until the end of a rate limit or of a lane's pause; `Infinity` when there is none. */
export function opensIn({ slots, pauses }: WorkerState, now: number): number {
  return Math.min(slots.opensIn(now), pauses.opensIn(now));
}

function isTimeFor(state: WorkerState, room: Room | undefined, now: number): boolean {
  const { queued, exchanges, empty, estimate, concurrency, hasMore } = state;
  const hasRoom = room !== undefined && !isEmptyFor(room, empty);
  const gathers = isGathering(state);
  if (exchanges === 0 && (!gathers || queued === 0)) return queued > 0 || hasRoom;
  if (exchanges > 1 || (exchanges === 1 && gathers)) return false;
  const most = estimate.meanMs <= SHORT_MS ? concurrency : mostOf(state, now);
  const isMuch = 2 * Math.max(queued, room?.limit ?? 0) >= most;
  if (queued === 0) return isMuch && hasMore;
  return isMuch || now >= gatherUntil(state, now);
}

/**
 * Whether settlements wait for those of other runs: no slot waits for a claim, and handlers wait more than they compute, so that a second
 * exchange would not make them faster.
 */
function isGathering({ settleMs, slots, concurrency, waiting, estimate, isStopping }: WorkerState): boolean {
  if (settleMs === 0 || isStopping || estimate.meanMs <= SHORT_MS) return false;
  return slots.taken.running >= concurrency || waiting.length > 0;
}

/** When settlements have waited for long enough. */
function gatherUntil({ queuedSince, exchanges, settleMs }: WorkerState, now: number): number {
  return (queuedSince ?? now) + (exchanges === 0 ? settleMs : GATHER_MS);
}

/** Whether a claim has found nothing in every lane with room: others may have got theirs while it was under way. */
function isEmptyFor({ lanes }: Room, empty: EmptyClaim | undefined): boolean {
  if (empty === undefined) return false;
  for (const lane of lanes.keys()) if (!empty.lanes.has(lane)) return false;
  return true;
}

/**
 * While there are more runs than one claim takes, it takes half of the room, at most as many as one exchange settles: the next is sent
 * while these run. Where only one may be under way, it takes all of the room.
 */
function claimOf(state: WorkerState, room: Room, now: number): PlannedClaim {
  const share = state.isSerial ? room.limit : Math.ceil(mostOf(state, now) / 2);
  const limit = state.hasMore ? Math.min(room.limit, share, MAX_PER_EXCHANGE) : room.limit;
  const { lanes, asksEmpty } = state.choice.choose(room.lanes, limit, now);
  const claim = { limit, lanes, asksEmpty, isOfAll: lanes.size === room.lanes.size };
  const dueLimits = state.retryShares?.dueLimits(claim);
  return dueLimits === undefined ? claim : { ...claim, dueLimits };
}

function wakeInMs(
  state: WorkerState,
  room: Room | undefined,
  { now, opensInMs }: { readonly now: number; readonly opensInMs: number | undefined },
): number {
  const { exchanges, queued, empty, pollMs } = state;
  if (exchanges > 1 || (exchanges === 1 && (queued === 0 || isGathering(state)))) return Infinity;
  const leaveInMs = queued === 0 ? Infinity : Math.max(gatherUntil(state, now) - now, 0);
  if (exchanges === 1) return leaveInMs;
  const restMs = Math.min(pollMs, opensInMs ?? opensIn(state, now), leaveInMs);
  if (room === undefined || empty === undefined) return restMs;
  return Math.min(restMs, Math.max(empty.dueInMs, 1));
}

/** Returns why a drain has nothing more to do; `undefined` if it has, or there is none. */
function drainEnd(state: WorkerState, room: Room | undefined): ClaimsEnd | undefined {
  const { drain, isStopping, exchanges, empty } = state;
  if (drain === undefined || isStopping || exchanges > 0 || !isIdle(state)) return undefined;
  if (drainLeft(state) <= 0) return 'maxRuns';
  const isEmpty = room === undefined || (empty !== undefined && empty.dueInMs > 0);
  return isEmpty && drain.isCleaned ? 'empty' : undefined;
}

/** How many more handlers a drain may call. What was given back without a start is not counted. */
function drainLeft({ drain, leased }: WorkerState): number {
  return drain === undefined ? Infinity : drain.maxRuns - drain.started - leased - drain.asked;
}

/** Takes out the first run that waits, without those that have ended meanwhile; `undefined` when none does. */
export function takeWaiting<Run extends WaitingRun>(state: WorkerState<Run>): Run | undefined {
  for (let [batch] = state.waiting; batch !== undefined; [batch] = state.waiting) {
    const run = batch.runs[batch.first];
    batch.first += 1;
    if (batch.first >= batch.runs.length) state.waiting.shift();
    if (run?.hasEnded === false) return run;
  }
  return undefined;
}

/** Takes out the runs that have waited for a slot for too long: handlers take longer than estimated. */
export function takeLate<Run extends WaitingRun>(state: WorkerState<Run>, now: number): readonly Run[] {
  const late = state.waiting.filter(({ since }) => since + MAX_WAIT_MS <= now);
  // Taken out first: whatever ends frees a slot for the next run in line.
  state.waiting = state.waiting.slice(late.length);
  const runs = late.flatMap(({ runs, first }) => runs.slice(first).filter(({ hasEnded }) => !hasEnded));
  const [oldest] = late;
  if (oldest !== undefined && runs.length > 0) state.estimate.noteGivenBack(now - oldest.since);
  return runs;
}
