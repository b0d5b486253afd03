import type { Matcher } from '@retry/core';
import { http } from '@retry/core/errors';
import type { PolicySettings } from '@retry/core/fields';
import { findMatch, isAmbiguous, isErrorClass } from '@retry/core/fields';
import { report } from '../call/hooks.ts';

/** The first status of a response that says that the request failed. */
const FIRST_ERROR_STATUS = 400;

/** The matchers of a policy that are asked about responses. A description with a `message` is about errors: a response has none. */
export interface ResponseRules {
  /** Which responses of at least 400 are failures. */
  readonly retryOn: readonly Matcher[];
  /** Which others are: predicates, and descriptions that name the status. */
  readonly retryOnSuccess: readonly Matcher[];
  /** Which of those are the last: also what may have been applied, where the policy says `idempotent: false`. */
  readonly stopOn: readonly Matcher[];
}

/** Returns what a policy says about responses. One that names no errors retries every error, but not every response. */
export function responseRulesOf({ retryOn, stopOn, idempotent }: PolicySettings): ResponseRules {
  const failures = retryOn === 'everything' ? http : retryOn;
  const ofResponses = (typeof failures === 'string' ? [] : failures).filter(isAboutResponses);
  return {
    retryOn: ofResponses,
    retryOnSuccess: ofResponses.filter(mayRefuseSuccess),
    stopOn: [...stopOn.filter(isAboutResponses), ...(idempotent ? [] : ofResponses.filter(isAmbiguous))],
  };
}

/**
 * Returns whether a response counts as a failure. A predicate that throws about one of less than 400 leaves it a success: what it
 * threw is reported.
 */
export function isFailure(
  { retryOn, retryOnSuccess }: ResponseRules,
  response: Response,
  reportError: ((error: unknown) => unknown) | undefined,
): boolean {
  if (response.status >= FIRST_ERROR_STATUS) return findMatch(retryOn, response) !== -1;
  try {
    return findMatch(retryOnSuccess, response) !== -1;
  } catch (thrown) {
    report(thrown, reportError);
    return false;
  }
}

function isAboutResponses(matcher: Matcher): boolean {
  return typeof matcher === 'function' || matcher.message === undefined;
}

function mayRefuseSuccess(matcher: Matcher): boolean {
  return typeof matcher === 'function' ? !isErrorClass(matcher) : matcher.status !== undefined;
}
