import type { Submission } from '@retry/core/broker';
import { isKeptApart } from './apart.ts';
import { encodeBody } from './body.ts';

/** Returns three arguments for each run: id, body, and the payload that is kept apart, or empty text. */
export function encodeSubmissions(submissions: readonly Submission[]): readonly string[] {
  return submissions.flatMap((submission) => {
    const { id, payload } = submission;
    return [id, encodeBody(submission), isKeptApart(payload) ? payload : ''];
  });
}

/** Returns the two values of when each run is due: the instant, and the delay from now. */
export function duesOf(submissions: readonly Submission[]): readonly number[] {
  return submissions.flatMap(({ runAt = 0, delayMs = 0 }) => [runAt, delayMs]);
}
