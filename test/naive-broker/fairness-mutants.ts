import type { Mutant } from './mutants.ts';

/** Mistakes with the turns of fairness keys, one each. */
export const FAIRNESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'lets every run of a fairness key stand in its lane',
    caughtBy: 'fairness: keys take turns, whatever was submitted first: in one claim',
    from: "? 'behind' : 'has'",
    to: "? 'none' : 'has'",
  },
  {
    name: 'takes the keys of all lanes for one',
    caughtBy: 'fairness: each lane has turns of its own',
    from: 'return left.lane === right.lane && left.fairnessKey === right.fairnessKey;',
    to: 'return left.fairnessKey === right.fairnessKey;',
  },
  {
    name: 'has one turn for all keys of a lane',
    caughtBy: 'fairness: keys take turns, whatever was submitted first: in one claim',
    from: 'return left.lane === right.lane && left.fairnessKey === right.fairnessKey;',
    to: 'return left.lane === right.lane;',
  },
  {
    name: 'passes the turn to the run that came last',
    caughtBy: 'fairness: a claim is filled by runs of one key, in their order',
    from: 'behind.sort((left, right) => left.seq - right.seq)',
    to: 'behind.sort((left, right) => right.seq - left.seq)',
  },
  {
    name: 'leaves the run that gets the turn where it came to',
    caughtBy: 'fairness: runs without a key stand in the lane as ever',
    from: "Object.assign(first, { turn: 'has', seq: ++back })",
    to: "Object.assign(first, { turn: 'has' })",
  },
  {
    name: 'claims no run that gets its turn during the claim',
    caughtBy: 'fairness: a claim is filled by runs of one key, in their order',
    from: 'inOrder.push(...passTurn(kept));',
    to: 'passTurn(kept);',
  },
  {
    name: 'passes the turn on for any run of the key',
    caughtBy: 'fairness: a run behind the turn leaves the others where they are when it is: cancelled',
    from: `    if (turn !== 'has') return [];
`,
    to: `    if (kept.run.fairnessKey === undefined) return [];
`,
  },
  {
    name: 'loses the turn with a run that leaves without a claim',
    caughtBy: 'fairness: the turn passes to the next run of the key when the one that has it is: cancelled',
    from: `    passTurn(kept);
    kept.seq`,
    to: `    if (kept.run.state === 'started') passTurn(kept);
    kept.seq`,
  },
  {
    name: 'keeps the turn of a run that leaves behind',
    caughtBy: 'fairness: a key whose runs have all left has a turn again when the last one is: cancelled',
    from: `    const { turn } = kept;
    kept.turn = 'none';`,
    to: '    const { turn } = kept;',
  },
  {
    name: 'gives a turn to a run that is given back',
    caughtBy:
      'fairness: a run that was given back to a lane without others of its key leaves the turn to the next one',
    from: `const end = settlement.event === 'release' ? 'front' : 'back';
      put(kept, settledRun(kept.run, settlement, now), { end,`,
    to: `const end = settlement.event === 'release' ? 'front' : 'back';
      put(kept, settledRun(kept.run, settlement, now), {`,
  },
  {
    name: 'puts a retry behind no turn',
    caughtBy: 'fairness: a run comes back by turn after: a retry',
    from: 'settledRun(kept.run, settlement, now), { end,',
    to: "settledRun(kept.run, settlement, now), { end: 'front',",
  },
  {
    name: 'gives a turn to due runs that come to the front',
    caughtBy: 'fairness: due runs that a claim takes first come to the front, and pass no turn on',
    from: "{ type: 'promote', at: now }, 'front');",
    to: "{ type: 'promote', at: now });",
  },
  {
    name: 'lets due runs of a claim take the room of runs behind a turn',
    caughtBy: 'fairness: a limit of due runs leaves the room to the runs that are behind a turn',
    from: "const unused = room - inLane(lane, 'submitted').length;",
    to: "const unused = room - inLane(lane, 'submitted').filter(({ turn }) => turn !== 'behind').length;",
  },
  {
    name: 'keeps the turn of a run that is put aside',
    caughtBy: 'fairness: a run that is put aside passes its turn on',
    from: `        inOrder.push(...passTurn(kept));
        if (ofTask`,
    to: `        const { concurrency } = kept.run;
        const isAside = concurrency?.whenFull === 'wait' && slotsTaken(concurrency.key) >= concurrency.limit;
        if (!isAside) inOrder.push(...passTurn(kept));
        if (ofTask`,
  },
  {
    name: 'takes the fairness key that a settlement says',
    caughtBy: 'fairness: the key does not change by release, retry, reschedule, failure, redrive and end',
    from: 'const settled = withIdentity(copyRun(next), run);',
    to: 'const settled = withIdentity(copyRun(next), { ...run, fairnessKey: next.fairnessKey });',
  },
];
