import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { CliError } from '../errors.ts';

/** A server that listens on the loopback. */
export interface LoopbackServer {
  /** The address of the board, with its token if it has one. */
  readonly url: string;
  /**
   * Leads to `url` the first time that it is asked for. Other users of the machine see the arguments of the program that opens a
   * browser: what they read there is worth nothing once the browser has used it.
   */
  readonly openingUrl: string;
  /** Breaks every connection off. */
  readonly close: () => Promise<void>;
}

/** What a board is served with. */
interface ServeOptions {
  /** Absent: a free one. */
  readonly port: number | undefined;
  /** Absent: visitors need none. */
  readonly token: string | undefined;
  /** Names, besides those of this machine, that requests may be for where there is no token. */
  readonly hosts: readonly string[];
}

/** Returns a secret of 256 bits, as an address takes it. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Only this machine reaches it. */
const HOST = '127.0.0.1';

/** Listens on the loopback. @throws {CliError} `CANNOT_LISTEN` */
export async function serve(
  listener: RequestListener,
  { port = 0, token, hosts }: ServeOptions,
): Promise<LoopbackServer> {
  const path = token === undefined ? '/' : `/?token=${token}`;
  const ticket = token === undefined ? path : `/open/${createToken()}`;
  const server = createServer(
    token === undefined ? onlyFor(hosts, listener) : onceAt(ticket, path, listener),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const cure = 'Give another --port, or none for a free one.';
      const message = `The board cannot listen on ${HOST}:${port} (${error.code}). ${cure}`;
      reject(new CliError('CANNOT_LISTEN', message, { cause: error }));
    });
    server.listen(port, HOST, resolve);
  });
  const address = server.address();
  const origin = `http://${HOST}:${typeof address === 'object' ? address?.port : port}`;
  return {
    url: `${origin}${path}`,
    openingUrl: `${origin}${ticket}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Passes on the requests that name this machine, or one of the hosts. Without a token a page of any site could let its own name point at
 * this machine, and would then be the board's own page for a browser.
 */
function onlyFor(hosts: readonly string[], listener: RequestListener): RequestListener {
  return (request, response) => {
    const host = hostOf(request.headers.host ?? '');
    if (host !== undefined && (THIS_MACHINE.test(host) || hosts.includes(host))) {
      return listener(request, response);
    }
    const cure =
      host === undefined
        ? 'Send the header Host.'
        : `If a proxy passes that name on, start it with --allow-host ${host}.`;
    const message = `retry board --no-token answers to names of this machine only, and this request is for ${host ?? 'none'}. ${cure}`;
    response.writeHead(403, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
    response.end(JSON.stringify({ error: { code: 'FORBIDDEN', message } }));
  };
}

/** Returns the name of a host without its port, as URLs write it: in small letters. */
function hostOf(text: string): string | undefined {
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : undefined;
}

/** Leads from one path to another, once. */
function onceAt(ticket: string, path: string, listener: RequestListener): RequestListener {
  let isUsed = false;
  return (request, response) => {
    if (isUsed || request.url !== ticket) return listener(request, response);
    isUsed = true;
    response.writeHead(303, {
      location: path,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    response.end();
  };
}
