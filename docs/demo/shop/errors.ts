/** Another service refused. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** What was submitted is wrong: another attempt cannot help. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError';
}

/** Another service did not answer. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
}
