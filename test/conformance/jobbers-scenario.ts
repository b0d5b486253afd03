import { firstName } from './error-classes.ts';
import { countOf } from './failure-text.ts';
import type { JobbersCase } from './jobbers-options.ts';

/** The events of a task. */
export interface Script {
  /** Name of the exception that it throws; absent if it throws none. */
  readonly raises: string | undefined;
  /** Runs that throw, or hang. */
  readonly failures: number;
  /** The number of runs before the check. */
  readonly runs: number;
  readonly isKnown: boolean;
  readonly hangs: boolean;
}

const COUNT = String.raw`(?:,? (?<count>once|twice|thrice|\w+ times))?`;
const ENDING = `(?<ending>,? until (?:it is |(?:the )?retries are )?exhausted|,? then (?:returns|succeeds))?`;
const RAISES = String.raw`raises(?: (?:(?<whose>a|an) (?<listed>listed|unlisted) exception|(?<name>[A-Z]\w*)))?`;
const REMARK = `(?:,? (?:not listed|nothing listed|listed|unlisted))?`;

/** All accepted forms of a scenario. */
const FORMS = {
  returns: /^(?:returns(?: a value| None| \d+)?|succeeds)$/,
  raises: new RegExp(`^${RAISES}${REMARK}${COUNT}${ENDING}$`),
  hangs: new RegExp(
    `^(?:(?:task )?times out|hangs|(?:(?:runs|takes) longer than|exceeds|runs into) (?:its|the) timeout)${COUNT}${ENDING}$`,
  ),
  unknown:
    /^(?:unknown|unregistered) (?:task(?: name| version)?|name|version)$|^name\/version not registered$/,
};

/**
 * Reads `raises a listed exception, twice`, `raises Leaf`, `unknown task name` and their kin.
 *
 * @throws {Error} for any other text
 */
export function readScenario({ scenario, config }: JobbersCase & { readonly scenario: string }): Script {
  const quiet = { raises: undefined, failures: 0, runs: 1, isKnown: true, hangs: false };
  if (FORMS.returns.test(scenario)) return quiet;
  if (FORMS.unknown.test(scenario)) return { ...quiet, isKnown: false };
  const hanging = FORMS.hangs.exec(scenario);
  if (hanging !== null) return { ...quiet, ...repetition(hanging.groups), hangs: true };
  const groups = FORMS.raises.exec(scenario)?.groups;
  if (groups === undefined) throw new Error(`Cannot read the scenario "${scenario}".`);
  const listed = groups['listed'] === 'listed' ? firstName(config.expected_exceptions) : undefined;
  return { ...quiet, ...repetition(groups), raises: groups['name'] ?? listed ?? 'UnlistedError' };
}

/** The number of runs that fail, and of runs before the check: 1 if the text has no number. */
function repetition(groups: Readonly<Record<string, string>> | undefined): Pick<Script, 'failures' | 'runs'> {
  const ending = groups?.['ending'];
  const count = groups?.['count'] === undefined ? 1 : (countOf(groups['count']) ?? Number.NaN);
  if (ending === undefined) return { failures: Infinity, runs: count };
  // Checked after its end.
  return { failures: ending.includes('then') ? count : Infinity, runs: 100 };
}
