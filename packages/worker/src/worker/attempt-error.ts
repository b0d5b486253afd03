import type { AttemptError } from '@retry/core/broker';

const LONGEST_TEXT = 8_192;

/** Where an error belongs, and whether its stack is kept. */
interface Attempt {
  readonly epoch: number;
  readonly at: number;
  readonly stack: 'kept' | 'dropped';
}

/** What a thrown value, whatever it is, leaves in the run: text of bounded length. Never throws. */
export function attemptError(error: unknown, { epoch, at, stack: stackIs }: Attempt): AttemptError {
  try {
    if (!(error instanceof Error)) return { epoch, at, name: typeof error, message: clip(String(error)) };
    const text = { epoch, at, name: clip(error.name), message: clip(error.message) };
    const stack: unknown = stackIs === 'kept' ? error.stack : undefined;
    return typeof stack === 'string' ? { ...text, stack: clip(stack) } : text;
  } catch {
    return { epoch, at, name: typeof error, message: 'an error that cannot be read' };
  }
}

function clip(text: unknown): string {
  return String(text).slice(0, LONGEST_TEXT);
}
