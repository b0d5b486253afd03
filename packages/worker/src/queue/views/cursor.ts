import { InvalidOptionsError } from '@retry/core';

/** Writes where a page ends, as text of the letters, digits, `-` and `_` that shells and URLs leave as they are. */
export function writePageCursor(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the parts of a cursor; none if it is not one. */
export function readPageCursor(after: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(after, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** The error of text that is no cursor of these pages. */
export function wrongCursor(after: string, subject: string): InvalidOptionsError {
  const message = 'must be the next of a page with the same filter';
  const cure = 'Leave it out for the first page.';
  return new InvalidOptionsError([{ path: 'after', value: after, message, cure }], subject);
}
