import type { ListQuery } from '@retry/core/broker';
import type { Position } from '@retry/core/broker/kit';
import { compareUtf8, STATE_LETTERS } from '@retry/core/broker/kit';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import { FINISHED_ENTRY, FRONT_ENTRY, SCHEDULED_ENTRY } from '../record/layout.ts';
import {
  awaitedScript,
  finishedScript,
  pageOfDeadScript,
  startedScript,
  waitingLanesScript,
  waitingScript,
} from '../scripts/lua-code.ts';
import { fromTag, toTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript, runScript } from '../store/store.ts';

/** An id where runs of a state are kept, and the position behind it. */
export interface Entry {
  readonly id: string;
  readonly position: Position;
  /** The lane that the run has to be in. */
  readonly lane?: string;
}

/** What one step of a page has read. */
export interface Step {
  readonly entries: readonly Entry[];
  /** How many entries it has looked at. */
  readonly look: number;
  /** Where the next step begins; `undefined` when everything is read. */
  readonly end: Position | undefined;
}

/** The reading of one page. */
export interface Walk {
  readonly store: Store;
  readonly query: ListQuery;
  /** The tags of the lanes that may have waiting runs, in order, once they are read. */
  tags?: readonly string[];
}

/** How many of the last entries of a list a position has: one of them is still there, as a rule, when others have been removed. */
const ANCHORS = 4;

/** Entries of a list with the epochs of their runs, and the anchors in front of them. */
interface ListPart {
  readonly entries: readonly string[];
  readonly epochs: readonly string[];
  readonly before: readonly string[];
}

/** Returns the anchors behind an entry of a list: the last ones, the latest first, each followed by its epoch. */
function anchorsAt({ entries, epochs, before }: ListPart, index: number): readonly string[] {
  const anchors: string[] = [];
  for (let at = index; at >= 0 && at > index - ANCHORS; at -= 1)
    anchors.push(entries[at] ?? '', epochs[at] ?? '');
  return [...anchors, ...before].slice(0, 2 * ANCHORS);
}

/** How many lanes one step reads; most may be empty. */
const LANES = 100;

/** What counts for a search that has not found the position in a lane yet. */
const SEARCH_LOOK = 1_000;

/** What the script read of one lane: members of its front and of the parked runs, then ids of its list. */
type Chunk = readonly [
  members: readonly string[],
  reached: string,
  from: number,
  ids: readonly string[],
  leftOver: readonly number[],
  epochs: readonly string[],
];

/** Where the reading of a lane continues. */
interface Place {
  readonly tag: string;
  /** The last member of its front or of the parked runs that is read, or need not be. */
  readonly reached: string;
  /** The index of the last id of its list that was read. */
  readonly at: number;
  readonly anchors: readonly string[];
}

/** Reads waiting runs of one lane after another. */
async function readWaiting(walk: Walk, fields: readonly (string | number)[], room: number): Promise<Step> {
  const { store } = walk;
  const after = readPlace(fields);
  walk.tags ??= await tagsOf(walk);
  const left = after === undefined ? walk.tags : walk.tags.filter((tag) => compareUtf8(tag, after.tag) >= 0);
  const tags = left.slice(0, LANES);
  if (tags.length === 0) return { entries: [], look: 0, end: undefined };
  const continued = after?.tag === tags[0] ? after : undefined;
  const { reached = '', at = 0, anchors = [] } = continued ?? {};
  const asked = pack([tags, room, reached, `${at}`, anchors]);
  const reply = await runListScript(store, waitingScript, [asked], tags);
  const [chunks, searchOn] = reply as readonly [readonly Chunk[], number]; // what our own script returns
  if (searchOn >= 0 && continued !== undefined)
    return { entries: [], look: SEARCH_LOOK, end: writePlace({ ...continued, at: searchOn }) };
  const read = chunks.flatMap((chunk, index) =>
    readChunk(tags[index] ?? '', chunk, index === 0 ? anchors : []),
  );
  const entries = read.filter((entry) => !entry.isLeftOver);
  const look = read.length + chunks.length;
  if (read.length >= room) return { entries, look, end: read.at(-1)?.position };
  const next = left[tags.length];
  const end = next === undefined ? undefined : writePlace({ tag: next, reached: '', at: 0, anchors: [] });
  return { entries, look, end };
}

type WaitingEntry = Entry & { readonly isLeftOver: boolean };

function readChunk(
  tag: string,
  [members, reached, from, ids, leftOver, epochs]: Chunk,
  before: readonly string[],
): readonly WaitingEntry[] {
  const lane = fromTag(tag);
  const ahead = members.map((member) => ({
    id: member.slice(tag.length + 1 + FRONT_ENTRY.length),
    position: writePlace({ tag, reached: member, at: 0, anchors: [] }),
    ...{ lane, isLeftOver: false },
  }));
  const left = new Set(leftOver);
  const listed = ids.map((id, index) => ({
    id,
    position: writePlace({
      tag,
      reached,
      at: from + index,
      anchors: anchorsAt({ entries: ids, epochs, before }, index),
    }),
    ...{ lane, isLeftOver: left.has(index) },
  }));
  return [...ahead, ...listed];
}

async function tagsOf({ store, query }: Walk): Promise<readonly string[]> {
  if (query.lane !== undefined) return [toTag(query.lane)];
  const tags = (await runListScript(store, waitingLanesScript, [])) as readonly string[]; // what our own script returns
  return [...new Set(tags)].sort(compareUtf8);
}

function writePlace({ tag, reached, at, anchors }: Place): Position {
  return ['waiting', tag, reached, at, ...anchors];
}

function readPlace([tag, reached, at, ...anchors]: readonly (string | number)[]): Place | undefined {
  if (tag === undefined) return undefined;
  return { tag: `${tag}`, reached: `${reached}`, at: Number(at), anchors: anchors as readonly string[] }; // as written above
}

/** How many finished entries are read at least: their state is in them, so that no run of another state is read. */
const FINISHED_STEP = 2_000;

/** Where runs of a state are kept. */
type ListName = 'waiting' | 'scheduled' | 'started' | 'dead' | 'grouped' | 'awaited' | 'finished';

/** The fields of a position, behind the name of its list. */
type Fields = readonly (string | number)[];

/** Returns the position before the first run of the state. */
export function firstList({ state, errorGroup, limit }: ListQuery): Position | undefined {
  if (state === 'unsubmitted' || limit < 1) return undefined;
  if (errorGroup !== undefined) return ['grouped'];
  if (!isEnd(state)) return [state === 'submitted' ? 'waiting' : state];
  return [isDeadLetter(state) ? 'dead' : 'awaited'];
}

/** Reads the entries behind a position, about as many as there is room for. */
export function readStep(walk: Walk, [name, ...fields]: Position, room: number): Promise<Step> {
  const list = name as ListName; // cursors are ours, and have been checked
  switch (list) {
    case 'waiting':
      return readWaiting(walk, fields, room);
    case 'scheduled':
      return readScheduled(walk, fields, room);
    case 'started':
      return readStarted(walk, fields, room);
    case 'dead':
      return readDead(walk, fields, room);
    case 'grouped':
      return readGrouped(walk, fields, room);
    case 'awaited':
      return readAwaited(walk, fields, room);
    case 'finished':
      return readFinished(walk, fields, room);
  }
}

/** Members are ordered by lane, instant and order. */
async function readScheduled({ store, query }: Walk, [after]: Fields, room: number): Promise<Step> {
  const key = store.keys.of.scheduled;
  const tag = query.lane === undefined ? undefined : toTag(query.lane);
  const from = after === undefined ? (tag === undefined ? '-' : `[${tag}\0`) : `(${after}`;
  const to = tag === undefined ? '+' : `(${tag}\u0001`;
  const reply = await store.link.send(key, ['ZRANGEBYLEX', key, from, to, 'LIMIT', '0', `${room}`]);
  const members = reply as readonly string[]; // what ZRANGEBYLEX returns
  const entries = members.map((member) => ({
    id: member.slice(member.indexOf('\0') + 1 + SCHEDULED_ENTRY.length),
    position: ['scheduled', member] as const,
  }));
  return { entries, look: members.length, end: members.length < room ? undefined : entries.at(-1)?.position };
}

async function readDead({ store, query }: Walk, [after = '']: Fields, room: number): Promise<Step> {
  const reply = await runListScript(store, pageOfDeadScript, [`${after}`, `${room}`]);
  const [ids, disposable] = reply as readonly [readonly string[], number]; // what our own script returns
  const entries = ids.map((id) => ({ id, position: ['dead', id] as const }));
  const isAll = query.disposable === 'omit' || disposable <= 0;
  const then = isAll ? undefined : (['awaited'] as const);
  return { entries, look: ids.length, end: ids.length < room ? then : entries.at(-1)?.position };
}

/** Members are ordered by group, lane and id. */
async function readGrouped({ store, query }: Walk, [after]: Fields, room: number): Promise<Step> {
  const key = store.keys.of.grouped;
  const { errorGroup = '', lane } = query;
  const prefix = lane === undefined ? errorGroup : `${errorGroup}\0${toTag(lane)}`;
  const from = after === undefined ? `[${prefix}\0` : `(${after}`;
  const to = `(${prefix}\u0001`;
  const reply = await store.link.send(key, ['ZRANGEBYLEX', key, from, to, 'LIMIT', '0', `${room}`]);
  const members = reply as readonly string[]; // what ZRANGEBYLEX returns
  const entries = members.map((member) => {
    const [, tag = '', id = ''] = member.split('\0');
    return { id, lane: fromTag(tag), position: ['grouped', member] as const };
  });
  return { entries, look: members.length, end: members.length < room ? undefined : entries.at(-1)?.position };
}

type StartedReply = readonly [
  next: string,
  places: readonly (readonly [place: string, ids: readonly string[]])[],
];

/** A position has a place in the server's table, and which of the few runs there need not be read again. */
async function readStarted({ store }: Walk, [from = '0', ...seen]: Fields, room: number): Promise<Step> {
  const reply = await runListScript(store, startedScript, [`${from}`, `${room}`]);
  const [next, places] = reply as StartedReply; // what our own script returns
  const read = new Set(seen);
  const entries = places.flatMap(([place, ids]) => {
    const known = place === from ? seen : [];
    const added = ids.filter((id) => !read.has(id));
    return added.map((id, index) => ({
      id,
      position: ['started', place, ...known, ...added.slice(0, index + 1)] as const,
    }));
  });
  return { entries, look: entries.length + places.length, end: next === '0' ? undefined : ['started', next] };
}

/** A position has an instant, a member, and how many members of that instant need not be read again. */
async function readAwaited(
  { store }: Walk,
  [instant = '', member = '', skip = 0]: Fields,
  room: number,
): Promise<Step> {
  const reply = await runListScript(store, awaitedScript, [`${instant}`, `${member}`, `${skip}`, `${room}`]);
  const flat = reply as readonly string[]; // members and their instants in turn
  const read = flat.flatMap((id, index) => {
    const at = flat[index + 1];
    return index % 2 === 1 || at === undefined ? [] : [{ id, at }];
  });
  // Where the member has moved, those of its instant are read again.
  const entries = read
    .filter(({ id, at }) => at !== instant || compareUtf8(id, `${member}`) > 0)
    .map(({ id, at }) => ({ id, position: ['awaited', at, id, 0] as const }));
  const skipped = ['awaited', instant, member, Number(skip) + read.length] as const;
  const end = read.length < room ? (['finished'] as const) : (entries.at(-1)?.position ?? skipped);
  return { entries, look: read.length, end };
}

type FinishedReply = readonly [
  from: number,
  entries: readonly string[],
  epochs: readonly string[],
  searchOn: number,
];

/** A position has an index and the last entries up to it. */
async function readFinished(
  { store, query }: Walk,
  [at = 0, ...anchors]: Fields,
  room: number,
): Promise<Step> {
  const count = Math.max(room, FINISHED_STEP);
  const before = anchors as readonly string[]; // as written below
  const reply = await runScript(store, finishedScript, [pack([count, `${at}`, before])]);
  const [from, all, epochs, searchOn] = reply as FinishedReply; // what our own script returns
  if (searchOn >= 0) return { entries: [], look: FINISHED_STEP, end: ['finished', searchOn, ...before] };
  const part = { entries: all, epochs, before };
  const letter = STATE_LETTERS[query.state];
  const positionAt = (index: number) => ['finished', from + index, ...anchorsAt(part, index)] as const;
  const entries = all.flatMap((entry, index) => {
    const { id, state } = readEntry(entry);
    return state === letter ? [{ id, position: positionAt(index) }] : [];
  });
  const kept = entries.slice(0, room);
  const end = all.length < count ? undefined : positionAt(all.length - 1);
  const look = kept.length + Math.ceil(all.length / 5);
  return { entries: kept, look, end: kept.length < entries.length ? kept.at(-1)?.position : end };
}

/** An id alone is that of a completed run; any other entry begins with a zero character and the letter of a state. */
function readEntry(entry: string): { readonly id: string; readonly state: string } {
  if (entry[0] !== '\0') return { id: entry, state: STATE_LETTERS.completed };
  const { from, end } = FINISHED_ENTRY.fields.state;
  return { id: entry.slice(FINISHED_ENTRY.length), state: entry.slice(from, end) };
}
