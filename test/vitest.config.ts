import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

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

/** Their files change nothing that others see, and run in one process after another: loading the modules anew takes a third of the time. */
const TOGETHER = ['core', 'architecture', 'inprocess', 'slim'];

/** Their tests open PGlite, whose files of a new database are made before. */
const ON_PGLITE = ['cli', 'conformance', 'postgres'];

/** Tests of the main entry, once more: for them its name is the slim entry's. */
const slim = {
  include: [
    'test/slim/*.test.ts',
    'test/inprocess/{with-retry,retry{,-if-result,-info,-group,-budget},context,odd-values}.test.ts',
    'test/inprocess/{abort,before-retry,events,initial-delay,on-retry-and-on-give-up}.test.ts',
    'test/inprocess/{timeouts,timeout-rules,waiting}.test.ts',
  ],
  alias: [{ find: /^@retry\/inprocess$/, replacement: `${testFolder}slim/slim-as-main.ts` }],
};

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // Property tests make FC_NUM_RUNS runs, 200 by default, on machines that may be busy.
    testTimeout: 30_000 * Math.max(1, Number(process.env['FC_NUM_RUNS'] ?? 200) / 200),
    setupFiles: ['test/support/fast-check.setup.ts'],
    // Many tests wait for servers and clocks: a processor that none uses is not needed.
    maxWorkers: '100%',
    projects: projects.map((name) => ({
      extends: true,
      test: {
        name,
        isolate: !TOGETHER.includes(name),
        include: [`test/${name}/**/*.test.ts`],
        ...(ON_PGLITE.includes(name) && { globalSetup: 'test/support/pglite.ts' }),
        ...(name === 'slim' && slim),
      },
    })),
  },
});
