import { vi } from 'vitest';

// The tests of the main entry, once more: the same names, from the slim entry.
vi.mock('@retry/inprocess', async (importMain) => ({
  ...(await importMain<object>()),
  ...(await import('./slim-as-main.ts')),
}));

await import('../inprocess/run-attempts.test.ts');
await import('../inprocess/run-attempts.abort.test.ts');
await import('../inprocess/run-attempts.deadline.test.ts');
await import('../inprocess/run-attempts.hooks.test.ts');
await import('../inprocess/with-retry.test.ts');
await import('../inprocess/retry.test.ts');
await import('../inprocess/retry-result.test.ts');
await import('../inprocess/retry-info.test.ts');
await import('../inprocess/retry-group.test.ts');
await import('../inprocess/retry-budget.test.ts');
await import('../inprocess/context.test.ts');
await import('../inprocess/odd-values.test.ts');
