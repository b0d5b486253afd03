import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Board } from './create-board.ts';

/**
 * What is read of a request of `node:http`, as frameworks pass it on: with the whole path, and perhaps with the body that they have
 * read. It is an `IncomingMessage`; its type is not named, so that users need no types of Node.
 */
export interface NodeRequest {
  /** @default 'GET' */
  readonly method?: string | undefined;
  /** Path and query, which a framework may have shortened. @default '/' */
  readonly url?: string | undefined;
  /** The whole path and query, in place of `url`. */
  readonly originalUrl?: string;
  /** What a framework has read: text, or what JSON is made of. Used once the request has been read to its end. */
  readonly body?: unknown;
}

/** What a response of `node:http` has at least: it is a `ServerResponse`. */
export interface NodeResponse {
  /** `false`: a request that cannot be read is answered with 400. */
  readonly headersSent: boolean;
  readonly end: () => unknown;
}

/** A listener for `createServer` of `node:http`, and for `app.use` of Express, Connect and Nest. */
export type NodeListener = (request: NodeRequest, response: NodeResponse) => void;

/** Returns a listener by which a board answers the requests of `node:http`. */
export function toNodeListener(board: Pick<Board, 'fetch'>): NodeListener {
  return (request, response) => void answer(board, request as Incoming, response as ServerResponse); // as documented
}

/** A request with what frameworks add. */
type Incoming = IncomingMessage & Pick<NodeRequest, 'originalUrl' | 'body'>;

async function answer(
  board: Pick<Board, 'fetch'>,
  incoming: Incoming,
  response: ServerResponse,
): Promise<void> {
  try {
    const answered = await board.fetch(toRequest(incoming));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (answered.body === null || incoming.method === 'HEAD' || response.closed) {
      await answered.body?.cancel();
      response.end();
    } else await send(answered.body, response);
  } catch {
    // The path or a header is none, or the client has left.
    if (!response.headersSent) response.writeHead(400);
    response.end();
  }
}

/** Waits until the client has taken what was written, and ends with it. */
async function send(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  response.once('close', () => void reader.cancel().catch(() => {}));
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (response.write(part.value) || response.closed) continue;
    await taken(response);
  }
  response.end();
}

/** Resolves when the client has taken what was written, or has left. */
function taken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
}

function toRequest(incoming: Incoming): Request {
  const { method = 'GET', url = '/', originalUrl = url, socket } = incoming;
  const protocol = 'encrypted' in socket ? 'https' : 'http';
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && !name.startsWith(':')) headers.set(name, String(value));
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: bodyOf(incoming), duplex: 'half' } : {};
  return new Request(`${protocol}://${hostOf(incoming)}${targetOf(originalUrl)}`, {
    method,
    headers,
    ...body,
  } as RequestInit);
}

/** What a host may have: whatever would end it, or come before it, would name another one. */
const HOST = /^[^/\\?#@\s]+$/;

/** Returns the host by which the client found this server. @throws {TypeError} for one that would be read as more than that */
function hostOf({ headers }: Incoming): string {
  const host = headers.host ?? String(headers[':authority'] ?? 'localhost');
  if (!HOST.test(host)) throw new TypeError(`the host of the request is none: ${host}`);
  return host;
}

/**
 * Returns the path and query of a request. It is no reference that is resolved against the host: `//name/path` would name another
 * host, and the origin that a write is compared with.
 */
function targetOf(target: string): string {
  if (target.startsWith('/')) return target;
  const { pathname, search } = new URL(target); // what clients send to proxies
  return `${pathname}${search}`;
}

type Body = NonNullable<RequestInit['body']>;

/** What a framework has read already is written once more. */
function bodyOf(incoming: Incoming): Body {
  const { body } = incoming;
  if (body === undefined || !incoming.readableEnded) return Readable.toWeb(incoming) as unknown as Body; // Node's own type
  return typeof body === 'string' ? body : JSON.stringify(body);
}
