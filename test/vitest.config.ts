import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { runsOfProperties } from './support/property-runs.ts';
import { SummaryReporter } from './support/summary-reporter.ts';
import { tierOf } from './tiers.ts';

const testFolder = fileURLToPath(new URL('.', import.meta.url));

/** Each folder here that holds a test file is a project of its name: none has to be listed, none can be forgotten. */
const projects = readdirSync(testFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .filter((name) =>
    readdirSync(`${testFolder}${name}`, { recursive: true }).some((file) =>
      String(file).endsWith('.test.ts'),
    ),
  );

/**
 * What these see is the whole process: its garbage, its listeners, or a warning that it gives once a minute. Each has a process of its
 * own, and to load the modules there takes longer than most tests: `npm test` leaves them out. All other files of a project run in one
 * process after another.
 */
const ALONE = [
  'broken-clock.properties',
  'broken-random',
  'lease-thread-dies',
  'lease-thread-on-servers',
  'process-listeners',
  'young-garbage-on-servers',
].map((name) => `test/worker/${name}.test.ts`);

/** Their tests open PGlite, whose files of a new database are made before. */
const ON_PGLITE = ['cli', 'conformance', 'postgres'];

/** Set by the scripts of package.json. */
const tierName = process.env['RETRY_TESTS'] ?? 'all';
const tier = tierOf(tierName);

const alone = { extends: true as const, test: { name: 'alone', include: ALONE, exclude: [...tier.exclude] } };

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // Of property tests, and of programs that start, on machines that may be busy: few tests have a limit of their own.
    testTimeout: 240_000 * Math.max(1, runsOfProperties() / 100),
    hookTimeout: 240_000,
    expect: { poll: { timeout: 20_000 } },
    // A line for each file is enough to see how far it is.
    slowTestThreshold: 5_000,
    setupFiles: ['test/support/each-file.setup.ts'],
    // With room for 64 MB of young objects instead of 16 their collection takes a tenth less processor time of all tests.
    execArgv: ['--max-semi-space-size=64'],
    // Tests on servers wait for a third of their time: for leases, clocks and processes.
    maxWorkers: tierName === 'quick' ? '100%' : Math.ceil(availableParallelism() * 1.5),
    // What was transformed for one project need not be for the next, nor the next time.
    experimental: { fsModuleCache: true, fsModuleCachePath: transformed() },
    reporters: ['default', new SummaryReporter(tierName), ...jsonReport()],
    projects: tierName === 'quick' ? [together(tier.projects ?? projects)] : apart(),
  },
});

/** A folder for what files were transformed to, which depends on their texts and on where the packages have their entries. */
function transformed(): string {
  const packages = fileURLToPath(new URL('../packages', import.meta.url));
  const hash = createHash('sha1');
  for (const name of readdirSync(packages)) {
    const manifest = `${packages}/${name}/package.json`;
    if (existsSync(manifest)) hash.update(readFileSync(manifest));
  }
  const folder = `../node_modules/.cache/retry-vitest/${hash.digest('hex').slice(0, 16)}`;
  return fileURLToPath(new URL(folder, import.meta.url));
}

/** A project for each folder. */
function apart() {
  return [
    ...projects.map((name) => ({
      extends: true as const,
      test: {
        name,
        isolate: false,
        include: filesOf(name),
        exclude: [...ALONE, ...tier.exclude],
        ...(ON_PGLITE.includes(name) && { globalSetup: 'test/support/pglite.ts' }),
      },
    })),
    // A tier of some files has none of these.
    ...(tier.include === undefined ? [alone] : []),
  ].filter(({ test: { name } }) => tier.projects?.includes(name) ?? true);
}

/** One project of the files of several: what they import is transformed once, and loaded once by each process. */
function together(names: readonly string[]) {
  return {
    extends: true as const,
    test: {
      name: tierName,
      isolate: false,
      include: names.flatMap(filesOf),
      exclude: [...ALONE, ...tier.exclude],
    },
  };
}

/** The files of a project that the tier has. */
function filesOf(project: string): string[] {
  const own = `test/${project}/`;
  if (tier.include === undefined) return [`${own}**/*.test.ts`];
  return tier.include.flatMap((glob) => {
    if (glob.startsWith(own)) return [glob];
    const rest = /^test\/\*{1,2}\/(.*)$/.exec(glob)?.[1];
    return rest === undefined ? [] : [`${own}${glob.startsWith('test/**') ? '**/' : ''}${rest}`];
  });
}

/** For a program that counts: `TEST_REPORT` names the file. */
function jsonReport(): ['json', { outputFile: string }][] {
  const outputFile = process.env['TEST_REPORT'];
  return outputFile === undefined ? [] : [['json', { outputFile }]];
}
