/** Builds every publishable package into its dist folder. */
import { join } from 'node:path';
import { report, runBin } from './run.mjs';
import { listPublishable, root } from './workspace.mjs';

const config = join(root, '.tools', 'tsup.config.mjs');

for (const { name, folder } of listPublishable()) {
  report(`build ${name}`, () => runBin('tsup', 'tsup', ['--config', config], { cwd: folder }));
}
