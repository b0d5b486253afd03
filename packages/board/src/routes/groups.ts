import { isDeadLetter } from '@retry/core/lifecycle';
import type { DeadLetterFilter, LetterGroup, LetterGroupsOptions, ListPage, RunView } from '@retry/worker';
import type { GroupAnswer, GroupRow, GroupsAnswer, SampleError, Trend } from '../api.ts';
import { commandOf } from '../show/command.ts';
import { runRow } from '../show/run-row.ts';
import { shownError } from '../show/shown-error.ts';
import { cut, shownText } from '../show/shown-text.ts';
import type { Desk, ReadCall } from './call.ts';
import { given, pageOf } from './call.ts';

/** The groups of a page that have a trend, and the most dead letters that one of these has. */
const WITH_TREND = 20;
const TREND_RUNS = 200;

/** The most dead letters of one group that are looked at: its trend is that of these, and a group of no more is sorted. */
const MAX_LOOKED_AT = 1_000;
const TREND_BUCKETS = 48;

const MAX_SHOWN = 65_536;

/** `GET groups`. */
export function groups({ desk, query }: ReadCall): Promise<GroupsAnswer> {
  return groupsPage(desk, { ...given(query, ['task', 'version']), ...pageOf(query) });
}

/** Returns a page of groups, masked. */
async function groupsPage(desk: Desk, options: LetterGroupsOptions<'ms'>): Promise<GroupsAnswer> {
  const page = await desk.queue.deadLetters.groups({ limit: 50, ...options });
  return { ...page, groups: await Promise.all(page.groups.map((each, index) => rowOf(desk, each, index))) };
}

/** `GET groups/:lane/:id`. */
export async function group({ desk, param, query }: ReadCall): Promise<GroupAnswer> {
  const [lane, id] = [param('lane'), param('id')];
  const { found, sample, filter } = await openGroup(desk, { lane, id, state: query.get('state') });
  const looked = await listUpTo(desk, filter, MAX_LOOKED_AT);
  const page = await newestFirst(desk, { filter, looked }, pageOf(query));
  const shown = sample && sampleOf(desk, sample);
  const trend = found && trendOf(looked);
  return {
    ...(found && { group: { ...masked(desk, found), ...(trend && { trend }) } }),
    state: filter.state,
    runs: page.runs.map((run) => runRow(run, desk.mask)),
    ...(page.next !== undefined && { next: page.next }),
    ...(shown && { sample: shown }),
    command: commandOf(['dlq', 'redrive'], {
      group: id,
      task: lane,
      state: filter.state === 'failed' ? undefined : filter.state,
    }),
  };
}

/** A page of a group that is sorted here begins after this sign. */
const OFFSET = /^@(\d+)$/;

/** The dead letters of a group. */
interface Looked {
  readonly filter: DeadLetterFilter;
  /** The first of them. */
  readonly looked: ListPage<RunView>;
}

/**
 * Returns a page of the runs of a group, those that ended last first. A queue lists them by id, and so is a group shown that has more
 * runs than were looked at.
 */
async function newestFirst(
  { queue }: Desk,
  { filter, looked }: Looked,
  { limit = 50, after }: ReturnType<typeof pageOf>,
): Promise<ListPage<RunView>> {
  const offset = OFFSET.exec(after ?? '@0')?.[1];
  if (looked.next !== undefined || offset === undefined || !(Number.isInteger(limit) && limit >= 1)) {
    const listed = after !== undefined && offset === undefined ? { after } : {};
    return queue.deadLetters.list({ ...filter, limit, ...listed, payloads: 'omit' });
  }
  const runs = [...looked.runs].sort((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0));
  const [from, to] = [Number(offset), Number(offset) + limit];
  return { runs: runs.slice(from, to), ...(to < runs.length && { next: `@${to}` }) };
}

function listUpTo({ queue }: Desk, filter: DeadLetterFilter, limit: number): Promise<ListPage<RunView>> {
  return queue.deadLetters.list({ ...filter, limit, payloads: 'omit' });
}

/** The name and the version of a lane's task. */
export function taskOf(lane: string): { readonly task: string; readonly version?: string } {
  const [task = '', version] = lane.split('@');
  return version === undefined ? { task } : { task, version };
}

async function rowOf(desk: Desk, row: LetterGroup, index: number): Promise<GroupRow> {
  if (index >= WITH_TREND || row.count > TREND_RUNS || row.isOther) return masked(desk, row);
  const trend = await keptTrend(desk, row);
  return { ...masked(desk, row), ...(trend && { trend }) };
}

/** Returns the trend of a group; of a list that is read every second, that of some seconds ago. */
function keptTrend(desk: Desk, { lane, id, sampleId }: LetterGroup): Promise<Trend | undefined> {
  return desk.trends.getOr(`${lane}\0${id}`, async () => {
    const state = stateOf(null, await desk.queue.get(sampleId));
    return trendOf(await listUpTo(desk, { ...taskOf(lane), group: id, state }, TREND_RUNS));
  });
}

function masked({ mask }: Desk, row: LetterGroup): LetterGroup {
  const { task, version, title: value } = row;
  const title = shownText({ kind: 'message', task, version, value }, { mask, limit: MAX_SHOWN });
  return { ...row, title: title.text };
}

/** An error group of a lane, and the state of its dead letters, where that is known. */
interface GroupName {
  readonly lane: string;
  readonly id: string;
  readonly state?: string | null;
}

/** What there is of a group. */
interface OpenedGroup {
  /** Absent when it has no dead letter any more. */
  readonly found: LetterGroup | undefined;
  /** The run that ended last. */
  readonly sample: RunView | undefined;
  /** Finds its dead letters: those of the state that was asked for, else of the state of the sample. */
  readonly filter: DeadLetterFilter & Pick<GroupAnswer, 'state'>;
}

/** Returns a group, one of its runs, and what finds them all. */
export async function openGroup(desk: Desk, { lane, id, state = null }: GroupName): Promise<OpenedGroup> {
  const found = await findGroup(desk, lane, id);
  const sample = found && (await desk.queue.get(found.sampleId));
  return { found, sample, filter: { ...taskOf(lane), group: id, state: stateOf(state, sample) } };
}

/** The groups of a lane are pages of at most 1 000: the one that is asked for is most often on the first. */
async function findGroup(desk: Desk, lane: string, id: string): Promise<LetterGroup | undefined> {
  let after: string | undefined;
  do {
    const page = await desk.queue.deadLetters.groups({ ...taskOf(lane), limit: 1_000, after });
    const found = page.groups.find((each) => each.id === id && each.lane === lane);
    if (found !== undefined) return found;
    after = page.next;
  } while (after !== undefined);
  return undefined;
}

function stateOf(asked: string | null, sample: RunView | undefined): GroupAnswer['state'] {
  const state = asked ?? (sample && isDeadLetter(sample.state) ? sample.state : 'failed');
  return state as GroupAnswer['state']; // checked by the queue
}

function sampleOf({ mask }: Desk, run: RunView): SampleError | undefined {
  const error = run.errors.at(-1);
  if (error === undefined) return undefined;
  const shown = shownError(run, error, { mask, limit: MAX_SHOWN });
  return { runId: run.id, error: { ...shown, name: cut(shown.name, MAX_SHOWN) } };
}

function trendOf({ runs, next }: ListPage<RunView>): Trend | undefined {
  const ends = runs.flatMap(({ endedAt }) => endedAt ?? []);
  if (ends.length === 0) return undefined;
  const from = ends.reduce((one, other) => Math.min(one, other));
  const last = ends.reduce((one, other) => Math.max(one, other));
  const bucketMs = Math.max(Math.ceil((last + 1 - from) / TREND_BUCKETS), 1);
  const counts = new Array<number>(TREND_BUCKETS).fill(0);
  for (const at of ends) {
    const index = Math.floor((at - from) / bucketMs);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const isComplete = next === undefined;
  return { from, to: from + bucketMs * TREND_BUCKETS, bucketMs, counts, searched: ends.length, isComplete };
}
