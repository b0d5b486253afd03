/** The parameters of every SQL function, by name and in their order, with their types. `signatures.ts` makes calls and heads of them. */

/** The SQL types that parameters have, and the TypeScript type of each. What is absent is null. */
export interface SqlTypes {
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

/** The functions that a client calls. */
export const CLIENT_FUNCTIONS = {
  submit_runs: {
    ids: 'text[]',
    lanes: 'text[]',
    payloads: 'text[]',
    runAts: 'bigint[]',
    delaysMs: 'bigint[]',
    keys: 'text[]',
    keyLimits: 'bigint[]',
    keyWaits: 'boolean[]',
    keepsKeys: 'boolean[]',
    keyed: 'boolean[]',
    keepResultsMs: 'bigint[]',
    extras: 'text[]',
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
  submit_unique: {
    // As above, and the unique key of each, null for a run that has none: until when it is taken (null: until the run has
    // started, or ended) and whether the run replaces another one.
    ids: 'text[]',
    lanes: 'text[]',
    payloads: 'text[]',
    runAts: 'bigint[]',
    delaysMs: 'bigint[]',
    keys: 'text[]',
    keyLimits: 'bigint[]',
    keyWaits: 'boolean[]',
    keepsKeys: 'boolean[]',
    keyed: 'boolean[]',
    keepResultsMs: 'bigint[]',
    extras: 'text[]',
    uniqueKeys: 'text[]',
    untilStarted: 'boolean[]',
    untilsMs: 'bigint[]',
    replaces: 'boolean[]',
    notify: 'boolean',
  },
  settle_and_submit: {
    // Settlements as above, then the run that each of them submits, and retention as above.
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
    submitIds: 'text[]',
    submitLanes: 'text[]',
    submitPayloads: 'text[]',
    submitRunAts: 'bigint[]',
    submitDelaysMs: 'bigint[]',
    submitKeys: 'text[]',
    submitKeyLimits: 'bigint[]',
    submitKeyWaits: 'boolean[]',
    submitKeepsKeys: 'boolean[]',
    submitKeyed: 'boolean[]',
    submitKeepResultsMs: 'bigint[]',
    submitExtras: 'text[]',
    notify: 'boolean',
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
  end_runs: {
    ids: 'text[]',
    // The letter of an end state for each.
    endings: 'text',
    results: 'text[]',
    errorNames: 'text[]',
    errors: 'text[]',
  },
  reschedule_runs: { ids: 'text[]', runAts: 'bigint[]', delaysMs: 'bigint[]' },
  redrive_runs: { ids: 'text[]', keepAttempts: 'boolean' },
  discard_runs: { ids: 'text[]', keepKeysMs: 'bigint' },
  hold_lanes: {
    lanes: 'text[]',
    sources: 'text[]',
    reasons: 'text[]',
    holders: 'text[]',
    untils: 'bigint[]',
    forsMs: 'bigint[]',
    probesMs: 'bigint[]',
    keepLonger: 'boolean[]',
  },
  resume_lanes: { lanes: 'text[]', sources: 'text[]' },
  list_holds: {},
  reserve_starts: { keys: 'text[]', limits: 'bigint[]', windowsMs: 'bigint[]', counts: 'bigint[]' },
  attend: { worker: 'text', lanes: 'text[]', ttlMs: 'bigint' },
  audit_runs: {},
  poll_lanes: { lanes: 'text[]', lowSeqs: 'bigint[]' },
  start_waiting: { waiter: 'text', ttlMs: 'bigint', forResults: 'boolean' },
  stop_waiting: { waiter: 'text' },
} as const;

/** Functions that only other functions call, where they have more than a few parameters. */
export const INNER_FUNCTIONS = {
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
  open_lanes: { lanes: 'text[]', laneLimits: 'bigint[]', now: 'bigint' },
  note_probes: {
    worker: 'text',
    request: 'text',
    lanes: 'text[]',
    lowSeqs: 'bigint[]',
    dues: 'bigint[]',
    probing: 'text[]',
    now: 'bigint',
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
  reserve_one: { key: 'text', limit: 'bigint', windowMs: 'bigint', count: 'bigint', now: 'bigint' },
  expired_ids: { limit: 'bigint', lanes: 'text[]', exceptLanes: 'text[]', now: 'bigint' },
} as const;
