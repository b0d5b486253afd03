/** The tests of core for Stryker, which runs them in a copy of this repository that shares its node_modules. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { tierOf } from '../test/tiers.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const source = `${root}packages/core/src/`;
const folder = process.env.MUTATION_FOLDER ?? '';

/** What holds core to its word; the dialects are held to it by the cases of the real systems. */
const everything = ['core', 'conformance', 'contract'].map((name) => `test/${name}/**/*.test.ts`);

export default defineConfig({
  root,
  resolve: {
    // By its name a test would get the original, in which there are no mutants.
    alias: [
      { find: /^@retry\/core$/, replacement: `${source}index.ts` },
      { find: /^@retry\/core\/clock$/, replacement: `${source}clock.ts` },
      { find: /^@retry\/core\/testing$/, replacement: `${source}virtual-clock.ts` },
      { find: /^@retry\/core\/dialects\/parity$/, replacement: `${source}dialects/parity/index.ts` },
      { find: /^@retry\/core\/([\w/]+)$/, replacement: `${source}$1/index.ts` },
    ],
  },
  test: {
    include: folder === '' ? everything : [`test/core/${folder}/**/*.test.ts`],
    // `RETRY_TESTS=quick npm run mutation` asks only what `npm test` runs.
    exclude: [...tierOf(process.env.RETRY_TESTS ?? 'all').exclude],
    setupFiles: ['test/support/each-file.setup.ts'],
    // The code with the mutants in it is slower.
    testTimeout: 60_000,
  },
});
