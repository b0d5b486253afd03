/** Made of the files in sql/verbs by `npm run server-code`. */

/** The parameters of every function that a client calls, in their order, with their types. */
export const CLIENT_FUNCTIONS = {
  audit_runs: {  },
  change_runs: { ids: 'text[]', seen: 'text[]', destinations: 'text', instants: 'bigint[]', errorNames: 'text[]', results: 'text[]', records: 'text[]', groupIds: 'text[]', groupTitles: 'text[]', spent: 'bigint[]', keepKeysMs: 'bigint', noteKeys: 'text[]', noteSeen: 'bigint[]', noteValues: 'text[]', noteTtlsMs: 'bigint[]', noteEnds: 'bigint[]' },
  count_depths: { lanes: 'text[]' },
  find_expired: { limit: 'bigint', lanes: 'text[]', exceptLanes: 'text[]' },
  get_runs: { ids: 'text[]', collect: 'boolean' },
  heartbeat: { ids: 'text[]', epochs: 'bigint[]', leaseMs: 'bigint' },
  count_due_times: { lanes: 'text[]', from: 'bigint', bucketMs: 'bigint', buckets: 'bigint', limit: 'bigint' },
  list_groups: { lane: 'text', limit: 'bigint', afterCount: 'bigint', afterLane: 'text', afterId: 'text' },
  count_lanes: { lanes: 'text[]', limit: 'bigint' },
  waiting_lanes: {  },
  list_runs: { list: 'text', state: 'text', lane: 'text', errorGroup: 'text', endedBefore: 'bigint', errorName: 'text', limit: 'bigint', payloads: 'boolean', afterName: 'text', afterRequest: 'text', afterAt: 'bigint', afterOrd: 'bigint', afterId: 'text' },
  read_notes: { prefix: 'text', after: 'text', limit: 'bigint' },
  write_notes: { keys: 'text[]', seen: 'bigint[]', values: 'text[]', ttlsMs: 'bigint[]', ends: 'bigint[]', probesMs: 'bigint[]' },
  read_leases: { ids: 'text[]', epochs: 'bigint[]' },
  read_runs: { ids: 'text[]' },
  reserve_starts: { keys: 'text[]', limits: 'bigint[]', windowsMs: 'bigint[]', counts: 'bigint[]', leasts: 'bigint[]', grantedAts: 'bigint[]' },
  settle_and_claim: { ids: 'text[]', rowsAt: 'tid[]', epochs: 'bigint[]', laneSeqs: 'bigint[]', destinations: 'text', onlyIfExpired: 'boolean', startedAts: 'bigint[]', instants: 'bigint[]', delaysMs: 'bigint[]', errorNames: 'text[]', results: 'text[]', records: 'text', groupNumbers: 'bigint[]', spent: 'bigint[]', groupLanes: 'text[]', groupIds: 'text[]', groupTitles: 'text[]', notify: 'boolean', worker: 'text', request: 'text', endedRequests: 'text[]', limit: 'bigint', lanes: 'text[]', laneLimits: 'bigint[]', lowSeqs: 'bigint[]', lowRunAts: 'bigint[]', leaseMs: 'bigint', taskLimits: 'bigint[]', taskWaits: 'boolean[]', dueLimits: 'bigint[]', keepFinished: 'bigint', trimFrom: 'bigint', keepKeysMs: 'bigint', keepForMs: 'bigint', keepBytes: 'bigint' },
  submit_runs: { ids: 'text[]', lanes: 'text[]', payloads: 'text[]', runAts: 'bigint[]', delaysMs: 'bigint[]', keys: 'text[]', keyLimits: 'bigint[]', keyWaits: 'boolean[]', keepsKeys: 'boolean[]', keyed: 'boolean[]', keepResultsMs: 'bigint[]', extras: 'text[]', fairnessKeys: 'text[]', notify: 'boolean' },
  settle_and_submit: { ids: 'text[]', rowsAt: 'tid[]', epochs: 'bigint[]', laneSeqs: 'bigint[]', destinations: 'text', onlyIfExpired: 'boolean', startedAts: 'bigint[]', instants: 'bigint[]', delaysMs: 'bigint[]', errorNames: 'text[]', results: 'text[]', records: 'text', groupNumbers: 'bigint[]', spent: 'bigint[]', groupLanes: 'text[]', groupIds: 'text[]', groupTitles: 'text[]', submitIds: 'text[]', submitLanes: 'text[]', submitPayloads: 'text[]', submitRunAts: 'bigint[]', submitDelaysMs: 'bigint[]', submitKeys: 'text[]', submitKeyLimits: 'bigint[]', submitKeyWaits: 'boolean[]', submitKeepsKeys: 'boolean[]', submitKeyed: 'boolean[]', submitKeepResultsMs: 'bigint[]', submitExtras: 'text[]', submitFairnessKeys: 'text[]', notify: 'boolean', keepFinished: 'bigint', trimFrom: 'bigint', keepKeysMs: 'bigint', keepForMs: 'bigint', keepBytes: 'bigint' },
  submit_unique: { ids: 'text[]', lanes: 'text[]', payloads: 'text[]', runAts: 'bigint[]', delaysMs: 'bigint[]', keys: 'text[]', keyLimits: 'bigint[]', keyWaits: 'boolean[]', keepsKeys: 'boolean[]', keyed: 'boolean[]', keepResultsMs: 'bigint[]', extras: 'text[]', fairnessKeys: 'text[]', uniqueKeys: 'text[]', untilStarted: 'boolean[]', untilsMs: 'bigint[]', replaces: 'boolean[]', notify: 'boolean' },
  start_waiting: { waiter: 'text', ttlMs: 'bigint', forResults: 'boolean' },
  stop_waiting: { waiter: 'text' },
  poll_lanes: { lanes: 'text[]', lowSeqs: 'bigint[]' },
} as const;
