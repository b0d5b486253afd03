import { InvalidOptionsError, isSerializable, policyToJSON } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { type Finding, findingOf, findSyntaxError } from './inspect.ts';

/** A system whose options can be read. */
export interface SystemName {
  /** As the CLI takes it: `bullmq`. */
  readonly name: string;
  readonly title: string;
}

/** Options of another system as policy text, with its warnings; or what is wrong with them, and no text. */
export interface Converted {
  readonly text?: string;
  readonly findings: readonly Finding[];
}

/** Returns every system whose options can be read, by their titles. */
export function listSystems(): readonly SystemName[] {
  const names = ALL_SYSTEMS.map(({ name, title }) => ({ name, title }));
  return names.sort((one, other) => (one.title.toLowerCase() < other.title.toLowerCase() ? -1 : 1));
}

/**
 * Converts the options of another system, as JSON text in its own names and units, to policy text.
 *
 * @throws {TypeError} when no system has the name
 */
export function convertSystem(name: string, text: string): Converted {
  const system = ALL_SYSTEMS.find((known) => known.name === name);
  if (system === undefined) throw new TypeError(`There is no system ${name}`);
  const syntax = findSyntaxError(text);
  if (syntax !== undefined) return { findings: [syntax] };
  try {
    const { policy, warnings } = system.from(JSON.parse(text));
    if (!isSerializable(policy)) return { findings: [CODE_ONLY] };
    const findings = warnings.map((warning) => ({ ...warning, severity: 'warning' }) as const);
    return { text: `${JSON.stringify(policyToJSON(policy), null, 2)}\n`, findings };
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    return { findings: error.problems.map((problem) => findingOf(problem, text)) };
  }
}

const CODE_ONLY: Finding = {
  severity: 'error',
  path: '',
  message: 'need a policy that computes its delays by code, which no JSON can say',
  cure: 'Use its dialect of @retry/core/dialects in a program.',
};
