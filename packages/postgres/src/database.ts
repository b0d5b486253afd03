import type { Policy } from '@retry/core';
import { decide, definePolicy, postgresTransient, transientNetwork } from '@retry/core';
import { closedError } from '@retry/core/broker';
import { PostgresBrokerError } from './errors.ts';
import { sqlStateOf } from './refusal.ts';
import { checkVersion } from './schema/migrations/check-version.ts';
import { quoteName } from './schema/migrations.ts';
import type { SqlClient } from './sql-client.ts';

/** A value that every client sends alike: arrays are written as text before. */
export type SqlValue = string | number | boolean | null;

/** Calls the functions of one schema. */
export interface Database {
  /** Gives the text that the function returned; sends again what broke in passing. */
  readonly call: (name: FunctionName, values: readonly SqlValue[]) => Promise<string | null>;
  /** Makes every later call reject; resolves when none is under way. */
  readonly close: () => Promise<void>;
}

/** The functions of the schema that a client calls. */
export type FunctionName =
  | 'submit_runs'
  | 'exchange'
  | 'get_runs'
  | 'list_runs'
  | 'beat'
  | 'expired_runs'
  | 'cancel_runs'
  | 'redrive_runs'
  | 'discard_runs'
  | 'audit_runs'
  | 'cancel_requests'
  | 'attend'
  | 'look_for_work'
  | 'await_news'
  | 'stop_waiting';

const TEXTS = 'text[]';
const WHOLES = 'bigint[]';
const FLAGS = 'boolean[]';

/** The types of what each function takes. Arrays travel as text, which every client sends alike. */
export const FUNCTIONS: Readonly<Record<FunctionName, readonly string[]>> = {
  submit_runs: [TEXTS, TEXTS, TEXTS, WHOLES, WHOLES, TEXTS, WHOLES, FLAGS, FLAGS, WHOLES, 'boolean'],
  exchange: [
    ...[TEXTS, WHOLES, WHOLES, 'text', 'boolean', WHOLES, WHOLES, WHOLES],
    ...[TEXTS, TEXTS, 'text', 'boolean'],
    ...['text', 'text', TEXTS, TEXTS, 'bigint', TEXTS, WHOLES, WHOLES, WHOLES],
    ...['bigint', 'bigint', 'bigint', 'bigint'],
  ],
  get_runs: [TEXTS, 'boolean'],
  list_runs: ['text', 'text', 'bigint', 'text', 'bigint', 'text', 'boolean'],
  beat: [TEXTS, WHOLES, 'bigint'],
  expired_runs: ['bigint', TEXTS, TEXTS],
  cancel_runs: [TEXTS],
  redrive_runs: [TEXTS, 'boolean'],
  discard_runs: [TEXTS, 'bigint'],
  audit_runs: [],
  cancel_requests: [TEXTS, WHOLES],
  attend: ['text', TEXTS, 'bigint'],
  look_for_work: [TEXTS, WHOLES],
  await_news: ['text', 'bigint', 'boolean'],
  stop_waiting: ['text'],
};

/**
 * Deadlocks, serialization failures, broken connections: what the same call may not meet again. An internal error, or a
 * missing function, may come of a migration at that moment; one that comes again is about what was sent.
 */
const RESEND: Policy = definePolicy({
  maxAttempts: 5,
  backoff: { type: 'exponential', base: '10ms' },
  maxDelay: '1s',
  retryOn: [
    ...postgresTransient,
    ...transientNetwork,
    { code: 'XX000' },
    { code: '42883' },
    { message: /^Connection terminated/ },
  ],
});

const texts = new Map<string, string>();

/** The text of a call. */
function callText(schema: string, name: FunctionName): string {
  const key = `${name} ${schema}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const values = FUNCTIONS[name].map((type, index) => `$${index + 1}::text::${type}`);
  const text = `select ${quoteName(schema)}.${name}(${values.join(', ')}) as answer`;
  texts.set(key, text);
  return text;
}

/** Calls a function once, and gives the text that it returned. */
export async function callFunction(
  client: SqlClient,
  schema: string,
  { name, values }: { readonly name: FunctionName; readonly values: readonly SqlValue[] },
): Promise<string | null> {
  const sent = values.map((value) => (value === null ? null : String(value)));
  const { rows } = await client.query(callText(schema, name), sent);
  return readAnswer(rows);
}

/** The functions of a schema, called over a client. */
export function openDatabase(client: SqlClient, schema: string): Database {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  let isChecked = false;
  const send = async (name: FunctionName, values: readonly SqlValue[]): Promise<string | null> => {
    if (!isChecked) await checkVersion(client, schema);
    isChecked = true;
    return callFunction(client, schema, { name, values });
  };
  return {
    call: (name, values) => {
      if (isClosed) return Promise.reject(closedError('Postgres'));
      const call = resend(() => send(name, values));
      underWay.add(call);
      const forget = (): void => void underWay.delete(call);
      call.then(forget, forget);
      return call;
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
}

async function resend<Answer>(send: () => Promise<Answer>): Promise<Answer> {
  const startedAt = Date.now();
  for (let failures = 1; ; failures++) {
    try {
      return await send();
    } catch (error) {
      const decision = decide(
        RESEND,
        { failures },
        { error },
        { now: Date.now(), random: Math.random, startedAt },
      );
      if (decision.type === 'fail') throw explain(error);
      await new Promise((resolve) => setTimeout(resolve, decision.delayMs));
    }
  }
}

/** What the server says of rights that are missing says nothing of what to do about it. */
function explain(error: unknown): unknown {
  if (sqlStateOf(error) !== '42501') return error;
  const said = error instanceof Error ? error.message : String(error);
  const message = `the role lacks rights on the schema: ${said}. Grant what docs/postgres.md lists under "Rights".`;
  return new PostgresBrokerError('MISSING_RIGHTS', message, { cause: error });
}

function readAnswer(rows: readonly unknown[]): string | null {
  const row = rows[0] as { readonly answer?: unknown } | undefined; // what the driver makes of one column
  return typeof row?.answer === 'string' ? row.answer : null;
}
