import type { Clock } from '@retry/core';
import type {
  Attendance,
  Audit,
  Broker,
  CancelAnswer,
  Claim,
  ClaimedRun,
  DiscardAnswer,
  ExchangeReply,
  ExchangeRequest,
  ExpiredScope,
  GetOptions,
  HeartbeatAnswer,
  HeartbeatRequest,
  LaneDepth,
  ListQuery,
  RedriveAnswer,
  RedriveOptions,
  Run,
  SettleAnswer,
  Settlement,
  Submission,
  SubmitAnswer,
  WaitOptions,
} from '@retry/core/broker';
import {
  answerSettlement,
  checkInput,
  closedError,
  isRefusedInput,
  keepableMs,
  newRun,
  settledBy,
  sizedPage,
  transitionRun,
  unsettledError,
} from '@retry/core/broker/kit';
import type { RunEvent, RunState } from '@retry/core/lifecycle';

/** How long a naive broker keeps what has ended, and its clock. */
export interface NaiveOptions {
  readonly clock: Clock;
  readonly keepCompleted: number;
  readonly keepKeysMs: number;
}

/** A run and what the broker alone knows of it. */
interface Kept {
  run: Run;
  readonly submission: Submission;
  /** Its order among the runs of its lane. */
  seq: number;
  leaseUntil: number;
  takesSlot: boolean;
  /** Until when a result that was not collected is kept. */
  awaitedUntil: number;
}

interface Wait {
  readonly check: () => void;
  readonly end: () => void;
}

const ENDED: readonly RunState[] = ['completed', 'failed', 'cancelled', 'stalled', 'dropped', 'rateLimited'];
const DEAD_LETTERS: readonly RunState[] = ['failed', 'stalled', 'rateLimited'];
const REPLIES_PER_WORKER = 4;
const MAX_COUNTED = 10_000;

/**
 * A broker over a `Map`, written from the port alone: each verb reads every run and takes the obvious step. It shows
 * what the contract asks for, and that the contract depends on no broker of ours.
 */
export function createNaiveBroker({ clock, keepCompleted, keepKeysMs }: NaiveOptions): Broker {
  const runs = new Map<string, Kept>();
  const knownKeys = new Map<string, number>();
  const replies = new Map<string, Map<string, readonly ClaimedRun[]>>();
  const attendances = new Map<string, { readonly lanes: readonly string[]; readonly until: number }>();
  const listeners = new Set<(id: string) => void>();
  const waits = new Set<Wait>();
  const resultWaits = new Set<Wait>();
  let created = 0;
  let forgotten = 0;
  let front = 0;
  let back = 0;
  let isClosed = false;

  /** Every verb passes here. */
  async function call<Answer>(verb: (now: number) => Answer): Promise<Awaited<Answer>> {
    if (isClosed) throw closedError('naive');
    forgetOld(clock.now());
    const answer = verb(clock.now());
    forgetOld(clock.now());
    for (const wait of [...waits]) wait.check();
    return await answer;
  }

  function move(kept: Kept, event: RunEvent): void {
    const moved = transitionRun(kept.run, event);
    if (moved.type === 'rejected') throw new Error(`no ${event.type} from ${moved.from}`);
    kept.run = moved.run;
    placeMoved(kept);
  }

  function placeMoved(kept: Kept): void {
    if (kept.run.state !== 'started') kept.takesSlot = false;
    kept.seq = ++back;
    if (!ENDED.includes(kept.run.state)) return;
    const { keepResultMs } = kept.submission;
    kept.awaitedUntil = (kept.run.endedAt ?? 0) + (keepResultMs ?? 0);
    if (keepResultMs !== undefined) for (const wait of [...resultWaits]) wait.end();
  }

  function submitOne(submission: Submission, now: number): SubmitAnswer {
    const { id, runAt = now, delayMs = 0 } = submission;
    if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';
    const run = newRun(submission);
    const kept: Kept = { run, submission, seq: 0, leaseUntil: 0, takesSlot: false, awaitedUntil: 0 };
    move(kept, { type: 'submit', at: now, runAt: keepableMs(Math.max(runAt, now + delayMs)) });
    runs.set(id, kept);
    knownKeys.delete(id);
    created += 1;
    return 'created';
  }

  function settleAndClaim({ settle = [], claim }: ExchangeRequest, now: number): ExchangeReply {
    const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = claimAgain(claim) ?? claimRuns(claim, now);
    const nextRunAt = nextDueAt([...claim.lanes.keys()]);
    return { settled, claimed, now, ...(nextRunAt !== undefined && { nextRunAt }) };
  }

  function settleAll(settlements: readonly Settlement[], now: number): readonly SettleAnswer[] {
    for (const { id, next } of settlements)
      if (next.state === 'started' || next.state === 'unsubmitted') throw unsettledError(id, next.state);
    const released: Kept[] = [];
    const answers = settlements.map((settlement) => {
      const kept = runs.get(settlement.id);
      const isExpired = kept !== undefined && kept.leaseUntil <= now;
      const answer = answerSettlement(kept?.run, settlement, { isExpired });
      if (answer !== 'ok' || kept === undefined) return answer;
      write(kept, settlement, now);
      if (settlement.event === 'release' && kept.run.state === 'submitted') released.push(kept);
      return answer;
    });
    for (const kept of released.reverse()) kept.seq = --front;
    return answers;
  }

  function write(kept: Kept, { epoch, event, next, delayMs }: Settlement, now: number): void {
    const { lane, payload, concurrency, isCancelRequested } = kept.run;
    const dueAt = delayMs === undefined ? (next.runAt ?? now) : now + Math.max(0, delayMs);
    kept.run = {
      ...next,
      ...{ lane, payload, concurrency, isCancelRequested: undefined },
      settledBy: settledBy(epoch, event),
      runAt: next.state === 'scheduled' ? keepableMs(dueAt) : next.runAt,
    };
    placeMoved(kept);
    if (isCancelRequested && !ENDED.includes(next.state)) move(kept, { type: 'cancel', at: now });
  }

  function claimAgain({ worker, requestId }: Claim): readonly ClaimedRun[] | undefined {
    return replies.get(worker)?.get(requestId);
  }

  function claimRuns(claim: Claim, now: number): readonly ClaimedRun[] {
    const leaseUntil = now + claim.leaseMs;
    const claimed = choose(claim, now).map(({ kept, isOverLimit }) => {
      move(kept, { type: 'start', at: now });
      kept.leaseUntil = leaseUntil;
      kept.takesSlot = kept.run.concurrency !== undefined && !isOverLimit;
      // It was submitted until now, so that starting it has made it started.
      return { run: kept.run as Run<'started'>, leaseUntil, isOverLimit };
    });
    if (claimed.length > 0) remember(claim, claimed);
    return claimed;
  }

  function choose({ lanes, limit }: Claim, now: number): readonly { kept: Kept; isOverLimit: boolean }[] {
    const chosen: { kept: Kept; isOverLimit: boolean }[] = [];
    const taken = new Map<string, number>();
    for (const [lane, laneLimit] of lanes) {
      promote(lane, now);
      let left = Math.min(laneLimit, limit - chosen.length);
      for (const kept of inOrder(lane)) {
        if (left <= 0) break;
        const { concurrency } = kept.run;
        const count =
          concurrency === undefined ? 0 : slotsTaken(concurrency.key) + (taken.get(concurrency.key) ?? 0);
        const isFull = concurrency !== undefined && count >= concurrency.limit;
        if (isFull && concurrency.whenFull === 'wait') continue;
        if (concurrency !== undefined && !isFull)
          taken.set(concurrency.key, (taken.get(concurrency.key) ?? 0) + 1);
        chosen.push({ kept, isOverLimit: isFull });
        left -= 1;
      }
    }
    return chosen.slice(0, sizedPage(chosen.map(({ kept }) => kept.run)).length);
  }

  function remember({ worker, requestId }: Claim, claimed: readonly ClaimedRun[]): void {
    const ofWorker = [...(replies.get(worker) ?? []), [requestId, claimed] as const];
    replies.set(worker, new Map(ofWorker.slice(-REPLIES_PER_WORKER)));
  }

  function promote(lane: string, now: number): void {
    const due = [...runs.values()].filter(
      ({ run }) => run.lane === lane && run.state === 'scheduled' && (run.runAt ?? 0) <= now,
    );
    due.sort((left, right) => (left.run.runAt ?? 0) - (right.run.runAt ?? 0) || left.seq - right.seq);
    for (const kept of due) move(kept, { type: 'promote', at: now });
  }

  function inOrder(lane: string): readonly Kept[] {
    const waiting = [...runs.values()].filter(({ run }) => run.lane === lane && run.state === 'submitted');
    return waiting.sort((left, right) => left.seq - right.seq);
  }

  function slotsTaken(key: string): number {
    return [...runs.values()].filter(({ run, takesSlot }) => takesSlot && run.concurrency?.key === key)
      .length;
  }

  function nextDueAt(lanes: readonly string[]): number | undefined {
    const due = [...runs.values()].filter(({ run }) => run.state === 'scheduled' && lanes.includes(run.lane));
    return due.length === 0 ? undefined : Math.min(...due.map(({ run }) => run.runAt ?? 0));
  }

  function heartbeatOne(
    { id, epoch }: HeartbeatRequest,
    { now, leaseMs }: { now: number; leaseMs: number },
  ): HeartbeatAnswer {
    const kept = runs.get(id);
    if (kept === undefined) return 'gone';
    if (kept.run.state !== 'started' || kept.run.epoch !== epoch) return 'fenced';
    move(kept, { type: 'heartbeat', at: now });
    kept.leaseUntil = Math.max(kept.leaseUntil, now + leaseMs);
    return kept.run.isCancelRequested ? 'cancel' : 'ok';
  }

  function findExpired(
    limit: number,
    { lanes, exceptLanes = [] }: ExpiredScope,
    now: number,
  ): readonly Run[] {
    const expired = [...runs.values()].filter(
      ({ run, leaseUntil }) =>
        run.state === 'started' &&
        leaseUntil <= now &&
        (lanes === undefined || lanes.includes(run.lane)) &&
        !exceptLanes.includes(run.lane),
    );
    expired.sort((left, right) => left.leaseUntil - right.leaseUntil);
    return expired.slice(0, limit).map(({ run }) => ({ ...run, payload: '' }));
  }

  function cancelOne(id: string, now: number): CancelAnswer {
    const kept = runs.get(id);
    if (kept === undefined) return 'gone';
    if (ENDED.includes(kept.run.state)) return 'ended';
    if (kept.run.state !== 'started') {
      move(kept, { type: 'cancel', at: now });
      return 'cancelled';
    }
    kept.run = { ...kept.run, isCancelRequested: true };
    for (const listener of [...listeners]) listener(id);
    return 'requested';
  }

  function hasCancelRequest({ id, epoch }: HeartbeatRequest): boolean {
    const run = runs.get(id)?.run;
    return run?.state === 'started' && run.epoch === epoch && run.isCancelRequested === true;
  }

  function redriveOne(id: string, { keepAttempts = false }: RedriveOptions, now: number): RedriveAnswer {
    const kept = runs.get(id);
    if (kept === undefined) return 'gone';
    if (!DEAD_LETTERS.includes(kept.run.state)) return 'refused';
    move(kept, { type: 'redrive', at: now, keepAttempts });
    if (!keepAttempts) kept.run = { ...kept.run, errors: [], previousDelayMs: undefined };
    return 'redriven';
  }

  function discardOne(id: string, now: number): DiscardAnswer {
    const kept = runs.get(id);
    if (kept === undefined) return 'gone';
    if (!ENDED.includes(kept.run.state)) return 'refused';
    forget(kept, now);
    return 'discarded';
  }

  function forget({ run, submission }: Kept, now: number): void {
    const until = (run.endedAt ?? 0) + keepKeysMs;
    if (submission.keyed && until > now) knownKeys.set(run.id, until);
    runs.delete(run.id);
    forgotten += 1;
  }

  function forgetOld(now: number): void {
    if (keepCompleted === Infinity) return;
    const old = [...runs.values()].filter(
      ({ run, awaitedUntil }) =>
        ENDED.includes(run.state) &&
        (!DEAD_LETTERS.includes(run.state) || run.isDisposable) &&
        awaitedUntil <= now,
    );
    old.sort((left, right) => right.seq - left.seq);
    for (const kept of old.slice(keepCompleted)) forget(kept, now);
  }

  function getAll(
    ids: readonly string[],
    { collect = false, answer = 'runs' }: GetOptions,
  ): readonly (Run | undefined)[] {
    const found = ids.map((id) => runs.get(id)?.run);
    for (const id of ids) {
      const kept = runs.get(id);
      if (collect && kept && ENDED.includes(kept.run.state)) kept.awaitedUntil = 0;
    }
    return answer === 'none' ? [] : found;
  }

  function listRuns(query: ListQuery): readonly Run[] {
    const { state, lane, endedBefore, errorName, limit, payloads = 'include', after = '' } = query;
    const found = [...runs.values()]
      .map(({ run }) => run)
      .filter((run) => run.state === state && run.id > after && (lane === undefined || run.lane === lane))
      .filter((run) => endedBefore === undefined || (run.endedAt ?? 0) < endedBefore)
      .filter((run) => errorName === undefined || run.errors.at(-1)?.name === errorName)
      .sort((left, right) => (left.id < right.id ? -1 : 1))
      .slice(0, limit);
    if (payloads === 'include') return sizedPage(found);
    return found.map((run) => ({ ...run, payload: '', result: undefined }));
  }

  function hasWork(lanes: readonly string[], now: number): boolean {
    return [...runs.values()].some(({ run }) => {
      if (!lanes.includes(run.lane)) return false;
      if (run.state === 'scheduled') return (run.runAt ?? 0) <= now;
      const { concurrency } = run;
      if (run.state !== 'submitted') return false;
      return concurrency?.whenFull !== 'wait' || slotsTaken(concurrency.key) < concurrency.limit;
    });
  }

  /** Waits until the lanes have work, the timeout or the abort; without lanes, until it is ended from outside. */
  function wait(set: Set<Wait>, lanes: readonly string[], { timeoutMs, signal }: WaitOptions): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted || hasWork(lanes, clock.now())) return Promise.resolve();
    return new Promise((resolve) => {
      const timeoutAt = clock.now() + timeoutMs;
      let cancelTimer = (): void => {};
      const end = (): void => {
        cancelTimer();
        set.delete(entry);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const check = (): void => {
        cancelTimer();
        const now = clock.now();
        if (now >= timeoutAt || hasWork(lanes, now)) end();
        else cancelTimer = clock.setTimer(check, Math.min(timeoutAt, nextDueAt(lanes) ?? Infinity) - now);
      };
      const entry = { check, end };
      set.add(entry);
      signal?.addEventListener('abort', end);
      check();
    });
  }

  function attend(attendance: Attendance | undefined, now: number): readonly LaneDepth[] {
    if (attendance !== undefined)
      attendances.set(attendance.worker, { lanes: attendance.lanes, until: now + attendance.ttlMs });
    const alive = [...attendances.values()].filter(({ until }) => until > now);
    const attended = alive.flatMap(({ lanes }) => lanes);
    const depths = new Map<string, number>();
    for (const { run } of runs.values()) {
      const isDue = run.state === 'scheduled' && (run.runAt ?? 0) <= now;
      if (attended.includes(run.lane) || (run.state !== 'submitted' && !isDue)) continue;
      depths.set(run.lane, Math.min(MAX_COUNTED, (depths.get(run.lane) ?? 0) + 1));
    }
    return [...depths].map(([lane, waiting]) => ({ lane, waiting }));
  }

  function audit(): Audit {
    const count = (state: RunState): number =>
      [...runs.values()].filter(({ run }) => run.state === state).length;
    return {
      created,
      submitted: count('submitted'),
      scheduled: count('scheduled'),
      started: count('started'),
      ended: {
        completed: count('completed'),
        failed: count('failed'),
        cancelled: count('cancelled'),
        stalled: count('stalled'),
        dropped: count('dropped'),
        rateLimited: count('rateLimited'),
      },
      forgotten,
      unbalanced: Math.abs(created - runs.size - forgotten),
    };
  }

  return checkInput({
    submit: (submissions) => call((now) => submissions.map((submission) => submitOne(submission, now))),
    settleAndClaim: (request) => call((now) => settleAndClaim(request, now)),
    heartbeat: (beats, leaseMs) => call((now) => beats.map((beat) => heartbeatOne(beat, { now, leaseMs }))),
    findExpired: (limit, scope = {}) => call((now) => findExpired(limit, scope, now)),
    cancel: (ids) => call((now) => ids.map((id) => cancelOne(id, now))),
    findCancelRequests: (leases) => call(() => leases.filter(hasCancelRequest)),
    onCancelRequest: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    redrive: (ids, options = {}) => call((now) => ids.map((id) => redriveOne(id, options, now))),
    discard: (ids) => call((now) => ids.map((id) => discardOne(id, now))),
    get: (ids, options = {}) => call(() => getAll(ids, options)),
    list: (query) => call(() => listRuns(query)),
    waitForWork: (lanes, options) => call(() => wait(waits, lanes, options)),
    waitForResult: (options) => call(() => wait(resultWaits, [], options)),
    attend: (attendance) => call((now) => attend(attendance, now)),
    audit: () => call(audit),
    isRefusal: isRefusedInput,
    close: async () => {
      isClosed = true;
      for (const { end } of [...waits, ...resultWaits]) end();
    },
  });
}
