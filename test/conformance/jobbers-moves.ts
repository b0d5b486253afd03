import type { RunEvent, RunEventType, RunRecord, RunState } from '@retry/core/lifecycle';
import { RUN_STATES } from '@retry/core/lifecycle';
import { boolean, expected, integer, listOf, oneOf, text } from './case-schema.ts';
import { eventsOf, moveBy, movesTo, runIn, timestampsBetween } from './lifecycle-moves.ts';
import { pick, type Runner } from './runner.ts';

interface DiagramCase {
  readonly from: RunState;
  readonly to: RunState;
  readonly trigger: string;
}

/** Our events for the triggers of Jobbers' diagram; the first that fits. */
const TRIGGERS: readonly (readonly [RegExp, RunEventType])[] = [
  [/cancel/i, 'cancel'],
  [/dead.?letter|dlq|resubmission/i, 'redrive'],
  [/policy (?:is )?resubmit|released/i, 'release'],
  [/policy (?:is )?stop|heartbeat|stall/i, 'stall'],
  [
    /unlisted|unexpected|not (?:listed|expected)|exhausted|no (?:more )?retries|retries reached|used up/i,
    'fail',
  ],
  [/(?:retries|attempts) (?:remain|left)|immediate retry|retry with|(?:listed|expected) exception/i, 'retry'],
  [/(?:not |un)registered|unknown|no such/i, 'drop'],
  [/\bpick(?:s|ed)?\b.* up\b|\bpick(?:s|ed)? up\b|worker (?:takes|starts|claims)|dequeue/i, 'start'],
  [/\breturn|succe|complete|finishe/i, 'complete'],
  [/run_at|comes due|is due|dispatch/i, 'promote'],
  [/submit|enqueue|created/i, 'submit'],
];

/** The state after the trigger: that of the diagram if one of its choices leads there. */
export const diagramTransition: Runner = {
  schema: { from: oneOf(...RUN_STATES), to: oneOf(...RUN_STATES), trigger: text },
  answer: ({ from, to, trigger }: DiagramCase) => {
    const type = TRIGGERS.find(([pattern]) => pattern.test(trigger))?.[1];
    if (type === undefined) throw new Error(`No event for the trigger "${trigger}".`);
    const wanted = eventsOf(type).filter(
      (event) =>
        isLater(event) ===
        /\bretry_delay (?:is )?set|with (?:a )?retry_delay|retry with (?:a )?delay|future|for later/.test(
          trigger,
        ),
    );
    const states = moveBy(runIn(from), wanted).map(({ run }) => run.state);
    return { to: states.find((state) => state === to) ?? states[0] ?? 'rejected' };
  },
  expected: (given: DiagramCase) => pick(given, ['to']),
};

/** Returns whether the event delays the run. */
function isLater(event: RunEvent): boolean {
  return 'runAt' in event && event.runAt !== undefined && event.runAt > event.at;
}

interface SetStatusCase {
  readonly to: RunState;
  readonly already_started: boolean;
  readonly fields_set: readonly string[];
}

/** The state from which each one is usually entered; from a retry if possible. */
const BEFORE: Readonly<Record<RunState, RunState>> = {
  unsubmitted: 'started',
  submitted: 'unsubmitted',
  scheduled: 'started',
  started: 'submitted',
  completed: 'started',
  failed: 'started',
  cancelled: 'started',
  stalled: 'started',
  dropped: 'submitted',
  rateLimited: 'submitted',
};

const FIELDS = {
  submittedAt: 'submitted_at',
  firstStartedAt: 'started_at',
  startedAt: 'retried_at',
  endedAt: 'completed_at',
} as const;

/** Jobbers sets a status from any other; here an event leads to it from the states that accept it. */
export const setStatus: Runner = {
  schema: {
    to: oneOf(...RUN_STATES),
    already_started: boolean,
    ...expected({ fields_set: listOf(text), retry_attempt_change: integer }),
  },
  answer: ({ to, already_started }: SetStatusCase) => {
    const before = runIn(BEFORE[to]);
    const run = already_started ? { ...before, firstStartedAt: 0, startedAt: 0 } : before;
    const [move] = movesTo(run, to);
    if (move === undefined) return { rejected: true };
    return {
      fields_set: timestampsBetween(run, move.run).map((key) => FIELDS[key]),
      retry_attempt_change: retriesOf(move.run) - retriesOf(run),
    };
  },
  expected: (given: SetStatusCase) => pick(given, ['fields_set', 'retry_attempt_change']),
};

/** Jobbers counts retries, we count what was charged: the attempt that ended the run was followed by none. */
export function retriesOf({ state, failures, stalls }: RunRecord): number {
  return failures + stalls - (state === 'failed' || state === 'stalled' ? 1 : 0);
}
