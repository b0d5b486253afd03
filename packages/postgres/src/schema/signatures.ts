/**
 * The parameters of every SQL function, by name and in their order, with their types, in a single table. Made from it are
 *
 * 1. the type of the arguments that TypeScript passes: a missing name does not compile, an unknown one neither;
 * 2. the text of a call, `select s.get_runs(p_ids => $1::text::text[], …)`;
 * 3. the head of `create function get_runs(p_ids text[], …)`, and calls of one function by another.
 */

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

type Signature = Readonly<Record<string, SqlType>>;

/** The functions that a client calls. */
const CLIENT_FUNCTIONS = {
  submit_runs: {
    ids: 'text[]',
    lanes: 'text[]',
    payloads: 'text[]',
    runAts: 'bigint[]',
    delaysMs: 'bigint[]',
    keys: 'text[]',
    keyLimits: 'bigint[]',
    keyWaits: 'boolean[]',
    keyed: 'boolean[]',
    keepResultsMs: 'bigint[]',
    notify: 'boolean',
  },
  settle_and_claim: {
    // Settlements, an element for each: `destinations` has a letter for each, `records` a line.
    ids: 'text[]',
    rowsAt: 'tid[]',
    epochs: 'bigint[]',
    laneSeqs: 'bigint[]',
    destinations: 'text',
    onlyIfExpired: 'boolean',
    startedAts: 'bigint[]',
    instants: 'bigint[]',
    delaysMs: 'bigint[]',
    errorNames: 'text[]',
    results: 'text[]',
    records: 'text',
    notify: 'boolean',
    // The claim: its worker, the earlier requests of the same worker that need no row any longer, and from where on each
    // lane and its schedule are read.
    worker: 'text',
    request: 'text',
    endedRequests: 'text[]',
    limit: 'bigint',
    lanes: 'text[]',
    laneLimits: 'bigint[]',
    lowSeqs: 'bigint[]',
    lowRunAts: 'bigint[]',
    leaseMs: 'bigint',
    // How many finished runs are kept, from where on they are counted, and how long keys of forgotten runs are known.
    keepFinished: 'bigint',
    trimFrom: 'bigint',
    keepKeysMs: 'bigint',
  },
  get_runs: { ids: 'text[]', collect: 'boolean' },
  list_runs: {
    list: 'text',
    state: 'text',
    lane: 'text',
    endedBefore: 'bigint',
    errorName: 'text',
    limit: 'bigint',
    payloads: 'boolean',
    // Where the page before ended. Each list has some of these.
    afterName: 'text',
    afterRequest: 'text',
    afterAt: 'bigint',
    afterOrd: 'bigint',
    afterId: 'text',
  },
  heartbeat: { ids: 'text[]', epochs: 'bigint[]', leaseMs: 'bigint' },
  find_expired: { limit: 'bigint', lanes: 'text[]', exceptLanes: 'text[]' },
  find_cancel_requests: { ids: 'text[]', epochs: 'bigint[]' },
  cancel_runs: { ids: 'text[]' },
  redrive_runs: { ids: 'text[]', keepAttempts: 'boolean' },
  discard_runs: { ids: 'text[]', keepKeysMs: 'bigint' },
  attend: { worker: 'text', lanes: 'text[]', ttlMs: 'bigint' },
  audit_runs: {},
  poll_lanes: { lanes: 'text[]', lowSeqs: 'bigint[]' },
  start_waiting: { waiter: 'text', ttlMs: 'bigint', forResults: 'boolean' },
  stop_waiting: { waiter: 'text' },
} as const;

/** Functions that only other functions call, where they have more than a few parameters. */
const INNER_FUNCTIONS = {
  answer_unsettled: { ids: 'text[]', epochs: 'bigint[]', records: 'text', settled: 'bigint[]' },
  claim_runs: {
    limit: 'bigint',
    lanes: 'text[]',
    laneLimits: 'bigint[]',
    lowSeqs: 'bigint[]',
    now: 'bigint',
    leaseUntil: 'bigint',
  },
  claim_next: {
    lane: 'text',
    after: 'bigint',
    limit: 'bigint',
    bytes: 'bigint',
    now: 'bigint',
    leaseUntil: 'bigint',
  },
  claim_keyed: {
    lane: 'text',
    after: 'bigint',
    last: 'bigint',
    limit: 'bigint',
    bytes: 'bigint',
    now: 'bigint',
    leaseUntil: 'bigint',
  },
  promote_due: { lane: 'text', lowRunAt: 'bigint', limit: 'bigint', now: 'bigint' },
  write_claim: { ids: 'text[]', laneSeqs: 'bigint[]', at: 'bigint', leaseUntil: 'bigint' },
  trim_finished: { keepFinished: 'bigint', trimFrom: 'bigint', keepKeysMs: 'bigint', now: 'bigint' },
  next_listed: {
    list: 'text',
    lane: 'text',
    look: 'bigint',
    afterName: 'text',
    afterRequest: 'text',
    afterAt: 'bigint',
    afterOrd: 'bigint',
    afterId: 'text',
  },
  expired_ids: { limit: 'bigint', lanes: 'text[]', exceptLanes: 'text[]', now: 'bigint' },
} as const;

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

/** The parameters of `settle_and_claim` that are settlements. */
type SettlementParameter =
  | 'ids'
  | 'rowsAt'
  | 'epochs'
  | 'laneSeqs'
  | 'destinations'
  | 'onlyIfExpired'
  | 'startedAts'
  | 'instants'
  | 'delaysMs'
  | 'errorNames'
  | 'results'
  | 'records';

/** The arguments of `settle_and_claim` that are settlements. */
export type SettlementArguments = Pick<ArgumentsOf<'settle_and_claim'>, SettlementParameter>;

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

/** Returns the parameters of a function in their order, with their SQL names and types. */
export function parametersOf(
  name: AnyName,
): readonly { readonly key: string; readonly parameter: string; readonly type: SqlType }[] {
  return Object.entries(SIGNATURES[name]).map(([key, type]) => ({
    key,
    parameter: parameterName(key),
    type,
  }));
}

/** The head of a function: `get_runs(p_ids text[], p_collect boolean)`. @param out - its `out` parameters, if any */
export function head(name: AnyName, out?: string): string {
  const list = parametersOf(name).map(({ parameter, type }) => `${parameter} ${type}`);
  return `${name}(${[...list, ...(out === undefined ? [] : [out])].join(', ')})`;
}

/** A call of an inner function by another, each argument an SQL expression: `claim_next(p_lane => v_lane, …)`. */
export function call<Name extends InnerName>(
  name: Name,
  given: Readonly<Record<keyof InnerFunctions[Name], string>>,
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

/** `keepKeysMs` is `p_keep_keys_ms`. */
function parameterName(key: string): string {
  return `p_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}
