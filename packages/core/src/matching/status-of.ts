import { read } from '../read.ts';

/**
 * Returns the HTTP status of an error or a `Response`; `undefined` if it has none.
 *
 * Reads the properties of fetch wrappers (`status`), Node frameworks (`statusCode`), axios, ky and got (`response`) and
 * the AWS SDK (`$metadata`, `$response`).
 */
export function statusOf(error: unknown): number | undefined {
  const response = read(error, 'response');
  const candidates = [
    read(error, 'status'),
    read(error, 'statusCode'),
    read(response, 'status'),
    read(response, 'statusCode'),
    read(read(error, '$metadata'), 'httpStatusCode'),
    read(read(error, '$response'), 'statusCode'),
  ];
  return candidates.find((candidate) => typeof candidate === 'number');
}
