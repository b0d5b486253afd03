import { type ReplaySummary, replay, summarizeReplays } from '@retry/core/failures';
import { readPolicy } from './inspect.ts';
import type { FailureProblem } from './read-failures.ts';
import { readFailures } from './read-failures.ts';

/** What each policy would have decided, in their order; or what is wrong with the pasted text. */
export type PastedReplay =
  | { readonly summaries: readonly ReplaySummary[] }
  | { readonly problems: readonly FailureProblem[] };

/** Replays pasted failures by policies, which have been found valid. */
export function replayPasted(texts: readonly string[], pasted: string): PastedReplay {
  const read = readFailures(pasted);
  if ('problems' in read) return read;
  const summaries = texts.flatMap((text) => {
    const found = readPolicy(text);
    return 'policy' in found ? [summarizeReplays(read.runs.map((run) => replay(found.policy, run)))] : [];
  });
  return { summaries };
}
