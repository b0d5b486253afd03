import type { Fields, Report } from '../fields/fields.ts';
import { definePolicy } from '../policy/define-policy.ts';
import type { BackoffInput } from '../policy/delays.ts';
import type { PolicyInput } from '../policy/policy.ts';
import { MAX_ITEMS } from '../read.ts';
import { type Deadline, untilDeadline, warnDeadline } from './deadline.ts';
import { type Dialect, type DialectWarning, dialectOf, type TaskOptions, warnIf } from './dialect.ts';
import { curesOf, ignoredIn, type OptionTable, type ValuesOf, valuesOf } from './option.ts';
import { readOptions } from './read-options.ts';

/** How near the delays of a policy are to those of its system; what else differs, remarks and warnings say. */
export type Fidelity =
  /** The policy has the same delays, drawn in the same way. */
  | 'exact'
  /** The policy has the same lowest and highest delays, drawn in another way between them. */
  | 'range'
  /** Some delays differ; its remarks name them. */
  | 'near';

/** A system as data: its options, and what they are in our language. */
interface SystemDefinition<Table extends OptionTable> {
  /** The name in lower case, as `@retry/core/dialects/NAME`. */
  readonly name: string;
  /** What the system calls itself. */
  readonly title: string;
  /** The version that was run; or of whose documentation this is, with its date. */
  readonly version: string;
  /** The documentation or source that its policy is by, and the day it was read; absent: it was run, and its delays recorded. */
  readonly documentation?: { readonly source: string; readonly readOn: string };
  readonly fidelity: Fidelity;
  /** What differs from the system, or surprises in it; one sentence each. */
  readonly remarks?: readonly string[];
  readonly options: Table;
  /** The limit on the time of all attempts together, which adds to the policy, the remarks and the warnings. */
  readonly deadline?: Deadline<ValuesOf<Table>>;
  /** Returns the policy. Without them it has no jitter and no highest delay. */
  readonly policy: (values: ValuesOf<Table>) => SystemPolicy;
  /** Returns what a policy cannot say. */
  readonly task?: (values: ValuesOf<Table>) => TaskOptions;
  /** Returns warnings about these options, as they were read and as they were written. */
  readonly warnings?: (values: ValuesOf<Table>, given: object) => readonly (DialectWarning | undefined)[];
  /** Reports what is wrong in several options together. */
  readonly check?: (values: ValuesOf<Table>, fields: Fields) => void;
  /** What to write instead of keys that are none of the options. */
  readonly cures?: Readonly<Record<string, string>>;
}

/** A policy whose delays may be a formula that no backoff has. */
export type SystemPolicy = Omit<PolicyInput, 'backoff'> & {
  readonly backoff?: BackoffInput | Formula | undefined;
};

/** The delays of a system whose formula no backoff has. */
interface Formula {
  readonly type: 'formula';
  /** Returns milliseconds; the retry is counted from 1. */
  readonly delayOf: (retry: number) => number;
}

/** The options of a system by its own names; each is checked when it is read. */
export type SystemOptions = Readonly<Record<string, unknown>>;

/** A system whose options can be read. */
export interface System
  extends Omit<
    SystemDefinition<OptionTable>,
    'policy' | 'deadline' | 'task' | 'warnings' | 'check' | 'cures'
  > {
  /**
   * Converts the options of that system, in its own names and units, to a policy that behaves as it does.
   *
   * @throws {InvalidOptionsError} listing every problem under that system's own names
   */
  readonly from: (options?: object) => Dialect;
}

/** Returns a system that reads its options by its table. */
export function defineSystem<const Table extends OptionTable>(definition: SystemDefinition<Table>): System {
  const { options, policy, deadline, task, warnings, check, cures, ...described } = definition;
  const remarks = [
    ...(described.remarks ?? []),
    ...(deadline === undefined ? [] : [`\`${deadline.option}\`: ${deadline.there}.`]),
  ];
  return Object.freeze({
    ...described,
    ...(remarks.length > 0 && { remarks }),
    options,
    from: (given: object = {}): Dialect => {
      const known = { keys: Object.keys(options), cures: { ...curesOf(options), ...cures } };
      const read = (fields: Fields, report: Report): ValuesOf<Table> => {
        const values = valuesOf(options, fields, report);
        check?.(values, fields);
        return values;
      };
      const values = readOptions(given, known, read, `${definition.name} options`);
      const { listed, isCut } = withList(policy(values));
      const input = { ...listed, ...(deadline && untilDeadline(deadline, values)) };
      return dialectOf(definePolicy({ ...AS_WRITTEN, ...saturated(input) }), task?.(values) ?? {}, [
        ...(warnings?.(values, given) ?? []),
        ...ignoredIn(options, given).map(([path, { meaning }]) => notRead(path, meaning)),
        deadline && warnDeadline(deadline, values),
        ...(described.fidelity === 'near'
          ? (described.remarks ?? []).map((message) => differs(definition.name, message))
          : []),
        warnIf(isCut, differs(definition.name, CUT)),
        documented(definition),
      ]);
    },
  });
}

/** Lengths of time that have to be finite: what is longer than any number becomes the largest one. */
function saturated(input: PolicyInput): PolicyInput {
  const keys = ['backoff', 'delays', 'jitter', 'minDelay', 'initialDelay'];
  const entries = Object.entries(input).map(([key, value]) => [
    key,
    keys.includes(key) ? withoutInfinity(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function withoutInfinity<Value>(value: Value): Value {
  // A formula of what is longer than any number may give none: Infinity less Infinity.
  if (value === Infinity || Number.isNaN(value)) return Number.MAX_VALUE as Value; // both are numbers
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutInfinity) as Value; // as many
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutInfinity(inner)]),
  ) as Value; // the same keys
}

/** Other systems have no jitter, and no highest delay, unless they say so; and most ignore what a server asks for. */
const AS_WRITTEN: PolicyInput = {
  jitter: 'none',
  maxDelay: Infinity,
  retryAfter: { mode: 'ignore' },
};

/**
 * The part of a policy for systems whose tasks may fail by an answer of a server: what it asks for is followed as in any policy of ours.
 */
export const FOLLOWS_SERVER: PolicyInput = { retryAfter: undefined };

function differs(path: string, message: string): DialectWarning {
  return { code: 'DIFFERS', path, message, cure: 'Compare them by a preview.' };
}

function notRead(path: string, meaning: string): DialectWarning {
  const message = `${meaning}: the policy does not say it`;
  return { code: 'DIFFERS', path, message, cure: 'Say it by the policy itself, as retryOn or stopOn.' };
}

type Described = Pick<SystemDefinition<OptionTable>, 'name' | 'title' | 'documentation'>;

function documented({ name, title, documentation }: Described): DialectWarning | undefined {
  if (documentation === undefined) return undefined;
  const { source, readOn } = documentation;
  const message = `the policy is by its documentation of ${readOn} (${source}): ${title} itself was not run`;
  return { code: 'BY_DOCUMENTATION', path: name, message, cure: 'Try it once with your own settings.' };
}

/** `base`, then `factor` times as long each time. */
export function exponential(base: number, factor = 2, offset?: number): BackoffInput {
  return { type: 'exponential', base, factor, ...(offset !== undefined && { offset }) };
}

/** Returns the backoff of the same delay each time. */
export function constant(base: number): BackoffInput {
  return { type: 'constant', base };
}

/** `base`, then `increment` more each time. */
export function linear(base: number, increment: number = base): BackoffInput {
  return { type: 'linear', base, increment };
}

/** These delays; the last one again after it. */
export function list(delays: readonly number[]): BackoffInput {
  return { type: 'list', delays };
}

/** The delays of a formula that no backoff has. A negative one is none: its timer fires immediately. */
export function written(delayOf: (retry: number) => number): Formula {
  return { type: 'formula', delayOf };
}

/** The delays of a system that computes each of the one before. */
export function stepwise(firstMs: number, next: (ms: number) => number): Formula {
  const delays = [firstMs];
  return written((retry) => {
    while (delays.length < retry) delays.push(next(delays.at(-1) ?? firstMs));
    return delays[retry - 1] ?? firstMs;
  });
}

/** Writes a formula out, retry by retry up to the last one, as far as the delays still change and a list may be long. */
function withList({ backoff, ...input }: SystemPolicy): {
  readonly listed: PolicyInput;
  /** Whether the delays change after the end of the list. */
  readonly isCut: boolean;
} {
  if (backoff?.type !== 'formula') return { listed: { ...input, ...(backoff && { backoff }) }, isCut: false };
  const delayAt = (retry: number): number => inRange(backoff.delayOf(retry));
  const last = Math.max(Number(input.maxAttempts ?? Infinity) - 1, 1);
  const delays = Array.from({ length: Math.min(last, MAX_ITEMS) }, (_, index) => delayAt(index + 1));
  const isCapped = input.capAt !== 'after-jitter' && typeof input.maxDelay === 'number';
  const limit = Math.min(isCapped ? Number(input.maxDelay) : Infinity, ENDLESS_MS);
  const end = delays.at(-1) ?? 0;
  return {
    listed: { ...input, backoff: list(withoutRepeats(delays, limit)) },
    isCut: last > MAX_ITEMS && Math.min(delayAt(MAX_ITEMS + 1), limit) !== Math.min(end, limit),
  };
}

/** Leaves the last delay of a list out as often as it repeats: it repeats by itself. */
export function withoutRepeats(delays: readonly number[], limit: number = Infinity): readonly number[] {
  let count = delays.length;
  const delayAt = (index: number): number => Math.min(delays[index] ?? 0, limit);
  while (count > 1 && delayAt(count - 2) === delayAt(count - 1)) count -= 1;
  return delays.slice(0, count);
}

/** Nobody waits longer, so that delays over it are one. */
const ENDLESS_MS = Number.MAX_SAFE_INTEGER;

const CUT = `the delays change after ${MAX_ITEMS} retries, too; here the last of these repeats`;

/** A delay as a timer takes it. */
function inRange(ms: number): number {
  return Number.isNaN(ms) ? Number.MAX_VALUE : Math.max(Math.min(ms, Number.MAX_VALUE), 0);
}
