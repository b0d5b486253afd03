import type { ErrorGroup, ErrorGroupName, GroupsQuery, ReadFigures } from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import { figuresBy, MAX_GROUPS, OTHER_GROUP, pageOfGroups } from '@retry/core/broker/kit';
import type { Kept, Storage } from './storage.ts';
import { DEAD_LETTERS } from './storage.ts';

/** A run that came into a group. */
interface Arrival {
  readonly lane: string;
  readonly group: ErrorGroupName;
  readonly id: string;
  readonly endedAt: number;
}

/** Creates error groups: what is in one is seen at the runs; only who came, and when, is kept besides. */
export function createGroups({ runs }: Pick<Storage, 'runs'>) {
  let arrivals: readonly Arrival[] = [];

  function membersOf(lane: string, group: string): readonly Kept[] {
    return [...runs.values()].filter(({ run }) => run.lane === lane && run.errorGroup === group);
  }

  /** Gives a run that has just ended its group, if it is a dead letter. */
  function join(kept: Kept, given: ErrorGroupName = OTHER_GROUP): void {
    const { id, lane, state, isDisposable, endedAt = 0 } = kept.run;
    kept.run = { ...kept.run, errorGroup: undefined };
    if (!DEAD_LETTERS.includes(state) || isDisposable) return;
    const known = new Set<string>();
    // A loop: a case makes dead letters of 10 000 runs in one call.
    for (const { run } of runs.values())
      if (run.lane === lane && run.errorGroup !== undefined) known.add(run.errorGroup);
    arrivals = arrivals.filter((arrival) => arrival.lane !== lane || known.has(arrival.group.id));
    known.delete(OTHER_GROUP.id);
    const hasRoom = known.has(given.id) || known.size < MAX_GROUPS;
    const group = hasRoom && given.id !== OTHER_GROUP.id ? given : OTHER_GROUP;
    kept.run = { ...kept.run, errorGroup: group.id };
    arrivals = [...arrivals, { lane, group, id, endedAt }];
  }

  function arrivalsOf(lane: string, group: string): readonly Arrival[] {
    return arrivals.filter((arrival) => arrival.lane === lane && arrival.group.id === group);
  }

  function latestOf(lane: string, group: string): Arrival | undefined {
    const came = arrivalsOf(lane, group);
    const last = Math.max(...came.map(({ endedAt }) => endedAt));
    return came.filter(({ endedAt }) => endedAt === last).at(-1);
  }

  function figuresOf(lane: string, group: string): ErrorGroup {
    const members = membersOf(lane, group).map(({ run }) => run);
    const ends = arrivalsOf(lane, group).map(({ endedAt }) => endedAt);
    const latest = latestOf(lane, group);
    const ids = members.map(({ id }) => id).sort();
    return {
      ...{ id: group, lane, title: latest?.group.title ?? '', count: members.length },
      attempts: members.reduce((sum, { failures, stalls }) => sum + failures + stalls, 0),
      ...{ firstSeenAt: Math.min(...ends), lastSeenAt: Math.max(...ends) },
      sampleId: ids.find((id) => id === latest?.id) ?? ids[0] ?? '',
      isOther: group === OTHER_GROUP.id,
    };
  }

  function all(): readonly ErrorGroup[] {
    const places = new Map<string, ErrorGroup>();
    for (const { run } of runs.values()) {
      const { lane, errorGroup } = run;
      if (errorGroup !== undefined) places.set(`${lane} ${errorGroup}`, figuresOf(lane, errorGroup));
    }
    return [...places.values()];
  }

  return {
    join,
    page: (query: GroupsQuery) => pageOfGroups('naive', query, all()),
  };
}

/** The figures of a broker that knows of groups alone. */
export function figuresOfGroups(groups: FigureSources['groups']): ReadFigures {
  const unknown = () => Promise.reject(new Error('a naive broker counts groups only'));
  return figuresBy({ groups, lanes: unknown, attempts: unknown, dueTimes: unknown });
}
