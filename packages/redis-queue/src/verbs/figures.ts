import type {
  DueTimes,
  DueTimesQuery,
  ErrorGroup,
  GroupPage,
  GroupsQuery,
  ServerMemory,
} from '@retry/core/broker';
import type { FigureSources, LaneCounts, LaneSource } from '@retry/core/broker/kit';
import { countAttempts, OTHER_GROUP, pageOfGroups, reportLanes } from '@retry/core/broker/kit';
import type { FieldRange } from '../record/layout.ts';
import { GROUP } from '../record/layout.ts';
import { LANE_FIGURES } from '../record/requests.ts';
import {
  dueTimesScript,
  groupsScript,
  laneCountsScript,
  samplesScript,
  scheduledLanesScript,
  startedByLaneScript,
  waitingLanesScript,
} from '../scripts/lua-code.ts';
import type { KeyName } from '../store/keys.ts';
import { fromTag, toTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { laneHash, runListScript } from '../store/store.ts';
import { listRuns } from './list.ts';
import { createNotes } from './notes.ts';

/** Returns what operators ask about one partition. */
export function createFigures(store: Store): FigureSources {
  const source = { ...createLaneCounts(store), notes: createNotes(store) };
  return {
    lanes: (query) => reportLanes(source, query),
    attempts: (query) => countAttempts((page) => listRuns(store, page), query),
    dueTimes: (query) => countDueTimes(store, query),
    groups: (query) => listGroups([createGroupReads(store)], store.keys.of.groups, query),
    memory: () => fullestOf([createMemoryReads(store)]),
  };
}

/** Returns what counts the lanes of one partition. */
export function createLaneCounts(store: Store): Pick<LaneSource, 'names' | 'count'> {
  return { names: () => readLaneNames(store), count: (lanes) => countLanes(store, lanes) };
}

/** Lanes that are counted in one call: some milliseconds of work. */
const STEP = 250;

type Figures = Readonly<Record<(typeof LANE_FIGURES)[number], number>>;

/** Returns the lanes that may have runs that wait. */
async function readLaneNames(store: Store): Promise<readonly string[]> {
  const tags = (await runListScript(store, waitingLanesScript, [])) as readonly string[]; // what our own script returns
  return tags.map(fromTag);
}

/** Counts what is in each of these lanes. */
async function countLanes(
  store: Store,
  lanes: readonly string[],
): Promise<{ readonly at: number; readonly counts: readonly LaneCounts[] }> {
  const tags = lanes.map(toTag);
  const started = await countStarted(store);
  const counts: LaneCounts[] = [];
  let at = 0;
  for (let from = 0; from === 0 || from < tags.length; from += STEP) {
    const some = tags.slice(from, from + STEP);
    const reply = await runListScript(store, laneCountsScript, [pack(some)], some);
    const [now, figures] = reply as readonly [number, readonly (readonly number[])[]]; // what our own script returns
    at = now;
    for (const [index, values] of figures.entries())
      counts.push(toCounts(lanes[from + index] ?? '', nameFigures(values), started));
  }
  return { at, counts };
}

interface Started {
  readonly byHash: ReadonlyMap<string, number>;
  readonly isComplete: boolean;
}

async function countStarted(store: Store): Promise<Started> {
  const reply = await runListScript(store, startedByLaneScript, []);
  const [isComplete, flat] = reply as readonly [number, readonly (string | number)[]]; // what our own script returns
  const byHash = new Map<string, number>();
  for (let index = 0; index < flat.length; index += 2) byHash.set(`${flat[index]}`, Number(flat[index + 1]));
  return { byHash, isComplete: isComplete === 1 };
}

function nameFigures(values: readonly number[]): Figures {
  return Object.fromEntries(LANE_FIGURES.map((name, index) => [name, values[index] ?? 0])) as Figures; // one for each name
}

function toCounts(lane: string, figures: Figures, { byHash, isComplete }: Started): LaneCounts {
  const { claimableSince, ...counted } = figures;
  const all = (count: number) => ({ count, isComplete: true });
  return {
    lane,
    waiting: all(counted.waiting),
    parked: all(counted.parked),
    scheduled: all(counted.scheduled),
    due: all(counted.due),
    started: { count: byHash.get(laneHash(toTag(lane))) ?? 0, isComplete },
    claimableSince: claimableSince < 0 ? undefined : claimableSince,
  };
}

/** Spans of lanes that one call counts, at most: some milliseconds of work. */
const MAX_SPANS = 2_000;

type Reply = readonly [now: number, before: number, after: number, counts: readonly number[]];

/** Counts scheduled runs by when they are due, some lanes in each call. */
async function countDueTimes(store: Store, query: DueTimesQuery): Promise<DueTimes> {
  const { from, bucketMs, buckets, lanes } = query;
  const tags =
    lanes === undefined
      ? ((await runListScript(store, scheduledLanesScript, [])) as readonly string[]) // what our own script returns
      : [...new Set(lanes.map(toTag))];
  const step = Math.max(1, Math.floor(MAX_SPANS / buckets));
  const counts = new Array<number>(buckets).fill(0);
  let [at, before, after] = [0, 0, 0];
  for (let index = 0; index === 0 || index < tags.length; index += step) {
    const asked = pack([from, bucketMs, buckets, tags.slice(index, index + step)]);
    const reply = (await runListScript(store, dueTimesScript, [asked])) as Reply; // what our own script returns
    at = reply[0];
    before += reply[1];
    after += reply[2];
    for (const [bucket, count] of reply[3].entries()) counts[bucket] = (counts[bucket] ?? 0) + count;
  }
  return {
    at,
    before: { count: before, isComplete: true },
    counts,
    after: { count: after, isComplete: true },
    completeUntil: from + bucketMs * buckets,
  };
}

/** A group as it is kept: its sample may have left it. */
type KeptGroup = Omit<ErrorGroup, 'isOther'>;

/** What reads the error groups of one partition. */
export interface GroupReads {
  /** Every group: a lane has no more than some of them. */
  readonly all: () => Promise<readonly KeptGroup[]>;
  /** A run of each of these groups. */
  readonly samples: (groups: readonly KeptGroup[]) => Promise<readonly string[]>;
}

/** Returns what reads the error groups of one partition. */
export function createGroupReads(store: Store): GroupReads {
  return { all: () => readGroups(store), samples: (groups) => readSamples(store, groups) };
}

/** A group, and the place of the partition that has its latest dead letter. */
interface PlacedGroup extends KeptGroup {
  readonly part: number;
}

/**
 * Returns a page of the groups of some partitions: those of one lane and id are one. All of them are read for it, once, and samples of
 * those on the page.
 *
 * @param broker - as in `writeCursor`
 */
export async function listGroups(
  parts: readonly GroupReads[],
  broker: string,
  query: GroupsQuery,
): Promise<GroupPage> {
  const joined = new Map<string, PlacedGroup>();
  for (const [part, groups] of (await Promise.all(parts.map(({ all }) => all()))).entries()) {
    for (const group of groups) {
      const key = `${group.lane}\0${group.id}`;
      joined.set(key, joinGroups(joined.get(key), { ...group, part }));
    }
  }
  const page = pageOfGroups(broker, query, [...joined.values()]);
  const samples = await Promise.all(
    parts.map((part, index) => part.samples(page.groups.filter((group) => group.part === index))),
  );
  const left = samples.map((ids) => ids.values());
  const groups = page.groups.map(({ part, ...group }) => ({
    ...group,
    sampleId: left[part]?.next().value ?? group.sampleId,
    isOther: group.id === OTHER_GROUP.id,
  }));
  return { ...page, groups };
}

/** Returns a group of two partitions as one. */
function joinGroups(one: PlacedGroup | undefined, other: PlacedGroup): PlacedGroup {
  if (one === undefined) return other;
  return {
    ...(other.lastSeenAt > one.lastSeenAt ? other : one),
    count: one.count + other.count,
    attempts: one.attempts + other.attempts,
    firstSeenAt: Math.min(one.firstSeenAt, other.firstSeenAt),
  };
}

async function readGroups(store: Store): Promise<readonly KeptGroup[]> {
  const flat = (await runListScript(store, groupsScript, [])) as readonly string[]; // what our own script returns
  const all: KeptGroup[] = [];
  for (let index = 0; index < flat.length; index += 2)
    all.push(decodeGroup(flat[index] ?? '', flat[index + 1] ?? ''));
  return all;
}

async function readSamples(store: Store, groups: readonly KeptGroup[]): Promise<readonly string[]> {
  if (groups.length === 0) return [];
  const asked = groups.map(({ lane, id, sampleId }) => [toTag(lane), id, sampleId]);
  return (await runListScript(store, samplesScript, [pack(asked)])) as readonly string[]; // one for each
}

/** Returns what is kept of a group. */
function decodeGroup(name: string, text: string): KeptGroup {
  const [tag = '', id = ''] = name.split('\0');
  const { count, attempts, firstSeenAt, lastSeenAt } = GROUP.fields;
  const [sampleId = '', title = ''] = text.slice(GROUP.length).split('\0');
  return {
    ...{ id, title, lane: fromTag(tag), sampleId },
    count: numberIn(text, count),
    attempts: numberIn(text, attempts),
    firstSeenAt: numberIn(text, firstSeenAt),
    lastSeenAt: numberIn(text, lastSeenAt),
  };
}

function numberIn(text: string, { from, end }: FieldRange): number {
  return Number(text.slice(from, end));
}

/** The keys that grow with what is kept; those of lanes have only ids. */
const LARGE_KEYS: readonly KeyName[] = [
  ...(['body', 'record', 'stacks', 'large', 'finished', 'dead', 'grouped', 'scheduled', 'names'] as const),
  ...(['behind', 'behind-by-lane'] as const),
];

/** What reads the memory that one partition has, and its server. */
export interface MemoryReads {
  /** How full the server is; `undefined` where it has no `maxmemory`. */
  readonly server: () => Promise<ServerMemory | undefined>;
  /** About how many bytes the partition has; `undefined` where the server does not say. */
  readonly own: () => Promise<number | undefined>;
}

/** Returns what reads the memory of one partition. */
export function createMemoryReads({ link, keys }: Store): MemoryReads {
  return {
    server: async () => {
      const info = String(await link.ask(keys.of.body, ['INFO', 'memory']));
      const maxBytes = sizeIn(info, 'maxmemory');
      return maxBytes === 0 ? undefined : { usedBytes: sizeIn(info, 'used_memory'), maxBytes };
    },
    own: async () => {
      // A user may have no right to ask; what is wanted most is known without it.
      const own = await Promise.all(
        LARGE_KEYS.map((name) => link.send(keys.of[name], ['MEMORY', 'USAGE', keys.of[name]])),
      ).catch(() => undefined);
      return own?.reduce<number>((sum, bytes) => sum + (Number(bytes) || 0), 0);
    },
  };
}

/** What more partitions than these have is estimated from these. */
const MAX_MEASURED = 16;

/** Returns the memory of the fullest server of some partitions; what the queue has of it is what it has of all, at most. */
export async function fullestOf(parts: readonly MemoryReads[]): Promise<ServerMemory | undefined> {
  const servers = (await Promise.all(parts.map(({ server }) => server()))).filter((one) => one !== undefined);
  const shareOf = ({ usedBytes, maxBytes }: ServerMemory): number => usedBytes / maxBytes;
  const [fullest] = servers.sort((left, right) => shareOf(right) - shareOf(left));
  if (fullest === undefined) return undefined;
  const own = await Promise.all(parts.slice(0, MAX_MEASURED).map((part) => part.own()));
  const known = own.filter((bytes) => bytes !== undefined);
  if (known.length < own.length) return fullest;
  const all = known.reduce((sum, bytes) => sum + bytes, 0) * (parts.length / own.length);
  return { ...fullest, ownBytes: Math.min(fullest.usedBytes, Math.round(all)) };
}

function sizeIn(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
