import { factor, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** MCP: reconnecting of the Streamable HTTP client. */
export const mcpStreamableHttp: System = /* @__PURE__ */ defineSystem({
  name: 'mcp-streamable-http',
  title: 'MCP Streamable HTTP',
  version: '1.32.2',
  fidelity: 'exact',
  options: {
    maxRetries: retries(2, 'tries after the first'),
    initialReconnectionDelay: ms(1_000, 'the first delay'),
    maxReconnectionDelay: ms(30_000, 'the longest delay'),
    reconnectionDelayGrowFactor: factor(1.5, 'what each delay is multiplied by'),
  },
  policy: ({ maxRetries, initialReconnectionDelay, maxReconnectionDelay, reconnectionDelayGrowFactor }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(initialReconnectionDelay, reconnectionDelayGrowFactor),
    maxDelay: maxReconnectionDelay,
  }),
});
