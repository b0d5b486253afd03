import { InvalidOptionsError, parsePolicy } from '@retry/core';
import type { Replay } from '@retry/core/failures';
import { replay, summarizeReplays } from '@retry/core/failures';
import { integerFrom } from '@retry/core/fields';
import { DEAD_LETTER_STATES } from '@retry/core/lifecycle';
import type { DeadLetterFilter, RunView } from '@retry/worker';
import type { ReplayAnswer, ReplayedRun, ReplayRequest } from '../../api.ts';
import type { Mask } from '../../show/mask.ts';
import { readBody, valuesOf } from '../body.ts';
import type { Call, Desk } from '../call.ts';
import { openGroup, taskOf } from '../groups.ts';
import { inTurns } from './in-turns.ts';

const KEYS: readonly (keyof ReplayRequest)[] = ['policy', 'lane', 'group', 'limit'];
const MAX_RUNS = 1_000;
const SHOWN_RUNS = 20;

/** The most rules of `retryOn` and `stopOn` together. */
const MAX_MATCHERS = 200;

/** How long this process may compute for all runs of a replay. */
const MAX_MS = 1_000;

/** `POST replay`. It changes nothing. */
export function replayPolicy({ desk, visitor, body }: Call): Promise<ReplayAnswer> {
  const request = readReplay(body);
  return desk.replays(() => replayRuns(request, { desk, visitor }));
}

async function replayRuns(
  { policy, lane, group, limit = MAX_RUNS }: ReplayRequest,
  { desk, visitor }: Pick<Call, 'desk' | 'visitor'>,
): Promise<ReplayAnswer> {
  const parsed = parsePolicy(policy);
  const filter = await filterOf(desk, lane, group);
  const { runs, isComplete } = await firstLetters(desk, filter, limit);
  const present = lane === undefined ? undefined : desk.tasks.get(lane)?.retry;
  const call = (stored: RunView): { readonly replayed: Replay; readonly present?: Replay } => {
    const run = visitor.rights.unmask ? stored : maskedRun(stored, desk.mask);
    return { replayed: replay(parsed, run), ...(present && { present: replay(present, run) }) };
  };
  const results = await inTurns(runs, { budgetMs: MAX_MS, call });
  if (results === undefined) throw tooSlow(policy);
  const replays = results.map(({ replayed }) => replayed);
  return {
    summary: summarizeReplays(replays),
    ...(present && { present: summarizeReplays(results.flatMap((each) => each.present ?? [])) }),
    isComplete,
    runs: replays.slice(0, SHOWN_RUNS).map(replayedRun),
  };
}

function readReplay(body: unknown): ReplayRequest {
  return readBody<ReplayRequest>(body, { subject: 'replay', keys: KEYS }, (fields) => {
    const limit = fields.number('limit', MAX_RUNS, A_LIMIT);
    const named = fields.optional('lane', A_LANE);
    if (fields.value('group') !== undefined && named === undefined)
      fields.fail('lane', A_LANE.message, A_LANE.cure);
    if (countMatchers(fields.value('policy')) > MAX_MATCHERS)
      fields.fail('policy', `has more than ${MAX_MATCHERS} rules in retryOn and stopOn`, 'Use fewer.');
    return { ...valuesOf<ReplayRequest>(fields, KEYS), limit };
  });
}

/** Counts the rules of what may be a policy. */
function countMatchers(policy: unknown): number {
  const { retryOn, stopOn } = Object(policy) as { readonly retryOn?: unknown; readonly stopOn?: unknown }; // read as any value
  return [retryOn, stopOn].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

function tooSlow(value: unknown): InvalidOptionsError {
  const message = 'takes too long on these messages';
  const cure = 'Match by code, name, status or text, with fewer rules; or look at fewer runs.';
  return new InvalidOptionsError([{ path: 'policy', value, message, cure }], 'replay');
}

/** Finds every dead letter, those of a lane, or those of a group. */
async function filterOf(
  desk: Desk,
  lane: string | undefined,
  id: string | undefined,
): Promise<DeadLetterFilter> {
  if (lane === undefined) return {};
  return id === undefined ? taskOf(lane) : (await openGroup(desk, { lane, id })).filter;
}

/** Reads dead letters, of all states unless the filter has one. */
async function firstLetters(
  { queue }: Desk,
  { state, ...filter }: DeadLetterFilter,
  most: number,
): Promise<{ readonly runs: readonly RunView[]; readonly isComplete: boolean }> {
  const runs: RunView[] = [];
  let isComplete = true;
  for (const each of state === undefined ? DEAD_LETTER_STATES : [state]) {
    // One more than there is room for, to know whether there are more.
    const limit = Math.min(most - runs.length + 1, MAX_RUNS);
    const page = await queue.deadLetters.list({ ...filter, state: each, limit, payloads: 'omit' });
    isComplete &&= page.next === undefined && runs.length + page.runs.length <= most;
    runs.push(...page.runs.slice(0, most - runs.length));
  }
  return { runs, isComplete };
}

/** What text would match is told by how many runs are retried: it may be sought only in what is shown. */
function maskedRun(run: RunView, mask: Mask): RunView {
  const { task, version } = run;
  const masked = (value: string): string => String(mask({ kind: 'message', task, version, value }));
  return { ...run, errors: run.errors.map((error) => ({ ...error, message: masked(error.message) })) };
}

function replayedRun({
  id = '',
  isRetried,
  attempt,
  recordedAttempt,
  reason,
  laterByMs,
  missing,
}: Replay): ReplayedRun {
  return {
    ...{ id, isRetried, attempt, recordedAttempt, missing },
    ...(reason !== undefined && { reason }),
    ...(laterByMs !== undefined && { laterByMs }),
  };
}

const A_LIMIT = {
  ...integerFrom(1, 'Leave it out for 1000.'),
  accepts: (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= MAX_RUNS,
  message: `must be an integer from 1 to ${MAX_RUNS}`,
};

const A_LANE = {
  accepts: (value: unknown): value is string => typeof value === 'string' && value !== '',
  message: 'must be the lane of a task: name@version',
  cure: "Use lane: 'send-email@1'.",
};
