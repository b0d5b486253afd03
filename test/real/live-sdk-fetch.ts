/**
 * `npm run test:real -- fetch`: gives a `createRetryFetch()` to SDKs as their own `fetch`. A GET that fails twice has to succeed by three
 * requests; a POST without an `Idempotency-Key` has to be sent once.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { load, type Modules, report, versioned } from './installed.ts';

/** What an SDK is asked for, its own retries off. */
interface Sdk {
  readonly get: (module: Modules, base: string, fetch: Modules) => Promise<unknown>;
  readonly post?: (module: Modules, base: string, fetch: Modules) => Promise<unknown>;
}

const MESSAGE = { model: 'x', max_tokens: 1, messages: [{ role: 'user' as const, content: 'x' }] };

const SDKS: Readonly<Record<string, Sdk>> = {
  openai: {
    get: ({ default: OpenAI }, baseURL, fetch) =>
      new OpenAI({ apiKey: 'x', baseURL, fetch, maxRetries: 0 }).models.retrieve('x'),
    post: ({ default: OpenAI }, baseURL, fetch) =>
      new OpenAI({ apiKey: 'x', baseURL, fetch, maxRetries: 0 }).chat.completions.create(MESSAGE),
  },
  '@anthropic-ai/sdk': {
    get: ({ default: Anthropic }, baseURL, fetch) =>
      new Anthropic({ apiKey: 'x', baseURL, fetch, maxRetries: 0 }).models.retrieve('x'),
    post: ({ default: Anthropic }, baseURL, fetch) =>
      new Anthropic({ apiKey: 'x', baseURL, fetch, maxRetries: 0 }).messages.create(MESSAGE),
  },
  'groq-sdk': {
    get: ({ default: Groq }, baseURL, fetch) =>
      new Groq({ apiKey: 'x', baseURL, fetch, maxRetries: 0 }).models.retrieve('x'),
    post: ({ default: Groq }, baseURL, fetch) =>
      new Groq({ apiKey: 'x', baseURL, fetch, maxRetries: 0 }).chat.completions.create(MESSAGE),
  },
  cloudflare: {
    get: ({ default: Cloudflare }, baseURL, fetch) =>
      new Cloudflare({ apiToken: 'x', baseURL, fetch, maxRetries: 0 }).get('/x'),
    post: ({ default: Cloudflare }, baseURL, fetch) =>
      new Cloudflare({ apiToken: 'x', baseURL, fetch, maxRetries: 0 }).post('/x', { body: {} }),
  },
  '@octokit/core': {
    get: ({ Octokit }, baseUrl, fetch) => new Octokit({ baseUrl, request: { fetch } }).request('GET /user'),
    post: ({ Octokit }, baseUrl, fetch) =>
      new Octokit({ baseUrl, request: { fetch } }).request('POST /user/repos', { name: 'x' }),
  },
  // The database client of supabase-js; supabase-js itself wants a WebSocket, which Node 20 has not.
  '@supabase/postgrest-js': {
    get: ({ PostgrestClient }, base, fetch) =>
      new PostgrestClient(base, { fetch }).from('x').select().retry(false).throwOnError(),
    post: ({ PostgrestClient }, base, fetch) =>
      new PostgrestClient(base, { fetch }).from('x').insert({ id: 1 }).throwOnError(),
  },
  stripe: {
    get: ({ default: Stripe }, base, fetch) => stripe(Stripe, base, fetch).balance.retrieve(),
  },
  'graphql-request': {
    // Every query is a POST: it has no key, and is sent once.
    get: ({ GraphQLClient }, base, fetch) =>
      new GraphQLClient(base, { fetch, method: 'GET' }).request('{ a }'),
    post: ({ GraphQLClient }, base, fetch) => new GraphQLClient(base, { fetch }).request('{ a }'),
  },
  '@notionhq/client': {
    get: ({ Client }, baseUrl, fetch) =>
      new Client({ auth: 'x', baseUrl, fetch, retry: false, logLevel: 'error' }).users.me({}),
    post: ({ Client }, baseUrl, fetch) =>
      new Client({ auth: 'x', baseUrl, fetch, retry: false, logLevel: 'error' }).search({ query: 'x' }),
  },
  ky: {
    get: ({ default: ky }, base, fetch) => ky.get(base, { fetch, retry: 0 }).json(),
    post: ({ default: ky }, base, fetch) => ky.post(base, { fetch, retry: 0, json: {} }).json(),
  },
  ofetch: {
    get: ({ createFetch }, base, fetch) => createFetch({ fetch })(base, { retry: 0 }),
    post: ({ createFetch }, base, fetch) =>
      createFetch({ fetch })(base, { retry: 0, method: 'POST', body: {} }),
  },
  replicate: {
    // It repeats a GET by itself six times, which cannot be turned off: it sees no failure.
    get: ({ default: Replicate }, baseUrl, fetch) =>
      new Replicate({ auth: 'x', baseUrl, fetch }).models.get('a', 'b'),
  },
};

function stripe(Stripe: Modules, base: string, fetch: Modules): Modules {
  const { hostname, port } = new URL(base);
  const httpClient = Stripe.createFetchHttpClient(fetch);
  return new Stripe('x', { host: hostname, port, protocol: 'http', httpClient, maxNetworkRetries: 0 });
}

let failuresLeft = 0;
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.resume();
  const isDown = failuresLeft-- > 0;
  response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify(isDown ? { message: 'down' } : { id: 'x', data: {}, results: [], object: 'x' }),
  );
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const retrying = createRetryFetch({ maxAttempts: 4, backoff: { type: 'none' } });

/** Returns how often a call was sent while the first two requests fail, and what it threw. */
async function send(
  call: () => Promise<unknown>,
): Promise<{ readonly sent: number; readonly error?: unknown }> {
  [failuresLeft, requests] = [2, 0];
  try {
    await call();
    return { sent: requests };
  } catch (error) {
    return { sent: requests, error };
  }
}

for (const [name, { get, post }] of Object.entries(SDKS)) {
  const module = await load(name);
  const found: string[] = [];
  const got = await send(() => get(module, base, retrying));
  if (got.sent !== 3 || 'error' in got)
    found.push(`GET: ${got.sent} requests instead of 3, ${String(got.error ?? 'resolved')}`);
  const posted = post && (await send(() => post(module, base, retrying)));
  if (posted !== undefined && (posted.sent !== 1 || !('error' in posted)))
    found.push(`POST: ${posted.sent} requests instead of 1, ${String(posted.error ?? 'resolved')}`);
  report(`fetch of ${versioned(name)}`, found);
}
server.close();
server.closeAllConnections();
