import type { Mutant } from './mutants.ts';

/** Mistakes with releases for later, ends by hand, reschedules, holds, policies and origins, one each. */
export const OPERATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'puts a run that is released for later into its lane now',
    caughtBy: 'release for later schedules the run, uncharged',
    from: 'put(kept, settledRun(kept.run, settlement, now),',
    to: `const next = settlement.event === 'release' ? { ...settlement.next, state: 'submitted' as const } : settlement.next;
      put(kept, settledRun(kept.run, { ...settlement, next }, now),`,
  },
  {
    name: 'takes policy and origin from a settlement',
    caughtBy: 'policy and origin do not change by a settlement that has others, or none',
    from: 'const settled = withIdentity(copyRun(next), run);',
    to: 'const settled = withIdentity(copyRun(next), { ...run, retry: next.retry, origin: next.origin });',
  },
  {
    name: 'takes context and carried attempts from a settlement',
    caughtBy: 'what was brought along does not change by a settlement that has other numbers',
    from: 'settled.carried = run.carried;',
    to: '',
  },
  {
    name: 'forgets what a run brings along',
    caughtBy: 'submit keeps what a run brings along, and every read returns it',
    from: 'carrySpent(run, spent);',
    to: '',
  },
  {
    name: 'refuses to end a started run instead of leaving a request',
    caughtBy: 'end leaves a cancel request for the worker of a started run',
    from: "else if (next.state === 'started') kept.run = { ...kept.run, isCancelRequested: true };",
    to: "else if (next.state === 'started') return 'done';",
  },
  {
    name: 'changes a run whatever it has become',
    caughtBy: 'change writes nothing over a run that was rescheduled since it was read',
    from: 'kept.seen === seen && ',
    to: '',
  },
  {
    name: 'takes a started run from its worker',
    caughtBy: 'change leaves a started run to its worker, but for a cancel request',
    from: "return state !== 'started' && !(",
    to: 'return !(',
  },
  {
    name: 'forgets what waits',
    caughtBy: 'change neither forgets what waits nor ends what has ended',
    from: "if (next === 'forget') return isEnd(state);",
    to: "if (next === 'forget') return true;",
  },
  {
    name: 'ends what has ended once more',
    caughtBy: 'change neither forgets what waits nor ends what has ended',
    from: '!(isEnd(state) && isEnd(next.state))',
    to: 'true',
  },
  {
    name: 'gives a stalled run up once more',
    caughtBy: 'change does not give up a stalled run, which has ended',
    from: '!(isEnd(state) && isEnd(next.state))',
    to: "!(isEnd(state) && isEnd(next.state) && state !== 'stalled')",
  },
  {
    name: 'hides from a redrive that the payload was deleted',
    caughtBy: 'keepCompleted.bytes: a disposable run without its payload is not redriven',
    from: "run.trimmed?.includes('payload')",
    to: "run.trimmed?.includes('result')",
  },
  {
    name: 'takes a payload from a change',
    caughtBy: 'change alters nothing that a run was submitted with',
    from: 'const changed = withIdentity(copyRun(next), run);',
    to: 'const changed = withIdentity(copyRun(next), { ...run, payload: next.payload });',
  },
  {
    name: 'holds each lane but not all of them',
    caughtBy: 'hold without a lane stops claims of all lanes',
    from: '[holdKey({ source }), holdKey({ lane, source })]',
    to: '[holdKey({ lane, source })]',
  },
  {
    name: 'claims from a lane whose first hold has ended',
    caughtBy: 'nextRunAt of a claim is the end of the hold while runs wait in the lane',
    from: 'latest = Math.max(latest, hold.expiresAt ?? Infinity);',
    to: 'latest = Math.min(latest || Infinity, hold.expiresAt ?? Infinity);',
  },
  {
    name: 'keeps a lane on hold for ever',
    caughtBy: 'hold ends by itself, by the clock of the broker, with: until',
    from: 'if (isHoldActive(hold, now)) latest = Math.max(latest, hold.expiresAt ?? Infinity);',
    to: 'latest = Infinity;',
  },
  {
    name: 'lets more than one run through to probe',
    caughtBy: 'probe: one claim lets one run of each lane through',
    from: ", passage === 'probe' ? 1 : Infinity)",
    to: ')',
  },
  {
    name: 'lets a run through by each claim',
    caughtBy: 'probe: several claims at the same time let one run through',
    from: "if (passage === 'probe') notes.probe(lane, now);",
    to: '',
  },
  {
    name: 'begins anew to wait where it found no run to let through',
    caughtBy: 'probe: a claim that gets nothing changes nothing',
    from: "if (passage === 'closed') continue;",
    to: `if (passage === 'closed') continue;
      if (passage === 'probe') notes.probe(lane, now);`,
  },
  {
    name: 'ends a hold that is to probe',
    caughtBy: 'probe: it never ends by itself, only when it is resumed',
    from: 'holds.some(({ probeMs }) => probeMs !== undefined)',
    to: 'holds.some(({ expiresAt = 0, probeMs }) => probeMs !== undefined && expiresAt > now)',
  },
  {
    name: 'does not say which run was let through',
    caughtBy:
      'probe: before until no run is let through, then one that is marked, and no other before probeMs',
    from: 'isOverLimit: full !== undefined, ...isProbe',
    to: 'isOverLimit: full !== undefined',
  },
  {
    name: 'wakes workers for runs of a lane on hold',
    caughtBy: 'a wait for work does not end for runs of a lane on hold: one lane',
    from: ' || laneHeldUntil(run.lane, now) > now) return false;',
    to: ') return false;',
  },
  {
    name: 'does not wake a waiting worker when a hold ends',
    caughtBy: 'a wait for work ends when a hold ends by itself',
    from: 'return lane.isReady ? lane.heldUntil : Math',
    to: 'return lane.isReady ? Infinity : Math',
  },
  {
    name: 'names an instant at which the lane is still on hold',
    caughtBy: 'nextRunAt of a claim is when the next run is due, but not before the hold ends',
    from: 'Math.max(lane.heldUntil, lane.dueAt)',
    to: 'lane.dueAt',
  },
];
