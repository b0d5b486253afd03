import { InvalidOptionsError } from '../errors.ts';
import { readOptions } from '../fields/read-options.ts';
import { A_FUNCTION, integerBetween } from '../fields/value-rules.ts';
import type { Policy } from '../policy/policy.ts';
import { checkPolicy } from '../policy/settings.ts';
import { isList } from '../read.ts';
import { isCollapsed, recoveryOf, sumOf } from './recovery.ts';
import type { Observed } from './run/run-world.ts';
import { runWorld } from './run/run-world.ts';
import { spreadOf } from './spread.ts';
import type { Bucket, Timeline } from './timeline.ts';
import { defineWorld } from './world/define-world.ts';
import type { World, WorldInput } from './world/world.ts';
import { endsByItself } from './world/world.ts';

/** Options of a simulation. */
export interface SimulateOptions {
  /** Any safe integer; equal seeds give equal timelines, on every engine. @default 1 */
  readonly seed?: number | undefined;
  /** How many seeds are run, an integer from 30 to 100 000: one run proves nothing. @default 30 */
  readonly runs?: number | undefined;
  /** Called after each seed with how many have been run, to show how far it is; it changes nothing, and what it throws is thrown. */
  readonly onRun?: ((run: number) => void) | undefined;
}

const LEAST_RUNS = 30;
const MOST_RUNS = 100_000;

/**
 * Runs a policy in a virtual world, many times, and returns what it does to the dependency. It asks `decide`, the budgets
 * and the circuit breaker of production; only calls, network and server are a model.
 *
 * @throws {InvalidOptionsError} when the policy, the world or an option is wrong
 * @throws {RetryError} with the code `SIMULATION_TOO_LARGE` when a run makes more than 2 million attempts, or 30 million events
 * @see docs/storms.md
 */
export function simulate(policy: Policy, world: WorldInput, options: SimulateOptions = {}): Timeline {
  checkPolicy(policy, 'simulate');
  return watch(policy, defineWorld(world), readSimulateOptions(options));
}

/**
 * Simulates several policies in the same world: under each seed, the same calls arrive for each of them.
 *
 * @returns the timelines in the order of the policies
 * @throws as {@link simulate} does
 */
export function compare(
  policies: readonly Policy[],
  world: WorldInput,
  options: SimulateOptions = {},
): readonly Timeline[] {
  if (!isList(policies) || policies.length === 0) {
    const message = 'must be a list of policies, one at least';
    const cure = 'Use compare([one, other], world).';
    throw new InvalidOptionsError([{ path: 'policies', value: policies, message, cure }], 'compare');
  }
  for (const policy of policies) checkPolicy(policy, 'compare');
  const [defined, read] = [defineWorld(world), readSimulateOptions(options)];
  return policies.map((policy) => watch(policy, defined, read));
}

/** The options, complete. */
interface Settings {
  readonly seed: number;
  readonly runs: number;
  readonly onRun: NonNullable<SimulateOptions['onRun']>;
}

/** The rule of `onRun`. */
const A_RUN_LISTENER = {
  ...A_FUNCTION,
  accepts: (value: unknown): value is Settings['onRun'] => A_FUNCTION.accepts(value),
};

function readSimulateOptions(options: SimulateOptions): Settings {
  return readOptions(options, { subject: 'simulate', keys: ['seed', 'runs', 'onRun'] }, (fields) => ({
    seed: fields.number('seed', 1, {
      accepts: Number.isSafeInteger,
      message: 'must be a safe integer',
      cure: 'Leave it out for 1.',
    }),
    runs: fields.number(
      'runs',
      LEAST_RUNS,
      integerBetween(LEAST_RUNS, MOST_RUNS, 'Leave it out for 30: one seed proves nothing.'),
    ),
    onRun: fields.optional('onRun', A_RUN_LISTENER) ?? (() => {}),
  }));
}

function watch(policy: Policy, world: World, { seed, runs, onRun }: Settings): Timeline {
  const observed = Array.from({ length: runs }, (_, run) => {
    const seen = runWorld(policy, world, { seed, run });
    onRun(run + 1);
    return seen;
  });
  const normal = normalOf(policy, world, { seed, observed });
  const of = (figure: (run: Observed) => number) => spreadOf(observed.map(figure));
  return {
    policy,
    world,
    runs,
    buckets: bucketsOf(world, observed),
    calls: of((run) => sumOf(run.calls)),
    attempts: of((run) => sumOf(run.attempts)),
    amplification: of((run) => ratio(sumOf(run.attempts), sumOf(run.calls))),
    successShare: of((run) => ratio(sumOf(run.successes), sumOf(run.calls))),
    normalPerSecond: normal.successes,
    peakOverNormal: of((run) => ratio(largest(run.attempts) * (1_000 / world.bucketMs), normal.attempts)),
    recoveryMs: of((run) => recoveryOf(world, run, normal.successes)),
    collapsedShare: observed.filter((run) => isCollapsed(world, run, normal.successes)).length / runs,
    lastEndMs: of((run) => run.lastEndMs),
  };
}

/** What a second of the world is without its trigger. */
interface Normal {
  readonly successes: number;
  readonly attempts: number;
}

/** The time in which normal is measured, after as much again to warm up. */
const NORMAL_MS = 30_000;

/** Measures the same world without trouble, at its last rate; a world without a trigger is normal all the time. */
function normalOf(
  policy: Policy,
  world: World,
  { seed, observed }: { readonly seed: number; readonly observed: readonly Observed[] },
): Normal {
  if (endsByItself(world)) return meanOf(observed, sumOf(observed.map((run) => run.lastEndMs)));
  const traffic = calmTraffic(world);
  const warmUp = { ...world, traffic, trouble: undefined, durationMs: 2 * NORMAL_MS, bucketMs: NORMAL_MS };
  const isCalm = world.triggerEndMs === 0;
  const mean = isCalm
    ? meanOf(observed, observed.length * world.durationMs)
    : meanOf([lastBucketOf(runWorld(policy, warmUp, { seed, run: 0 }))], NORMAL_MS);
  // The rate of arrivals is known: what the seeds have drawn of it must not count.
  const known = traffic.type === 'open' ? ratio(traffic.rates[0]?.perSecond ?? 0, mean.calls) : 1;
  return { successes: mean.successes * known, attempts: mean.attempts * known };
}

type Counted = Pick<Observed, 'calls' | 'attempts' | 'successes'>;

function meanOf(observed: readonly Counted[], ms: number): Normal & { readonly calls: number } {
  const perSecond = (figure: keyof Counted): number =>
    ratio(sumOf(observed.map((run) => sumOf(run[figure]))) * 1_000, ms);
  return { calls: perSecond('calls'), attempts: perSecond('attempts'), successes: perSecond('successes') };
}

function lastBucketOf({ calls, attempts, successes }: Counted): Counted {
  return { calls: calls.slice(-1), attempts: attempts.slice(-1), successes: successes.slice(-1) };
}

function calmTraffic({ traffic }: World): World['traffic'] {
  return traffic.type === 'closed' ? traffic : { ...traffic, rates: traffic.rates.slice(-1) };
}

function bucketsOf({ bucketMs }: World, observed: readonly Observed[]): readonly Bucket[] {
  const spread = (figure: 'calls' | 'attempts' | 'successes', index: number) =>
    spreadOf(observed.map((run) => run[figure][index] ?? 0));
  return (observed[0]?.calls ?? []).map((_, index) => ({
    atMs: index * bucketMs,
    calls: spread('calls', index),
    attempts: spread('attempts', index),
    successes: spread('successes', index),
  }));
}

function ratio(one: number, other: number): number {
  return other === 0 ? 0 : one / other;
}

function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}
