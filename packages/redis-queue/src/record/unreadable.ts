import type { Run } from '@retry/core/broker';
import type { RunDraft } from '@retry/core/broker/kit';
import { newRun } from '@retry/core/broker/kit';
import { UNREADABLE_RUN } from '../errors.ts';

/** Thrown for a body or a record that the broker did not write. The message is the part that cannot be read. */
export class UnreadableError extends Error {}

/** Returns the message of the error of a run whose body or record cannot be read. */
export function unreadableMessage(part: string): string {
  return `what the server keeps of this run cannot be read: ${part}. Discard it, and submit it again.`;
}

/** Returns a run of which nothing can be read, as the next claim or the cleaner will leave it. */
export function unreadableRun(id: string, part: string): Run {
  const run: RunDraft = newRun({ id, lane: '', payload: '', concurrency: undefined });
  run.state = 'failed';
  run.errors = [{ epoch: 0, at: 0, name: UNREADABLE_RUN, message: unreadableMessage(part), reason: 'ended' }];
  return run;
}
