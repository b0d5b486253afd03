/**
 * `npm run mutation`: how many small changes to core its tests notice. `npm run mutation -- delay` changes
 * one folder of packages/core/src, and asks only the tests in the folder of the same name.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { root } from './workspace.mjs';

const [folder = ''] = process.argv.slice(2);
if (!existsSync(join(root, 'packages', 'core', 'src', folder))) {
  console.error(`There is no folder packages/core/src/${folder}. Leave it out for all of core.`);
  process.exit(1);
}

process.chdir(root);
// Read by both configurations, also in the processes that Stryker starts.
process.env.MUTATION_FOLDER = folder;
try {
  await new Stryker({ configFile: '.stryker.config.mjs' }).runMutationTest();
} catch {
  process.exitCode = 1; // Stryker has said why
}
