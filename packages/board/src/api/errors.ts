import type { Right } from './rights.ts';

/** What every route answers that refuses: status 400, 403, 404, 405, 409, 410, 413, 415, 429, 501, 502 or 503. */
export interface ErrorAnswer {
  readonly error: {
    /** `INVALID_OPTIONS`, `FORBIDDEN`, `CROSS_ORIGIN`, `NO_INSIGHT`, … */
    readonly code: string;
    readonly message: string;
    /** Every wrong part of the request, with status 400. */
    readonly problems?: readonly {
      readonly path: string;
      readonly message: string;
      readonly cure: string;
    }[];
    /** The right that is missing, with status 403. */
    readonly right?: Right;
  };
}
