import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real HTTP server on a free port of this machine. */
export interface HttpServer {
  readonly url: string;
  /** The number of requests so far. */
  readonly requests: () => number;
  readonly close: () => Promise<void>;
}

export async function startServer(listener: RequestListener): Promise<HttpServer> {
  let requests = 0;
  const server: Server = createServer((request, response) => {
    requests += 1;
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
