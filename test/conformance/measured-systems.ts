import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Policy } from '@retry/core';
import { computeDelay, decide, delayBounds, parseServerDelay } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { seededRandom } from '../support/seeded-random.ts';
import { criticalDistance, distanceOf } from './kolmogorov-smirnov.ts';
import { settingsOfCase } from './system-settings.ts';

/** One delay, or one count, that a real system was measured at. */
export interface MeasuredCase {
  readonly system: string;
  readonly version: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Counted from 1. */
  readonly retry?: number;
  readonly exactMs?: number;
  readonly minMs?: number;
  readonly maxMs?: number;
  /** Delays that were drawn, where a case has them: their distribution is compared, too. */
  readonly samples?: readonly number[];
  /** There is no such retry. */
  readonly none?: boolean;
  readonly executions?: number;
  readonly deliveries?: number;
  readonly how: string;
}

/** What our policy says about one case. */
export interface JudgedCase {
  readonly file: string;
  readonly given: MeasuredCase;
  /** Absent if it agrees. */
  readonly difference?: string;
}

/** Folder of the cases: the one that `RETRY_SYSTEMS` names, else the one beside this file. */
export const systemFolder: string =
  process.env['RETRY_SYSTEMS'] || fileURLToPath(new URL('systems', import.meta.url));

/** Compares every case of the folder with the policy of its dialect; a system without a dialect is wrong. */
export function judgeSystems(folder: string): readonly JudgedCase[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new Error(`No systems in ${folder}.`);
  return names.sort().flatMap((name) => {
    const file = name.slice(0, -'.json'.length);
    const cases: readonly MeasuredCase[] = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return cases.map((given) => {
      const difference = differenceOf(file, given);
      return { file, given, ...(difference !== undefined && { difference }) };
    });
  });
}

function differenceOf(file: string, given: MeasuredCase): string | undefined {
  try {
    const { name, options, error, header, delaysBefore = 0 } = settingsOfCase(file, given);
    const system = ALL_SYSTEMS.find((known) => known.name === name);
    if (system === undefined) return 'no dialect';
    const { policy } = system.from(options);
    const executions = given.executions ?? given.deliveries;
    if (executions !== undefined) {
      const attempts = allowedAttempts(settingsOf(policy));
      return attempts === executions ? undefined : `${attempts} executions instead of ${executions}`;
    }
    const retry = (given.retry ?? 1) - delaysBefore;
    if (retry < 1) {
      const { initialDelayMs } = settingsOf(policy);
      return compare([initialDelayMs, initialDelayMs], given);
    }
    if (given.none === true) {
      const { type } = decide(policy, { failures: retry }, { error }, { now: 0, random: () => 0 });
      return type === 'retry' ? `retry ${retry} is made` : undefined;
    }
    const bounds =
      header === undefined ? delayBounds(policy, retry, error) : boundsAfter(policy, retry, header);
    return compare(bounds, given) ?? compareDraws(policy, retry, { given, error });
  } catch (error) {
    return `it is refused: ${error instanceof Error ? error.message : String(error)}`.replaceAll('\n', ' ');
  }
}

/** Returns the range of the delay after an answer with this `Retry-After`. */
function boundsAfter(policy: Policy, retry: number, header: string): readonly [number, number] {
  const serverDelay = parseServerDelay({ 'retry-after': header }, 0);
  const [least = 0, most = 0] = [0, 1 - 2 ** -53].map((drawn) => {
    const decision = decide(
      policy,
      { failures: retry },
      { error: undefined, serverDelay },
      { now: 0, random: () => drawn },
    );
    return decision.type === 'retry' ? decision.delayMs : Number.NaN;
  });
  return [least, most];
}

/** What was recorded with a clock lies in a window around the delay; the ends of all other ranges were drawn or sampled. */
const WITH_A_CLOCK = /measured|gaps/;

/**
 * Ends are equal within a millisecond, or 1.2 % where they were sampled. A delay that is always the same has no ends: recorded with a
 * clock, it lies in the window that is given.
 */
function compare([lowest, highest]: readonly [number, number], given: MeasuredCase): string | undefined {
  const { exactMs, minMs = exactMs ?? Number.NaN, maxMs = exactMs ?? Number.NaN, how } = given;
  const tolerance = Math.max(1, exactMs === undefined ? 0.012 * maxMs : 1e-9 * exactMs);
  const isEqual = Math.abs(lowest - minMs) <= tolerance && Math.abs(highest - maxMs) <= tolerance;
  const isInWindow =
    WITH_A_CLOCK.test(how) && lowest === highest && lowest >= minMs - 1 && highest <= maxMs + 1;
  return isEqual || isInWindow ? undefined : `${lowest} to ${highest} ms instead of ${minMs} to ${maxMs} ms`;
}

/** Draws as many delays as were sampled, and compares the two distributions. */
function compareDraws(
  policy: Policy,
  retry: number,
  { given: { samples }, error }: { readonly given: MeasuredCase; readonly error: unknown },
): string | undefined {
  if (samples === undefined) return undefined;
  const random = seededRandom(retry);
  const drawn = samples.map(() => computeDelay(policy, retry, { random, error }));
  const distance = distanceOf(samples, drawn);
  const limit = criticalDistance(samples.length);
  return distance <= limit ? undefined : `another distribution: ${distance} apart, more than ${limit}`;
}

/** Returns right and wrong per system as text, and what is wrong. */
export function reportSystems(cases: readonly JudgedCase[], folder: string): string {
  const files = [...new Set(cases.map(({ file }) => file))];
  const isRight = ({ difference }: JudgedCase): boolean => difference === undefined;
  const rows = files.map((file) => {
    const own = cases.filter((judged) => judged.file === file);
    return { file, right: own.filter(isRight).length, own };
  });
  const exact = rows.filter(({ right, own }) => right === own.length).length;
  return [
    `Systems: ${cases.filter(isRight).length} of ${cases.length} cases right, ${exact} of ${files.length} systems exact, in ${folder}`,
    ...rows.map(
      ({ file, right, own }) =>
        `  ${file.padEnd(28)}${String(right).padStart(5)} right${String(own.length - right).padStart(5)} wrong`,
    ),
    ...rows
      .flatMap(({ own }) => own.filter((judged) => !isRight(judged)).slice(0, 4))
      .map(
        ({ file, given, difference }) =>
          `  ${file} ${JSON.stringify(given.options)} retry ${given.retry ?? '-'}: ${difference ?? ''}`,
      ),
  ].join('\n');
}
