import type { Policy } from '@retry/core';
import { decide, definePolicy, extendPolicy } from '@retry/core';
import { createCloseGate } from '@retry/core/broker/kit';
import { network, postgres } from '@retry/core/errors';
import { PostgresBrokerError } from '../errors.ts';
import { checkVersion } from '../schema/migrations/check-version.ts';
import { quoteName } from '../schema/migrations.ts';
import type { Call, CallRows, CallUnlocked } from './call.ts';
import { createCallRows, createCallUnlocked } from './call.ts';
import { checkServer, checkWritable, readOnlyServer, unreachableServer } from './check-server.ts';
import { sqlStateOf } from './refusal.ts';
import type { SqlClient } from './sql-client.ts';

/** The SQL functions of one schema. */
export interface Database {
  /** Calls a function, and sends the call again after a transient error. */
  readonly call: Call;
  /** Calls a function that would do or answer something else if it had been applied: it is sent again only where it was not. */
  readonly callOnce: Call;
  /** Calls a function that replies several rows, like `call`. */
  readonly callRows: CallRows;
  /** Calls a function without waiting for another client's transaction, like `call`. */
  readonly callUnlocked: CallUnlocked;
  /** Calls a function without waiting for another client's transaction, like `callOnce`. */
  readonly callUnlockedOnce: CallUnlocked;
  /**
   * Resolves when the schema is there and of this version, and the server takes writes.
   *
   * @throws {PostgresBrokerError} `OLDER_SCHEMA`, `NEWER_SCHEMA`, `READ_ONLY_SERVER`
   */
  readonly ready: () => Promise<void>;
  /** Rejects every later call; resolves when those under way have been answered. */
  readonly close: () => Promise<void>;
}

/** Deadlocks, serialization failures and servers that are not reached: nothing of the call was applied. */
const RESEND_NOT_APPLIED: Policy = definePolicy({
  maxAttempts: 5,
  backoff: { type: 'exponential', base: '10ms' },
  maxDelay: '1s',
  // An internal error or a missing function may come from a migration at that moment; one that is repeated is about what was sent.
  retryOn: [...postgres.notApplied, ...network.notApplied, { code: 'XX000' }, { code: '42883' }],
});

/** Broken connections, too: sent again, the same call may succeed, and does nothing twice. */
const RESEND: Policy = extendPolicy(RESEND_NOT_APPLIED, {
  retryOn: [...postgres.ambiguous, ...network.ambiguous, { message: /^Connection terminated/ }],
});

/** Opens the functions of a schema over a client. The version of the schema is checked before the first call. */
export function openDatabase(client: SqlClient, schema: string): Database {
  const callRows = createCallRows(client, schema);
  const callUnlocked = createCallUnlocked(client, schema);
  const gate = createCloseGate('Postgres');
  let isChecked = false;
  const check = async (): Promise<void> => {
    await checkServer(client);
    await checkVersion(client, schema);
    isChecked = true;
  };
  const pass = <Answer>(send: () => Promise<Answer>, policy = RESEND): Promise<Answer> =>
    gate.pass(async () => {
      if (!isChecked) await resend(schema, check, RESEND);
      return resend(schema, send, policy);
    });
  return {
    call: async (name, given) => (await pass(() => callRows(name, given)))[0] ?? null,
    callOnce: async (name, given) => (await pass(() => callRows(name, given), RESEND_NOT_APPLIED))[0] ?? null,
    callRows: (name, given) => pass(() => callRows(name, given)),
    callUnlocked: (name, given) => pass(() => callUnlocked(name, given)),
    callUnlockedOnce: (name, given) => pass(() => callUnlocked(name, given), RESEND_NOT_APPLIED),
    ready: () => pass(() => checkWritable(client)),
    close: () => gate.close(),
  };
}

async function resend<Answer>(schema: string, send: () => Promise<Answer>, policy: Policy): Promise<Answer> {
  const startedAt = performance.now();
  for (let failures = 1; ; failures++) {
    try {
      return await send();
    } catch (error) {
      const world = { now: performance.now(), random: Math.random, startedAt };
      const decision = decide(policy, { failures }, { error }, world);
      if (decision.type === 'fail') throw withCure(error, schema);
      await new Promise((resolve) => setTimeout(resolve, decision.delayMs));
    }
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';
const READ_ONLY_TRANSACTION = '25006';

/** Returns the error, or one that says the cure: of missing rights, a server that takes no writes, or none that answers. */
function withCure(error: unknown, schema: string): unknown {
  const state = sqlStateOf(error);
  if (state === READ_ONLY_TRANSACTION) return readOnlyServer({ cause: error });
  if (state !== INSUFFICIENT_PRIVILEGE) return unreachableServer(error) ?? error;
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the role lacks rights on the schema: ${reason}. ${grantsOf(quoteName(schema))}`;
  return new PostgresBrokerError('MISSING_RIGHTS', message, { cause: error });
}

function grantsOf(schema: string): string {
  const grants = [
    `usage on schema ${schema}`,
    `select, insert, update, delete on all tables in schema ${schema}`,
    `usage on all sequences in schema ${schema}`,
    `execute on all functions in schema ${schema}`,
  ];
  return `As the owner, run ${grants.map((right) => `grant ${right} to <role>;`).join(' ')}`;
}
