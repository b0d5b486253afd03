import type { AttemptError } from '@retry/core/broker';

const LONGEST_TEXT = 8_192;

/** What a thrown value, whatever it is, leaves in the run: text of bounded length. Never throws. */
export function attemptError(error: unknown, epoch: number, at: number): AttemptError {
  try {
    if (!(error instanceof Error)) return { epoch, at, name: typeof error, message: clip(String(error)) };
    const { name, message, stack } = error;
    return {
      epoch,
      at,
      name: clip(name),
      message: clip(message),
      ...(typeof stack === 'string' && { stack: clip(stack) }),
    };
  } catch {
    return { epoch, at, name: typeof error, message: 'an error that cannot be read' };
  }
}

function clip(text: unknown): string {
  return String(text).slice(0, LONGEST_TEXT);
}
