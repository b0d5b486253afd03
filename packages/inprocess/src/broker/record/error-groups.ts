import type { ErrorGroup, ErrorGroupName, GroupPage, GroupsQuery } from '@retry/core/broker';
import {
  compareText,
  groupOf,
  MAX_GROUPS,
  OTHER_GROUP,
  pageOfGroups,
  spentAttempts,
} from '@retry/core/broker/kit';
import { deadLettersOf } from './lists.ts';
import type { Entry, Group, Store } from './store.ts';

/** Counts a run that has just ended under its group, if it is a dead letter. */
export function joinGroup(store: Store, entry: Entry, given: ErrorGroupName | undefined): void {
  const wanted = groupOf(entry.run, given);
  if (wanted === undefined) return;
  const groups = groupsOf(store, entry.run.lane);
  const { id, title } = groups.has(wanted.id) || ownGroups(groups) < MAX_GROUPS ? wanted : OTHER_GROUP;
  const { endedAt = 0 } = entry.run;
  const known = groups.get(id);
  const { count = 0, attempts = 0, firstSeenAt = endedAt, lastSeenAt = endedAt } = known ?? {};
  const isLatest = endedAt >= lastSeenAt;
  groups.set(id, {
    id,
    title: isLatest ? title : (known?.title ?? title),
    lane: entry.run.lane,
    count: count + 1,
    attempts: attempts + spentAttempts(entry.run),
    firstSeenAt: Math.min(firstSeenAt, endedAt),
    lastSeenAt: Math.max(lastSeenAt, endedAt),
    latestId: isLatest ? entry.run.id : (known?.latestId ?? entry.run.id),
  });
  entry.run = { ...entry.run, errorGroup: id };
}

/** Takes a dead letter that is redriven or discarded out of its group. */
export function leaveGroup(store: Store, { run }: Pick<Entry, 'run'>): void {
  const groups = store.groups.get(run.lane);
  const known = run.errorGroup === undefined ? undefined : groups?.get(run.errorGroup);
  if (groups === undefined || known === undefined) return;
  const count = known.count - 1;
  if (count > 0) groups.set(known.id, { ...known, count, attempts: known.attempts - spentAttempts(run) });
  else groups.delete(known.id);
  if (groups.size === 0) store.groups.delete(run.lane);
}

/** Returns a page of groups. */
export function listGroups(store: Store, query: GroupsQuery): GroupPage {
  const all = [...store.groups.values()].flatMap((groups) => [...groups.values()]);
  const page = pageOfGroups('memory', query, all);
  return { ...page, groups: page.groups.map((group) => viewOf(store, group)) };
}

/** Returns by how much the dead letters that groups count differ from those that there are. */
export function countWrongGroups(store: Store): number {
  const left = new Map<string, number>();
  const add = (lane: string, id: string | undefined, by: number): void => {
    const key = JSON.stringify([lane, id]);
    left.set(key, (left.get(key) ?? 0) + by);
  };
  for (const { run } of deadLettersOf(store)) add(run.lane, run.errorGroup, 1);
  for (const groups of store.groups.values())
    for (const { lane, id, count } of groups.values()) add(lane, id, -count);
  return [...left.values()].reduce((sum, difference) => sum + Math.abs(difference), 0);
}

function groupsOf(store: Store, lane: string): Map<string, Group> {
  const known = store.groups.get(lane);
  if (known !== undefined) return known;
  const made = new Map<string, Group>();
  store.groups.set(lane, made);
  return made;
}

/** How many groups there are, besides the one that counts the rest. */
function ownGroups(groups: ReadonlyMap<string, Group>): number {
  return groups.size - (groups.has(OTHER_GROUP.id) ? 1 : 0);
}

function viewOf(store: Store, { latestId, ...group }: Group): ErrorGroup {
  return {
    ...group,
    sampleId: sampleOf(store, { ...group, latestId }),
    isOther: group.id === OTHER_GROUP.id,
  };
}

function sampleOf(store: Store, { lane, id, latestId }: Group): string {
  const isIn = ({ run }: Entry): boolean => run.lane === lane && run.errorGroup === id;
  const latest = store.entries.get(latestId);
  if (latest !== undefined && isIn(latest)) return latestId;
  let first: string | undefined;
  for (const entry of deadLettersOf(store)) {
    if (isIn(entry) && (first === undefined || compareText(entry.run.id, first) < 0)) first = entry.run.id;
  }
  return first ?? latestId;
}
