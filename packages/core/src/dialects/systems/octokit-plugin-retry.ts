import { flag, ignored, ms, retries } from '../option.ts';
import { defineSystem, type System } from '../system.ts';

/** Octokit: its retry plugin. */
export const octokitPluginRetry: System = /* @__PURE__ */ defineSystem({
  name: 'octokit-plugin-retry',
  title: 'Octokit (plugin-retry)',
  version: '8.1.1',
  fidelity: 'exact',
  remarks: [
    'The client keeps its count: after a request that failed, its next one first waits `(retries + 2)²` seconds.',
  ],
  options: {
    retries: retries(3, 'requests after the first'),
    retryAfterBaseValue: ms(1_000, 'what the square is multiplied by'),
    doNotRetry: ignored('statuses'),
    enabled: flag(true, 'whether it retries'),
  },
  policy: ({ retryAfterBaseValue, enabled, ...values }) => ({
    maxAttempts: enabled ? values.retries : 1,
    backoff: { type: 'polynomial', base: retryAfterBaseValue, exponent: 2 },
  }),
});
