import { BoardError } from '../errors.ts';

/**
 * Refuses what the board's own page has not sent. A browser adds both headers, and no page can change them: `Sec-Fetch-Site` decides
 * where it is, as it is right behind a proxy, too; else `Origin` has to be that of the request.
 *
 * @throws {BoardError} `CROSS_ORIGIN`
 */
export function checkSameOrigin(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const isSame = site === null ? origin === new URL(request.url).origin : site === 'same-origin';
  if (!isSame) throw new BoardError('CROSS_ORIGIN', CROSS_ORIGIN);
}

/**
 * Refuses a read that a page of another site makes. It could not see the answer, but each would cost the broker, and a stream of events
 * for minutes.
 *
 * @throws {BoardError} `CROSS_ORIGIN`
 */
export function checkNotCrossSite(request: Request): void {
  if (request.headers.get('sec-fetch-site') === 'cross-site')
    throw new BoardError('CROSS_ORIGIN', CROSS_ORIGIN);
}

const CROSS_ORIGIN =
  "the request does not come from the board's own page. A program sends the header Origin with the address of the board.";
