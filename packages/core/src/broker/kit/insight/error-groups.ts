import { isDeadLetter } from '../../../lifecycle/arrows.ts';
import type { ErrorGroup, ErrorGroupName, GroupPage, GroupsQuery } from '../../insight/groups.ts';
import { OTHER_GROUP } from '../../insight/groups.ts';
import type { Run } from '../../run.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { compareText } from '../holds.ts';

/** A run that has just ended, as far as it decides about its group. */
export type GroupedRun = Pick<Run, 'state' | 'isDisposable'>;

/**
 * Returns the group that an ended run is to be counted under, if it is a dead letter.
 *
 * @param given - that of its settlement, or of the request that ends it
 */
export function groupOf(
  { state, isDisposable }: GroupedRun,
  given: ErrorGroupName = OTHER_GROUP,
): ErrorGroupName | undefined {
  if (!isDeadLetter(state) || isDisposable === true) return undefined;
  return given.id === OTHER_GROUP.id ? OTHER_GROUP : given;
}

/** Returns the charged attempts of a dead letter since its attempts were last reset. */
export function spentAttempts({ failures, stalls }: Pick<Run, 'failures' | 'stalls'>): number {
  return failures + stalls;
}

/** The order of groups on pages: most dead letters first, then by lane, then by id. */
export function compareGroups(left: GroupPlace, right: GroupPlace): number {
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
