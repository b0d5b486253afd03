import { describe, expect, it } from 'vitest';
import { listTypeScript, readText } from '../support/repository.ts';

/** The options of each factory and call, the package that declares them, and the page that its users read. */
const PAGES = [
  ['PolicyInput', 'core', 'docs/policies.md'],
  ['RetryHooks', 'inprocess', 'docs/getting-started.md'],
  ['RetryOptions', 'inprocess', 'docs/getting-started.md'],
  ['AttemptContext', 'inprocess', 'docs/getting-started.md'],
  ['CallEvent', 'inprocess', 'docs/getting-started.md'],
  ['AttemptEvent', 'inprocess', 'docs/getting-started.md'],
  ['RetryEvent', 'inprocess', 'docs/getting-started.md'],
  ['NestedEvent', 'inprocess', 'docs/getting-started.md'],
  ['RetryGroupOptions', 'inprocess', 'docs/getting-started.md'],
  ['RetryBudgetOptions', 'inprocess', 'docs/getting-started.md'],
  ['CircuitBreakerInput', 'core', 'docs/getting-started.md'],
  ['CircuitBreakerInput', 'core', 'docs/outages.md'],
  ['CircuitBreakerOptions', 'inprocess', 'docs/getting-started.md'],
  ['StateChangeEvent', 'inprocess', 'docs/getting-started.md'],
  ['RetryFetchOptions', 'inprocess', 'docs/fetch.md'],
  ['MemoryBrokerOptions', 'inprocess', 'docs/choosing-a-broker.md'],
  ['TaskInput', 'worker', 'docs/tasks.md'],
  ['DeadLetter', 'worker', 'docs/dead-letters.md'],
  ['TaskContext', 'worker', 'docs/tasks.md'],
  ['RetryRequest', 'worker', 'docs/tasks.md'],
  ['ReleaseRequest', 'worker', 'docs/outages.md'],
  ['HandlerHold', 'worker', 'docs/outages.md'],
  ['WorkerOptions', 'worker', 'docs/workers.md'],
  ['Worker', 'worker', 'docs/workers.md'],
  ['DrainOptions', 'worker', 'docs/serverless.md'],
  ['WhenIdleOptions', 'worker', 'docs/workers.md'],
  ['DrainReport', 'worker', 'docs/serverless.md'],
  ['QueueOptions', 'worker', 'docs/tasks.md'],
  ['Queue', 'worker', 'docs/tasks.md'],
  ['HealthOptions', 'worker', 'docs/health.md'],
  ['Health', 'worker', 'docs/health.md'],
  ['HealthFigures', 'worker', 'docs/health.md'],
  ['Finding', 'worker', 'docs/health.md'],
  ['Subject', 'worker', 'docs/health.md'],
  ['Observing', 'worker', 'docs/tasks.md'],
  ['GroupNotice', 'core', 'docs/operating.md'],
  ['Operating', 'worker', 'docs/operating-runs.md'],
  ['RescheduleOptions', 'worker', 'docs/operating-runs.md'],
  ['ResubmitOptions', 'worker', 'docs/operating-runs.md'],
  ['Holding', 'worker', 'docs/operating-runs.md'],
  ['HoldOptions', 'worker', 'docs/operating-runs.md'],
  ['RunResult', 'worker', 'docs/tasks.md'],
  ['SubmitOptions', 'worker', 'docs/tasks.md'],
  ['ScheduleOptions', 'worker', 'docs/schedules.md'],
  ['ScheduleView', 'worker', 'docs/schedules.md'],
  ['Scheduling', 'worker', 'docs/schedules.md'],
  ['WaitForResultOptions', 'worker', 'docs/tasks.md'],
  ['UniqueOptions', 'worker', 'docs/unique.md'],
  ['GlobalRateLimit', 'worker', 'docs/limits.md'],
  ['RunReading', 'worker', 'docs/finding-runs.md'],
  ['RunView', 'worker', 'docs/finding-runs.md'],
  ['RunFilter', 'worker', 'docs/finding-runs.md'],
  ['PageOptions', 'worker', 'docs/finding-runs.md'],
  ['ListOptions', 'worker', 'docs/finding-runs.md'],
  ['SearchOptions', 'worker', 'docs/finding-runs.md'],
  ['SearchPage', 'worker', 'docs/finding-runs.md'],
  ['DeadLetters', 'worker', 'docs/dead-letters.md'],
  ['DeadLetterFilter', 'worker', 'docs/dead-letters.md'],
  ['DiscardFilter', 'worker', 'docs/dead-letters.md'],
  ['RedriveFilter', 'worker', 'docs/dead-letters.md'],
  ['Fingerprint', 'core', 'docs/error-groups.md'],
  ['Replay', 'core', 'docs/error-groups.md'],
  ['ReplayOptions', 'core', 'docs/error-groups.md'],
  ['ReplaySummary', 'core', 'docs/error-groups.md'],
  ['ErrorFacts', 'core', 'docs/error-groups.md'],
  ['RecordedAttempt', 'core', 'docs/error-groups.md'],
  ['LintOptions', 'core', 'docs/policies.md'],
  ['WorldInput', 'core', 'docs/storms.md'],
  ['NetworkInput', 'core', 'docs/storms.md'],
  ['TroubleInput', 'core', 'docs/storms.md'],
  ['SimulateOptions', 'core', 'docs/storms.md'],
  ['RenderOptions', 'core', 'docs/storms.md'],
  ['Timeline', 'core', 'docs/storms.md'],
  ['Bucket', 'core', 'docs/storms.md'],
  ['WorkerEvents', 'worker', 'docs/operating.md'],
  ['RunNotice', 'worker', 'docs/operating.md'],
  ['QueueEvents', 'worker', 'docs/operating.md'],
  ['Audit', 'core', 'docs/operating.md'],
  ['BoardOptions', 'board', 'docs/board.md'],
  ['OtelOptions', 'otel', 'docs/opentelemetry.md'],
  ['Rights', 'board', 'docs/board.md'],
  ['RedisBrokerOptions', 'redis-queue', 'docs/redis.md'],
  ['PostgresBrokerOptions', 'postgres', 'docs/postgres.md'],
] as const;

describe('the documentation', () => {
  it.each(PAGES)('names every key of %s, which @retry/%s declares, in %s', (type, name, page) => {
    const keys = keysOf(type, listTypeScript(`packages/${name}/src`).map(readText).join('\n'));
    const code = [...withoutBlocks(readText(page)).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

    expect(keys).not.toEqual([]);
    expect(keys.filter((key) => !code.some((text) => new RegExp(`\\b${key}\\b`).test(text)))).toEqual([]);
  });
});

/** The keys of an interface, as the formatter writes it: indented by two spaces. */
function keysOf(type: string, source: string): readonly string[] {
  const [, body = ''] =
    new RegExp(`^export (?:interface|type) ${type}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, key = '']) => key);
}

/** Blocks of code are examples; they explain nothing. */
function withoutBlocks(page: string): string {
  return page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}
