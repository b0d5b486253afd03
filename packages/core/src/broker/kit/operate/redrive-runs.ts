import { isEnd } from '../../../lifecycle/run-state.ts';
import type { DiscardAnswer, DiscardOptions, RedriveAnswer, RedriveOptions, RunEnd } from '../../acts.ts';
import type { SeenRun } from '../../change.ts';
import type { Run } from '../../run.ts';
import type { Locked } from '../../submission.ts';
import {
  check,
  checkIds,
  type Findings,
  findMap,
  findOptionsProblem,
  readCall,
} from '../check/check-findings.ts';
import type { FieldRules } from '../check/field-rules.ts';
import { FLAG, findWrongFields, NUMBER_OR_NONE, wholeFrom } from '../check/field-rules.ts';
import { copyRun, transitionRun } from '../copy-run.ts';
import { latestContext } from '../run/run-errors.ts';
import { keepableMs } from '../storable/instants.ts';
import type { ChangeableBroker, Decided } from './change-runs.ts';
import { changeRuns } from './change-runs.ts';

/**
 * Sends failed, stalled and rate limited runs to the back of their lanes, in the order given, or onto the schedule where they are due
 * later. Unless attempts are kept, `errors` and `previousDelayMs` are reset, too. Of an id that is given twice, the second is refused.
 *
 * @throws {InvalidOptionsError} for a wrong id or option; then nothing is redriven
 */
export async function redriveRuns(
  broker: ChangeableBroker,
  ids: readonly string[],
  options: RedriveOptions = {},
): Promise<readonly (RedriveAnswer | Locked)[]> {
  readCall(checkRedrive, { ids, options });
  return changeRuns(broker, named(ids), (seen, { id }, at) =>
    decideRedrive(seen, { ...options, runAt: options.runAts?.get(id) ?? at, at }),
  );
}

/**
 * Deletes ended runs. Of an id that is given twice, the second is gone.
 *
 * @throws {InvalidOptionsError} for a wrong id or option; then nothing is deleted
 */
export async function discardRuns(
  broker: ChangeableBroker,
  ids: readonly string[],
  options: DiscardOptions = {},
): Promise<readonly (DiscardAnswer | Locked)[]> {
  readCall(checkDiscard, { ids, options });
  return changeRuns(broker, named(ids), (seen) => decideDiscard(seen, options));
}

function named(ids: readonly string[]): readonly { readonly id: string }[] {
  return ids.map((id) => ({ id }));
}

interface Redrive extends Pick<RedriveOptions, 'keepAttempts' | 'endedBefore' | 'ends'> {
  readonly runAt: number;
  readonly at: number;
}

/** Decides about a run that is to be redriven. Pure. */
export function decideRedrive(
  { run, isUnreadable }: SeenRun,
  { keepAttempts = false, runAt, at, ...meant }: Redrive,
): Decided<'redriven' | 'refused'> {
  if (isUnreadable === true || !isMeant(run, meant)) return { answer: 'refused' };
  // Without its payload it cannot run again.
  if (run.trimmed?.includes('payload')) return { answer: 'refused' };
  const moved = transitionRun(run, { type: 'redrive', at, runAt: keepableMs(runAt), keepAttempts });
  if (moved.type === 'rejected') return { answer: 'refused' };
  const next = copyRun(moved.run);
  next.errorGroup = undefined;
  // Errors and the previous delay are those since the last reset, which this is.
  if (keepAttempts) return { answer: 'redriven', next };
  const deadContext = latestContext(run);
  return {
    answer: 'redriven',
    next: Object.assign(next, { errors: [], previousDelayMs: undefined, deadContext }),
  };
}

/** Decides about a run that is to be deleted. Pure. */
export function decideDiscard({ run }: SeenRun, meant: DiscardOptions): Decided<'discarded' | 'refused'> {
  if (!isEnd(run.state) || !isMeant(run, meant)) return { answer: 'refused' };
  return { answer: 'discarded', next: 'forget' };
}

/** Whether the end of a run is the one for which the call was made. */
function isMeant(run: Run, { endedBefore = Infinity, ends }: DiscardOptions): boolean {
  const { endedAt, redrives } = ends?.get(run.id) ?? run;
  return (run.endedAt ?? 0) < endedBefore && run.endedAt === endedAt && run.redrives === redrives;
}

/** A call of `redrive` or `discard`. */
interface Call<Options> {
  readonly ids: readonly string[];
  readonly options?: Options | undefined;
}

/** Checks a call of `redrive`. */
function checkRedrive({ ids, options }: Call<RedriveOptions>): void {
  checkIds(ids);
  if (options === undefined) return;
  check('redrive', (findings) => {
    const { problems } = findings;
    if (!findOptionsProblem('options', options, problems)) return;
    findWrongFields(options, REDRIVE, { problems, path: 'options' });
    if (options.runAts !== undefined) findInstantProblems(options.runAts, findings);
    if (options.ends !== undefined) findEndProblems(options.ends, findings);
  });
}

/** Checks a call of `discard`. */
function checkDiscard({ ids, options }: Call<DiscardOptions>): void {
  checkIds(ids);
  if (options === undefined) return;
  check('discard', (findings) => {
    const { problems } = findings;
    if (!findOptionsProblem('options', options, problems)) return;
    findWrongFields(options, DISCARD, { problems, path: 'options' });
    if (options.ends !== undefined) findEndProblems(options.ends, findings);
  });
}

const DISCARD: FieldRules<DiscardOptions> = { endedBefore: NUMBER_OR_NONE };

const REDRIVE: FieldRules<RedriveOptions> = { ...DISCARD, keepAttempts: FLAG };

function findInstantProblems(runAts: ReadonlyMap<string, number>, { problems }: Findings): void {
  const ofMap = { problems, cure: 'Use new Map([[id, runAt]]).' };
  for (const [id, value] of findMap('options.runAts', runAts, ofMap)) {
    if (typeof value === 'number' && !Number.isNaN(value)) continue;
    const cure = 'Leave it out for a run that is due now.';
    problems.push({ path: `options.runAts(${id})`, value, message: 'must be a number', cure });
  }
}

function findEndProblems(ends: ReadonlyMap<string, RunEnd>, { problems }: Findings): void {
  const cure = 'Use new Map([[run.id, run]]).';
  for (const [id, end] of findMap('options.ends', ends, { problems, cure })) {
    const path = `options.ends(${id})`;
    if (findOptionsProblem(path, end, problems)) findWrongFields(end, END, { problems, path });
  }
}

const END: FieldRules<RunEnd> = {
  endedAt: NUMBER_OR_NONE,
  redrives: wholeFrom(0, { cure: 'It is that of the run that was selected.' }),
};
