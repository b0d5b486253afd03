import type { Counters } from '../decision/counters.ts';
import { chargedAttempts } from '../decision/counters.ts';
import type { FailReason } from '../decision/decision.ts';
import { type ArgumentRule, checkArguments } from '../fields/check-arguments.ts';
import type { Policy } from '../policy/policy.ts';
import { checkPolicy, settingsOf } from '../policy/settings.ts';
import { read, tagOf } from '../read.ts';
import type { ReplayDecision } from './decide-recorded.ts';
import { decideRecorded, ENDED } from './decide-recorded.ts';
import type { MissingFact } from './missing-facts.ts';
import { missingFacts, missingTimes } from './missing-facts.ts';
import type { RecordedRun } from './recorded-attempt.ts';
import type { KnownRun } from './recorded-run.ts';
import { checkAttempts, countAttempt, knownRun } from './recorded-run.ts';

/** What a policy would have decided about a recorded run. */
export interface Replay {
  /** The id of the recorded run, if it has one. */
  readonly id?: string | undefined;
  /** Whether it would have had another attempt after the last recorded one. */
  readonly isRetried: boolean;
  /** The attempt after which it would have ended, counted from 1; if it is retried, the last recorded one. */
  readonly attempt: number;
  /** The last recorded attempt, counted from 1; 0 if none is recorded. */
  readonly recordedAttempt: number;
  /** Why it would have ended; absent if it is retried. `'ended'`: that was not for a policy to decide. */
  readonly reason?: FailReason | 'ended';
  /**
   * How many milliseconds later it would have ended, from the start of its first attempt; negative: sooner. If it is
   * retried: by how many the next attempt would have started after the recorded end. Absent if a time is missing.
   */
  readonly laterByMs?: number;
  /** One for each recorded attempt up to the last that would have been made, in order. */
  readonly decisions: readonly ReplayDecision[];
  /** The recorded facts that the decisions had to do without; empty: they are what `decide` would have returned. */
  readonly missing: readonly MissingFact[];
}

/** Options of `replay`. */
export interface ReplayOptions {
  /** Source of randomness for the delays: returns a number in [0, 1). @default 0.5: the middle of each range */
  readonly random?: (() => number) | undefined;
}

/**
 * Returns what a policy would have decided about the recorded failures of a run: asks `decide` about one after the other,
 * until it refuses a retry or the record ends. Attempts fail as they did and take as long; the delays are the policy's.
 *
 * It says what would have been decided, never what the server would have answered: whether an attempt at another time, or
 * one more, would have succeeded is not known.
 *
 * @throws {InvalidOptionsError} when `policy` is not a defined policy, `run` has no list of errors, or an option is wrong
 * @see docs/error-groups.md#what-would-another-policy-do
 */
export function replay(policy: Policy, run: RecordedRun, options: ReplayOptions = {}): Replay {
  checkPolicy(policy, 'replay');
  checkArguments('replay', { options: [options, REPLAY_OPTIONS] });
  const { random = () => 0.5 } = options;
  checkAttempts(read(run, 'errors'), 'run');
  const known = knownRun(run);
  const { decisions, attempt, recordedAttempt, endedAt, missing } = walkRun(policy, run, { known, random });
  const last = decisions.at(-1) ?? ENDED;
  const recordedAt = run.errors.at(-1)?.at;
  const hasTimes = recordedAt !== undefined && missingTimes(known).length === 0;
  return {
    ...(run.id !== undefined && { id: run.id }),
    isRetried: last.type === 'retry',
    attempt,
    recordedAttempt,
    ...(last.type === 'fail' && { reason: last.reason }),
    ...(hasTimes && { laterByMs: endedAt - recordedAt }),
    decisions,
    missing,
  };
}

/** A rule of the whole, not `readOptions`: the page of the board replays, and has no use for cures of misspelt keys. */
const REPLAY_OPTIONS: ArgumentRule = {
  accepts: (value) =>
    Object.entries(value as object).every(isReplayOption) && tagOf(value) === '[object Object]', // of null it throws
  message: 'must be an object of options',
  cure: 'Its only key is random: () => 0.5.',
};

function isReplayOption([key, value]: readonly [key: string, value: unknown]): boolean {
  return key === 'random' && (value === undefined || typeof value === 'function');
}

/** Where a replay ends. */
interface Walked extends Pick<Replay, 'decisions' | 'attempt' | 'recordedAttempt' | 'missing'> {
  /** When the last attempt failed; if it is retried, when the next one would start. */
  readonly endedAt: number;
}

interface WalkOptions {
  readonly known: KnownRun;
  readonly random: () => number;
}

function walkRun(policy: Policy, { id, lane }: RecordedRun, { known, random }: WalkOptions): Walked {
  const decisions: ReplayDecision[] = [];
  const missing = new Set<MissingFact>(missingTimes(known));
  let counters: Counters & KnownRun['before'] = known.before;
  let [now, attempt] = [known.startAt, 0];
  for (const recorded of known.attempts) {
    attempt = chargedAttempts(counters) + 1;
    const startedAt = attempt === 1 ? now : known.totalStartAt;
    now += recorded.durationMs ?? 0;
    counters = countAttempt(counters, recorded);
    const context = { now, random, startedAt, attemptMs: recorded.durationMs, id, lane };
    const decision = decideRecorded(policy, counters, recorded, context);
    for (const fact of missingFacts(settingsOf(policy), recorded)) missing.add(fact);
    decisions.push(decision);
    if (decision.type === 'fail') break;
    now += decision.delayMs;
    // A shared stall is repeated at once, by no delay of the policy that decorrelated backoff grows from.
    if (recorded.end !== 'shared stall') counters = { ...counters, previousDelayMs: decision.delayMs };
  }
  return { decisions, attempt, recordedAttempt: lastAttempt(known), endedAt: now, missing: [...missing] };
}

function lastAttempt({ attempts, before }: KnownRun): number {
  if (attempts.length === 0) return 0;
  return chargedAttempts(attempts.slice(0, -1).reduce(countAttempt, before)) + 1;
}
