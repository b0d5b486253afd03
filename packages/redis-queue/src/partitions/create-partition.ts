import type { Broker, Notes } from '@retry/core/broker';
import type { AttendanceSource, CloseGate, FigureSources, LaneSource } from '@retry/core/broker/kit';
import { createCloseGate, getBy } from '@retry/core/broker/kit';
import type { HeartbeatLink } from '../driver/heartbeats/heartbeat-link.ts';
import { isRefusal } from '../driver/refusal.ts';
import { guardRights } from '../driver/rights.ts';
import type { Store } from '../store/store.ts';
import { countDepths, readNames } from '../verbs/attend.ts';
import { auditRuns } from '../verbs/audit.ts';
import { changeRuns } from '../verbs/change.ts';
import { exchange } from '../verbs/exchange.ts';
import type { GroupReads, MemoryReads } from '../verbs/figures.ts';
import { createFigures, createGroupReads, createLaneCounts, createMemoryReads } from '../verbs/figures.ts';
import type { KeepingParts } from '../verbs/find-expired.ts';
import { createFindExpired } from '../verbs/find-expired.ts';
import { getRuns, readRuns } from '../verbs/get.ts';
import { heartbeat, readLeases } from '../verbs/heartbeat.ts';
import { listRuns } from '../verbs/list.ts';
import { createNotes } from '../verbs/notes.ts';
import { reserveStarts } from '../verbs/reserve.ts';
import { createSubmit } from '../verbs/submit.ts';
import { WakeSubscription } from '../wake/wake-subscription.ts';

/** When a subscriber connection that receives nothing is replaced, in ms. */
const WATCHDOG = { everyMs: 5_000, timeoutMs: 2_500 };

/** The ways to reach one partition, and for how long it keeps what has ended. */
interface PartitionParts {
  readonly store: Store;
  /** A store whose writes are as durable as `durability` asks: for submissions. */
  readonly durable: Store;
  /** The connection of heartbeats, and the keys that they need. */
  readonly heartbeats: Pick<Store, 'keys'> & { readonly link: HeartbeatLink };
  readonly keeping: KeepingParts;
}

/** Creates a broker over one partition of a queue. */
export function createPartition({ store, durable, heartbeats, keeping }: PartitionParts): Part {
  const subscription = new WakeSubscription(store, WATCHDOG);
  const gate = createCloseGate('Redis');
  const pass = guardRights(store, gate.pass);
  const findExpired = createFindExpired(store, keeping);
  return {
    submit: passSubmit(durable, pass),
    exchange: (request) => pass(() => exchange(store, request)),
    heartbeat: (leases, leaseMs) =>
      pass(() => (leaseMs > 0 ? heartbeat(heartbeats, leases, leaseMs) : readLeases(store, leases))),
    findExpired: (limit, scope) => pass(() => findExpired(limit, scope)),
    ...operatorVerbs(store, pass),
    ownLanes: passLanes(store, pass),
    ownFigures: passFigures(createFigures(store), pass),
    ownLaneCounts: passLaneCounts(createLaneCounts(store), pass),
    ownGroups: passGroups(createGroupReads(store), pass),
    ownMemory: passMemory(createMemoryReads(store), pass),
    reserve: (requests) => pass(() => reserveStarts(store, requests)),
    get: getBy({
      runs: (ids, options) => pass(() => getRuns(store, ids, options)),
      seen: (ids) => pass(() => readRuns(store, ids)),
    }),
    list: (query) => pass(() => listRuns(store, query)),
    wait: (request) => pass(() => subscription.wait(request)),
    audit: () => pass(() => auditRuns(store)),
    isRefusal,
    close: () => closeBoth(gate, subscription),
  };
}

type Pass = CloseGate['pass'];

function passSubmit(durable: Store, pass: Pass): Broker['submit'] {
  const submitRuns = createSubmit(durable);
  return (submissions) => pass(() => submitRuns(submissions));
}

function passLanes(store: Store, pass: Pass): Part['ownLanes'] {
  return {
    names: () => pass(() => readNames(store)),
    depths: (lanes) => pass(() => countDepths(store, lanes)),
  };
}

function passFigures(figures: FigureSources, pass: Pass): FigureSources {
  return {
    lanes: (query) => pass(() => figures.lanes(query)),
    attempts: (query) => pass(() => figures.attempts(query)),
    dueTimes: (query) => pass(() => figures.dueTimes(query)),
    groups: (query) => pass(() => figures.groups(query)),
    memory: () => pass(async () => figures.memory?.()),
  };
}

function passLaneCounts({ names, count }: Part['ownLaneCounts'], pass: Pass): Part['ownLaneCounts'] {
  return { names: () => pass(() => names()), count: (lanes) => pass(() => count(lanes)) };
}

function passGroups({ all, samples }: GroupReads, pass: Pass): GroupReads {
  return { all: () => pass(() => all()), samples: (groups) => pass(() => samples(groups)) };
}

function passMemory({ server, own }: MemoryReads, pass: Pass): MemoryReads {
  return { server: () => pass(() => server()), own: () => pass(() => own()) };
}

function passNotes({ read, write }: Notes, pass: Pass): Notes {
  return {
    read: (query) => pass(() => read(query)),
    write: (writes) => pass(() => write(writes)),
  };
}

/** The verbs by which runs are changed, and notes of all kinds. */
function operatorVerbs(store: Store, pass: Pass) {
  return {
    change: (changes, options) => pass(() => changeRuns(store, changes, options)),
    notes: passNotes(createNotes(store), pass),
  } satisfies Partial<Broker>;
}

/** Refuses further calls, then ends the waits; resolves when the calls under way have ended. */
async function closeBoth(gate: CloseGate, subscription: WakeSubscription): Promise<void> {
  const closing = gate.close();
  subscription.close();
  await closing;
}

/** The broker of one partition. */
export interface Part extends Omit<Broker, 'attend' | 'figures'> {
  /** Its lanes, as attendance asks for them. */
  readonly ownLanes: Pick<AttendanceSource, 'names' | 'depths'>;
  /** What operators ask about it. */
  readonly ownFigures: FigureSources;
  /** What is in its lanes, for a report of all partitions. */
  readonly ownLaneCounts: Pick<LaneSource, 'names' | 'count'>;
  /** Its error groups, for pages of all partitions. */
  readonly ownGroups: GroupReads;
  /** What it has of the memory of its server. */
  readonly ownMemory: MemoryReads;
}

/** The brokers of all partitions. */
export type Parts = readonly [Part, ...Part[]];
