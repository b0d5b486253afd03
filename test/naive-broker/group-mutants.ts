import type { Mutant } from './mutants.ts';

/** Mistakes with error groups, one each. */
export const GROUP_MUTANTS: readonly Mutant[] = [
  {
    name: 'counts a run that does not end as a dead letter',
    caughtBy: 'a run is not counted when it has: complete',
    from: 'return isDeadLetter(state) && isDisposable !== true;',
    to: 'return isDisposable !== true;',
  },
  {
    name: 'counts disposable runs',
    caughtBy: 'a failed run that retention may delete is not counted',
    from: 'return isDeadLetter(state) && isDisposable !== true;',
    to: 'return isDeadLetter(state);',
  },
  {
    name: 'has any number of groups in a lane',
    caughtBy: 'a lane has 1000 groups, and counts the rest under other until one of them is empty',
    from: 'own < MAX_GROUPS',
    to: 'own <= MAX_GROUPS',
  },
  {
    name: 'counts known groups under other where a lane is full',
    caughtBy: 'a lane has 1000 groups, and counts the rest under other until one of them is empty',
    from: 'groups.has(wanted.id) || own < MAX_GROUPS',
    to: 'own < MAX_GROUPS',
  },
  {
    name: 'limits the groups of all lanes together',
    caughtBy: 'a lane has 1000 groups, and counts the rest under other until one of them is empty',
    from: 'joinedGroup(ofLane, run, given)',
    to: 'joinedGroup(new Map([...groups.map((group) => [group.lane + group.id, group] as const), ...ofLane]), run, given)',
  },
  {
    name: 'shares groups between lanes',
    caughtBy: 'each lane has groups of its own',
    from: 'groups.filter(({ lane }) => lane === run.lane).map(',
    to: 'groups.map(',
  },
  {
    name: 'takes the group that a settled run names itself',
    caughtBy: 'a dead letter without a group is counted under other, whatever its run says',
    from: '{ end, group: settlement.group }',
    to: "{ end, group: settlement.group ?? { id: settlement.next.errorGroup ?? 'other', title: 'Other errors' } }",
  },
  {
    name: 'leaves a waiting run the group that its settlement names',
    caughtBy: 'a run that waits again has no group, whatever its settlement says: retry',
    from: 'settled.errorGroup = undefined;',
    to: 'settled.errorGroup = next.errorGroup;',
  },
  {
    name: 'leaves redriven runs in their group',
    caughtBy: 'a redriven run leaves its group with its attempts: keep',
    from: `    groups.leave(kept.run);
    kept.run = isEnd`,
    to: '    kept.run = isEnd',
  },
  {
    name: 'counts a run that is failed by hand under other',
    caughtBy: 'a run that an operator fails is counted under the group of the request, or else under other',
    from: 'changedRun(kept.run, next), { group });',
    to: 'changedRun(kept.run, next));',
  },
  {
    name: 'goes on with a group that was empty',
    caughtBy: 'a group that was empty begins anew',
    from: 'return count > 0 ? { ...group, count, attempts',
    to: 'return count >= 0 ? { ...group, count, attempts',
  },
  {
    name: 'forgets who came before',
    caughtBy: 'a group counts what comes, from the first to the last',
    from: 'Math.min(firstSeenAt, endedAt)',
    to: 'endedAt',
  },
  {
    name: 'shows the first of those that ended last',
    caughtBy: 'of dead letters that end at the same instant, the sample is the one that was settled last',
    from: 'endedAt >= lastSeenAt ? {',
    to: 'endedAt > lastSeenAt ? {',
  },
  {
    name: 'counts dead letters as attempts',
    caughtBy: 'a dead letter is counted under the group of its settlement, with all that is kept of it',
    from: 'attempts: attempts + spentAttempts(run)',
    to: 'attempts: attempts + 1',
  },
  {
    name: 'shows a run that has left its group',
    caughtBy: 'a group whose latest run has left has its first one by id as its sample',
    from: 'let sampleId = latest !== undefined && isIn(latest) ? latestId : undefined;',
    to: 'let sampleId: string | undefined = latestId;',
  },
  {
    name: 'lists the dead letters of a group by id alone',
    caughtBy: 'the dead letters of a group are listed by lane, then by id',
    from: "['grouped', run.lane, run.id]",
    to: "['grouped', run.id]",
  },
  {
    name: 'lists all dead letters for those of one group',
    caughtBy: 'a list of a group has the runs of the state only, with or without what is disposable',
    from: `  if (errorGroup !== undefined && run.errorGroup !== errorGroup) return false;
`,
    to: '',
  },
];
