import type { Audit, Run } from '@retry/core/broker';
import type { Deed } from './plan.ts';
import { CLEANER_MS, LEASE_MS, RUNS, SLACK_MS } from './plan.ts';

/** What the run left behind. */
export interface Evidence {
  readonly deeds: readonly Deed[];
  readonly audit: Audit;
  readonly runs: readonly (Run | undefined)[];
  readonly lastStrikeAt: number;
}

/** Promises that were broken; none when all is well. */
export function findBroken({ deeds, audit, runs, lastStrikeAt }: Evidence): readonly string[] {
  const lost = runs.filter((run) => run?.state !== 'completed').length;
  const twice = countTwice(deeds);
  const late = latestStall(deeds) - lastStrikeAt - (LEASE_MS + CLEANER_MS + SLACK_MS);
  const charged = runs.filter((run) => run !== undefined && !isAccounted(run)).length;
  return [
    ...(lost > 0 ? [`${lost} runs are not completed`] : []),
    ...(audit.unbalanced !== 0 ? [`the audit is unbalanced by ${audit.unbalanced}`] : []),
    ...(audit.ended.completed !== RUNS
      ? [`${audit.ended.completed} of ${RUNS} are counted as completed`]
      : []),
    ...(twice > 0 ? [`${twice} claims were executed twice`] : []),
    ...(charged > 0 ? [`${charged} runs have epochs that nothing accounts for`] : []),
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

/** Every claim ended as a failure, a stall, a release, or the completion. */
function isAccounted({ epoch, failures, stalls, releases }: Run): boolean {
  return epoch === failures + stalls + releases + 1;
}
