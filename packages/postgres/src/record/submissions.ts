import type { Submission } from '@retry/core/broker';
import { writeExtras } from '@retry/core/broker/kit';
import { toCount, upToWhole } from '../driver/sql-values.ts';
import type { ArgumentsOf, RetentionArguments, SettlementArguments } from '../schema/signatures.ts';
import type { WorkNotification } from '../wake/notifications.ts';

/** Returns what the workers of this process are notified of when these runs are submitted. */
export function submittedLanes(
  submissions: readonly Submission[],
): Pick<WorkNotification, 'ready' | 'later'> {
  return { ready: lanesOf(submissions, 'now'), later: lanesOf(submissions, 'later') };
}

function lanesOf(submissions: readonly Submission[], when: 'now' | 'later'): readonly string[] {
  const isLater = ({ runAt, delayMs = 0 }: Submission): boolean => runAt !== undefined || delayMs > 0;
  const found = submissions.filter((submission) => isLater(submission) === (when === 'later'));
  return [...new Set(found.map(({ lane }) => lane))];
}

/** Returns submissions as arguments of `submit_runs`. */
export function submissionArguments(
  submissions: readonly Submission[],
): Omit<ArgumentsOf<'submit_runs'>, 'notify'> {
  const whole = (ms: number | undefined): number | undefined =>
    ms === undefined ? undefined : upToWhole(ms);
  return {
    ids: submissions.map(({ id }) => id),
    lanes: submissions.map(({ lane }) => lane),
    payloads: submissions.map(({ payload }) => payload),
    runAts: submissions.map(({ runAt }) => whole(runAt)),
    delaysMs: submissions.map(({ delayMs }) => whole(delayMs)),
    keys: submissions.map(({ concurrency }) => concurrency?.key),
    keyLimits: submissions.map(({ concurrency }) => concurrency && toCount(concurrency.limit)),
    keyWaits: submissions.map(({ concurrency }) => concurrency && concurrency.whenFull === 'wait'),
    keepsKeys: submissions.map(({ concurrency }) => concurrency?.holdWhileRetrying || undefined),
    keyed: submissions.map(({ keyed }) => keyed || undefined),
    keepResultsMs: submissions.map(({ keepResultMs }) => whole(keepResultMs)),
    extras: submissions.map(writeExtras),
    fairnessKeys: fairnessKeysOf(submissions),
  };
}

/** `null` where no run has a fairness key: then none has to be submitted by turn. */
function fairnessKeysOf(submissions: readonly Submission[]): readonly (string | undefined)[] | null {
  if (submissions.every(({ fairnessKey }) => fairnessKey === undefined)) return null;
  return submissions.map(({ fairnessKey }) => fairnessKey);
}

/** Returns submissions as arguments of `settle_and_submit`. */
export function submitArguments(submissions: readonly Submission[]): SubmitArguments {
  const given = submissionArguments(submissions);
  return {
    submitIds: given.ids,
    submitLanes: given.lanes,
    submitPayloads: given.payloads,
    submitRunAts: given.runAts,
    submitDelaysMs: given.delaysMs,
    submitKeys: given.keys,
    submitKeyLimits: given.keyLimits,
    submitKeyWaits: given.keyWaits,
    submitKeepsKeys: given.keepsKeys,
    submitKeyed: given.keyed,
    submitKeepResultsMs: given.keepResultsMs,
    submitExtras: given.extras,
    submitFairnessKeys: given.fairnessKeys,
  };
}

type SubmitArguments = Omit<
  ArgumentsOf<'settle_and_submit'>,
  keyof SettlementArguments | keyof RetentionArguments | 'notify'
>;
