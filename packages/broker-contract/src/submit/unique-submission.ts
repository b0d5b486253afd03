import type { Submission, Unique } from '@retry/core/broker';

/** A unique submission of key `k`, which is kept until the run has ended; the id begins with the key's tag. */
export function uniqueSubmission(
  name: string,
  { key = 'k', until = 'ended', onConflict = 'keep', ...others }: Partial<Unique & Submission> = {},
): Submission {
  return { id: `{${key}}${name}`, lane: 'l', payload: '{}', unique: { key, until, onConflict }, ...others };
}
