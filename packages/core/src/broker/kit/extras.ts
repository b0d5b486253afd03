import { read } from '../../read.ts';
import type { Run } from '../run.ts';
import type { Spent, Submission } from '../submission.ts';
import type { RunDraft } from './copy-run.ts';

/** What few runs were submitted with besides lane and payload. Stores keep it as one text, which never changes. */
export type Extras = Pick<Submission, 'retry' | 'origin' | 'context' | 'spent'>;

/** Returns the text in which a store keeps a submission's extras; `undefined` for one without any. */
export function writeExtras(submission: Extras): string | undefined {
  const { retry, origin, context, spent } = submission;
  const hasExtras =
    retry !== undefined || origin !== undefined || context !== undefined || spent !== undefined;
  return hasExtras ? JSON.stringify({ retry, origin, context, spent }) : undefined;
}

/** Returns the extras that `writeExtras` wrote; none for any other text. */
export function readExtras(text: string | null | undefined): Extras {
  if (!text) return {};
  try {
    const { retry, origin, context, spent }: Record<string, unknown> = JSON.parse(text) ?? {};
    return {
      ...(typeof retry === 'string' && { retry }),
      ...(typeof origin === 'string' && { origin }),
      ...(typeof context === 'string' && { context }),
      ...(isSpent(spent) && { spent }),
    };
  } catch {
    return {}; // written by another program
  }
}

function isSpent(value: unknown): value is Spent {
  const [attempts, errors = [], firstStartedAt = 0] = [
    read(value, 'attempts'),
    read(value, 'errors'),
    read(value, 'firstStartedAt'),
  ];
  const isList = Array.isArray(errors) && errors.every((error) => typeof read(error, 'message') === 'string');
  return Number.isSafeInteger(attempts) && Number.isSafeInteger(firstStartedAt) && isList;
}

/**
 * Writes into a run what it brought along, until a redrive resets the attempts. Afterwards the first start is that of the run: the one
 * it brought along where it was settled before, until a settlement has another one. A broker that keeps `spent` as one text that
 * never changes calls it whenever it has read a run.
 */
export function carrySpent(run: RunDraft, spent: Spent | undefined): void {
  if (spent === undefined || run.resetAt !== undefined) return;
  run.firstStartedAt = spent.firstStartedAt ?? run.firstStartedAt;
  run.carried = spent.attempts;
  if (run.errors.length === 0) run.errors = errorsOf(spent);
}

/** Attempts of another place have the epoch 0: no claim of this run made them. */
function errorsOf({ errors = [] }: Spent): Run['errors'] {
  return errors.map((error) => ({ ...error, epoch: 0 }));
}
