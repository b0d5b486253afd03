import { read } from '../read.ts';

/**
 * The HTTP status that an error or a `Response` carries; `undefined` when it carries none.
 *
 * Looks where fetch wrappers (`status`), Node frameworks (`statusCode`), axios, ky and got (`response`) and
 * the AWS SDK (`$metadata`, `$response`) put it.
 */
export function statusOf(error: unknown): number | undefined {
  const response = read(error, 'response');
  const places = [
    read(error, 'status'),
    read(error, 'statusCode'),
    read(response, 'status'),
    read(response, 'statusCode'),
    read(read(error, '$metadata'), 'httpStatusCode'),
    read(read(error, '$response'), 'statusCode'),
  ];
  return places.find((place) => typeof place === 'number');
}
