import { InvalidOptionsError, isRetryError, RetryError } from '@retry/core';
import type { ErrorAnswer, Right } from './api.ts';

/** The codes of this package's errors, which its routes answer. */
export type BoardErrorCode =
  | 'TOKEN_REQUIRED'
  | 'FORBIDDEN'
  | 'CROSS_ORIGIN'
  | 'NOT_FOUND'
  | 'WRONG_METHOD'
  | 'NOT_JSON'
  | 'INVALID_JSON'
  | 'BODY_TOO_LARGE'
  | 'TOO_MANY_REQUESTS'
  | 'PAYLOAD_MASKED'
  | 'PLAN_GONE'
  | 'BOARD_CLOSED'
  | 'BROKER_FAILED';

/** A request that the board refuses. */
export class BoardError extends RetryError<BoardErrorCode> {
  override readonly name: string = 'BoardError';
  /** The right that is missing. */
  readonly right: Right | undefined;

  constructor(
    code: BoardErrorCode,
    message: string,
    options: ErrorOptions & { readonly right?: Right } = {},
  ) {
    super(code, message, options);
    this.right = options.right;
  }
}

/** What who lacks a right may not do. */
const ALLOWED: Readonly<Record<Right, string>> = {
  read: 'look at this',
  redrive: 'redrive dead letters',
  discard: 'discard dead letters',
  cancel: 'cancel runs',
  hold: 'hold or resume lanes',
  edit: 'start runs at another time, or submit them once more,',
  unmask: 'see what is masked',
};

/** The error of a visitor who lacks a right. */
export function forbidden(right: Right): BoardError {
  const message = `You may not ${ALLOWED[right]} here: it needs the right ${right}, which the board's access gives.`;
  return new BoardError('FORBIDDEN', message, { right });
}

const STATUSES: Readonly<Record<string, number>> = {
  INVALID_OPTIONS: 400,
  INVALID_PAYLOAD: 400,
  NOT_JSON: 415,
  INVALID_JSON: 400,
  BODY_TOO_LARGE: 413,
  TOO_MANY_REQUESTS: 429,
  TOKEN_REQUIRED: 401,
  FORBIDDEN: 403,
  CROSS_ORIGIN: 403,
  PAYLOAD_MASKED: 403,
  NOT_FOUND: 404,
  WRONG_METHOD: 405,
  UNKNOWN_OPERATION: 404,
  PLAN_GONE: 410,
  TOO_MANY_OPERATIONS: 429,
  NO_INSIGHT: 501,
  BROKER_FAILED: 502,
  BOARD_CLOSED: 503,
} satisfies Readonly<Record<BoardErrorCode, number>> & Readonly<Record<string, number>>;

/** What a route answers for an error, and with which status. */
export interface Refusal {
  readonly status: number;
  readonly answer: ErrorAnswer;
}

/** Returns the answer for an error. Those of brokers and drivers say nothing to visitors, as they may name hosts. */
export function refusalOf(thrown: unknown): Refusal {
  const error = isKnown(thrown) ? thrown : brokerFailed(thrown);
  const { code, message } = error;
  const problems = error instanceof InvalidOptionsError ? error.problems : undefined;
  const right = error instanceof BoardError ? error.right : undefined;
  return {
    status: STATUSES[code] ?? 500,
    answer: {
      error: {
        ...{ code, message },
        ...(right !== undefined && { right }),
        ...(problems && { problems: problems.map(({ path, message, cure }) => ({ path, message, cure })) }),
      },
    },
  };
}

/** Whether an error is the visitor's to read. */
export function isKnown(thrown: unknown): thrown is RetryError {
  return isRetryError(thrown) && thrown.code in STATUSES;
}

function brokerFailed(cause: unknown): BoardError {
  const message = 'the broker failed. onError of the board has the error.';
  return new BoardError('BROKER_FAILED', message, { cause });
}
