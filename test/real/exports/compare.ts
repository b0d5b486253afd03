import { computeDelay, definePolicy, delayBounds, type Policy, type PolicyInput } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { type ExportedSystem, exportPolicy } from '@retry/core/dialects/export';
import { allowedAttempts, settingsOf } from '@retry/core/fields';

/** A first delay of 50 ms that doubles. */
export const EXPONENTIAL = { type: 'exponential', base: 50 } as const;

/** What every policy of these checks has: systems do not follow what a server asks for. */
const PLAIN = { retryAfter: { mode: 'ignore' } } as const satisfies PolicyInput;

/** A policy, and what it is as the options of another system. */
export interface Exported {
  readonly policy: Policy;
  // biome-ignore lint/suspicious/noExplicitAny: the options of another system, which check themselves there.
  readonly options: any;
  /** What the options do not say: there should be nothing. */
  readonly lost: readonly string[];
  readonly title: string;
}

/** Returns these policies as options of a system, and after them what comes nearest to those that not every system can say. */
export function exportedTo(system: ExportedSystem, inputs: readonly PolicyInput[]): readonly Exported[] {
  return [...inputs.map((input) => exported(system, input)), ...ODD.map((input) => nearest(system, input))];
}

function exported(system: ExportedSystem, input: PolicyInput): Exported {
  const policy = definePolicy({ ...PLAIN, ...input });
  const title = JSON.stringify(input);
  const { options, lost } = exportPolicy(policy, system);
  return { policy, options, title, lost: lost.map(({ key }) => `${title} loses ${key}`) };
}

/** The nearest options have to be valid there, and to wait as the policy that they are read as. */
function nearest(system: ExportedSystem, input: PolicyInput): Exported {
  const { options, title } = exported(system, input);
  const known = ALL_SYSTEMS.find(({ name }) => name === (IN_FULL[system] ?? system));
  if (known === undefined) throw new Error(`there is no system ${system}`);
  const { policy } = known.from(options);
  return { policy, options, title: `${title} as ${JSON.stringify(options)}`, lost: [] };
}

const IN_FULL: Readonly<Record<string, string>> = {
  grpc: 'grpc-js',
  laravel: 'laravel-queue',
  nats: 'nats-jetstream',
};

const ODD: readonly PolicyInput[] = [
  { maxAttempts: 3, backoff: { type: 'none' } },
  { maxAttempts: 4, backoff: { type: 'exponential', base: 200, factor: 0.5 }, jitter: 'none' },
  { maxAttempts: 4, backoff: { type: 'linear', base: 100 }, jitter: 'equal' },
  { maxAttempts: 3, backoff: { type: 'constant', base: 1 }, jitter: 'full' },
  { maxAttempts: 4, backoff: { type: 'fibonacci', base: 120 }, jitter: { proportional: 0.2 } },
  { maxAttempts: 3, backoff: { type: 'exponential', base: 500, factor: 4 }, maxDelay: 300, jitter: 'full' },
];

/** How much shorter or longer than its bounds a delay may be seen, in milliseconds. */
export interface Slack {
  readonly belowMs: number;
  readonly aboveMs: number;
}

/** Returns what is wrong with the delays that a system waited: their number, and each that is not within the bounds of the policy. */
export function compareDelays(
  { policy, title, lost }: Exported,
  delays: readonly number[],
  { belowMs, aboveMs }: Slack,
): readonly string[] {
  const retries = allowedAttempts(settingsOf(policy)) - 1;
  if (delays.length !== retries) return [...lost, `${title}: ${delays.length} retries instead of ${retries}`];
  const wrong = delays.flatMap((delayMs, index) => {
    const [least, most] = delayBounds(policy, index + 1);
    const isWithin = delayMs >= least - belowMs && delayMs <= most + aboveMs;
    return isWithin
      ? []
      : [`${title}: retry ${index + 1} after ${Math.round(delayMs)} ms instead of ${least} to ${most}`];
  });
  return [...lost, ...wrong];
}

/** Returns what is wrong with delays for which a system drew this number each time: ours are drawn with it, too, and equal within 1 ms. */
export function compareDrawn(given: Exported, drawn: number, delays: readonly number[]): readonly string[] {
  const wrong = delays.flatMap((delayMs, index) => {
    const ours = computeDelay(given.policy, index + 1, { random: () => drawn });
    return Math.abs(delayMs - ours) <= 1
      ? []
      : [`${given.title}: retry ${index + 1} draws ${delayMs} ms instead of ${ours} of ${drawn}`];
  });
  return [...compareDelays(given, delays, { belowMs: 1, aboveMs: 1 }), ...wrong];
}

/** How late an attempt may be seen on a busy machine, and how early: the attempt before it was seen late. */
const TIMED: Slack = { belowMs: 25, aboveMs: 60 };

/** Returns what is wrong with the gaps between the times at which attempts were seen. */
export function compareArrivals(given: Exported, arrivals: readonly number[]): readonly string[] {
  const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
  return compareDelays(given, gaps, TIMED);
}
