import type { Position } from '@retry/core/broker/kit';
import { compareUtf8 } from '@retry/core/broker/kit';
import { FRONT_ENTRY } from '../../record/layout.ts';
import { waitingLanesScript, waitingScript } from '../../scripts/lua-code.ts';
import { fromTag, toTag } from '../../store/keys.ts';
import { pack } from '../../store/pack.ts';
import { runListScript } from '../../store/store.ts';
import type { Entry, Step, Walk } from './step.ts';
import { anchorsAt } from './step.ts';

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
export async function readWaiting(
  walk: Walk,
  fields: readonly (string | number)[],
  room: number,
): Promise<Step> {
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
