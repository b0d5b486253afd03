import type { Fields, Report } from '../fields/fields.ts';
import { readFields } from '../fields/fields.ts';
import { read } from '../read.ts';
import { belongIn, isUnset } from './read-options.ts';
import { asCount, asEndlessSeconds, asSeconds, asSpan, atLeast0, finite0, within } from './written-values.ts';

/** One option of a system: what it is, for documentation and help, and how it is read. */
export interface Option<Value> {
  /** The unit or kind, as a table shows it: `ms`, `s`, `retries`. */
  readonly unit: string;
  /** The default as a table shows it. */
  readonly default: string;
  readonly meaning: string;
  /** The options of a group, by name. */
  readonly inner?: OptionTable;
  /** Whether it is taken and has no effect on the policy. */
  readonly isIgnored?: true;
  /** Returns the value; the default where the option is unset, or wrong and reported. */
  readonly read: (fields: Fields, key: string, report: Report) => Value;
}

/** The options of a system, by its own names. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

/** What the options of a table are read as. */
export type ValuesOf<Table extends OptionTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Option<infer Value> ? Value : never;
};

interface Rule<Value> {
  readonly unit: string;
  /** Returns the value of what is written; `undefined` if it is wrong. */
  readonly parse: (written: unknown) => Value | undefined;
  /** What it must be, as an error says it. */
  readonly must: string;
  readonly cure: string;
  /** The default as it is written. */
  readonly shown?: string;
}

function option<Value>(rule: Rule<Value>, fallback: Value, meaning: string): Option<Value> {
  return {
    unit: rule.unit,
    default: rule.shown ?? shownDefault(fallback),
    meaning,
    read: (fields, key) => {
      const given = fields.value(key);
      if (isUnset(given)) return fallback;
      const value = rule.parse(given);
      if (value !== undefined) return value;
      fields.fail(key, `must be ${rule.must}`, rule.cure);
      return fallback;
    },
  };
}

function shownDefault(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** A length of time in milliseconds. */
export function ms(fallback: number, meaning: string): Option<number>;
export function ms(fallback: undefined, meaning: string): Option<number | undefined>;
export function ms(fallback: number | undefined, meaning: string): Option<number | undefined> {
  return option(
    { unit: 'ms', parse: atLeast0, must: 'a number of milliseconds ≥ 0', cure: 'Use 1000 for a second.' },
    fallback,
    meaning,
  );
}

/** A length of time in seconds, read as milliseconds. */
export function seconds(fallback: number, meaning: string): Option<number>;
export function seconds(fallback: undefined, meaning: string): Option<number | undefined>;
export function seconds(fallback: number | undefined, meaning: string): Option<number | undefined> {
  const rule = {
    unit: 's',
    parse: asSeconds,
    must: 'a finite number of seconds ≥ 0',
    cure: PLAIN_SECONDS,
    shown: shownDefault(fallback === undefined ? undefined : fallback / 1_000),
  };
  return option(rule, fallback, meaning);
}

/** A length of time in seconds that may be `Infinity`, read as milliseconds. */
export function endlessSeconds(fallback: number, meaning: string): Option<number> {
  const rule = {
    unit: 's',
    parse: asEndlessSeconds,
    must: 'a number of seconds ≥ 0',
    cure: PLAIN_SECONDS,
    shown: shownDefault(fallback === Infinity ? undefined : fallback / 1_000),
  };
  return option(rule, fallback, meaning);
}

/** A length of time as text with its unit, as Go and protocol buffers write it: `500ms`, `1m30s`. */
export function span(fallback: string, meaning: string): Option<number> {
  const rule = {
    unit: 'text',
    parse: asSpan,
    must: 'a length of time like "500ms", "1.5s" or "1m30s"',
    cure: WITH_UNIT,
    shown: fallback,
  };
  return option(rule, asSpan(fallback) ?? 0, meaning);
}

/** A number of retries after the first execution, read as the number of executions. */
export function retries(fallback: number, meaning: string): Option<number> {
  const rule = {
    ...A_COUNT,
    unit: 'retries',
    parse: (written: unknown) => executionsOf(asCount(written)),
    shown: shownCount(fallback),
  };
  return option(rule, fallback + 1, meaning);
}

/** A number of retries of a system that takes a negative one for none, read as the number of executions. */
export function signedRetries(fallback: number, meaning: string): Option<number> {
  const rule = {
    unit: 'retries',
    parse: (written: unknown) => executionsOf(Number.isInteger(written) ? Number(written) : undefined),
    must: 'an integer',
    cure: `The default is ${shownCount(fallback)}.`,
    shown: shownCount(fallback),
  };
  return option(rule, fallback + 1, meaning);
}

/** A whole number from `least` on. */
export function integer(least: number, fallback: number, meaning: string): Option<number> {
  const parse = (written: unknown): number | undefined =>
    Number.isInteger(written) && Number(written) >= least ? Number(written) : undefined;
  const rule = { unit: 'number', parse, must: `an integer ≥ ${least}`, cure: `The default is ${fallback}.` };
  return option(rule, fallback, meaning);
}

/** A number of executions, the first included; 0 runs once. */
export function executions(fallback: number, meaning: string): Option<number> {
  const rule = {
    ...A_COUNT,
    unit: 'executions',
    parse: (written: unknown) => atLeast1(asCount(written)),
    shown: shownCount(fallback),
  };
  return option(rule, Math.max(fallback, 1), meaning);
}

/** A number by which a delay grows. */
export function factor(fallback: number, meaning: string): Option<number> {
  return option(
    {
      unit: 'factor',
      parse: finite0,
      must: 'a finite number ≥ 0',
      cure: 'Use 1 for a constant delay, 2 to double it each time.',
    },
    fallback,
    meaning,
  );
}

/** A share from 0 to 1. */
export function share(fallback: number, meaning: string): Option<number> {
  const parse = (written: unknown): number | undefined => within(finite0(written), 1);
  return option(
    { unit: 'share', parse, must: 'a number from 0 to 1', cure: 'Use 0.1 for 10 %.' },
    fallback,
    meaning,
  );
}

/** Any finite number. */
export function number(fallback: number, meaning: string): Option<number> {
  const parse = (written: unknown): number | undefined =>
    typeof written === 'number' && Number.isFinite(written) ? written : undefined;
  return option(
    { unit: 'number', parse, must: 'a finite number', cure: 'Use a plain number.' },
    fallback,
    meaning,
  );
}

/** `true` or `false`. */
export function flag(fallback: boolean, meaning: string): Option<boolean> {
  const parse = (written: unknown): boolean | undefined =>
    typeof written === 'boolean' ? written : undefined;
  return option(
    { unit: 'boolean', parse, must: 'true or false', cure: 'Leave it out for the default.' },
    fallback,
    meaning,
  );
}

/** One of several names. */
export function choice<const Name extends string>(
  names: readonly Name[],
  fallback: NoInfer<Name>,
  meaning: string,
): Option<Name> {
  const rule = {
    unit: names.map((name) => `'${name}'`).join(', '),
    parse: (written: unknown): Name | undefined => names.find((name) => name === written),
    must: 'one of the choices',
    cure: `Use one of ${names.join(', ')}.`,
  };
  return option(rule, fallback, meaning);
}

/** A value of any form, which `parse` reads. */
export function value<Value>(
  rule: Omit<Rule<Value>, 'cure'> & { readonly cure?: string },
  fallback: Value,
  meaning: string,
): Option<Value> {
  const shown = rule.shown ?? shownDefault(fallback);
  const leftOut =
    shown === '–' || shown === '' ? 'Leave it out for the default.' : `The default is ${shown}.`;
  return option({ cure: rule.parse === asSpan ? WITH_UNIT : leftOut, ...rule }, fallback, meaning);
}

/** Returns an option of which one value does not mean what it says: Python's `None` is no limit, or Go's 0 the default. */
export function where<Value>(written: unknown, meant: Value, option: Option<Value>): Option<Value> {
  return {
    ...option,
    read: (fields, key, report) => (fields.value(key) === written ? meant : option.read(fields, key, report)),
  };
}

/** Returns an option of which the system itself refuses what is below this number. */
export function atLeast(least: number, option: Option<number>): Option<number> {
  return {
    ...option,
    read: (fields, key, report) => {
      const given = fields.value(key);
      if (typeof given === 'number' && given >= 0 && given < least)
        fields.fail(key, `must be at least ${least}, there too`, 'Leave it out for the default.');
      return option.read(fields, key, report);
    },
  };
}

/** Returns an option that is `undefined` where it is unset. */
export function ifSet<Value>(option: Option<Value>): Option<Value | undefined> {
  return {
    ...option,
    read: (fields, key, report) =>
      isUnset(fields.value(key)) ? undefined : option.read(fields, key, report),
  };
}

/** An option that does not change the delays, and is not read. */
export function ignored(meaning: string): Option<unknown> {
  return {
    unit: '–',
    default: '–',
    meaning: `${meaning}; not read`,
    isIgnored: true,
    read: (fields, key) => fields.value(key),
  };
}

/** Returns the options of a table, and of its groups, that were given and are not read, each with its path. */
export function ignoredIn(
  table: OptionTable,
  given: unknown,
  at: string = '',
): readonly (readonly [path: string, option: Option<unknown>])[] {
  return Object.entries(table).flatMap(([key, one]) => {
    const written = read(given, key);
    if (isUnset(written)) return [];
    if (one.inner !== undefined) return ignoredIn(one.inner, written, `${at}${key}.`);
    return one.isIgnored === true ? [[`${at}${key}`, one] as const] : [];
  });
}

/** An option that is read by code of its own. */
export function described<Value>(
  unit: string,
  shown: string,
  meaning: string,
  read: Option<Value>['read'],
): Option<Value> {
  return { unit, default: shown, meaning, read };
}

/**
 * An object of options.
 *
 * @param shorthand - returns the object that another form stands for: `3` for `{ limit: 3 }`; `undefined` for none
 */
export function group<Table extends OptionTable>(
  inner: Table,
  meaning: string,
  shorthand: (written: unknown) => unknown = () => undefined,
): Option<ValuesOf<Table>> {
  return {
    unit: 'object',
    default: '–',
    meaning,
    inner,
    read: (fields, key, report) => {
      const given = fields.value(key);
      const written = isUnset(given) ? {} : (shorthand(given) ?? given);
      const keys = Object.keys(inner);
      const own =
        readFields(written, fields.path(key), { keys, report }) ?? readFields({}, '', { keys, report });
      return valuesOf(inner, own, report);
    },
  };
}

/** Reads every option of a table. */
export function valuesOf<Table extends OptionTable>(
  table: Table,
  fields: Fields | undefined,
  report: Report,
): ValuesOf<Table> {
  const entries = Object.entries(table).map(([key, { read }]) => [key, fields && read(fields, key, report)]);
  return Object.fromEntries(entries) as ValuesOf<Table>; // one entry for each option
}

/** Returns the cures of keys that were written beside the group they belong in. */
export function curesOf(table: OptionTable): Readonly<Record<string, string>> {
  const groups = Object.entries(table).filter(([, { inner }]) => inner !== undefined);
  return Object.assign({}, ...groups.map(([key, { inner = {} }]) => belongIn(key, Object.keys(inner))));
}

const PLAIN_SECONDS = 'Write seconds as a plain number: 2, not 2000 or "2s".';

const WITH_UNIT = 'Write the unit: "1s".';

const A_COUNT = { must: 'an integer ≥ 0', cure: 'Use a whole number, or Infinity.' };

function shownCount(count: number): string {
  if (Number.isNaN(count)) return '–';
  return count === Infinity ? 'no limit' : String(count);
}

/** Returns the executions that a number of retries allows: one more, and at least one. */
function executionsOf(count: number | undefined): number | undefined {
  return count === undefined ? undefined : Math.max(1, count + 1);
}

function atLeast1(count: number | undefined): number | undefined {
  return count === undefined ? undefined : Math.max(1, count);
}
