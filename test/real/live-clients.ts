/** What a client's package exports. */
// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed where this is type-checked.
export type Modules = any;

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
};
