import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { root } from './repository.ts';
import { findPostgresFolder, POSTGRES_CURE } from './servers/postgres.ts';
import { findRedisBinary, REDIS_CURE } from './servers/redis.ts';

type Engine = 'memory' | 'Redis' | 'Postgres' | 'both servers';

interface Count {
  tests: number;
  skipped: number;
}

/** Ends a run with what ran on which engine, which server that was, and what was left to `npm run test:all`. */
export class SummaryReporter implements Reporter {
  readonly #tier: string;

  constructor(tier: string) {
    this.#tier = tier;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = countByEngine(modules);
    const lines = [...counts].map(([engine, { tests, skipped }]) => {
      const left = skipped > 0 ? `, ${skipped} skipped` : '';
      return `  ${engine.padEnd(13)} ${tests} tests${left}${serverOf(engine)}`;
    });
    if (lines.length > 0)
      console.log(['', ' What ran on which engine', ...lines, ...this.#leftOut(modules)].join('\n'));
  }

  #leftOut(modules: readonly TestModule[]): readonly string[] {
    if (this.#tier !== 'quick') return [];
    const files = readdirSync(join(root, 'test'), { recursive: true }).filter((path) =>
      /(?<!\.nightly)\.test\.ts$/.test(String(path)),
    );
    return [`  left to npm run test:all: ${files.length - modules.length} of ${files.length} files`];
  }
}

function countByEngine(modules: readonly TestModule[]): ReadonlyMap<Engine, Count> {
  const counts = new Map<Engine, Count>();
  for (const { moduleId, children } of modules) {
    const engine = engineOf(moduleId.slice(root.length));
    const count = counts.get(engine) ?? { tests: 0, skipped: 0 };
    for (const test of children.allTests()) {
      if (test.result().state === 'skipped') count.skipped += 1;
      else count.tests += 1;
    }
    counts.set(engine, count);
  }
  return counts;
}

/** By the name of its folder or file, as in test/tiers.ts. */
function engineOf(path: string): Engine {
  if (/on-servers/.test(path)) return 'both servers';
  if (/\/postgres/.test(path)) return 'Postgres';
  return /\/redis/.test(path) ? 'Redis' : 'memory';
}

function serverOf(engine: Engine): string {
  if (engine === 'Redis')
    return `, on ${process.env['REDIS_URL'] ? 'REDIS_URL' : (findRedisBinary() ?? REDIS_CURE)}`;
  if (engine !== 'Postgres') return '';
  return `, on ${process.env['DATABASE_URL'] ? 'DATABASE_URL' : (findPostgresFolder() ?? POSTGRES_CURE)}`;
}
