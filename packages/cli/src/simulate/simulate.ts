import { policyToJSON } from '@retry/core';
import type { BudgetInput } from '@retry/core/budget';
import type { Timeline, TrafficInput, WorldInput } from '@retry/core/simulate';
import { advise, simulate } from '@retry/core/simulate';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit.ts';
import { readPolicy } from '../policies/read-policy.ts';
import type { Input, Report } from '../report.ts';
import { openProgressLine } from '../terminal/progress-line.ts';
import { simulateText } from './simulate-text.ts';

/** The options of `retry simulate`: durations in milliseconds, rates in calls a second. */
interface SimulateCommandOptions {
  readonly capacity: number;
  readonly arrivals?: number;
  readonly clients?: number;
  readonly pause?: number;
  readonly outage?: number;
  readonly brownOut?: number;
  readonly latency: number;
  readonly queue: number;
  readonly timeout?: number;
  readonly layers: number;
  readonly budget?: object;
  readonly seed: number;
  readonly runs: number;
  readonly json?: boolean;
}

/** A dependency counts as staying down if it does for more than this share of the seeds. */
const RARE_SHARE = 0.05;

/** Shows what a policy does to a dependency in trouble. Exit status 1 if it stays down. */
export async function simulateAction({
  args,
  options,
  environment,
}: Input<SimulateCommandOptions>): Promise<Report> {
  const policy = await readPolicy(args[0] ?? '', environment);
  const { seed, runs } = options;
  const line = openProgressLine(environment);
  const showRun = (run: number): void => line.show(`${run} of ${runs} seeds`);
  const onRun = options.json === true ? undefined : showRun;
  const timeline = simulate(policy, worldOf(options), { seed, runs, onRun });
  line.clear();
  const isDown = timeline.collapsedShare > RARE_SHARE || timeline.recoveryMs.median === Infinity;
  return {
    json: toJson(timeline, seed),
    text: (screen) => simulateText(timeline, screen),
    exitCode: isDown ? EXIT.found : EXIT.fine,
  };
}

function worldOf(options: SimulateCommandOptions): WorldInput {
  const { capacity, latency, queue, timeout, layers, budget } = options;
  return {
    traffic: trafficOf(options),
    server: { type: 'capacity', perSecond: capacity, latency, queue },
    trouble: troubleOf(options),
    attemptTimeout: timeout,
    layers,
    budget: budget as BudgetInput | undefined, // the world checks it
  };
}

function trafficOf({ arrivals, clients, pause, capacity }: SimulateCommandOptions): TrafficInput {
  if (clients === undefined) {
    if (pause !== undefined) throw clash('--pause belongs to --clients', 'Give --clients 1000 as well');
    return { perSecond: arrivals ?? capacity / 2 };
  }
  if (arrivals !== undefined) {
    throw clash('--arrivals and --clients exclude each other', 'Give --clients for callers that wait');
  }
  return { type: 'closed', clients, pause: pause ?? (clients / capacity) * 2_000 };
}

function troubleOf({ outage, brownOut }: SimulateCommandOptions): NonNullable<WorldInput['trouble']> {
  if (brownOut === undefined) return { type: 'outage', for: outage ?? 30_000 };
  if (outage === undefined) return { type: 'brown-out', for: brownOut };
  throw clash('--outage and --brown-out exclude each other', 'Give --outage for a server that is down');
}

function clash(what: string, cure: string): CliError {
  return new CliError('WRONG_USAGE', `${what}. ${cure}.`);
}

function toJson(timeline: Timeline, seed: number): unknown {
  const { policy, world, ...figures } = timeline;
  const { error, ...rest } = world;
  return { policy: policyToJSON(policy), world: rest, seed, ...figures, advice: advise(timeline) };
}
