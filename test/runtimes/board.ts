/** The board in the server that a runtime has itself: that of Bun, of Deno, or `node:http`. */
import { createServer } from 'node:http';
import { type Board, createBoard, toNodeListener } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';

/** The parts of other runtimes that are used. */
interface Runtimes {
  readonly Bun?: {
    serve(options: { port: number; fetch: (request: Request) => Promise<Response> }): {
      readonly port: number;
      stop(isNow: boolean): unknown;
    };
  };
  readonly Deno?: {
    serve(
      options: { port: number; onListen: () => void },
      handler: (request: Request) => Promise<Response>,
    ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> };
  };
}

interface Served {
  readonly port: number;
  readonly close: () => unknown;
}

async function serve(board: Board): Promise<Served> {
  const { Bun, Deno }: Runtimes = globalThis as Runtimes; // each has its own
  const fetch = (request: Request): Promise<Response> => board.fetch(request);
  if (Bun !== undefined) {
    const server = Bun.serve({ port: 0, fetch });
    return { port: server.port, close: () => server.stop(true) };
  }
  if (Deno !== undefined) {
    const server = Deno.serve({ port: 0, onListen: () => {} }, fetch);
    return { port: server.addr.port, close: () => server.shutdown() };
  }
  const server = createServer(toNodeListener(board));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, close };
}

const BASE_PATH = '/admin/board';

const checks: Readonly<Record<string, (root: string) => Promise<boolean>>> = {
  'loads the page and its script': async (root) => {
    const page = await (await fetch(`${root}${BASE_PATH}`)).text();
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? [];
    return script.startsWith(BASE_PATH) && (await (await fetch(`${root}${script}`)).text()).length > 1_000;
  },
  'answers figures': async (root) => {
    const answer = await fetch(`${root}${BASE_PATH}/api/overview`);
    return answer.ok && JSON.parse(await answer.text()).audit.unbalanced === 0;
  },
  'sends an event while the stream stays open': async (root) => {
    const abort = new AbortController();
    const options = { signal: abort.signal };
    const { body } = await fetch(`${root}${BASE_PATH}/api/events?topic=overview`, options);
    const { value } = (await body?.getReader().read()) ?? {};
    abort.abort();
    return new TextDecoder().decode(value).startsWith('event: overview');
  },
  'changes the queue for its own page': async (root) => (await hold(root, 'same-origin')) === 200,
  'changes nothing for the page of another site': async (root) => (await hold(root, 'cross-site')) === 403,
};

async function hold(root: string, site: string): Promise<number> {
  const response = await fetch(`${root}${BASE_PATH}/api/lanes/hold`, {
    method: 'POST',
    body: JSON.stringify({ lane: 'charge@1', reason: 'the bank is closed' }),
    headers: { 'content-type': 'application/json', 'sec-fetch-site': site },
  });
  await response.text();
  return response.status;
}

/** Makes every check. */
export async function smoke(): Promise<{ readonly passed: number; readonly failed: readonly string[] }> {
  const access = () => ({ read: true, hold: true });
  const board = createBoard({ broker: createMemoryBroker(), basePath: BASE_PATH, access });
  const server = await serve(board);
  const failed: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    const isRight = await check(`http://127.0.0.1:${server.port}`).catch(() => false);
    if (!isRight) failed.push(name);
  }
  board.close();
  await server.close();
  return { passed: Object.keys(checks).length - failed.length, failed };
}
