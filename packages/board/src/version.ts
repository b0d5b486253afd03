/** Filled in when the package is built; in the sources it does not exist. */
declare const RETRY_VERSION: string | undefined;

/** The version of this package; `undefined` where it runs from its sources. */
export const VERSION: string | undefined = typeof RETRY_VERSION === 'undefined' ? undefined : RETRY_VERSION;
