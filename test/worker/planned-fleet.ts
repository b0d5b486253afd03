import type { Broker, ClaimedRun } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { apply, noteClaimed, noteEnded, noteStarted } from '../../packages/worker/src/engine/plan/apply.ts';
import type { WorkerPlan } from '../../packages/worker/src/engine/plan/plan.ts';
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
  readonly tasks: readonly PlannedTask[];
  /** How long exchanges take, in ms, by turns. */
  readonly trips: readonly number[];
  /** When the workers are stopped, in ms. */
  readonly stopAt?: number;
  /** How many handlers each may call: then it drains. */
  readonly maxRuns?: number;
  /** When heartbeats of a worker begin to fail, by its number; after `forMs` its leases are lost, and heartbeats are answered again. */
  readonly outages?: readonly { readonly worker: number; readonly at: number; readonly forMs: number }[];
}

interface PlannedTask {
  readonly runs: readonly number[];
  readonly maxConcurrent: number;
  /** How many concurrency keys its runs have by turns, each with one run at a time; 0: none. */
  readonly keys?: number;
}

/** One run, and what became of it. */
export interface PlayedRun {
  readonly lane: string;
  readonly handlerMs: number;
  readonly key: string | undefined;
  claimedAt: number;
  startedAt: number | undefined;
  givenBackAt: number | undefined;
  lostAt: number | undefined;
  hasEnded: boolean;
}

/** One worker of the fleet. */
export interface PlayedWorker {
  readonly state: WorkerState<PlayedRun>;
  /** Those whose handlers run, with those whose leases were lost meanwhile. */
  readonly running: Set<PlayedRun>;
  readonly claims: Set<PlannedClaim>;
  started: number;
  /** When the first of the settlements that are queued was queued. */
  queuedAt: number | undefined;
  drained: WorkerPlan['drained'];
  wakes: number;
}

/** What a law looks at. */
export interface Observer {
  readonly onPlan?: (worker: PlayedWorker, planned: WorkerPlan, now: number) => void;
  /** After the exchange that was planned has left. */
  readonly onSent?: (worker: PlayedWorker, claim: PlannedClaim | undefined, now: number) => void;
}

/** A shell that has neither promises nor timers: plays workers on virtual time until nothing more happens. */
export function playFleet(fleet: FleetPlan, observer: Observer = {}) {
  const tasks = new Map<string, AnyTask>();
  const waiting = new Map<string, PlayedRun[]>();
  for (const [index, { runs, maxConcurrent, keys = 0 }] of fleet.tasks.entries()) {
    const task = taskOfNumber(index, maxConcurrent);
    tasks.set(task.lane, task);
    const played = runs.map((handlerMs, nth) =>
      newPlayed({ lane: task.lane, handlerMs, key: keys === 0 ? undefined : `${index}-${nth % keys}` }),
    );
    waiting.set(task.lane, played);
  }
  /** Keys of claimed runs whose settlements the server does not have yet. */
  const takenKeys = new Set<string>();
  const toSettle = new Map<PlayedWorker, PlayedRun[]>();
  const all = [...waiting.values()].flat();
  const agenda = new Agenda();
  let trips = 0;
  const workers = Array.from({ length: fleet.workers }, () => createPlayed(fleet, tasks));

  const taskOf = ({ lane }: PlayedRun): AnyTask => tasks.get(lane) as AnyTask; // each run is of one of them
  const queue = (worker: PlayedWorker, run: PlayedRun): void => {
    toSettle.set(worker, [...(toSettle.get(worker) ?? []), run]);
    worker.state.queued += 1;
    worker.queuedAt ??= agenda.now;
  };
  const end = (worker: PlayedWorker, run: PlayedRun): void => {
    const { startedAt } = run;
    const durationMs = startedAt === undefined ? undefined : agenda.now - startedAt;
    run.hasEnded = true;
    worker.running.delete(run);
    const hasSlot = startedAt !== undefined;
    noteEnded(worker.state, taskOf(run), { hasSlot, holdsRoom: false, durationMs });
    queue(worker, run);
  };
  const giveBack = (worker: PlayedWorker, run: PlayedRun): void => {
    run.givenBackAt = agenda.now;
    end(worker, run);
    comeAgain(run);
  };
  /** Another one in its place, as if the server had it at once. */
  const comeAgain = (run: PlayedRun): void => {
    const again = newPlayed(run);
    all.push(again);
    waiting.get(run.lane)?.unshift(again);
  };
  const lose = (worker: PlayedWorker): void => {
    const lost = [...worker.state.waiting.flatMap(({ runs, first }) => runs.slice(first)), ...worker.running];
    for (const run of lost) {
      if (run.hasEnded) continue;
      const { startedAt } = run;
      const hasSlot = startedAt !== undefined;
      const durationMs = hasSlot ? agenda.now - startedAt : undefined;
      run.hasEnded = true;
      run.lostAt = agenda.now;
      noteEnded(worker.state, taskOf(run), { hasSlot, holdsRoom: hasSlot, durationMs });
      if (run.key !== undefined) takenKeys.delete(run.key);
      comeAgain(run);
    }
  };
  const fill = (worker: PlayedWorker): void => {
    while (worker.state.slots.taken.running < fleet.concurrency && !worker.state.isStopping) {
      const run = takeWaiting(worker.state);
      if (run === undefined) return;
      noteStarted(worker.state, taskOf(run));
      run.startedAt = agenda.now;
      worker.started += 1;
      worker.running.add(run);
      agenda.at(agenda.now + run.handlerMs, () => {
        if (run.lostAt === undefined) end(worker, run);
        else {
          worker.running.delete(run);
          apply(worker.state, { type: 'room-freed', task: taskOf(run) });
        }
        fill(worker);
        turn(worker);
      });
    }
  };
  const claim = (planned: PlannedClaim): readonly PlayedRun[] => {
    const claimed: PlayedRun[] = [];
    for (const [lane, room] of planned.lanes) {
      const count = Math.min(room, planned.limit - claimed.length);
      const taken: PlayedRun[] = [];
      const left: PlayedRun[] = [];
      for (const run of waiting.get(lane) ?? []) {
        const isTaken = taken.length < count && !(run.key !== undefined && takenKeys.has(run.key));
        if (isTaken && run.key !== undefined) takenKeys.add(run.key);
        (isTaken ? taken : left).push(run);
      }
      waiting.set(lane, left);
      claimed.push(...taken);
    }
    return claimed;
  };
  const exchange = (worker: PlayedWorker, planned: PlannedClaim | undefined): void => {
    const { state } = worker;
    const sentAt = agenda.now;
    const settled = state.queued;
    const settling = toSettle.get(worker) ?? [];
    toSettle.delete(worker);
    apply(state, { type: 'sent', claim: planned, now: sentAt });
    state.queued = 0;
    state.unanswered += settled;
    if (planned !== undefined) worker.claims.add(planned);
    observer.onSent?.(worker, planned, sentAt);
    worker.queuedAt = undefined;
    const tripMs = fleet.trips[trips++ % fleet.trips.length] ?? 1;
    agenda.at(sentAt + tripMs, () => {
      for (const { key, lostAt } of settling)
        if (key !== undefined && lostAt === undefined) takenKeys.delete(key);
      const runs = planned === undefined ? [] : claim(planned);
      state.unanswered -= settled;
      const lanes = [...(planned?.lanes.keys() ?? [])];
      const received = planned && { claimed: runs.map(claimedRun), now: agenda.now, lanes };
      apply(state, { type: 'answered', claim: planned, sentAt, now: agenda.now, received });
      if (planned !== undefined) worker.claims.delete(planned);
      for (const run of runs) {
        run.claimedAt = agenda.now;
        noteClaimed(state, taskOf(run));
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
  for (const { worker: number, at, forMs } of fleet.outages ?? []) {
    const worker = workers[number % workers.length];
    if (worker === undefined) continue;
    const note = (areLost: boolean): void => apply(worker.state, { type: 'heartbeats', areLost });
    agenda.at(at, () => note(true));
    agenda.at(at + forMs, () => {
      lose(worker);
      note(false);
      fill(worker);
      turn(worker);
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
    broker: { facts: {} } as Broker, // no verb of it is called
  };
  const state = createWorkerState<PlayedRun>(settings, () => 0);
  const claims = new Set<PlannedClaim>();
  return { state, running: new Set(), claims, started: 0, queuedAt: undefined, drained: undefined, wakes: 0 };
}

const TASKS = new Map<string, AnyTask>();

/** Tasks are defined once, which takes longer than to play a small fleet. */
function taskOfNumber(number: number, maxConcurrent: number): AnyTask {
  const name = `t${number}`;
  const known = TASKS.get(`${name}/${maxConcurrent}`);
  if (known !== undefined) return known;
  const task = defineTask({ name, maxConcurrent, run: () => {} }) as unknown as AnyTask;
  TASKS.set(`${name}/${maxConcurrent}`, task);
  return task;
}

function newPlayed({ lane, handlerMs, key }: Pick<PlayedRun, 'lane' | 'handlerMs' | 'key'>): PlayedRun {
  const none = { startedAt: undefined, givenBackAt: undefined, lostAt: undefined };
  return { lane, handlerMs, key, claimedAt: 0, ...none, hasEnded: false };
}

function claimedRun({ lane }: PlayedRun): ClaimedRun {
  return { run: { lane, payload: '1', errors: [] } } as unknown as ClaimedRun; // what a claim says is read from these
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
