import type { DiscardOptions, RedriveOptions } from '../../acts.ts';
import { check, entriesOf, type Findings, findMap, findOptionsProblem } from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import { FLAG, findWrongFields, NUMBER_OR_NONE } from './field-rules.ts';

/** A call of `redrive` or `discard`. */
interface Call<Options> {
  readonly ids: readonly string[];
  readonly options?: Options | undefined;
}

/** Checks ids. @throws {InvalidOptionsError} */
export function checkIds(ids: readonly string[]): void {
  check('ids', ({ name }) => {
    for (const [index, id] of entriesOf(ids)) name(() => `[${index}]`, id);
  });
}

/** Checks a call of `redrive`. @throws {InvalidOptionsError} */
export function readRedrive({ ids, options }: Call<RedriveOptions>): void {
  checkIds(ids);
  if (options === undefined) return;
  check('redrive', (findings) => {
    const { problems } = findings;
    if (!findOptionsProblem('options', options, problems)) return;
    findWrongFields(options, REDRIVE, { problems, path: 'options' });
    if (options.runAts !== undefined) findInstantProblems(options.runAts, findings);
  });
}

/** Checks a call of `discard`. @throws {InvalidOptionsError} */
export function readDiscard({ ids, options }: Call<DiscardOptions>): void {
  checkIds(ids);
  if (options === undefined) return;
  check('discard', (findings) => {
    const { problems } = findings;
    if (!findOptionsProblem('options', options, problems)) return;
    findWrongFields(options, DISCARD, { problems, path: 'options' });
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
