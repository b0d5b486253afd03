import type { ClaimedRun } from '@retry/core/broker';
import { newRun } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { defineTask } from '@retry/worker';
import { apply } from '../../packages/worker/src/engine/plan/apply.ts';
import type { Plan } from '../../packages/worker/src/engine/plan/plan.ts';
import { isIdle, plan, takeLate, takeWaiting } from '../../packages/worker/src/engine/plan/plan.ts';
import type { PlannedClaim, WorkerState } from '../../packages/worker/src/engine/plan/worker-state.ts';
import { createWorkerState } from '../../packages/worker/src/engine/plan/worker-state.ts';
import type { AnyTask } from '../../packages/worker/src/task/task.ts';

/** What the fleet works on, and how fast. */
export interface FleetPlan {
  readonly workers: number;
  readonly concurrency: number;
  readonly prefetch: number | 'auto';
  readonly settleMs: number;
  /** By task: its runs, each with the ms that its handler takes, and its `maxConcurrent`. */
  readonly tasks: readonly { readonly runs: readonly number[]; readonly maxConcurrent: number }[];
  /** How long exchanges take, in ms, by turns. */
  readonly trips: readonly number[];
  /** When the workers are stopped, in ms. */
  readonly stopAt?: number;
  /** How many handlers each may call: then it drains. */
  readonly maxRuns?: number;
}

/** One run, and what became of it. */
export interface PlayedRun {
  readonly lane: string;
  readonly handlerMs: number;
  claimedAt: number;
  startedAt: number | undefined;
  givenBackAt: number | undefined;
  hasEnded: boolean;
}

/** One worker of the fleet. */
export interface PlayedWorker {
  readonly state: WorkerState<PlayedRun>;
  /** Plans that were made, with the state that they were made from, as `onPlan` sees them. */
  readonly running: Set<PlayedRun>;
  readonly claims: Set<PlannedClaim>;
  started: number;
  /** When the first of the settlements that are queued was queued. */
  queuedAt: number | undefined;
  drained: Plan['drained'];
  wakes: number;
}

/** What a law looks at. */
export interface Observer {
  readonly onPlan?: (worker: PlayedWorker, planned: Plan, now: number) => void;
  /** After the exchange that was planned has left. */
  readonly onSent?: (worker: PlayedWorker, claim: PlannedClaim | undefined, now: number) => void;
}

/** A shell that has neither promises nor timers: plays workers on virtual time until nothing more happens. */
export function playFleet(fleet: FleetPlan, observer: Observer = {}) {
  const tasks = new Map<string, AnyTask>();
  const waiting = new Map<string, PlayedRun[]>();
  for (const [index, { runs, maxConcurrent }] of fleet.tasks.entries()) {
    const task = defineTask({ name: `t${index}`, maxConcurrent, run: () => {} }) as unknown as AnyTask;
    tasks.set(task.lane, task);
    const played = runs.map((handlerMs) => newPlayed(task.lane, handlerMs));
    waiting.set(task.lane, played);
  }
  const all = [...waiting.values()].flat();
  const agenda = new Agenda();
  let trips = 0;
  const workers = Array.from({ length: fleet.workers }, () => createPlayed(fleet, tasks));

  const taskOf = ({ lane }: PlayedRun): AnyTask => tasks.get(lane) as AnyTask; // each run is of one of them
  const queue = (worker: PlayedWorker): void => {
    worker.state.queued += 1;
    worker.queuedAt ??= agenda.now;
  };
  const end = (worker: PlayedWorker, run: PlayedRun): void => {
    const { startedAt } = run;
    const durationMs = startedAt === undefined ? undefined : agenda.now - startedAt;
    run.hasEnded = true;
    worker.running.delete(run);
    const hasSlot = startedAt !== undefined;
    apply(worker.state, { type: 'ended', task: taskOf(run), hasSlot, holdsRoom: false, durationMs });
    queue(worker);
  };
  const giveBack = (worker: PlayedWorker, run: PlayedRun): void => {
    run.givenBackAt = agenda.now;
    end(worker, run);
    // It comes again as another one.
    const again = newPlayed(run.lane, run.handlerMs);
    all.push(again);
    waiting.get(run.lane)?.unshift(again);
  };
  const fill = (worker: PlayedWorker): void => {
    while (worker.state.slots.isFree && !worker.state.isStopping) {
      const run = takeWaiting(worker.state);
      if (run === undefined) return;
      apply(worker.state, { type: 'started', task: taskOf(run) });
      run.startedAt = agenda.now;
      worker.started += 1;
      worker.running.add(run);
      agenda.at(agenda.now + run.handlerMs, () => {
        end(worker, run);
        fill(worker);
        turn(worker);
      });
    }
  };
  const claim = (planned: PlannedClaim): readonly PlayedRun[] => {
    const claimed: PlayedRun[] = [];
    for (const [lane, room] of planned.lanes) {
      const count = Math.min(room, planned.limit - claimed.length);
      claimed.push(...(waiting.get(lane)?.splice(0, count) ?? []));
    }
    return claimed;
  };
  const exchange = (worker: PlayedWorker, planned: PlannedClaim | undefined): void => {
    const { state } = worker;
    const sentAt = agenda.now;
    const settled = state.queued;
    apply(state, { type: 'sent', claim: planned, now: sentAt });
    state.queued = 0;
    state.unanswered += settled;
    if (planned !== undefined) worker.claims.add(planned);
    observer.onSent?.(worker, planned, sentAt);
    worker.queuedAt = undefined;
    const tripMs = fleet.trips[trips++ % fleet.trips.length] ?? 1;
    agenda.at(sentAt + tripMs, () => {
      const runs = planned === undefined ? [] : claim(planned);
      state.unanswered -= settled;
      const lanes = [...(planned?.lanes.keys() ?? [])];
      const received = planned && { claimed: runs.map(claimedRun), now: agenda.now, lanes };
      apply(state, { type: 'answered', claim: planned, sentAt, now: agenda.now, received });
      if (planned !== undefined) worker.claims.delete(planned);
      for (const run of runs) {
        run.claimedAt = agenda.now;
        apply(state, { type: 'claimed', task: taskOf(run) });
      }
      if (state.isStopping) for (const run of runs) giveBack(worker, run);
      else apply(state, { type: 'waits', runs, now: agenda.now });
      fill(worker);
      turn(worker);
    });
  };
  const turn = (worker: PlayedWorker): void => {
    const { state } = worker;
    if (worker.drained !== undefined) return;
    apply(state, { type: 'turned', now: agenda.now });
    const planned = plan(state, agenda.now);
    observer.onPlan?.(worker, planned, agenda.now);
    if (planned.giveBackInMs === 0) {
      for (const run of takeLate(state, agenda.now)) giveBack(worker, run);
      turn(worker);
      return;
    }
    if (planned.start > 0) fill(worker);
    if (planned.exchanges) {
      exchange(worker, planned.claim);
      turn(worker);
      return;
    }
    worker.drained = planned.drained;
    if (planned.drained !== undefined) return;
    const inMs = Math.min(planned.wakeInMs, planned.giveBackInMs);
    const isOver =
      isIdle(state) && (state.isStopping || [...waiting.values()].every((runs) => runs.length === 0));
    if (isOver || inMs === Infinity) return;
    const wake = ++worker.wakes;
    agenda.at(agenda.now + inMs, () => {
      if (wake !== worker.wakes) return;
      if (planned.waitFor !== undefined) apply(state, { type: 'changed' });
      turn(worker);
    });
  };

  for (const worker of workers) {
    if (fleet.maxRuns !== undefined) {
      apply(worker.state, { type: 'drains', maxRuns: fleet.maxRuns });
      apply(worker.state, { type: 'cleaned' });
    }
    turn(worker);
  }
  if (fleet.stopAt !== undefined) {
    agenda.at(fleet.stopAt, () => {
      for (const worker of workers) {
        const prefetched = worker.state.waiting.flatMap(({ runs, first }) => runs.slice(first));
        apply(worker.state, { type: 'stops' });
        for (const run of prefetched) if (!run.hasEnded) giveBack(worker, run);
        turn(worker);
      }
    });
  }
  agenda.run();
  return { workers, runs: all, left: [...waiting.values()].flat().length, endedAt: agenda.now };
}

function createPlayed(fleet: FleetPlan, tasks: ReadonlyMap<string, AnyTask>): PlayedWorker {
  const { concurrency, prefetch, settleMs } = fleet;
  const settings = {
    tasks,
    concurrency,
    prefetch,
    settleMs,
    pollMs: 1_000,
    random: () => 0.5,
    broker: createMemoryBroker(),
  };
  const state = createWorkerState<PlayedRun>(settings, () => 0);
  const claims = new Set<PlannedClaim>();
  return { state, running: new Set(), claims, started: 0, queuedAt: undefined, drained: undefined, wakes: 0 };
}

function newPlayed(lane: string, handlerMs: number): PlayedRun {
  return { lane, handlerMs, claimedAt: 0, startedAt: undefined, givenBackAt: undefined, hasEnded: false };
}

function claimedRun({ lane }: PlayedRun): ClaimedRun {
  const run = newRun({ id: 'any', lane, payload: '1' });
  return { run } as unknown as ClaimedRun; // what a claim says is read from lane and payload
}

/** What happens when, in order; what happens at the same instant, in the order in which it was noted. */
class Agenda {
  now = 0;
  readonly #entries: { readonly at: number; readonly call: () => void }[] = [];

  at(at: number, call: () => void): void {
    let index = this.#entries.length;
    while (index > 0 && (this.#entries[index - 1]?.at ?? 0) > at) index -= 1;
    this.#entries.splice(index, 0, { at, call });
  }

  run(): void {
    for (let steps = 0; steps < 20_000; steps += 1) {
      const entry = this.#entries.shift();
      if (entry === undefined) return;
      this.now = entry.at;
      entry.call();
    }
    throw new Error('the fleet never ends');
  }
}
