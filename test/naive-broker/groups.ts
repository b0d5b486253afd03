import type { ErrorGroupName, GroupPage, GroupsQuery, Run } from '@retry/core/broker';
import type { KeptGroup } from '@retry/core/broker/kit';
import { joinedGroup, leftGroup, pageOfGroups, shownGroup } from '@retry/core/broker/kit';

/** Creates the error groups of these runs. */
export function createGroups(runs: ReadonlyMap<string, { readonly run: Run }>) {
  let groups: readonly KeptGroup[] = [];

  const set = (known: KeptGroup | undefined, now: KeptGroup | undefined): void => {
    groups = [...groups.filter((group) => group !== known), ...(now === undefined ? [] : [now])];
  };

  /** Returns a run that has just ended with its group, if it is a dead letter. */
  function join(run: Run, given: ErrorGroupName | undefined): Run {
    const ofLane = new Map(groups.filter(({ lane }) => lane === run.lane).map((group) => [group.id, group]));
    const joined = joinedGroup(ofLane, run, given);
    if (joined === undefined) return run;
    set(ofLane.get(joined.id), joined);
    return { ...run, errorGroup: joined.id };
  }

  /** Takes a dead letter out of its group. */
  function leave(run: Run): void {
    const known = groups.find(({ id, lane }) => id === run.errorGroup && lane === run.lane);
    if (known !== undefined) set(known, leftGroup(known, run));
  }

  function page(query: GroupsQuery): GroupPage {
    const found = pageOfGroups('naive', query, groups);
    const letters = () => [...runs.values()].map(({ run }) => run);
    return {
      ...found,
      groups: found.groups.map((group) => shownGroup(group, runs.get(group.latestId)?.run, letters)),
    };
  }

  return { join, leave, page };
}
