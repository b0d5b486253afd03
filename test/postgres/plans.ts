import type { Broker, Claim } from '@retry/core/broker';
import {
  cancelRuns,
  discardRuns,
  endRuns,
  holdLanes,
  listHolds,
  listWorkers,
  redriveRuns,
  rescheduleRuns,
  resumeLanes,
} from '@retry/core/broker/kit';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { settlementOf } from '../support/settle.ts';

/** How one statement reads one table. */
export interface Read {
  readonly table: string;
  readonly how: string;
  readonly index: string | undefined;
}

interface PlanNode {
  readonly 'Node Type': string;
  /** Where the plan was run to the end, and the server told to measure it. */
  readonly 'Actual Loops'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

const EXPLAIN_ALL = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_nested_statements=on',
  'auto_explain.log_format=json',
  'auto_explain.log_level=notice',
];

/** Opens one connection that reports the plan of every statement, nested ones included. */
export async function openExplained(
  url: string,
  more: readonly string[] = [],
): Promise<{
  readonly client: pg.Client;
  /** Returns the pages of a table and its indexes that were read since the last call. */
  readonly takeReadPages: (table: string) => number;
  /** Returns the plans that were reported since the last call. */
  readonly take: () => readonly PlanNode[];
}> {
  const options = [...EXPLAIN_ALL, ...more].map((setting) => `-c ${setting}`).join(' ');
  const client = new pg.Client({ connectionString: url, options });
  const plans: PlanNode[] = [];
  client.on('notice', ({ message = '' }) => {
    const text = message.slice(message.indexOf('plan:') + 'plan:'.length);
    if (message.includes('plan:')) plans.push((JSON.parse(text) as { readonly Plan: PlanNode }).Plan); // by auto_explain
  });
  await client.connect();
  const takeReadPages = (table: string): number =>
    plans.splice(0).reduce((sum, plan) => sum + pagesOf(plan, table), 0);
  return { client, takeReadPages, take: () => plans.splice(0) };
}

/** Returns the plans with all that is in them. */
function nodesOf(plans: readonly PlanNode[]): readonly PlanNode[] {
  return plans.flatMap((node) => [node, ...nodesOf(node.Plans ?? [])]);
}

function pagesOf(plan: PlanNode, table: string): number {
  return nodesOf([plan])
    .filter((node) => node['Relation Name'] === table && node['Node Type'] !== 'ModifyTable')
    .reduce((sum, node) => sum + (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0), 0);
}

/** Returns every way in which the plans read a table, each once. */
export function readsOf(plans: readonly PlanNode[]): readonly Read[] {
  const found = new Map<string, Read>();
  for (const { 'Node Type': how, 'Relation Name': table, 'Index Name': index } of nodesOf(plans)) {
    const isRead = table !== undefined && how !== 'ModifyTable' && how !== 'LockRows';
    if (isRead) found.set(`${table} ${how} ${index}`, { table, how, index });
  }
  return [...found.values()].sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

/** Returns the indexes that are read from their beginning, not at what a condition names; each once. */
export function wholeIndexesOf(plans: readonly PlanNode[]): readonly string[] {
  const found = nodesOf(plans).flatMap(({ 'Index Name': index, 'Index Cond': condition }) =>
    index !== undefined && condition === undefined ? [index] : [],
  );
  return [...new Set(found)].sort();
}

/** Returns those that are read so for each row of something else. */
export function rereadIndexesOf(plans: readonly PlanNode[]): readonly string[] {
  return nodesOf(plans)
    .filter((node) => node['Node Type'] === 'Nested Loop')
    .flatMap(({ Plans = [] }) => wholeIndexesOf(Plans.slice(1)));
}

/** Returns how often each read of a table began. */
export function loopsOf(plans: readonly PlanNode[], table: string): readonly number[] {
  return nodesOf(plans).flatMap((node) => {
    const isRead = node['Relation Name'] === table && node['Node Type'] !== 'ModifyTable';
    return isRead && node['Actual Loops'] !== undefined ? [node['Actual Loops']] : [];
  });
}

/** Creates a schema with this number of runs in each location, and as many started, dead and finished ones. */
export async function fill(client: pg.Client, schema: string, count: number): Promise<void> {
  await migrate(client, { schema });
  const rows = `from generate_series(1, ${count}) n`;
  const key = "'key-' || n % 100";
  // A parked run keeps its order in the lane, which no other run has.
  const parked = `n + ${count}`;
  for (const [location, state, more] of LOCATIONS) {
    const ord = location === 'parked' ? parked : 'n';
    const columns =
      'id, state, epoch, ord, lane, payload, run_at, lease_until, key, key_limit, key_waits, is_dead';
    await client.query(
      `insert into ${schema}.run (${columns}) select '${location}-' || n, '${state}', 1, ${ord}, 'l', '{}', n, n, ${more} ${rows}`,
    );
  }
  await client.query(
    `insert into ${schema}.ready (lane, ord, id, key, row_at) select lane, ord, id, key, ctid from ${schema}.run where state = 'w' and key is null`,
  );
  await client.query(`insert into ${schema}.parked select ${key}, 'l', 1, ${parked}, 'parked-' || n ${rows}`);
  await client.query(
    `insert into ${schema}.scheduled (lane, run_at, ord, id) select 'l', n, n, 'scheduled-' || n ${rows}`,
  );
  await client.query(
    `insert into ${schema}.claim select 'worker-' || n, 'r', 1, n, array['started-' || n], array[n] ${rows} where n % 100 = 0`,
  );
  await client.query(
    `insert into ${schema}.finished select ord, 1, array[id], array[ctid] from ${schema}.run where state = 'C'`,
  );
  for (const order of ['back_order', 'end_order'])
    await client.query(`select setval('${schema}.${order}', ${2 * count + 1})`);
}

/** The runs of each location: their state, then key, limit, whether they wait for it, whether they are dead letters. */
const LOCATIONS = [
  ['ready', 'w', 'null, null, null, false'],
  ['parked', 'w', "'key-' || n % 100, 1, true, false"],
  ['scheduled', 's', 'null, null, null, false'],
  ['started', 'r', 'null, null, null, false'],
  ['finished', 'C', 'null, null, null, false'],
  ['dead', 'f', 'null, null, null, true'],
] as const;

/** Calls every verb, in every way that takes another path through the SQL functions, with runs named after `tag`. */
export async function exercise(client: pg.Client, schema: string, tag: string): Promise<void> {
  const broker = createPostgresBroker({ client, schema, listen: false, keepCompleted: { count: 2 } });
  const lane = tag;
  const lanes = new Map([
    [lane, 20],
    ['l', 20],
  ]);
  const concurrency = { key: tag, limit: 1, whenFull: 'wait' } as const;
  const submission = { lane, payload: '{}' };
  await broker.submit([
    { ...submission, id: `${tag}-a` },
    { ...submission, id: `${tag}-b`, delayMs: 60_000 },
    { ...submission, id: `${tag}-c`, concurrency },
    { ...submission, id: `${tag}-d`, concurrency },
  ]);
  const claim = { worker: 'w', requestId: tag, limit: 40, lanes, leaseMs: 60_000 };
  const { claimed, now } = await broker.exchange({ claim });
  const events = ['complete', 'fail', 'release', 'retry', 'retry'] as const;
  const settle = claimed.map(({ run }, index) => {
    const type = events[index % events.length] ?? 'complete';
    const runAt = now + (index % 2) * 60_000;
    return settlementOf(run, type === 'retry' ? { type, at: now, runAt } : { type, at: now });
  });
  await broker.exchange({ settle, claim: { ...claim, requestId: `${tag}-again` } });
  await broker.exchange({ settle });
  await claimHeld(broker, claim);
  await broker.heartbeat([{ id: 'started-1', epoch: 1 }], 1_000);
  await callRest(broker);
  await broker.close();
}

/** Claims while lanes are on hold: for good, and by a hold that probes. */
async function claimHeld(broker: Broker, claim: Claim): Promise<void> {
  const [lane = ''] = claim.lanes.keys();
  await holdLanes(broker, [
    { source: 'operator', until: 1 },
    { lane, source: 'operator' },
    { lane: 'l', source: 'circuit-breaker', until: 1, probeMs: 60_000 },
  ]);
  await listHolds(broker);
  await broker.exchange({ claim: { ...claim, requestId: `${claim.requestId}-held` } });
  await broker.wait({ lanes: ['l', lane], timeoutMs: 1 });
  await resumeLanes(broker, [{ lane }, { lane: 'l' }, { lane: 'l' }]);
}

/** Asks for every figure of operators. */
export async function inspect(client: pg.Client, schema: string): Promise<void> {
  const broker = createPostgresBroker({ client, schema, listen: false });
  await broker.figures?.({ lanes: {}, attempts: {}, groups: { limit: 10 } });
  await broker.figures?.({ dueTimes: { from: Date.now(), bucketMs: 1_000, buckets: 10 } });
  await listWorkers(broker);
  await broker.audit();
  await broker.close();
}

/** Lists a page of each state. */
export async function listAll(client: pg.Client, schema: string): Promise<void> {
  const broker = createPostgresBroker({ client, schema, listen: false });
  for (const state of ['submitted', 'scheduled', 'started', 'completed', 'failed'] as const) {
    const { next } = await broker.list({ state, limit: 10 });
    if (next !== undefined) await broker.list({ state, limit: 10, after: next });
    await broker.list({ state, limit: 10, lane: 'l' });
  }
  await broker.close();
}

async function callRest(broker: Broker): Promise<void> {
  await broker.findExpired(10);
  await broker.get(['a', 'ready-500', 'finished-500']);
  await cancelRuns(broker, ['ready-700', 'scheduled-700', 'started-700', 'parked-700']);
  await endRuns(
    broker,
    ['ready-704', 'scheduled-704'].map((id) => ({ id, as: 'completed', result: '1' })),
  );
  const error = { name: 'E', message: 'by hand' };
  await endRuns(
    broker,
    ['ready-705', 'parked-705', 'started-705'].map((id) => ({ id, as: 'failed', error })),
  );
  await rescheduleRuns(
    broker,
    ['ready-706', 'parked-706'].map((id) => ({ id, delayMs: 60_000 })),
  );
  await rescheduleRuns(
    broker,
    ['scheduled-706', 'started-706'].map((id) => ({ id })),
  );
  await redriveRuns(broker, ['dead-701', 'dead-702']);
  await discardRuns(broker, ['dead-703', 'finished-703']);
  const wait = { timeoutMs: 1 };
  await broker.wait({ lanes: ['l', 'none'], ...wait });
}
