import type { Mutant } from './mutants.ts';

/** Mistakes with error groups, one each. */
export const GROUP_MUTANTS: readonly Mutant[] = [
  {
    name: 'counts a run that does not end as a dead letter',
    caughtBy: 'a run is not counted when it has: complete',
    from: '!DEAD_LETTERS.includes(state) || isDisposable',
    to: 'isDisposable',
  },
  {
    name: 'counts disposable runs',
    caughtBy: 'a failed run that retention may delete is not counted',
    from: '!DEAD_LETTERS.includes(state) || isDisposable',
    to: '!DEAD_LETTERS.includes(state)',
  },
  {
    name: 'has any number of groups in a lane',
    caughtBy: 'a lane has 1000 groups, and counts the rest under other until one of them is empty',
    from: 'known.size < MAX_GROUPS',
    to: 'known.size <= MAX_GROUPS',
  },
  {
    name: 'counts known groups under other where a lane is full',
    caughtBy: 'a lane has 1000 groups, and counts the rest under other until one of them is empty',
    from: 'known.has(given.id) || known.size < MAX_GROUPS',
    to: 'known.size < MAX_GROUPS',
  },
  {
    name: 'limits the groups of all lanes together',
    caughtBy: 'a lane has 1000 groups, and counts the rest under other until one of them is empty',
    from: 'if (run.lane === lane && run.errorGroup !== undefined) known',
    to: 'if (run.errorGroup !== undefined) known',
  },
  {
    name: 'shares groups between lanes',
    caughtBy: 'each lane has groups of its own',
    from: '({ run }) => run.lane === lane && run.errorGroup === group',
    to: '({ run }) => run.errorGroup === group',
  },
  {
    name: 'takes the group that a settled run names itself',
    caughtBy: 'a dead letter without a group is counted under other, whatever its run says',
    from: 'function join(kept: Kept, given: ErrorGroupName = OTHER_GROUP): void {',
    to: `function join(kept, settled) {
    const given = settled ?? { id: kept.run.errorGroup ?? OTHER_GROUP.id, title: '' };`,
  },
  {
    name: 'leaves a waiting run the group that its settlement names',
    caughtBy: 'a run that waits again has no group, whatever its settlement says: retry',
    from: '    kept.run = { ...kept.run, errorGroup: undefined };\n    if (!DEAD',
    to: '    if (!DEAD',
  },
  {
    name: 'leaves redriven runs in their group',
    caughtBy: 'a redriven run leaves its group with its attempts: keep',
    from: 'context, errorGroup: undefined };\n    finishMove',
    to: 'context, errorGroup: kept.run.errorGroup };\n    finishMove',
  },
  {
    name: 'counts a run that is failed by hand under other',
    caughtBy: 'a run that an operator fails is counted under the group of the request, or else under other',
    from: 'groups.join(kept, group);\n    return',
    to: 'groups.join(kept, undefined);\n    return',
  },
  {
    name: 'goes on with a group that was empty',
    caughtBy: 'a group that was empty begins anew',
    from: 'arrivals = arrivals.filter(',
    to: 'arrivals.filter(',
  },
  {
    name: 'forgets who came before',
    caughtBy: 'a group counts what comes, from the first to the last',
    from: 'arrivals = [...arrivals, { lane, group, id, endedAt }];',
    to: 'arrivals = [{ lane, group, id, endedAt }];',
  },
  {
    name: 'shows the first of those that ended last',
    caughtBy: 'of dead letters that end at the same instant, the sample is the one that was settled last',
    from: 'endedAt === last).at(-1)',
    to: 'endedAt === last).at(0)',
  },
  {
    name: 'counts dead letters as attempts',
    caughtBy: 'a dead letter is counted under the group of its settlement, with all that is kept of it',
    from: '(sum, { failures, stalls }) => sum + failures + stalls',
    to: '(sum) => sum + 1',
  },
  {
    name: 'shows a run that has left its group',
    caughtBy: 'a group whose latest run has left has its first one by id as its sample',
    from: 'ids.find((id) => id === latest?.id) ?? ids[0]',
    to: 'latest?.id ?? ids[0]',
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
    from: '.filter(({ run }) => errorGroup === undefined || run.errorGroup === errorGroup)',
    to: '',
  },
];
