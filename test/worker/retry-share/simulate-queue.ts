import type { Policy } from '@retry/core';
import { decide } from '@retry/core';
import type { ClaimedRun } from '@retry/core/broker';
import { newRun } from '@retry/core/broker/kit';
import { defineTask } from '@retry/worker';
import { drawExponential, drawsOf } from '../../../packages/core/src/simulate/run/draws.ts';
import { createEventQueue } from '../../../packages/core/src/simulate/run/event-queue.ts';
import type { SharedClaim } from '../../../packages/worker/src/engine/plan/retry-share.ts';
import { RetryShares } from '../../../packages/worker/src/engine/plan/retry-share.ts';

/** A queue, its worker, and an outage. */
export interface QueueWorld {
  readonly policy: Policy;
  readonly slots: number;
  /** How long a handler takes, in ms. */
  readonly handlerMs: number;
  /** New runs a second, which come at random. */
  readonly perSecond: number;
  readonly durationMs: number;
  /** While it lasts, each new run is one of those that fail with a chance of `share`, and fails so often. */
  readonly outage: {
    readonly fromMs: number;
    readonly untilMs: number;
    readonly share: number;
    readonly times: number;
  };
  /** `1`: one lane, in which retries wait in line. */
  readonly retryShare: number;
}

/** One run of the world. */
interface SimulatedRun {
  readonly submittedAt: number;
  failuresLeft: number;
  failures: number;
  previousDelayMs: number | undefined;
}

/** What a simulation shows; all of the time of the outage, but for `recoveredMs`. */
export interface QueueFigures {
  /** From its submission to the end of its first attempt, 99 % of the new runs at most, in ms. */
  readonly firstP99Ms: number;
  /** New runs that completed, at whatever attempt, a second. */
  readonly goodputPerSecond: number;
  /** From the end of the outage until no retry waits that is due, in ms; `Infinity` if that does not come. */
  readonly recoveredMs: number;
}

/** Simulates the queue with one seed: policy and shares are the code of production. */
export function simulateQueue(world: QueueWorld, seed: number): QueueFigures {
  const { policy, slots, handlerMs, perSecond, durationMs, outage, retryShare } = world;
  const draws = drawsOf(seed, 0);
  const events = createEventQueue();
  const task = defineTask({ name: 'simulated', retryShare, run: () => {} });
  const shares = new RetryShares([task]);
  const waiting: SimulatedRun[] = [];
  const due: SimulatedRun[] = [];
  const firstMs: number[] = [];
  let [running, retriesWaiting, completed, recoveredAt] = [0, 0, 0, Infinity];
  const isInOutage = (at: number): boolean => at >= outage.fromMs && at < outage.untilMs;

  const end = (run: SimulatedRun, isFirst: boolean): void => {
    const now = events.now();
    running -= 1;
    if (isFirst && isInOutage(run.submittedAt)) firstMs.push(now - run.submittedAt);
    if (run.failuresLeft === 0) completed += isInOutage(now) ? 1 : 0;
    else fail(run, now);
    fill();
  };
  const fail = (run: SimulatedRun, now: number): void => {
    run.failuresLeft -= 1;
    run.failures += 1;
    const { failures, previousDelayMs } = run;
    const counters = { failures, stalls: 0, carried: 0, previousDelayMs };
    const decision = decide(policy, counters, { error: new Error('outage') }, { now, random: draws.policy });
    if (decision.type === 'fail') return;
    run.previousDelayMs = decision.delayMs;
    events.after(decision.delayMs, () => {
      retriesWaiting += 1;
      (retryShare < 1 ? due : waiting).push(run);
      fill();
    });
  };
  const start = (run: SimulatedRun): void => {
    running += 1;
    const isFirst = run.failures === 0;
    if (!isFirst) retriesWaiting -= 1;
    events.after(handlerMs, () => end(run, isFirst));
  };
  /** A claim as brokers make it: due runs up to their limit, and more where fewer others wait than there is room for. */
  const fill = (): void => {
    const limit = slots - running;
    if (limit > 0) {
      const lanes = new Map([[task.lane, limit]]);
      const claim: SharedClaim = {
        limit,
        lanes,
        dueLimits: shares.dueLimits({ lanes, limit }),
      };
      const most = Math.max(claim.dueLimits?.get(task.lane) ?? 0, limit - waiting.length);
      const retries = due.splice(0, Math.max(Math.min(most, limit), 0));
      const started = [...retries, ...waiting.splice(0, limit - retries.length)];
      for (const run of started) start(run);
      shares.noteSent(claim);
      shares.noteAnswered(claim);
      shares.inOrder(
        claim,
        started.map((run) => claimedRun(task.lane, run)),
      );
    }
    if (events.now() >= outage.untilMs && retriesWaiting === 0)
      recoveredAt = Math.min(recoveredAt, events.now());
  };
  const arrive = (): void => {
    const isFailing = isInOutage(events.now()) && draws.server() < outage.share;
    const failuresLeft = isFailing ? outage.times : 0;
    waiting.push({ submittedAt: events.now(), failuresLeft, failures: 0, previousDelayMs: undefined });
    fill();
    events.after(drawExponential(1_000 / perSecond, draws.traffic), arrive);
  };

  arrive();
  events.runUntil(durationMs);
  firstMs.sort((one, other) => one - other);
  const seconds = (outage.untilMs - outage.fromMs) / 1_000;
  return {
    firstP99Ms: firstMs[Math.floor(firstMs.length * 0.99)] ?? 0,
    goodputPerSecond: completed / seconds,
    recoveredMs: recoveredAt - outage.untilMs,
  };
}

function claimedRun(lane: string, { failures }: SimulatedRun): ClaimedRun {
  const run = newRun({ id: 'any', lane, payload: '1' });
  return { run: { ...run, failures } } as unknown as ClaimedRun; // what orders claims is its lane and failures
}
