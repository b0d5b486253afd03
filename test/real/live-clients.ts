import type { Modules } from './installed.ts';

/** One request of each client, its own retries off. */
export const CLIENTS: Readonly<Record<string, (module: Modules, base: string) => Promise<unknown>>> = {
  axios: ({ default: axios }, base) => axios.get(base),
  got: ({ default: got }, base) => got(base, { retry: { limit: 0 } }),
  ky: ({ default: ky }, base) => ky(base, { retry: 0 }),
  'node-fetch': async ({ default: nodeFetch }, base) => {
    const response = await nodeFetch(base);
    throw Object.assign(new Error('refused'), { response });
  },
  ofetch: ({ ofetch }, base) => ofetch(base, { retry: 0 }),
  superagent: async ({ default: superagent }, base) => superagent.get(base),
  undici: async ({ request }, base) => {
    const { statusCode, headers, body } = await request(base);
    await body.dump();
    throw Object.assign(new Error('refused'), { statusCode, headers });
  },
  openai: ({ default: OpenAI }, baseURL) => new OpenAI({ apiKey: 'x', baseURL, maxRetries: 0 }).models.list(),
  '@anthropic-ai/sdk': ({ default: Anthropic }, baseURL) =>
    new Anthropic({ apiKey: 'x', baseURL, maxRetries: 0 }).models.list(),
  '@octokit/core': ({ Octokit }, baseUrl) => new Octokit({ baseUrl }).request('GET /user'),
  'graphql-request': ({ request }, base) => request(base, '{ a }'),
  'groq-sdk': ({ default: Groq }, baseURL) => new Groq({ apiKey: 'x', baseURL, maxRetries: 0 }).models.list(),
  cloudflare: ({ default: Cloudflare }, baseURL) =>
    new Cloudflare({ apiToken: 'x', baseURL, maxRetries: 0 }).get('/x'),
  '@notionhq/client': ({ Client }, baseUrl) =>
    new Client({ auth: 'x', baseUrl, retry: false, logLevel: 'error' }).users.me({}),
  meilisearch: ({ Meilisearch }, host) => new Meilisearch({ host }).getIndexes(),
  '@hapi/wreck': ({ default: Wreck }, base) => Wreck.get(base),
  'make-fetch-happen': async ({ default: fetchIt }, base) => {
    const response = await fetchIt(base, { retry: false });
    throw Object.assign(new Error('refused'), { response });
  },
  xior: ({ default: xior }, base) => xior.get(base),
  '@trpc/client': ({ createTRPCClient, httpLink }, url) =>
    createTRPCClient({ links: [httpLink({ url })] }).a.query(),
  '@mistralai/mistralai': ({ Mistral }, serverURL) =>
    new Mistral({ apiKey: 'x', serverURL, retryConfig: { strategy: 'none' } }).models.list(),
  square: ({ SquareClient }, environment) =>
    new SquareClient({ token: 'x', environment }).locations.list({ maxRetries: 0 }),
  arangojs: ({ Database }, url) => new Database({ url, maxRetries: false }).version(),
  '@opensearch-project/opensearch': ({ Client }, node) => new Client({ node, maxRetries: 0 }).info(),
  wretch: ({ default: wretch }, base) => wretch(base).get().json(),
  '@slack/web-api': ({ WebClient }, base) =>
    new WebClient('x', {
      slackApiUrl: `${base}/`,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logLevel: 'error',
    }).auth.test(),
  '@elastic/elasticsearch': ({ Client }, node) => new Client({ node, maxRetries: 0 }).info(),
  '@azure/core-rest-pipeline': async ({ createDefaultHttpClient, createPipelineRequest, RestError }, url) => {
    const request = createPipelineRequest({ url, allowInsecureConnection: true });
    const response = await createDefaultHttpClient().sendRequest(request);
    throw new RestError('refused', { statusCode: response.status, request, response });
  },
  urllib: async ({ request }, base) => {
    const { status, headers } = await request(base);
    throw Object.assign(new Error('refused'), { status, headers });
  },
  '@discordjs/rest': ({ REST }, api) =>
    new REST({ api, retries: 0, rejectOnRateLimit: ['/'] }).setToken('x').get('/gateway', {}),
  redaxios: ({ default: redaxios }, base) => redaxios.get(base),
  bent: ({ default: bent }, base) => bent('json')(base),
  '@hubspot/api-client': ({ Client }, basePath) =>
    new Client({ accessToken: 'x', basePath, numberOfApiCallRetries: 0 }).crm.contacts.basicApi.getPage(),
  'jira.js': ({ Version3Client }, host) =>
    new Version3Client({
      host,
      authentication: { basic: { email: 'a@example.com', apiToken: 'x' } },
    }).myself.getCurrentUser(),
  'together-ai': ({ default: Together }, baseURL) =>
    new Together({ apiKey: 'x', baseURL, maxRetries: 0 }).models.list(),
  dropbox: ({ Dropbox }, base) =>
    new Dropbox({
      accessToken: 'x',
      fetch: (_: unknown, init: RequestInit) => fetch(base, init),
    }).usersGetCurrentAccount(),
  '@adobe/fetch': async ({ fetch: adobeFetch }, base) => {
    const response = await adobeFetch(base);
    throw Object.assign(new Error('refused'), { response });
  },
};
