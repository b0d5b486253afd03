import type { BudgetInput } from '../../budget/define-budget.ts';
import { defineBudget } from '../../budget/define-budget.ts';
import { defineSharedBudget } from '../../budget/fleet/shared-budget.ts';
import { defineCircuitBreaker } from '../../circuit-breaker/define-circuit-breaker.ts';
import type { Problem } from '../../errors.ts';
import { InvalidOptionsError } from '../../errors.ts';
import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import { readOptions } from '../../fields/read-options.ts';
import { A_SHARE, integerBetween } from '../../fields/value-rules.ts';
import { read } from '../../read.ts';
import { readServer } from './read-server.ts';
import { readTraffic } from './read-traffic.ts';
import type { SharedWorldBudgetInput, Traffic, Trouble, World, WorldInput } from './world.ts';
import { endsByItself } from './world.ts';

const KEYS: readonly (keyof WorldInput)[] = [
  'traffic',
  'server',
  'network',
  'trouble',
  'errorShare',
  'error',
  'attemptTimeout',
  'layers',
  'processes',
  'budget',
  'circuitBreaker',
  'duration',
  'bucket',
];

const WATCHED_AFTER_TRIGGER_MS = 60_000;

const LONGEST_DEFAULT_MS = 600_000;

const MAX_LAYERS = 5;

const MAX_PROCESSES = 100_000;

const MAX_BUCKETS = 100_000;

const OVER_0 = {
  finite: true,
  accepts: (ms: number): boolean => ms > 0,
  message: 'must be a finite duration > 0',
};

/** Checks a world and fills in its defaults. @throws {InvalidOptionsError} listing every problem */
export function defineWorld(input: WorldInput): World {
  return readOptions(input, { subject: 'world', keys: KEYS }, (fields, report) => {
    const traffic = readTraffic(fields.value('traffic'), report);
    const server = readServer(fields.value('server'), report);
    const trouble = readTrouble(fields.value('trouble'), report);
    if (server.type === 'optimistic-lock' && trouble?.type === 'brown-out') {
      fields.fail('trouble', 'must be an outage: a lock has no capacity to lose', "Use type: 'outage'.");
    }
    const triggerEndMs = Math.max(trouble?.untilMs ?? 0, endOfSurge(traffic));
    return Object.freeze({
      traffic,
      server,
      network: readNetwork(fields.value('network'), report),
      trouble,
      ...readCalls(fields, report),
      triggerEndMs,
      ...readTimes(
        fields,
        endsByItself({ traffic }) ? LONGEST_DEFAULT_MS : triggerEndMs + WATCHED_AFTER_TRIGGER_MS,
      ),
    });
  });
}

type CallKey =
  | 'errorShare'
  | 'error'
  | 'attemptTimeoutMs'
  | 'layers'
  | 'processes'
  | 'budget'
  | 'circuitBreaker';

function readCalls(fields: Fields, report: Report): Pick<World, CallKey> {
  return {
    errorShare: fields.number('errorShare', 0, {
      ...A_SHARE,
      cure: 'Use 0.1 where every tenth attempt fails.',
    }),
    error: fields.value('error') ?? unavailable(),
    attemptTimeoutMs: fields.duration('attemptTimeout', Infinity, {
      accepts: (ms) => ms > 0,
      message: 'must be a duration > 0',
    }),
    layers: fields.number('layers', 1, integerBetween(1, MAX_LAYERS, 'Use 1 where only the caller retries.')),
    processes: fields.number(
      'processes',
      1,
      integerBetween(1, MAX_PROCESSES, 'Use 1 for a budget that all calls share.'),
    ),
    budget: part(fields, 'budget', report, defineAnyBudget),
    circuitBreaker: part(fields, 'circuitBreaker', report, defineCircuitBreaker),
  };
}

function defineAnyBudget(input: NonNullable<WorldInput['budget']>): World['budget'] {
  if (read(input, 'type') !== 'shared') return defineBudget(input as BudgetInput); // checks it
  const { type, ...shared } = input as SharedWorldBudgetInput; // by its type
  return { type, ...defineSharedBudget(shared) };
}

/** An error that the usual lists of matchers expect. */
function unavailable(): Error {
  return Object.assign(new Error('the server is unavailable'), { status: 503, code: 'ECONNRESET' });
}

/** Reads what another function defines; its problems become problems of the world. */
function part<Input, Defined>(
  fields: Fields,
  key: string,
  report: Report,
  define: (input: Input) => Defined,
): Defined | undefined {
  const value = fields.value(key);
  if (value === undefined) return undefined;
  try {
    return define(value as Input); // define checks it
  } catch (thrown) {
    if (!(thrown instanceof InvalidOptionsError)) throw thrown;
    for (const problem of thrown.problems) report(below(key, problem));
    return undefined;
  }
}

function below(key: string, problem: Problem): Problem {
  return { ...problem, path: problem.path === '' ? key : `${key}.${problem.path}` };
}

function readNetwork(value: unknown, report: Report): World['network'] {
  const input = value ?? { type: 'constant', mean: 0 };
  const fields = readFields(input, 'network', { keys: ['type', 'mean', 'deviation'], report });
  const type =
    fields?.choice('type', 'constant', ['constant', 'exponential', 'normal'] as const) ?? 'constant';
  const deviationMs = fields?.duration('deviation', 0, { finite: true }) ?? 0;
  if (deviationMs > 0 && type !== 'normal') {
    fields?.fail('deviation', 'belongs to the normal distribution', "Use type: 'normal', or leave it out.");
  }
  return { type, meanMs: fields?.duration('mean', undefined, { finite: true }) ?? 0, deviationMs };
}

function readTrouble(value: unknown, report: Report): Trouble | undefined {
  if (value === undefined) return undefined;
  const fields = readFields(value, 'trouble', { keys: ['type', 'at', 'for', 'capacity'], report });
  if (fields === undefined) return undefined;
  const type = fields.choice('type', undefined as never, ['outage', 'brown-out'] as const);
  const fromMs = fields.duration('at', 10_000, { finite: true });
  const forMs = fields.duration('for', undefined, OVER_0);
  if (type === 'outage' && fields.value('capacity') !== undefined) {
    fields.fail('capacity', 'belongs to a brown-out: an outage leaves none', "Use type: 'brown-out'.");
  }
  const capacity = fields.number('capacity', 0.5, {
    accepts: (share) => share > 0 && share <= 1,
    message: 'must be a number over 0 and at most 1',
    cure: 'Use 0.5 for half of the capacity.',
  });
  return { type, fromMs, untilMs: fromMs + forMs, capacity: type === 'outage' ? 0 : capacity };
}

function readTimes(fields: Fields, defaultMs: number): Pick<World, 'durationMs' | 'bucketMs'> {
  const durationMs = fields.duration('duration', defaultMs, OVER_0);
  const bucketMs = fields.duration('bucket', 1_000, OVER_0);
  if (durationMs / bucketMs > MAX_BUCKETS) {
    fields.fail('bucket', `must be at least 1/${MAX_BUCKETS} of duration`, 'Use a longer bucket.');
  }
  return { durationMs, bucketMs };
}

/** Returns when the rate of arrivals is the last one for good. */
function endOfSurge(traffic: Traffic): number {
  if (traffic.type === 'closed') return 0;
  const { rates } = traffic;
  const last = rates.at(-1)?.perSecond;
  const surges = rates.filter(({ perSecond }) => perSecond !== last).length > 0;
  const calm = rates.length - [...rates].reverse().findIndex(({ perSecond }) => perSecond !== last);
  return surges ? (rates[calm]?.atMs ?? 0) : 0;
}
