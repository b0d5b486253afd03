import { quoteName } from '../schema/migrations.ts';
import type { ArgumentsOf, FunctionName, SqlType } from '../schema/signatures.ts';
import { FUNCTION_NAMES, parametersOf } from '../schema/signatures.ts';
import { sqlStateOf } from './refusal.ts';
import type { Row, SqlClient } from './sql-client.ts';
import { changedReply, readRows } from './sql-client.ts';
import { plainArray, textArray } from './sql-values.ts';

/** Arguments with every parameter of a function and no other. */
type Exactly<Given, Name extends FunctionName> = Given & {
  readonly [Key in Exclude<keyof Given, keyof ArgumentsOf<Name>>]: never;
};

/** Calls a function of one schema with its arguments by name. Returns the text that it replied. */
export type Call = <Name extends FunctionName, Given extends ArgumentsOf<Name>>(
  name: Name,
  given: Exactly<Given, Name>,
) => Promise<string | null>;

/** Calls a function that replies several rows. Returns the text of each. */
export type CallRows = <Name extends FunctionName, Given extends ArgumentsOf<Name>>(
  name: Name,
  given: Exactly<Given, Name>,
) => Promise<readonly (string | null)[]>;

/** How long a call that does not wait for another client's transaction waits for a lock: calls hold theirs shorter. In ms. */
const LOCK_MS = 25;

/** Calls a function, but does not wait for another client's transaction. `undefined`: it would have had to, and did nothing. */
export type CallUnlocked = <Name extends FunctionName, Given extends ArgumentsOf<Name>>(
  name: Name,
  given: Exactly<Given, Name>,
) => Promise<{ readonly text: string | null } | undefined>;

/** Returns what calls functions without waiting, once. */
export function createCallUnlocked(client: SqlClient, schema: string): CallUnlocked {
  const query: SqlClient['query'] = (text, values) =>
    client.query(`${WITHOUT_WAITING}${text.slice('select '.length)}`, values);
  const call = createCall({ query }, schema);
  return async (name, given) => {
    try {
      return { text: await call(name, given) };
    } catch (error) {
      if (isLockTimeout(error)) return undefined;
      throw error;
    }
  };
}

/** Whether a statement failed because it got no lock in time: its connection can be used again. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === LOCK_NOT_AVAILABLE;
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Whether this is the text of a call that does not wait for another client's transaction. */
export function isWithoutWaiting(text: string): boolean {
  return text.startsWith(WITHOUT_WAITING);
}

/** Comes before what a call selects: columns are computed from left to right, and the setting ends with the statement. */
const WITHOUT_WAITING = `select set_config('lock_timeout', '${LOCK_MS}ms', true), `;

/** Returns what calls the functions of a schema once, without sending anything again. */
export function createCall(client: SqlClient, schema: string): Call {
  const callRows = createCallRows(client, schema);
  return async (name, given) => (await callRows(name, given))[0] ?? null;
}

/** Returns what calls functions that reply several rows, without sending anything again. */
export function createCallRows(client: SqlClient, schema: string): CallRows {
  const texts = callTexts(schema);
  return async (name, given) => {
    return readRows(await client.query(texts[name], writeValues(name, given))).map(readRow);
  };
}

/** The text of the call of each function, for the schemas in use. */
const known = new Map<string, Readonly<Record<FunctionName, string>>>();

function callTexts(schema: string): Readonly<Record<FunctionName, string>> {
  const texts = known.get(schema) ?? writeCallTexts(schema);
  known.set(schema, texts);
  return texts;
}

function writeCallTexts(schema: string): Readonly<Record<FunctionName, string>> {
  const texts = FUNCTION_NAMES.map((name) => {
    // Every value travels as text, which all clients send alike.
    const values = parametersOf(name).map(
      ({ parameter, type }, index) => `${parameter} => $${index + 1}::text::${type}`,
    );
    return [name, `select ${quoteName(schema)}.${name}(${values.join(', ')}) as answer`];
  });
  return Object.fromEntries(texts) as Record<FunctionName, string>; // one for each name
}

function writeValues(name: FunctionName, given: object): (string | null)[] {
  const values = given as Readonly<Record<string, unknown>>; // its keys are checked by its type
  const written: (string | null)[] = [];
  // A loop, because most of the many values of an exchange are absent.
  for (const { key, type } of parametersOf(name)) {
    const value = values[key];
    written.push(value === null || value === undefined ? null : writeValue(value, type));
  }
  return written;
}

function writeValue(value: unknown, type: SqlType): string | null {
  if (Array.isArray(value) && value.length === 0) return '{}';
  if (type === 'text[]' || type === 'tid[]') return textArray(value as readonly (string | undefined)[]); // by the signature
  if (Array.isArray(value)) return plainArray(value);
  return String(value);
}

function readRow({ answer }: Row): string | null {
  if (answer === null || typeof answer === 'string') return answer;
  throw changedReply(answer);
}
