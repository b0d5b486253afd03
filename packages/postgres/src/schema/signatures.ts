/**
 * Calls of SQL functions. The table of their parameters is made from the heads of the functions in `sql/verbs`. From it come the type of
 * the arguments that TypeScript passes, so that a missing name does not compile and an unknown one neither, and the text of a call,
 * `select s.get_runs(p_ids => $1::text::text[], …)`.
 */
import { CLIENT_FUNCTIONS } from './calls-code.ts';

/** The SQL types that parameters have, and the TypeScript type of each. What is absent is null. */
interface SqlTypes {
  readonly text: string;
  readonly bigint: number;
  readonly boolean: boolean;
  readonly 'text[]': readonly (string | undefined)[];
  readonly 'tid[]': readonly (string | undefined)[];
  readonly 'bigint[]': readonly (number | undefined)[];
  readonly 'boolean[]': readonly (boolean | undefined)[];
}

/** The name of an SQL type. */
export type SqlType = keyof SqlTypes;

type ClientFunctions = typeof CLIENT_FUNCTIONS;

/** The name of a function that a client calls. */
export type FunctionName = keyof ClientFunctions;

/** All of these names. */
export const FUNCTION_NAMES: readonly FunctionName[] = Object.keys(CLIENT_FUNCTIONS) as FunctionName[]; // the keys of the table

const SIGNATURES: Readonly<Record<FunctionName, Readonly<Record<string, SqlType>>>> = CLIENT_FUNCTIONS;

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
  'keepFinished' | 'trimFrom' | 'keepKeysMs' | 'keepForMs' | 'keepBytes'
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
const parameters = new Map<FunctionName, readonly Parameter[]>();

/** Returns the parameters of a function in their order, with their SQL names and types. */
export function parametersOf(name: FunctionName): readonly Parameter[] {
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

/** `keepKeysMs` is `p_keep_keys_ms`. */
function parameterName(key: string): string {
  return `p_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}
