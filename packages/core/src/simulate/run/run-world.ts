import { RetryError } from '../../errors.ts';
import type { Policy } from '../../policy/policy.ts';
import type { World } from '../world/world.ts';
import type { Caller } from './call.ts';
import { startCall } from './call.ts';
import { drawsOf } from './draws.ts';
import { createEventQueue } from './event-queue.ts';
import type { Guard } from './guard.ts';
import { guardsOf } from './guard.ts';
import type { Answer, Send, Site } from './server.ts';
import { openServer } from './server.ts';
import { startTraffic } from './traffic.ts';

/** What happened in one run of a world. */
export interface Observed {
  /** Calls that began, attempts that were sent to the server, and calls that succeeded, by bucket. */
  readonly calls: readonly number[];
  readonly attempts: readonly number[];
  readonly successes: readonly number[];
  /** Calls that ended, in success or in failure. */
  readonly ended: number;
  /** When the last call ended, in milliseconds. */
  readonly lastEndMs: number;
}

/** Attempts of one run: more than a run of a useful world makes, and few enough to end. */
const MAX_ATTEMPTS = 2_000_000;

/** Events of one run: as many as that many attempts cause. Calls that a circuit breaker refuses make none, and may come without end. */
const MAX_EVENTS = 15 * MAX_ATTEMPTS;

/**
 * Runs a policy in a world once. @param run - counted from 0
 * @throws {RetryError} with the code `SIMULATION_TOO_LARGE` when it makes more than 2 million attempts, or 30 million events
 */
export function runWorld(
  policy: Policy,
  world: World,
  { seed, run }: { readonly seed: number; readonly run: number },
): Observed {
  const site: Site = { world, queue: createEventQueue(), draws: drawsOf(seed, run) };
  const { queue } = site;
  const counts = countBuckets(world);
  let [ended, lastEndMs] = [0, 0];
  const send = countAttempts(openServer(site), () => counts.add('attempts', queue.now()));
  const layers = Array.from({ length: world.layers }, () => guardsOf(world, queue));
  const callers = Array.from({ length: world.processes }, () =>
    stackLayers(policy, layers, { ...site, send }),
  );
  startTraffic(site, (number, answer) => {
    counts.add('calls', queue.now());
    callers[number % callers.length]?.((isSuccess) => {
      ended += 1;
      lastEndMs = queue.now();
      if (isSuccess) counts.add('successes', lastEndMs);
      answer(isSuccess);
    });
  });
  if (!queue.runUntil(world.durationMs, MAX_EVENTS)) throw tooLarge();
  return { ...counts.figures, ended, lastEndMs };
}

function countAttempts(send: Send, count: () => void): Send {
  let sent = 0;
  return (answer) => {
    sent += 1;
    if (sent > MAX_ATTEMPTS) throw tooLarge();
    count();
    send(answer);
  };
}

/** Returns what one process does to make a call: the outermost layer, whose attempts are calls of the next one. */
function stackLayers(
  policy: Policy,
  layers: readonly (() => Guard)[],
  { world, queue, draws, send }: Site & { readonly send: Send },
): (answer: Answer) => void {
  let next = send;
  for (const createGuard of layers) {
    const { error, attemptTimeoutMs } = world;
    const guard = createGuard();
    const caller: Caller = {
      policy,
      send: next,
      guard,
      queue,
      random: draws.policy,
      error,
      attemptTimeoutMs,
    };
    next = (answer) => startCall(caller, answer);
  }
  return next;
}

type Figure = 'calls' | 'attempts' | 'successes';

function countBuckets({ durationMs, bucketMs }: World): {
  readonly figures: Readonly<Record<Figure, readonly number[]>>;
  readonly add: (figure: Figure, now: number) => void;
} {
  const length = Math.ceil(durationMs / bucketMs);
  const zeros = (): number[] => Array.from({ length }, () => 0);
  const figures = { calls: zeros(), attempts: zeros(), successes: zeros() };
  const add = (figure: Figure, now: number): void => {
    const index = Math.min(Math.floor(now / bucketMs), length - 1);
    figures[figure][index] = (figures[figure][index] ?? 0) + 1;
  };
  return { figures, add };
}

function tooLarge(): RetryError {
  const limit = `a run makes at most ${MAX_ATTEMPTS} attempts, of ${MAX_EVENTS} events`;
  const cure = 'Give the policy a delay, or clients a pause; limit the attempts, or shorten the duration.';
  return new RetryError('SIMULATION_TOO_LARGE', `${limit}, and this one needs more. ${cure}`);
}
