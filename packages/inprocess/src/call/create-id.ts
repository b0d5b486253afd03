import { askRandom } from '@retry/core/fields';

const DIGITS = '0123456789abcdef';

/**
 * Returns an id that no other call has, and that cannot be guessed from others: it may be used as an idempotency key. From the
 * option `random` if given, so that tests can predict it.
 */
export function createId(random?: () => number): string {
  if (random !== undefined) return drawnBy(random) ?? createId();
  const { crypto } = globalThis as { readonly crypto?: { readonly randomUUID?: () => string } }; // browsers: only over https
  return crypto?.randomUUID?.() ?? drawDigits(Math.random);
}

/** Returns an id from the user's source; `undefined` if that throws or returns no digits. */
function drawnBy(random: () => number): string | undefined {
  try {
    const id = drawDigits(random);
    return id.length === 32 ? id : undefined;
  } catch {
    return undefined; // the id is read where an error would replace the outcome of the call
  }
}

function drawDigits(random: () => number): string {
  return Array.from({ length: 32 }, () => DIGITS[Math.floor(askRandom({ random }) * 16)]).join('');
}
