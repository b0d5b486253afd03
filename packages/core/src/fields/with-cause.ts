/**
 * Reads what a function was given beside an error of its caller's. If that is wrong, the error thrown for it has the caller's as
 * its cause, so that a mistake in reporting a failure does not hide it.
 *
 * @param cause - returns the caller's error, once `read` has failed; `undefined` where there is none
 */
export function withCause<Read>(cause: () => unknown, read: () => Read): Read {
  try {
    return read();
  } catch (wrong) {
    const value = cause();
    if (value !== undefined && wrong instanceof Error)
      Object.defineProperty(wrong, 'cause', { value, configurable: true, writable: true });
    throw wrong;
  }
}
