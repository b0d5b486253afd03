import { isDeadLetter } from '../../../lifecycle/arrows.ts';
import type { ErrorGroup, ErrorGroupName, GroupPage, GroupsQuery } from '../../insight/groups.ts';
import { MAX_GROUPS, OTHER_GROUP } from '../../insight/groups.ts';
import type { Run } from '../../run.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { compareText } from '../storable/texts.ts';

/** What a broker keeps of the dead letters of one lane and error group. */
export interface KeptGroup extends Omit<ErrorGroup, 'sampleId' | 'isOther'> {
  /** The run that ended last, of those that came into the group. */
  readonly latestId: string;
}

/** A run that has just ended, as far as it decides about its group. */
export type GroupedRun = Pick<Run, 'state' | 'isDisposable'>;

/** Returns whether a run is a dead letter, of those that are kept until they are redriven or discarded. */
export function isKeptLetter({ state, isDisposable }: GroupedRun): boolean {
  return isDeadLetter(state) && isDisposable !== true;
}

/**
 * Returns the group that an ended run is to be counted under, if it is a dead letter.
 *
 * @param given - that of its settlement, or of the request that ends it
 */
export function groupOf(run: GroupedRun, given: ErrorGroupName = OTHER_GROUP): ErrorGroupName | undefined {
  if (!isKeptLetter(run)) return undefined;
  return given.id === OTHER_GROUP.id ? OTHER_GROUP : given;
}

/**
 * Returns the group of a run that has just ended, with that run; `undefined` for one that is no dead letter.
 *
 * @param groups - those of its lane, by id
 * @param given - as in `groupOf`
 */
export function joinedGroup(
  groups: ReadonlyMap<string, KeptGroup>,
  run: Run,
  given?: ErrorGroupName,
): KeptGroup | undefined {
  const wanted = groupOf(run, given);
  if (wanted === undefined) return undefined;
  const own = groups.size - (groups.has(OTHER_GROUP.id) ? 1 : 0);
  const { id, title } = groups.has(wanted.id) || own < MAX_GROUPS ? wanted : OTHER_GROUP;
  const { endedAt = 0, lane } = run;
  const known = groups.get(id);
  const { count = 0, attempts = 0, firstSeenAt = endedAt, lastSeenAt = endedAt } = known ?? {};
  const latest = known === undefined || endedAt >= lastSeenAt ? { title, latestId: run.id } : known;
  return {
    ...{ id, lane, title: latest.title, latestId: latest.latestId },
    count: count + 1,
    attempts: attempts + spentAttempts(run),
    firstSeenAt: Math.min(firstSeenAt, endedAt),
    lastSeenAt: Math.max(lastSeenAt, endedAt),
  };
}

/** Returns a group without a dead letter that leaves it; `undefined` when it is empty. */
export function leftGroup(group: KeptGroup, run: Run): KeptGroup | undefined {
  const count = group.count - 1;
  return count > 0 ? { ...group, count, attempts: group.attempts - spentAttempts(run) } : undefined;
}

/** Returns a group as it is read. @param letters - the dead letters that there are; only read if the latest has left the group */
export function shownGroup(
  { latestId, ...group }: KeptGroup,
  latest: Run | undefined,
  letters: () => Iterable<Run>,
): ErrorGroup {
  const isIn = ({ lane, errorGroup }: Run): boolean => lane === group.lane && errorGroup === group.id;
  let sampleId = latest !== undefined && isIn(latest) ? latestId : undefined;
  for (const run of sampleId === undefined ? letters() : [])
    if (isIn(run) && (sampleId === undefined || compareText(run.id, sampleId) < 0)) sampleId = run.id;
  return { ...group, sampleId: sampleId ?? latestId, isOther: group.id === OTHER_GROUP.id };
}

/** Returns the charged attempts of a dead letter since its attempts were last reset. */
export function spentAttempts({ failures, stalls }: Pick<Run, 'failures' | 'stalls'>): number {
  return failures + stalls;
}

/** The order of groups on pages: most dead letters first, then by lane, then by id. */
function compareGroups(left: GroupPlace, right: GroupPlace): number {
  return right.count - left.count || compareText(left.lane, right.lane) || compareText(left.id, right.id);
}

/** What groups are ordered by. */
type GroupPlace = Pick<ErrorGroup, 'count' | 'lane' | 'id'>;

/** Returns a page of all groups that a broker has. @param broker - as in `writeCursor` */
export function pageOfGroups<Group extends GroupPlace>(
  broker: string,
  { lane, limit, after }: GroupsQuery,
  groups: readonly Group[],
): Omit<GroupPage, 'groups'> & { readonly groups: readonly Group[] } {
  const query = { state: 'groups', lane, after } as const;
  const place = placeOf(readCursor(broker, query));
  const all = groups.filter((group) => lane === undefined || group.lane === lane);
  const left = all.filter((group) => place === undefined || compareGroups(place, group) < 0);
  const page = left.sort(compareGroups).slice(0, limit);
  const deadLetters = all.reduce((sum, { count }) => sum + count, 0);
  const last = page.at(-1);
  if (last === undefined || page.length === left.length) return { groups: page, deadLetters };
  const next = writeCursor(broker, query, ['groups', last.count, last.lane, last.id]);
  return { groups: page, deadLetters, next };
}

function placeOf(position: ReturnType<typeof readCursor>): GroupPlace | undefined {
  if (position === undefined) return undefined;
  const [, count, lane, id] = position as readonly [string, number, string, string]; // as written above
  return { count, lane, id };
}
