import type { Audit, Run } from '@retry/core/broker';
import type { HeldTime } from './operator.ts';
import type { Deed } from './plan.ts';
import { CLEANER_MS, LEASE_MS, SLACK_MS } from './plan.ts';

/** What the run left behind. */
export interface Evidence {
  readonly deeds: readonly Deed[];
  readonly audit: Audit;
  readonly runs: readonly (Run | undefined)[];
  /** The unique runs of each key, in the order of their submissions. */
  readonly uniques: readonly (readonly (Run | undefined)[])[];
  readonly held: readonly HeldTime[];
  readonly lastStrikeAt: number;
}

/** Promises that were broken; none when all is well. */
export function findBroken(evidence: Evidence): readonly string[] {
  const { deeds, audit, uniques, held, lastStrikeAt } = evidence;
  const runs = [...evidence.runs, ...uniques.flat()];
  const lost = runs.filter((run) => run?.state !== 'completed').length;
  const early = evidence.runs.flatMap((run) => startsWhileHeld(run, held));
  const together = uniques.reduce((sum, ofKey) => sum + countTogether(ofKey), 0);
  const twice = countTwice(deeds);
  const late = latestStall(deeds) - lastStrikeAt - (LEASE_MS + CLEANER_MS + SLACK_MS);
  const charged = runs.filter((run) => run !== undefined && !isAccounted(run)).length;
  return [
    ...(lost > 0 ? [`${lost} runs are not completed`] : []),
    ...(audit.unbalanced !== 0 ? [`the audit is unbalanced by ${audit.unbalanced}`] : []),
    ...(audit.ended.completed !== runs.length
      ? [`${audit.ended.completed} of ${runs.length} are counted as completed`]
      : []),
    ...(twice > 0 ? [`${twice} claims were executed twice`] : []),
    ...(charged > 0 ? [`${charged} runs have epochs that nothing accounts for`] : []),
    ...(early.length > 0
      ? [`${early.length} runs were claimed while their lane was on hold: ${early.slice(0, 5).join(', ')}`]
      : []),
    ...(together > 0 ? [`${together} unique runs were submitted while their key was taken`] : []),
    ...(late > 0 ? [`the last stall was found ${late} ms too late`] : []),
  ];
}

/** Claims, that is an id and an epoch, that more than one handler ran. */
function countTwice(deeds: readonly Deed[]): number {
  const starts = deeds.filter(({ type }) => type === 'start').map(({ id, epoch }) => `${epoch}:${id}`);
  return starts.length - new Set(starts).size;
}

function latestStall(deeds: readonly Deed[]): number {
  return deeds.filter(({ type }) => type === 'stalled').reduce((latest, { at }) => Math.max(latest, at), 0);
}

/** Servers and this process share one clock, but each rounds it. */
const ROUNDING_MS = 2;

/** Which run was claimed when, if its lane was on hold then. */
function startsWhileHeld(run: Run | undefined, held: readonly HeldTime[]): readonly string[] {
  const { id, epoch, startedAt = 0 } = run ?? { id: '', epoch: 0 };
  return held
    .filter(({ from, until }) => startedAt > from + ROUNDING_MS && startedAt < until - ROUNDING_MS)
    .map(
      ({ from, until }) => `${id} epoch ${epoch}, ${startedAt - from} ms after a hold of ${until - from} ms`,
    );
}

/** How many runs of one key were submitted before the one before had ended. */
function countTogether(runs: readonly (Run | undefined)[]): number {
  return runs.filter((run, index) => (run?.createdAt ?? 0) < (runs[index - 1]?.endedAt ?? 0)).length;
}

/** Every claim ended as a failure, a stall, a release, or the completion. */
function isAccounted({ epoch, failures, stalls, releases }: Run): boolean {
  return epoch === failures + stalls + releases + 1;
}
