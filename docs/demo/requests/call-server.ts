/** A response that is not a success, with what a policy reads of it. */
export class HttpError extends Error {
  override readonly name: string = 'HttpError';
  /** A policy's `{ status: … }` reads it. */
  readonly status: number;
  /** Where `withRetry` finds `Retry-After` by itself. */
  readonly headers: Headers;

  constructor({ status, statusText, headers }: Response) {
    super(`${status} ${statusText}`);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * One request, without retries.
 *
 * @throws {HttpError} when the response is not a success
 */
export async function callServer(url: string): Promise<string> {
  const response = await fetch(url);
  // Always read: an unread body keeps its connection busy.
  const body = await response.text();
  if (!response.ok) throw new HttpError(response);
  return body;
}
