import type { ErrorGroupName, GroupPage, GroupsQuery } from '@retry/core/broker';
import type { KeptGroup } from '@retry/core/broker/kit';
import { joinedGroup, leftGroup, pageOfGroups, shownGroup } from '@retry/core/broker/kit';
import { deadLettersOf } from './lists.ts';
import type { Entry, Store } from './store.ts';

/** Counts a run that has just ended under its group, if it is a dead letter. */
export function joinGroup(store: Store, entry: Entry, given: ErrorGroupName | undefined): void {
  const { run } = entry;
  const groups = store.groups.get(run.lane) ?? new Map<string, KeptGroup>();
  const joined = joinedGroup(groups, run, given);
  if (joined === undefined) return;
  store.groups.set(run.lane, groups.set(joined.id, joined));
  entry.run = { ...run, errorGroup: joined.id };
}

/** Takes a dead letter that is redriven or discarded out of its group. */
export function leaveGroup(store: Store, { run }: Pick<Entry, 'run'>): void {
  const groups = store.groups.get(run.lane);
  const known = run.errorGroup === undefined ? undefined : groups?.get(run.errorGroup);
  if (groups === undefined || known === undefined) return;
  const left = leftGroup(known, run);
  if (left === undefined) groups.delete(known.id);
  else groups.set(left.id, left);
  if (groups.size === 0) store.groups.delete(run.lane);
}

/** Returns a page of groups. */
export function listGroups(store: Store, query: GroupsQuery): GroupPage {
  const all = [...store.groups.values()].flatMap((groups) => [...groups.values()]);
  const page = pageOfGroups('memory', query, all);
  const letters = () => [...deadLettersOf(store)].map(({ run }) => run);
  return {
    ...page,
    groups: page.groups.map((group) => shownGroup(group, store.entries.get(group.latestId)?.run, letters)),
  };
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
