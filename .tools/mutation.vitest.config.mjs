/** The tests of core for Stryker, which runs them in a copy of this repository that shares its node_modules. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../', import.meta.url));
const source = `${root}packages/core/src/`;
const folder = process.env.MUTATION_FOLDER ?? '';

export default defineConfig({
  root,
  resolve: {
    // By its name a test would get the original, in which there are no mutants.
    alias: [
      { find: /^@retry\/core$/, replacement: `${source}index.ts` },
      { find: /^@retry\/core\/(\w+)$/, replacement: `${source}$1/index.ts` },
    ],
  },
  test: {
    include: [`test/core/${folder}/**/*.test.ts`],
    setupFiles: ['test/support/fast-check.setup.ts'],
  },
});
