import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node';
import { root } from './repository.ts';
import { findPostgresFolder, POSTGRES_CURE } from './servers/postgres.ts';
import { findRedisBinary, REDIS_CURE } from './servers/redis.ts';

type Engine = 'memory' | 'PGlite' | 'Redis' | 'Postgres' | 'both servers';

declare module 'vitest' {
  interface TaskMeta {
    /** What the tests of a suite run on, where the name of their file does not say it. */
    readonly engine?: Engine;
  }
}

/** Begins a run with how much there is, and ends it with what ran on which engine, what did not run and why, the result and the time. */
export class SummaryReporter implements Reporter {
  readonly #tier: string;
  #startedAt = performance.now();

  constructor(tier: string) {
    this.#tier = tier;
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#startedAt = performance.now();
    console.log(` ${plural(files.length, 'file')}, of which each is a line when it has ended\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, result: string): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    if (tests.length === 0) return;
    const [skipped, ran] = partition(tests, (test) => test.result().state === 'skipped');
    const lines = [
      ' What ran on which engine',
      ...count(ran, engineOf).map(
        ([engine, n]) => `  ${engine.padEnd(13)} ${plural(n, 'test')}${serverOf(engine)}`,
      ),
      ...(skipped.length > 0 ? [' What did not run'] : []),
      ...count(skipped, reasonOf).map(([reason, n]) => `  ${String(n).padEnd(13)} ${reason}`),
      ...this.#leftOut(modules),
      ` ${result} after ${this.#duration()}: ${plural(ran.length, 'test')} of ${plural(modules.length, 'file')} ran`,
    ];
    console.log(['', ...lines].join('\n'));
  }

  #leftOut(modules: readonly TestModule[]): readonly string[] {
    if (this.#tier !== 'quick') return [];
    const files = readdirSync(join(root, 'test'), { recursive: true }).filter((path) =>
      /(?<!\.nightly)\.test\.ts$/.test(String(path)),
    );
    const left = files.length - modules.length;
    return [`  left to npm run test:all: ${left} of ${files.length} files`];
  }

  #duration(): string {
    const seconds = Math.round((performance.now() - this.#startedAt) / 1_000);
    return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
}

function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

function partition<Item>(items: readonly Item[], is: (item: Item) => boolean): readonly [Item[], Item[]] {
  return [items.filter(is), items.filter((item) => !is(item))];
}

function count<Key>(tests: readonly TestCase[], keyOf: (test: TestCase) => Key): readonly [Key, number][] {
  const counts = new Map<Key, number>();
  for (const test of tests) counts.set(keyOf(test), (counts.get(keyOf(test)) ?? 0) + 1);
  return [...counts];
}

/** By what its suite says, else by the name of its folder or file, as in test/tiers.ts. */
function engineOf(test: TestCase): Engine {
  const path = test.module.moduleId.slice(root.length);
  const { engine } = test.meta();
  if (engine !== undefined) return engine;
  if (/pglite/.test(path)) return 'PGlite';
  if (/on-servers/.test(path)) return 'both servers';
  if (/\/postgres/.test(path)) return 'Postgres';
  return /\/redis/.test(path) ? 'Redis' : 'memory';
}

/** By what the name of the test or of a suite around it says, else by what the test itself said. */
function reasonOf(test: TestCase): string {
  const [, named] = /\(not run: (.*?)\)(?: >|$)/.exec(test.fullName) ?? [];
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  const isChosen = test.project.vitest.config.testNamePattern !== undefined;
  return (
    named ?? note ?? (isChosen ? 'has another name than was asked for' : `without a reason: ${test.fullName}`)
  );
}

function serverOf(engine: Engine): string {
  if (engine === 'Redis')
    return `, on ${process.env['REDIS_URL'] ? 'REDIS_URL' : (findRedisBinary() ?? REDIS_CURE)}`;
  if (engine !== 'Postgres') return '';
  return `, on ${process.env['DATABASE_URL'] ? 'DATABASE_URL' : (findPostgresFolder() ?? POSTGRES_CURE)}`;
}
