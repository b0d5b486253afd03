/**
 * Mutation tests of core: every small change to its source has to make one of its tests fail.
 * `npm run mutation` starts it for everything, `npm run mutation -- delay` for one folder.
 */
const folder = process.env.MUTATION_FOLDER ?? '';
// What one tier's tests said of a mutant is not what another's would.
const output = `.stryker-tmp/${process.env.RETRY_TESTS ?? 'all'}/${folder === '' ? 'core' : folder}`;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: [`packages/core/src/${folder}/**/*.ts`],
  ignorePatterns: ['.stryker-tmp', 'test/bench'],
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: '.tools/mutation.vitest.config.mjs' },
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: `${output}/incremental.json`,
  tempDirName: `${output}/sandboxes`,
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { reportTests: false, allowColor: false },
  jsonReporter: { fileName: `${output}/report.json` },
  allowConsoleColors: false,
  concurrency: 2,
  thresholds: { high: 95, low: 90, break: 90 },
};
