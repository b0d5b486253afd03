import type { Audit, Run } from '@retry/core/broker';
import { latenessOfStalls } from './calm.ts';
import type { MortalEvidence } from './mortals.ts';
import { findBrokenMortals } from './mortals.ts';
import type { HeldTime } from './operator.ts';
import type { Deed } from './plan.ts';

/** What the run left behind. */
export interface Evidence {
  readonly deeds: readonly Deed[];
  readonly audit: Audit;
  readonly runs: readonly (Run | undefined)[];
  /** The unique runs of each key, in the order of their submissions. */
  readonly uniques: readonly (readonly (Run | undefined)[])[];
  readonly mortals: MortalEvidence;
  readonly held: readonly HeldTime[];
  /** When workers were struck, in epoch ms. */
  readonly strikes: readonly number[];
  /** By how much the clock of the machine was set meanwhile, at most. */
  readonly clockStepMs: number;
}

/** Promises that were broken; none when all is well. */
export function findBroken(evidence: Evidence): readonly string[] {
  const { deeds, audit, uniques, strikes, clockStepMs } = evidence;
  const held = evidence.held.map((time) => surelyHeld(time, ROUNDING_MS + clockStepMs));
  const immortal = [...evidence.runs, ...uniques.flat()];
  const mortals = evidence.mortals.runs;
  const runs = [...immortal, ...mortals];
  const lost = immortal.filter((run) => run?.state !== 'completed').length;
  const unsettled = mortals.filter(
    (run) => run !== undefined && !['completed', 'failed'].includes(run.state),
  );
  const completed = runs.filter((run) => run?.state === 'completed').length;
  const dead = runs.filter((run) => run?.state === 'failed').length;
  const calls = callsOf(deeds);
  const early = evidence.runs.flatMap((run) => startsWhileHeld(run, held, calls));
  const together = uniques.reduce((sum, ofKey) => sum + countTogether(ofKey), 0);
  const twice = countTwice(deeds);
  const lateMs = latenessOfStalls(deeds, strikes) - clockStepMs;
  const charged = runs.filter((run) => run !== undefined && !isAccounted(run)).length;
  return [
    ...(lost > 0 ? [`${lost} runs are not completed`] : []),
    ...(audit.unbalanced !== 0 ? [`the audit is unbalanced by ${audit.unbalanced}`] : []),
    ...(unsettled.length > 0 ? [`${unsettled.length} runs neither completed nor died`] : []),
    ...(audit.ended.completed !== completed
      ? [`${audit.ended.completed} of ${completed} are counted as completed`]
      : []),
    ...(audit.ended.failed !== dead ? [`${audit.ended.failed} of ${dead} are counted as failed`] : []),
    ...(twice > 0 ? [`${twice} claims were executed twice`] : []),
    ...(charged > 0 ? [`${charged} runs have epochs that nothing accounts for`] : []),
    ...(early.length > 0
      ? [`${early.length} runs were claimed while their lane was on hold: ${early.slice(0, 5).join(', ')}`]
      : []),
    ...(together > 0 ? [`${together} unique runs were submitted while their key was taken`] : []),
    ...(lateMs > 0 ? [`a stall was found ${lateMs} ms too late, though all processes were prompt`] : []),
    ...findBrokenMortals(evidence.mortals),
  ];
}

/** The name of a claim, that is an id and an epoch. */
function claimOf({ id, epoch }: Pick<Run, 'id' | 'epoch'>): string {
  return `${epoch}:${id}`;
}

/** Claims that more than one handler ran. */
function countTwice(deeds: readonly Deed[]): number {
  const starts = deeds.filter((deed) => deed.type === 'start').map(claimOf);
  return starts.length - new Set(starts).size;
}

/** Servers and this process share one clock, but each rounds it. */
const ROUNDING_MS = 2;

/** The part of a hold that no clock can place before it or after it. */
function surelyHeld({ from, until }: HeldTime, errorMs: number): HeldTime {
  return { from: from + errorMs, until: until - errorMs };
}

/** When the handler of each claim was called. */
function callsOf(deeds: readonly Deed[]): ReadonlyMap<string, number> {
  const starts = deeds.filter((deed) => deed.type === 'start');
  return new Map(starts.map((start) => [claimOf(start), start.at]));
}

/**
 * Which run was claimed when, if its lane was on hold from then until its handler was called. An exchange looks for holds after the
 * instant that it gives its claims: one that began during a hold and had to wait may find that it has ended.
 */
function startsWhileHeld(
  run: Run | undefined,
  held: readonly HeldTime[],
  calls: ReadonlyMap<string, number>,
): readonly string[] {
  const { id, epoch, startedAt = 0 } = run ?? { id: '', epoch: 0 };
  const calledAt = calls.get(claimOf({ id, epoch })) ?? startedAt;
  return held
    .filter(({ from, until }) => startedAt > from && calledAt < until)
    .map(
      ({ from, until }) => `${id} epoch ${epoch}, ${startedAt - from} ms after a hold of ${until - from} ms`,
    );
}

/** How many runs of one key were submitted before the one before had ended. */
function countTogether(runs: readonly (Run | undefined)[]): number {
  return runs.filter((run, index) => (run?.createdAt ?? 0) < (runs[index - 1]?.endedAt ?? 0)).length;
}

/** Every claim since the attempts were last reset ended as a failure, a stall, a release, or the completion. */
function isAccounted({ state, epoch, resetEpoch, failures, stalls, releases }: Run): boolean {
  return epoch - resetEpoch === failures + stalls + releases + (state === 'completed' ? 1 : 0);
}
