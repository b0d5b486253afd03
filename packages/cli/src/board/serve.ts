import { createServer, type RequestListener } from 'node:http';
import { CliError } from '../errors.ts';

/** A server that listens on the loopback. */
export interface LoopbackServer {
  /** With a slash at its end. */
  readonly url: string;
  /** Breaks every connection off. */
  readonly close: () => Promise<void>;
}

/** Only this machine reaches it. */
const HOST = '127.0.0.1';

/** Listens on the loopback. @param port - absent: a free one @throws {CliError} `CANNOT_LISTEN` */
export async function serve(listener: RequestListener, port = 0): Promise<LoopbackServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const cure = 'Give another --port, or none for a free one.';
      const message = `The board cannot listen on ${HOST}:${port} (${error.code}). ${cure}`;
      reject(new CliError('CANNOT_LISTEN', message, { cause: error }));
    });
    server.listen(port, HOST, resolve);
  });
  const address = server.address();
  return {
    url: `http://${HOST}:${typeof address === 'object' ? address?.port : port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
