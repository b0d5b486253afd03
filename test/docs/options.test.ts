import { describe, expect, it } from 'vitest';
import { readText } from '../support/repository.ts';

/** Where the options of each factory and call are declared, and the page that its users read. */
const PAGES = [
  ['TaskInput', 'packages/worker/src/task/task.ts', 'docs/tasks.md'],
  ['TaskContext', 'packages/worker/src/task/task.ts', 'docs/tasks.md'],
  ['RetryRequest', 'packages/worker/src/task/task.ts', 'docs/tasks.md'],
  ['WorkerOptions', 'packages/worker/src/options.ts', 'docs/tasks.md'],
  ['WorkerEvents', 'packages/worker/src/events.ts', 'docs/tasks.md'],
  ['QueueOptions', 'packages/worker/src/create-queue.ts', 'docs/tasks.md'],
  ['Queue', 'packages/worker/src/create-queue.ts', 'docs/tasks.md'],
  ['SubmitOptions', 'packages/worker/src/queue/submission.ts', 'docs/tasks.md'],
  ['WaitForResultOptions', 'packages/worker/src/queue/wait-options.ts', 'docs/tasks.md'],
  ['DeadLetterFilter', 'packages/worker/src/queue/dead-letter-filter.ts', 'docs/tasks.md'],
  ['DiscardFilter', 'packages/worker/src/queue/dead-letter-filter.ts', 'docs/tasks.md'],
  ['RedriveFilter', 'packages/worker/src/queue/dead-letter-filter.ts', 'docs/tasks.md'],
  ['MemoryBrokerOptions', 'packages/inprocess/src/broker/options.ts', 'docs/tasks.md'],
  ['RedisBrokerOptions', 'packages/redis-queue/src/options.ts', 'docs/adapters.md'],
  ['PostgresBrokerOptions', 'packages/postgres/src/options.ts', 'docs/adapters.md'],
  ['RetryHooks', 'packages/inprocess/src/call/events.ts', 'docs/retry.md'],
  ['RetryOptions', 'packages/inprocess/src/call/options.ts', 'docs/retry.md'],
  ['RetryFetchOptions', 'packages/inprocess/src/fetch/options.ts', 'docs/retry.md'],
  ['RetryGroupOptions', 'packages/inprocess/src/limits/group.ts', 'docs/retry.md'],
  ['RetryBudgetOptions', 'packages/inprocess/src/limits/budget.ts', 'docs/retry.md'],
  ['PolicyInput', 'packages/core/src/policy/policy.ts', 'docs/policies.md'],
] as const;

describe('the documentation', () => {
  it.each(PAGES)('names every key of %s, which %s declares, in %s', (type, source, page) => {
    const keys = keysOf(type, readText(source));
    const code = [...withoutBlocks(readText(page)).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

    expect(keys).not.toEqual([]);
    expect(keys.filter((key) => !code.some((text) => new RegExp(`\\b${key}\\b`).test(text)))).toEqual([]);
  });
});

/** The keys of an interface, as the formatter writes it: two spaces in. */
function keysOf(type: string, source: string): readonly string[] {
  const [, body = ''] =
    new RegExp(`^export (?:interface|type) ${type}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, key = '']) => key);
}

/** What stands in a block of code is an example, and explains nothing. */
function withoutBlocks(page: string): string {
  return page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}
