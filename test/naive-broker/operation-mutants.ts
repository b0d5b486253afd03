import type { Mutant } from './mutants.ts';

/** Mistakes with releases for later, ends by hand, reschedules, holds, policies and origins, one each. */
export const OPERATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'puts a run that is released for later into its lane now',
    caughtBy: 'release for later schedules the run, uncharged',
    from: 'write(kept, settlement, now);',
    to: `const { event, next } = settlement;
      write(kept, event === 'release' ? { ...settlement, next: { ...next, state: 'submitted' } } : settlement, now);`,
  },
  {
    name: 'takes policy and origin from a settlement',
    caughtBy: 'policy and origin do not change by a settlement that has others, or none',
    from: '...{ lane, payload, concurrency, retry, origin, isCancelRequested: undefined },',
    to: '...{ lane, payload, concurrency, isCancelRequested: undefined },',
  },
  {
    name: 'takes context and carried attempts from a settlement',
    caughtBy: 'what was brought along does not change by a settlement that has other numbers',
    from: '...{ context, carried },',
    to: '',
  },
  {
    name: 'forgets what a run brings along',
    caughtBy: 'submit keeps what a run brings along, and every read returns it',
    from: 'carrySpent(run, submission.spent);',
    to: '',
  },
  {
    name: 'charges an end by hand',
    caughtBy: 'end fails a run that waits in its lane, uncharged, with the error as its latest',
    from: '...outcome, isDisposable: undefined };',
    to: '...outcome, isDisposable: undefined, failures: kept.run.failures + 1 };',
  },
  {
    name: 'keeps a run disposable that was failed by hand',
    caughtBy: 'end makes a dead letter of a run that was disposable before',
    from: '...outcome, isDisposable: undefined };',
    to: '...outcome };',
  },
  {
    name: 'forgets earlier errors by an end',
    caughtBy: 'end fails a run that waits after a retry, uncharged, with the error as its latest',
    from: 'addError(errors, {',
    to: 'addError([], {',
  },
  {
    name: 'refuses to end a started run instead of leaving a request',
    caughtBy: 'end leaves a cancel request for the worker of a started run',
    from: 'requestCancel(request.id);',
    to: '',
  },
  {
    name: 'ends what has ended once more',
    caughtBy: 'end answers a whole batch in order, the first request of an id decides',
    from: "if (ENDED.includes(kept.run.state)) return 'ended';\n    if (kept.run.state === 'started') {",
    to: "if (kept.run.state === 'started') {",
  },
  {
    name: 'sends a run that is rescheduled to now to the back of its lane',
    caughtBy: 'reschedule to now leaves a run that is in its lane where it is, as it is',
    from: "if (state === 'submitted' && dueAt <= now) return 'rescheduled';",
    to: '',
  },
  {
    name: 'reschedules to the earlier of runAt and delayMs',
    caughtBy: 'reschedule takes the later of runAt and delayMs, fractions up',
    from: 'const dueAt = keepableMs(Math.max(runAt, now + delayMs));',
    to: 'const dueAt = keepableMs(Math.min(runAt, now + delayMs));',
  },
  {
    name: 'reschedules to a fraction of a millisecond',
    caughtBy: 'reschedule takes the later of runAt and delayMs, fractions up',
    from: 'const dueAt = keepableMs(Math.max(runAt, now + delayMs));',
    to: 'const dueAt = Math.max(runAt, now + delayMs);',
  },
  {
    name: 'reschedules scheduled runs only',
    caughtBy: 'reschedule moves a run that waits in its lane to a later instant, and changes no more',
    from: "if (state !== 'submitted' && state !== 'scheduled') return 'refused';",
    to: "if (state !== 'scheduled') return 'refused';",
  },
  {
    name: 'holds each lane but not all of them',
    caughtBy: 'hold without a lane stops claims of all lanes',
    from: 'hold.lane === undefined || hold.lane === lane',
    to: 'hold.lane === lane',
  },
  {
    name: 'claims from a lane whose first hold has ended',
    caughtBy: 'nextRunAt of a claim is the end of the hold while runs wait in the lane',
    from: 'return Math.max(0, ...active',
    to: 'return active.length === 0 ? 0 : Math.min(...active',
  },
  {
    name: 'keeps a lane on hold for ever',
    caughtBy: 'hold ends by itself, by the clock of the broker, with: until',
    from: 'return until === undefined || until > now;',
    to: 'return until === undefined || until > 0;',
  },
  {
    name: 'shortens a hold that was to keep the longer one',
    caughtBy: 'hold with keepLonger leaves one that ends later, or not by itself',
    from: 'if (request.keepLonger && present',
    to: 'if (request.lane === undefined && present',
  },
  {
    name: 'replaces the hold of another source',
    caughtBy: 'resume of one source leaves the others: a lane waits for all of its holds',
    from: 'lane === request.lane && source === request.source',
    to: 'lane === request.lane',
  },
  {
    name: 'resumes the holds of every source',
    caughtBy: 'resume answers none where there is no such hold, each in order',
    from: 'hold.lane === lane && (source === undefined || hold.source === source)',
    to: 'hold.lane === lane',
  },
  {
    name: 'resumes a hold that has ended',
    caughtBy: 'resume answers none where there is no such hold, each in order',
    from: "if (!list(now).some(isMeant)) return 'none';",
    to: "if (!holds.some(isMeant)) return 'none';",
  },
  {
    name: 'lists holds as they come',
    caughtBy: 'holds lists who, why and until when, by lane and source, those of all lanes first',
    from: '.sort(compareHolds)',
    to: '',
  },
  {
    name: 'lets more than one run through to probe',
    caughtBy: 'probe: one claim lets one run of each lane through',
    from: 'if (isProbe) left = Math.min(left, 1);',
    to: '',
  },
  {
    name: 'lets a run through by each claim',
    caughtBy: 'probe: several claims at the same time let one run through',
    from: 'if (isProbe) holds.noteProbe(kept.run.lane, now);',
    to: '',
  },
  {
    name: 'begins anew to wait where it found no run to let through',
    caughtBy: 'probe: a claim that gets nothing changes nothing',
    from: 'const isProbe = holds.probes(lane);',
    to: 'const isProbe = holds.probes(lane);\n      if (isProbe) holds.noteProbe(lane, now);',
  },
  {
    name: 'ends a hold that is to probe',
    caughtBy: 'probe: it never ends by itself, only when it is resumed',
    from: ' || hold.probeMs !== undefined)',
    to: ')',
  },
  {
    name: 'does not say which run was let through',
    caughtBy:
      'probe: before until no run is let through, then one that is marked, and no other before probeMs',
    from: '...(isProbe && { isProbe })',
    to: '',
  },
  {
    name: 'wakes workers for runs of a lane on hold',
    caughtBy: 'waitForWork does not end for runs of a lane on hold: one lane',
    from: ' || holds.heldUntil(run.lane, now) > now) return false;',
    to: ') return false;',
  },
  {
    name: 'does not wake a waiting worker when a hold ends',
    caughtBy: 'waitForWork ends when a hold ends by itself',
    from: 'return until > now ? [until] : [];',
    to: 'return [];',
  },
  {
    name: 'names an instant at which the lane is still on hold',
    caughtBy: 'nextRunAt of a claim is when the next run is due, but not before the hold ends',
    from: '[Math.max(until, run.runAt ?? 0)]',
    to: '[run.runAt ?? 0]',
  },
];
