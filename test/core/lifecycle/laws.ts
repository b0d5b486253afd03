import { isEnd, type RunEvent, type RunRecord } from '@retry/core/lifecycle';
import { type Counter, EXPECTED_ARROWS } from './expected-arrows.ts';
import type { Node, Step } from './explore.ts';
import type { Limits } from './worker-events.ts';

/** A rule for every event on every run. */
export interface Law {
  readonly sentence: string;
  readonly holds: (step: Step, limits: Limits) => boolean;
}

/** A law about accepted events; rejected ones change nothing. */
function ofMoves(sentence: string, holds: (to: Node, step: Step, limits: Limits) => boolean): Law {
  return { sentence, holds: (step, limits) => step.to === undefined || holds(step.to, step, limits) };
}

const COUNTERS: readonly Counter[] = ['epoch', 'failures', 'stalls', 'releases', 'rateLimits', 'redrives'];
const STAMPS = [
  'createdAt',
  'submittedAt',
  'firstStartedAt',
  'startedAt',
  'heartbeatAt',
  'runAt',
  'endedAt',
] as const;

const COUNTED = new Map(EXPECTED_ARROWS.map(([from, type, to, added]) => [`${from} ${type} ${to}`, added]));

/** Each law of the lifecycle, as a sentence and as a check of one step. */
export const LAWS: readonly Law[] = [
  ofMoves('moves along the arrows of the table only', ({ run }, { from, event }) =>
    COUNTED.has(`${from.run.state} ${event.type} ${run.state}`),
  ),
  {
    sentence: 'answers a rejection with the state and the event, and nothing else',
    holds: ({ answer, from, event }) =>
      answer.type === 'moved' ||
      (answer.from === from.run.state && answer.event === event.type && Object.keys(answer).length === 3),
  },
  ofMoves('leaves an end by redrive only, or by recover and give-up when stalled', (_, { from, event }) => {
    if (!isEnd(from.run.state)) return true;
    if (from.run.state === 'stalled') return ['redrive', 'recover', 'giveUp'].includes(event.type);
    return ['failed', 'rateLimited'].includes(from.run.state) && event.type === 'redrive';
  }),
  ofMoves(
    'charges for retry, fail and a stall alone, one each, and for nothing else',
    ({ run }, { from, event }) => {
      if (isReset(event)) return run.failures + run.stalls + run.carried === 0;
      const charge = ['retry', 'fail', 'stall'].includes(event.type) && !isSharedStall(event) ? 1 : 0;
      return run.failures + run.stalls - from.run.failures - from.run.stalls === charge;
    },
  ),
  ofMoves('charges no release, no limit, no shared stall and no operator', ({ run }, { from, event }) => {
    const uncharged: readonly RunEvent['type'][] = ['release', 'limit', 'reschedule', 'end', 'cancel'];
    if (!uncharged.includes(event.type) && !isSharedStall(event)) return true;
    return run.failures === from.run.failures && run.stalls === from.run.stalls;
  }),
  ofMoves('never charges more attempts than maxAttempts', ({ run }, { isSent }, limits) => {
    const extra = limits.keepsExhausted ? run.redrives : 0;
    // A claim that was made while attempts were left may fail; only events that a worker would send count.
    return !isSent || run.carried + run.failures + run.stalls <= limits.maxAttempts + extra;
  }),
  ofMoves('has one reason for every claim since the last reset', ({ run, hasEndedStarted }) => {
    const open = run.state === 'started' || hasEndedStarted ? 1 : 0;
    return run.epoch - run.resetEpoch === run.failures + run.stalls + run.releases + open;
  }),
  ofMoves(
    'changes what was carried along only by a redrive that resets the attempts, to 0',
    ({ run }, { from, event }) => (isReset(event) ? run.carried === 0 : run.carried === from.run.carried),
  ),
  ofMoves('lets no counter shrink but at a redrive that resets the attempts', ({ run }, { from, event }) =>
    COUNTERS.every((counter) => run[counter] >= from.run[counter] || isReset(event)),
  ),
  ofMoves('lets the epoch grow by one at a start and never otherwise', ({ run }, { from, event }) =>
    event.type === 'start' ? run.epoch === from.run.epoch + 1 : run.epoch === from.run.epoch,
  ),
  ofMoves('counts each arrow as the table says', ({ run }, { from, event }) => {
    const ofArrow = COUNTED.get(`${from.run.state} ${event.type} ${run.state}`) ?? {};
    const added: typeof ofArrow = isSharedStall(event) ? { releases: 1 } : ofArrow;
    const kept: RunRecord = isReset(event) ? { ...from.run, ...RESET, resetEpoch: from.run.epoch } : from.run;
    if (run.resetEpoch !== kept.resetEpoch) return false;
    return COUNTERS.every((counter) => run[counter] === kept[counter] + (added[counter] ?? 0));
  }),
  ofMoves('changes a waiting run by reschedule in its instants only', ({ run }, { from, event }) => {
    if (event.type !== 'reschedule') return true;
    const { state, submittedAt, runAt } = run;
    return JSON.stringify({ ...from.run, state, submittedAt, runAt }) === JSON.stringify(run);
  }),
  ofMoves('changes a waiting run by end in its state and endedAt only', ({ run }, { from, event }) => {
    if (event.type !== 'end') return true;
    return JSON.stringify({ ...from.run, state: event.as, endedAt: event.at }) === JSON.stringify(run);
  }),
  ofMoves('sets createdAt by the submission and never changes it', ({ run }, { from, event }) =>
    event.type === 'submit' ? run.createdAt === event.at : run.createdAt === from.run.createdAt,
  ),
  ofMoves('writes the timestamps of the seed and leaves the others', ({ run }, { from, event }) => {
    const expected = { ...from.run, ...stampsOf(from.run, event, run.state) };
    return STAMPS.every((stamp) => run[stamp] === expected[stamp]);
  }),
  {
    sentence: 'returns the effects that the keeper of the run has to carry out',
    holds: ({ answer, from, event }) =>
      answer.type === 'rejected' ||
      JSON.stringify(answer.effects) === JSON.stringify(effectsOf(from.run, answer.run, event)),
  },
];

const RESET = { failures: 0, stalls: 0, releases: 0, rateLimits: 0 };

/** Runs that stalled together: it is unknown which of them ended their worker, so none is charged. */
function isSharedStall(event: RunEvent): boolean {
  return event.type === 'stall' && event.isShared === true;
}

function isReset(event: RunEvent): boolean {
  return event.type === 'redrive' && event.keepAttempts !== true;
}

// seed 001: submitted_at is overwritten each time; started_at is the first start and retried_at any later one;
// an end has completed_at.
function stampsOf(run: RunRecord, event: RunEvent, to: RunRecord['state']): Partial<RunRecord> {
  const { type, at } = event;
  if (type === 'heartbeat') return { heartbeatAt: Math.max(at, run.heartbeatAt ?? 0) };
  if (isEnd(to)) return { endedAt: at };
  if (to === 'started') return startStamps(run, at);
  if (type === 'promote') return { submittedAt: at };
  // When it is due, also if that is immediately: lateness is measured from there.
  if (type === 'reschedule' && run.state === to && to === 'submitted') return {}; // it keeps its place
  if (to === 'submitted') {
    return { ...(type === 'submit' && { createdAt: at }), submittedAt: at, runAt: at };
  }
  const runAt = 'runAt' in event && event.runAt !== undefined && event.runAt > at ? event.runAt : at;
  return type === 'submit' ? { createdAt: at, submittedAt: at, runAt } : { runAt };
}

function startStamps(run: RunRecord, at: number): Partial<RunRecord> {
  return {
    heartbeatAt: at,
    ...{ firstStartedAt: run.firstStartedAt ?? at, startedAt: at },
  };
}

function effectsOf(
  from: RunRecord,
  { state, runAt, epoch }: RunRecord,
  { type }: RunEvent,
): readonly object[] {
  if (type === 'heartbeat') return [];
  if (type === 'reschedule' && state === 'submitted' && from.state === state) return [];
  if (state === 'submitted') return [{ type: 'enqueue' }];
  if (state === 'scheduled') return [{ type: 'schedule', runAt }];
  return state === 'started' ? [{ type: 'lease', epoch }] : [{ type: 'end' }];
}
