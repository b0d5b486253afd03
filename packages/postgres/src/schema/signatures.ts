/**
 * Calls and heads of SQL functions. Made from the table of their parameters, in `function-parameters.ts`, are
 *
 * 1. the type of the arguments that TypeScript passes: a missing name does not compile, an unknown one neither;
 * 2. the text of a call, `select s.get_runs(p_ids => $1::text::text[], …)`;
 * 3. the head of `create function get_runs(p_ids text[], …)`, and calls of one function by another.
 */
import type { SqlType, SqlTypes } from './function-parameters.ts';
import { CLIENT_FUNCTIONS, INNER_FUNCTIONS } from './function-parameters.ts';

type Signature = Readonly<Record<string, SqlType>>;

type ClientFunctions = typeof CLIENT_FUNCTIONS;
type InnerFunctions = typeof INNER_FUNCTIONS;

/** The name of a function that a client calls. */
export type FunctionName = keyof ClientFunctions;

/** All of these names. */
export const FUNCTION_NAMES: readonly FunctionName[] = Object.keys(CLIENT_FUNCTIONS) as FunctionName[]; // the keys of the table

/** The name of a function that only other functions call. */
export type InnerName = keyof InnerFunctions;

/** All of these names. */
export const INNER_NAMES: readonly InnerName[] = Object.keys(INNER_FUNCTIONS) as InnerName[]; // the keys of the table

type AnyName = FunctionName | InnerName;

const SIGNATURES: Readonly<Record<AnyName, Signature>> = { ...CLIENT_FUNCTIONS, ...INNER_FUNCTIONS };

/** The arguments of such a function: every parameter, by name. */
export type ArgumentsOf<Name extends FunctionName> = {
  readonly [Parameter in keyof ClientFunctions[Name]]: ClientFunctions[Name][Parameter] extends SqlType
    ? SqlTypes[ClientFunctions[Name][Parameter]] | null
    : never;
};

/** The arguments of `settle_and_claim` that are settlements. */
export type SettlementArguments = Omit<
  Pick<ArgumentsOf<'settle_and_claim'>, SharedParameter>,
  keyof RetentionArguments | 'notify'
>;

type SharedParameter = keyof ClientFunctions['settle_and_claim'] & keyof ClientFunctions['settle_and_submit'];

/** The arguments of `settle_and_claim` that are about retention. */
export type RetentionArguments = Pick<
  ArgumentsOf<'settle_and_claim'>,
  Exclude<keyof InnerFunctions['trim_finished'], 'now'>
>;

/** The arguments of `settle_and_claim` that are a claim. */
export type ClaimArguments = Omit<
  ArgumentsOf<'settle_and_claim'>,
  keyof SettlementArguments | keyof RetentionArguments | 'notify'
>;

/** A parameter by its name in TypeScript and in SQL. */
interface Parameter {
  readonly key: string;
  readonly parameter: string;
  readonly type: SqlType;
}

/** Made once for each function: every call of it reads them. */
const parameters = new Map<AnyName, readonly Parameter[]>();

/** Returns the parameters of a function in their order, with their SQL names and types. */
export function parametersOf(name: AnyName): readonly Parameter[] {
  const known = parameters.get(name);
  if (known !== undefined) return known;
  const made = Object.entries(SIGNATURES[name]).map(([key, type]) => ({
    key,
    parameter: parameterName(key),
    type,
  }));
  parameters.set(name, made);
  return made;
}

/** The head of a function: `get_runs(p_ids text[], p_collect boolean)`. @param out - its `out` parameters, if any */
export function head(name: AnyName, out?: string): string {
  const list = parametersOf(name).map(({ parameter, type }) => `${parameter} ${type}`);
  return `${name}(${[...list, ...(out === undefined ? [] : [out])].join(', ')})`;
}

/** A call of a function by another, each argument an SQL expression: `claim_next(p_lane => v_lane, …)`. */
export function call<Name extends AnyName>(
  name: Name,
  given: Readonly<Record<keyof (ClientFunctions & InnerFunctions)[Name], string>>,
): string {
  const list = Object.entries<string>(given).map(([key, text]) => `${parameterName(key)} => ${text}`);
  return `${name}(${list.join(', ')})`;
}

/** A call of an inner function that passes on the parameters of its caller, but for those that are given. */
export function passOn<Name extends InnerName>(
  name: Name,
  given: Readonly<Partial<Record<keyof InnerFunctions[Name], string>>>,
): string {
  const passed = Object.keys(SIGNATURES[name]).map((key) => [key, parameterName(key)]);
  return call(name, { ...Object.fromEntries(passed), ...given });
}

/** A call of `settle_and_claim` that passes on settlements and retention, and claims nothing. */
export function settlementsOnly(): string {
  const passed: readonly string[] = Object.keys(SIGNATURES.settle_and_submit);
  const list = parametersOf('settle_and_claim').map(
    ({ key, parameter }) => `${parameter} => ${passed.includes(key) ? parameter : 'null'}`,
  );
  return `settle_and_claim(${list.join(', ')})`;
}

/** `keepKeysMs` is `p_keep_keys_ms`. */
function parameterName(key: string): string {
  return `p_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}
