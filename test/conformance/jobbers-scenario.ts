import type { JobbersCase } from './jobbers-options.ts';

/** What happens to the task. */
export interface Script {
  /** Name of what it throws; absent where it throws nothing. */
  readonly raises: string | undefined;
  /** Runs that throw. */
  readonly failures: number;
  /** Runs after which to look. */
  readonly runs: number;
  readonly isKnown: boolean;
  readonly hangs: boolean;
}

const COUNTS: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3, 'three times': 3 };

/** Reads `raises a listed exception, twice`, `raises Leaf`, `unknown task name` and their kin. */
export function readScenario({ scenario, config }: JobbersCase & { readonly scenario: string }): Script {
  const hangs = /times out|longer than|hangs|exceeds/.test(scenario);
  const count = Object.entries(COUNTS).find(([word]) => scenario.includes(word))?.[1] ?? 1;
  const goesOn = /until exhausted|then (?:returns|succeeds)/.test(scenario);
  return {
    raises: readRaised(scenario, config.expected_exceptions?.[0]),
    failures: /then (?:returns|succeeds)/.test(scenario) ? count : Infinity,
    runs: goesOn ? 100 : count,
    isKnown: !/unknown|unregistered|not registered/.test(scenario),
    hangs,
  };
}

/** What the scenario raises: a class by its name, the one that is listed, or some other. */
function readRaised(scenario: string, listed: string | undefined): string | undefined {
  if (!scenario.startsWith('raises')) return undefined;
  const named = /^raises (?<name>[A-Z]\w*)/.exec(scenario)?.groups?.['name'];
  return named ?? (/^raises a listed/.test(scenario) ? listed : undefined) ?? 'UnlistedError';
}
