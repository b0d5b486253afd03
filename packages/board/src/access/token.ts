import { createHash, timingSafeEqual } from 'node:crypto';
import { BoardError } from '../errors.ts';

/**
 * Lets a request pass that has the token of the board: as its cookie, or in `Authorization: Bearer`.
 *
 * @returns an answer for a visitor who arrives with the token in the address: it sets the cookie, and leads to the address without it
 * @throws {BoardError} `TOKEN_REQUIRED`
 */
type TokenCheck = (request: Request) => Response | undefined;

/** Which token, and the path of the cookie. */
interface TokenSettings {
  readonly token: string;
  readonly basePath: string;
}

/** Creates the check of a board's token. */
export function createTokenCheck({ token, basePath }: TokenSettings): TokenCheck {
  const expected = digest(token);
  const isToken = (given: string | null | undefined): boolean =>
    typeof given === 'string' && timingSafeEqual(digest(given), expected);
  // A browser sends the cookies of a host to every port of it, so each token has a cookie of its own name.
  const name = `retry-board-${digest(`name of ${token}`).toString('hex', 0, 8)}`;
  const cookie = `${name}=${token}; Path=${basePath || '/'}; HttpOnly; SameSite=Lax`;
  return (request) => {
    const url = new URL(request.url);
    if (isRead(request) && isToken(url.searchParams.get('token'))) return arrival(url, cookie);
    if (cookiesOf(request, name).some(isToken) || isToken(bearerOf(request))) return undefined;
    throw new BoardError('TOKEN_REQUIRED', TOKEN_REQUIRED);
  };
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns a hash, which has the same length for all texts: a comparison in constant time needs that. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The token is then neither in the address bar nor in the history, and no cache has the cookie. */
function arrival(url: URL, cookie: string): Response {
  const { searchParams, protocol } = url;
  searchParams.delete('token');
  // Two slashes at the beginning would name another host.
  const location = `${url.pathname.replace(/^\/+/, '/')}${url.search}`;
  const headers = {
    'set-cookie': protocol === 'https:' ? `${cookie}; Secure` : cookie,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  };
  return new Response(null, { status: 303, headers: { ...headers, location } });
}

/** Returns the values of the cookies of this name: another path of the host may have one, too. */
function cookiesOf({ headers }: Request, name: string): readonly string[] {
  const cookies = (headers.get('cookie') ?? '').split(';').map((each) => each.trim());
  return cookies.filter((each) => each.startsWith(`${name}=`)).map((each) => each.slice(name.length + 1));
}

function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

const TOKEN_REQUIRED =
  'the board asks for its token. Open the address that ends in ?token=…: retry board prints it when it starts. A program sends Authorization: Bearer <token>.';
