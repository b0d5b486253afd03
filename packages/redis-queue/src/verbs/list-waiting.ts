import { FRONT_ENTRY, SCHEDULED_ENTRY, widthOf } from '../record/layout.ts';
import { toTag } from '../store/keys.ts';
import type { Store } from '../store/store.ts';

/** How many ids one command reads: about a millisecond of work, for the server and for this process. */
const STEP = 2_000;

/** Ids of runs that wait. */
export interface WaitingIds {
  readonly ids: readonly string[];
  /** Those that runs which were cancelled in their lane have left there; a run of the same id may have been submitted since. */
  readonly cancelled: readonly string[];
}

/** Which waiting ids are read. */
export interface WaitingQuery {
  readonly state: 'submitted' | 'scheduled';
  readonly lane?: string | undefined;
}

/**
 * Yields the ids that wait in one of the states, some thousand at a time, by commands that read ids alone. One that
 * moves meanwhile may come twice.
 *
 * A run that stays is not missed: a claim takes it from its lane and parks it, a free slot sends it from there to the front,
 * and another claim parks it again. So these are read in that order.
 */
export async function* readWaiting(store: Store, query: WaitingQuery): AsyncGenerator<WaitingIds> {
  const tag = query.lane === undefined ? undefined : toTag(query.lane);
  const { scheduled, front, parked } = store.keys.of;
  if (query.state === 'scheduled') {
    yield* readMembers(store, scheduled, { ...rangeOf(tag), idOf: idOfScheduled });
    return;
  }
  const parkedOf = { ...rangeOf(undefined), idOf: (member: string) => idOfParked(member, tag) };
  for (const lane of tag === undefined ? await readLanes(store) : [tag]) yield* readLane(store, lane);
  yield* readMembers(store, parked, parkedOf);
  yield* readMembers(store, front, { ...rangeOf(tag), idOf: idOfFront });
  yield* readMembers(store, parked, parkedOf);
}

/**
 * Reads a list from its head. Claims take ids from the head meanwhile, so an id is found further ahead than before, never
 * further behind: each step begins ahead of the last id that was read, and goes back until it finds that one.
 */
async function* readLane(store: Store, tag: string): AsyncGenerator<WaitingIds> {
  const { link, keys } = store;
  const key = keys.laneOf(tag);
  let next = 0;
  let last: string | undefined;
  for (;;) {
    const from = Math.max(0, next - OVERLAP);
    const reply = await link.send(key, ['LRANGE', key, `${from}`, `${from + OVERLAP + STEP - 1}`]);
    const ids = reply as readonly string[]; // what LRANGE returns
    const at = last === undefined ? -1 : ids.indexOf(last);
    if (last !== undefined && at === -1 && from > 0) {
      next = Math.max(0, from - STEP);
      continue;
    }
    const fresh = ids.slice(at + 1);
    if (fresh.length === 0) return;
    yield { ids: fresh, cancelled: await cancelledAmong(store, tag, fresh) };
    next = from + ids.length;
    last = ids.at(-1);
  }
}

/** How many ids are read once more, to find the last one among them although some were taken from the head. */
const OVERLAP = 500;

/** Returns the ids that cancelled runs have left in a lane. */
async function cancelledAmong(
  { link, keys }: Store,
  tag: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const key = keys.of['cancelled-in-lane'];
  if ((await link.send(key, ['HEXISTS', key, `\0${tag}`])) === 0) return [];
  const counts = await link.send(key, ['HMGET', key, ...ids.map((id) => `${tag}\0${id}`)]);
  return ids.filter((_, index) => (counts as readonly (string | null)[])[index] !== null); // what HMGET returns
}

/** Which members of a sorted set are read, and what of each is the id; `undefined` for one that is not meant. */
interface Members {
  readonly from: string;
  readonly to: string;
  readonly idOf: (member: string) => string | undefined;
}

/** The members that begin with a lane, or all. */
function rangeOf(tag: string | undefined): Pick<Members, 'from' | 'to'> {
  return tag === undefined ? { from: '-', to: '+' } : { from: `[${tag}\0`, to: `(${tag}\u0001` };
}

/** Reads a sorted set by its members, whose order does not change. */
async function* readMembers(
  { link }: Store,
  key: string,
  { from, to, idOf }: Members,
): AsyncGenerator<WaitingIds> {
  for (let next = from; ; ) {
    const reply = await link.send(key, ['ZRANGEBYLEX', key, next, to, 'LIMIT', '0', `${STEP}`]);
    const members = reply as readonly string[]; // what ZRANGEBYLEX returns
    const last = members.at(-1);
    if (last === undefined) return;
    yield { ids: members.map(idOf).filter((id) => id !== undefined), cancelled: [] };
    next = `(${last}`;
  }
}

/** Returns the lanes that may have runs. */
export async function readLanes({ link, keys }: Pick<Store, 'link' | 'keys'>): Promise<readonly string[]> {
  const members = await link.send(keys.of.lanes, ['SMEMBERS', keys.of.lanes]);
  // RESP3 answers a set, RESP2 a list.
  return [...(members as Iterable<string>)];
}

const FRONT_WIDTH = widthOf(FRONT_ENTRY, 'laneSeq');
const SCHEDULED_WIDTH = widthOf(SCHEDULED_ENTRY, 'runAt') + widthOf(SCHEDULED_ENTRY, 'laneSeq');

const idOfScheduled = (member: string): string => fieldsOf(member, 1).id.slice(SCHEDULED_WIDTH);
const idOfFront = (member: string): string => fieldsOf(member, 1).id.slice(FRONT_WIDTH);

/** @param tag - the lane that is meant; `undefined` for all */
function idOfParked(member: string, tag: string | undefined): string | undefined {
  const { fields, id } = fieldsOf(member, 3);
  return tag === undefined || fields[1] === tag ? id.slice(FRONT_WIDTH) : undefined;
}

/** Splits a member into the fields that end with a zero character, and what follows them. */
function fieldsOf(
  member: string,
  count: number,
): { readonly fields: readonly string[]; readonly id: string } {
  const fields: string[] = [];
  let from = 0;
  while (fields.length < count) {
    const end = member.indexOf('\0', from);
    fields.push(member.slice(from, end));
    from = end + 1;
  }
  return { fields, id: member.slice(from) };
}
