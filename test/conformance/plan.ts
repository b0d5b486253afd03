import { unreadable } from './case-schema.ts';
import { findDifference } from './compare.ts';
import type { Deviation } from './deviation.ts';
import { deviations, isRefused } from './deviations.ts';
import { notYetCovered } from './not-yet-covered.ts';
import type { SystemRunners } from './runner.ts';
import { type VectorCase, type VectorFile, variantsOf } from './vectors.ts';

/** How a case is tested. `unknown` and `unreadable` fail the suite: no case is ignored. */
export type PlannedCase = {
  readonly system: string;
  readonly given: VectorCase;
} & (
  | { readonly type: 'run'; readonly variants: readonly PlannedVariant[] }
  | { readonly type: 'deviated'; readonly deviation: Deviation; readonly variants: readonly PlannedVariant[] }
  | { readonly type: 'notYetCovered'; readonly reason: string }
  | { readonly type: 'unknown' }
  | { readonly type: 'unreadable'; readonly reason: string }
);

/** A case for one of its versions, with both sides of the comparison. */
export interface PlannedVariant {
  readonly system: string;
  readonly given: VectorCase;
  /** Our answer; a promise if a worker answers, see `withAnswer`. */
  readonly answer: () => unknown;
  readonly agrees: () => boolean;
  readonly answerTo: (other: VectorCase) => unknown;
  readonly expected: () => unknown;
  /** The rule by which this version of it deviates. */
  readonly deviation?: Deviation;
}

/** Sorts the cases of a file by how they are tested. */
export function planCases(
  file: VectorFile,
  systems: readonly SystemRunners[],
  later: typeof notYetCovered = notYetCovered,
): readonly PlannedCase[] {
  const { system, cases } = file;
  const runners = systems.find((runners) => runners.system === system);
  return cases.map((given) => {
    const reason = own(later[system], given.kind);
    if (reason !== undefined) return { type: 'notYetCovered', system, given, reason };
    return planCase(system, given, runners);
  });
}

function planCase(system: string, given: VectorCase, runners: SystemRunners | undefined): PlannedCase {
  const runner = own(runners?.runners, given.kind);
  if (runners === undefined || runner === undefined) return { type: 'unknown', system, given };
  const reason = unreadable(given, runner.schema);
  if (reason !== undefined) return { type: 'unreadable', system, given, reason };
  const variants = variantsOf(given, runners.versions).map((variant) => {
    // Each kind's runner reads the fields of its own cases.
    const answerTo = (other: VectorCase): unknown => runner.answer(other as never);
    const answer = (): unknown => answerTo(variant);
    const expected = (): unknown => runner.expected(variant as never);
    const agrees = (): boolean => {
      const ours = answer();
      if (!(ours instanceof Promise)) return findDifference(ours, expected()) === undefined;
      // Known later; the test of the case fails if it does not agree.
      void ours.catch(() => undefined);
      return true;
    };
    const sides = { system, given: variant, answer, agrees, answerTo };
    const deviation = deviations.find((rule) => appliesTo(rule, sides));
    return { ...sides, expected, ...(deviation !== undefined && { deviation }) };
  });
  const deviation = variants.find((variant) => variant.deviation !== undefined)?.deviation;
  if (deviation === undefined) return { type: 'run', system, given, variants };
  return { type: 'deviated', system, given, deviation, variants };
}

/** Returns the variant with its answer, after awaiting it if a worker answers. */
export async function withAnswer(variant: PlannedVariant): Promise<PlannedVariant> {
  try {
    const answer = await variant.answer();
    return { ...variant, answer: () => answer };
  } catch (error) {
    return {
      ...variant,
      answer: () => {
        throw error;
      },
    };
  }
}

/** An unreadable case has no deviation; its own test fails with the reason. */
function appliesTo({ applies }: Deviation, answered: Parameters<Deviation['applies']>[0]): boolean {
  try {
    return applies(answered);
  } catch {
    return false;
  }
}

/** Returns the difference between both answers; nothing if they are equal or both refuse. */
export function judgeRefusal({
  given,
  answer,
}: PlannedVariant): 'both refuse' | 'only we refuse' | 'answers' {
  if (!isRefused(answer)) return 'answers';
  return given.error === undefined ? 'only we refuse' : 'both refuse';
}

function own<T>(entries: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, key) ? entries[key] : undefined;
}
