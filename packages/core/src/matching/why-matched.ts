import { read } from '../read.ts';
import { causesOf } from './causes.ts';
import { matches } from './find-match.ts';
import type { ErrorPattern, Matcher } from './matcher.ts';
import { statusOf } from './status-of.ts';

/** How each field of a pattern is named where it decided, with what the error has. */
const FACTS: Readonly<Partial<Record<keyof ErrorPattern, (error: unknown) => string>>> = {
  code: (error) =>
    `code ${textOf(read(error, 'code') ?? read(error, 'originalCode') ?? read(error, 'kind'))}`,
  errno: (error) => `errno ${textOf(read(error, 'errno') ?? read(error, 'errcode'))}`,
  sqlState: (error) => `sqlState ${textOf(read(error, 'sqlState'))}`,
  status: (error) => `status ${statusOf(error)}`,
  label: () => 'its label',
  retryable: () => 'its own word that it may be retried',
  retryAfter: () => 'a delay of the server',
  name: () => 'its name',
  message: () => 'its message',
};

/** Says by which fact of the error, or of a cause, a pattern with `anywhere` matches; `undefined` for any other matcher. */
export function whyMatched(matcher: Matcher | undefined, error: unknown): string | undefined {
  if (typeof matcher !== 'object' || matcher.anywhere === undefined) return undefined;
  const patterns = [matcher.anywhere].flat() as readonly Matcher[]; // `flat` loses that the list is of matchers
  for (const inner of [error, ...causesOf(error)]) {
    const pattern = patterns.find((each) => typeof each === 'object' && matches(each, inner));
    if (typeof pattern === 'object')
      return `${factsOf(pattern, inner)}${inner === error ? '' : ' of a cause'}`;
  }
  return undefined;
}

function factsOf(pattern: ErrorPattern, error: unknown): string {
  const keys = Object.keys(FACTS) as (keyof ErrorPattern)[]; // the keys of FACTS are of a pattern
  const facts = keys.flatMap((key) => (pattern[key] === undefined ? [] : [FACTS[key]?.(error) ?? '']));
  return facts.join(' and ');
}

/** A code is whatever the error has; only short ones are shown. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 50) : '';
}
