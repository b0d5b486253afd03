import { boundsOf } from '../delay/delay-bounds.ts';
import type { PolicySettings } from '../policy/policy.ts';
import { allowedAttempts } from '../policy/settings.ts';
import { type System, type SystemOptions, withoutRepeats } from './system.ts';
import { bullmq } from './systems/bullmq.ts';
import { cloudTasks } from './systems/cloud-tasks.ts';
import { cockatiel } from './systems/cockatiel.ts';
import { GRPC_ERRORS, grpcJs } from './systems/grpc-js.ts';
import { laravelQueue } from './systems/laravel-queue.ts';
import { natsJetstream } from './systems/nats-jetstream.ts';
import { pRetry } from './systems/p-retry.ts';
import { pgBoss } from './systems/pg-boss.ts';
import { resilience4j } from './systems/resilience4j.ts';
import { sqs } from './systems/sqs.ts';
import { stepFunctions } from './systems/step-functions.ts';
import { temporal } from './systems/temporal.ts';
import { tenacity } from './systems/tenacity.ts';

/** A policy in the terms that most systems have: a first delay, a factor, a cap and a spread. */
interface Curve {
  readonly attempts: number;
  readonly firstMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Parts of a delay by which it may be shorter and longer. */
  readonly down: number;
  readonly up: number;
  /** The longest delay of each of the first retries, without what jitter adds. */
  readonly delaysMs: readonly number[];
}

/** A system, and how a policy is written as its options. */
export interface Target {
  readonly system: System;
  readonly write: (settings: PolicySettings) => SystemOptions;
}

/** The most delays that are written as a list: as many as are compared one by one. */
const MAX_LISTED = 1_000;

function curveOf(settings: PolicySettings): Curve {
  const { backoff, maxDelayMs } = settings;
  const attempts = allowedAttempts(settings);
  const steady = { ...settings, jitter: 'none' } as const;
  const count = Math.min(Math.max(attempts - 1, 1), MAX_LISTED);
  const delaysMs = Array.from({ length: count }, (_, index) => boundsOf(steady, index + 1)[1]);
  const [firstMs = 0, secondMs = firstMs] = delaysMs;
  const [least, most] = boundsOf(settings, 1);
  const isSpread = firstMs > 0 && most > least;
  const isEndless = backoff.type === 'exponential' || backoff.type === 'constant';
  // What grows in another way is cut where it ends, with its jitter.
  const maxMs = isEndless
    ? maxDelayMs
    : Math.max(...delaysMs.map((_, index) => boundsOf(settings, index + 1)[1]));
  return {
    attempts,
    firstMs:
      backoff.type === 'exponential' ? Math.min(backoff.baseMs + (backoff.offsetMs ?? 0), maxMs) : firstMs,
    factor: backoff.type === 'exponential' ? backoff.factor : firstMs > 0 ? secondMs / firstMs : 1,
    maxMs,
    down: isSpread ? rounded(Math.min(Math.max(1 - least / firstMs, 0), 1)) : 0,
    up: isSpread ? rounded(Math.max(most / firstMs - 1, 0)) : 0,
    delaysMs,
  };
}

const MOST_SECONDS = 1e9;

/** Returns a number with as many digits as a double holds, so that 0.1 is no 0.1000…01. */
function rounded(amount: number): number {
  return Number(amount.toPrecision(15));
}

function secondsOf(ms: number): number {
  return rounded(Math.min(ms, MOST_SECONDS * 1_000) / 1_000);
}

function spanOf(ms: number): string {
  return `${Number(Math.min(ms, MOST_SECONDS * 1_000).toFixed(3))}ms`;
}

/** Infinity as systems write it that count from 1: 0. */
function orZero(attempts: number): number {
  return attempts === Infinity ? 0 : attempts;
}

/** Whole seconds, for systems that take no parts of one; a short delay does not become none. */
function wholeSecondsOf(ms: number): number {
  return ms > 0 ? Math.max(Math.round(secondsOf(ms)), 1) : 0;
}

/** Seconds with at most nine digits after the point, as JSON of protocol buffers has them: `0.25s`. */
function protobufSpanOf(ms: number): string {
  return `${secondsOf(ms)
    .toFixed(9)
    .replace(/\.?0+$/, '')}s`;
}

/** The highest number of a system whose counts have an end. */
function upTo(most: number, count: number): number {
  return Math.min(count, most);
}

const MAX_INT = 2 ** 31 - 1;

function isGrowing({ factor }: Curve): boolean {
  return factor !== 1;
}

/** The factor of systems whose delays may not shrink. */
function growthOf({ factor }: Curve): number {
  return Math.max(factor, 1);
}

/** How often a delay of Cloud Tasks doubles before it grows by the same step: the step after the last one is as long as it. */
function doublingsOf({ delaysMs, maxMs }: Curve): number {
  const reached = delaysMs.findIndex((ms) => ms >= maxMs);
  const grown = delaysMs.findIndex(
    (ms, index) => index > 0 && ms < Math.min(2 * (delaysMs[index - 1] ?? 0), maxMs),
  );
  if (grown !== -1) return Math.max(grown - 2, 0);
  return Math.max(reached === -1 ? delaysMs.length : reached, 16);
}

/** How each system is written; the keys are the names of `exportPolicy`. */
export const EXPORTED_SYSTEMS: Readonly<Record<ExportedSystem, Target>> = {
  bullmq: target(bullmq, (curve) => ({
    attempts: upTo(Number.MAX_SAFE_INTEGER, curve.attempts),
    backoff: { type: isGrowing(curve) ? 'exponential' : 'fixed', delay: curve.firstMs, jitter: curve.down },
  })),
  'pg-boss': target(pgBoss, (curve) => ({
    retryLimit: upTo(MAX_INT, curve.attempts - 1),
    retryDelay: wholeSecondsOf(curve.firstMs),
    retryBackoff: isGrowing(curve),
    ...(curve.maxMs < Infinity && isGrowing(curve) && { retryDelayMax: wholeSecondsOf(curve.maxMs) }),
  })),
  temporal: target(temporal, (curve) => ({
    // 0 stands for the defaults there.
    initialInterval: spanOf(Math.max(curve.firstMs, 1)),
    backoffCoefficient: growthOf(curve),
    maximumInterval: spanOf(Math.max(curve.maxMs, 1)),
    maximumAttempts: orZero(curve.attempts),
  })),
  grpc: target(grpcJs, (curve, { retryOn }) =>
    curve.attempts === 1
      ? {}
      : {
          retryPolicy: {
            maxAttempts: upTo(5, curve.attempts),
            // No length of time may be 0 there.
            initialBackoff: protobufSpanOf(Math.max(curve.firstMs, 1)),
            maxBackoff: protobufSpanOf(Math.max(curve.maxMs, 1)),
            backoffMultiplier: curve.factor,
            // It has to be written; which errors a policy lists is lost.
            retryableStatusCodes: retryOn === 'everything' ? GRPC_ERRORS : ['UNAVAILABLE'],
          },
        },
  ),
  'step-functions': target(stepFunctions, (curve) => ({
    IntervalSeconds: upTo(99_999_999, Math.max(wholeSecondsOf(curve.firstMs), 1)),
    MaxAttempts: upTo(99_999_999, curve.attempts - 1),
    BackoffRate: growthOf(curve),
    ...(curve.maxMs < Infinity &&
      curve.factor > 1 && {
        MaxDelaySeconds: upTo(31_622_400, Math.max(wholeSecondsOf(curve.maxMs), 1)),
      }),
    JitterStrategy: curve.down > 0.5 ? 'FULL' : 'NONE',
  })),
  'cloud-tasks': target(cloudTasks, (curve) => ({
    maxAttempts: curve.attempts === Infinity ? -1 : curve.attempts,
    minBackoff: protobufSpanOf(curve.firstMs),
    // It always grows there, up to the longest delay.
    maxBackoff: protobufSpanOf(isGrowing(curve) ? curve.maxMs : curve.firstMs),
    maxDoublings: doublingsOf(curve),
  })),
  sqs: target(sqs, (curve) => ({
    ...(curve.attempts < Infinity && { maxReceiveCount: upTo(1_000, curve.attempts) }),
    VisibilityTimeout: upTo(43_200, wholeSecondsOf(curve.firstMs)),
  })),
  nats: target(natsJetstream, (curve) => ({
    // A list has to be shorter than the deliveries there, so that neither one nor endless ones have any; no time is the default.
    ...(curve.attempts === Infinity && { ack_wait: spanOf(Math.max(curve.firstMs, 1)) }),
    ...(curve.attempts < Infinity && { max_deliver: curve.attempts }),
    ...(curve.attempts > 1 &&
      curve.attempts < Infinity && {
        backoff: withoutRepeats(curve.delaysMs).map(spanOf),
      }),
  })),
  laravel: target(laravelQueue, (curve) => ({
    tries: orZero(curve.attempts),
    backoff: withoutRepeats(curve.delaysMs.map(wholeSecondsOf)),
  })),
  tenacity: target(tenacity, (curve) => ({
    ...(curve.attempts < Infinity && { stop_after_attempt: curve.attempts }),
    wait: waitOf(curve),
  })),
  resilience4j: target(resilience4j, (curve) => ({
    maxAttempts: upTo(MAX_INT, curve.attempts),
    waitDuration: spanOf(curve.firstMs),
    ...(isGrowing(curve) && {
      enableExponentialBackoff: true,
      exponentialBackoffMultiplier: growthOf(curve),
      ...(curve.maxMs < Infinity && { exponentialMaxWaitDuration: spanOf(curve.maxMs) }),
    }),
    ...(curve.down > 0 && { enableRandomizedWait: true, randomizedWaitFactor: curve.down }),
  })),
  'p-retry': target(pRetry, (curve) => ({
    retries: curve.attempts - 1,
    minTimeout: curve.firstMs,
    factor: curve.factor,
    ...(curve.maxMs < Infinity && { maxTimeout: curve.maxMs }),
    randomize: curve.up >= 0.5,
  })),
  cockatiel: target(cockatiel, (curve) => ({
    maxAttempts: curve.attempts - 1,
    generator:
      curve.down >= 0.75
        ? 'fullJitterGenerator'
        : curve.down >= 0.25
          ? 'halfJitterGenerator'
          : 'noJitterGenerator',
    initialDelay: curve.firstMs,
    maxDelay: curve.maxMs,
  })),
};

/** A system that a policy can be exported to. */
export type ExportedSystem =
  | 'bullmq'
  | 'pg-boss'
  | 'temporal'
  | 'grpc'
  | 'step-functions'
  | 'cloud-tasks'
  | 'sqs'
  | 'nats'
  | 'laravel'
  | 'tenacity'
  | 'resilience4j'
  | 'p-retry'
  | 'cockatiel';

function target(system: System, write: (curve: Curve, settings: PolicySettings) => SystemOptions): Target {
  return { system, write: (settings) => write(curveOf(settings), settings) };
}

function waitOf(curve: Curve): string {
  const [first, most] = [secondsOf(curve.firstMs), secondsOf(curve.maxMs)];
  if (!isGrowing(curve)) return curve.down > 0.5 ? `wait_random(0, ${first})` : `wait_fixed(${first})`;
  const max = curve.maxMs < Infinity ? `, max=${most}` : '';
  const name = curve.down > 0.5 ? 'wait_random_exponential' : 'wait_exponential';
  return `${name}(multiplier=${first}${max}, exp_base=${curve.factor})`;
}
