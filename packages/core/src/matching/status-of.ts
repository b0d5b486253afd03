interface StatusCarrier {
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly response?: StatusCarrier | null;
  readonly $metadata?: { readonly httpStatusCode?: unknown } | null;
}

/**
 * The HTTP status that an error or a `Response` carries; `undefined` when it carries none.
 *
 * Looks where fetch wrappers (`status`), Node frameworks (`statusCode`), axios, ky and got (`response`) and
 * the AWS SDK (`$metadata`) put it.
 */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const carrier = error as StatusCarrier; // any object may be read by these keys
  const { status, statusCode, response, $metadata } = carrier;
  const places = [status, statusCode, response?.status, response?.statusCode, $metadata?.httpStatusCode];
  return places.find((place) => typeof place === 'number');
}
