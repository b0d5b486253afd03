import type { ListQuery } from '@retry/core/broker';
import type { Position } from '@retry/core/broker/kit';
import { compareUtf8, STATE_LETTERS } from '@retry/core/broker/kit';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import { FINISHED_ENTRY, SCHEDULED_ENTRY } from '../../record/layout.ts';
import type { Script } from '../../scripts/create-script.ts';
import { awaitedScript, finishedScript, pageOfDeadScript, startedScript } from '../../scripts/lua-code.ts';
import { fromTag, toTag } from '../../store/keys.ts';
import { pack } from '../../store/pack.ts';
import { runListScript, runScript } from '../../store/store.ts';
import { readWaiting } from './read-waiting.ts';
import type { Step, Walk } from './step.ts';
import { anchorsAt } from './step.ts';

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
      return readByInstant(walk, fields, { list, room, script: startedScript, behind: undefined });
    case 'dead':
      return readDead(walk, fields, room);
    case 'grouped':
      return readGrouped(walk, fields, room);
    case 'awaited':
      return readByInstant(walk, fields, { list, room, script: awaitedScript, behind: ['finished'] });
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

/** How to read a set that is sorted by instants. */
interface Sorted {
  readonly list: string;
  readonly script: Script;
  readonly room: number;
  /** Where to continue behind its last member. */
  readonly behind: Position | undefined;
}

/** A position has an instant, a member, and how many members of that instant need not be read again. */
async function readByInstant(
  { store }: Walk,
  [instant = '', member = '', skip = 0]: Fields,
  { list, script, room, behind }: Sorted,
): Promise<Step> {
  const reply = await runListScript(store, script, [`${instant}`, `${member}`, `${skip}`, `${room}`]);
  const flat = reply as readonly string[]; // members and their instants in turn
  // A member of an infinite instant is no run, and the last one.
  const isLast = flat.length < 2 * room || flat.at(-1) === 'inf';
  const read = flat.flatMap((id, index) => {
    const at = flat[index + 1];
    return index % 2 === 1 || at === undefined || at === 'inf' ? [] : [{ id, at }];
  });
  // Where the member has moved, those of its instant are read again.
  const entries = read
    .filter(({ id, at }) => at !== instant || compareUtf8(id, `${member}`) > 0)
    .map(({ id, at }) => ({ id, position: [list, at, id, 0] as const }));
  const skipped = [list, instant, member, Number(skip) + read.length] as const;
  const end = isLast ? behind : (entries.at(-1)?.position ?? skipped);
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
