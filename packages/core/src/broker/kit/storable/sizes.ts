import type { EndRequest } from '../../acts.ts';
import type { Run } from '../../run.ts';
import type { Settlement } from '../../settlement.ts';
import type { SpentError, Submission } from '../../submission.ts';

/** About how many bytes one call carries at most, in either direction. A single run may be larger. */
export const MAX_BATCH_BYTES = 8_388_608;

const NO_ERRORS: readonly [] = [];

/** What an error has besides its texts, about: instants, codes, worker and reason. */
const FACTS_BYTES = 256;

/** Returns about how many bytes a run has in a request or reply. Counts characters, because most text is ASCII. */
export function runBytes({ payload, result = '', retry = '', errors }: Run): number {
  return 256 + payload.length + result.length + retry.length + errorsBytes(errors);
}

function errorsBytes(
  errors: readonly (SpentError & { readonly stack?: string | undefined })[] = NO_ERRORS,
): number {
  let bytes = 0;
  for (const { name, message, stack = '' } of errors)
    bytes += name.length + message.length + stack.length + FACTS_BYTES;
  return bytes;
}

/** Returns about how many bytes a submission has in a request. */
export function submissionBytes({ payload, retry = '', context = '', spent }: Submission): number {
  return 256 + payload.length + retry.length + context.length + errorsBytes(spent?.errors);
}

/** Returns about how many bytes a settlement has in a request: no payload, but that of the run that it submits. */
export function settlementBytes({ next, submit }: Settlement): number {
  const bytes = runBytes(next) - next.payload.length;
  return submit === undefined ? bytes : bytes + submissionBytes(submit);
}

/** Returns about how many bytes the request of an operator's end has. */
export function endBytes(request: EndRequest): number {
  if (request.as === 'completed') return 256 + request.result.length;
  const { name, message, stack = '' } = request.error;
  return 256 + name.length + message.length + stack.length;
}
