/** Builds every publishable package into its dist folder, or only those that are named: `npm run build -- core worker`. */
import { join } from 'node:path';
import { reportAll, startBin } from './side-by-side.mjs';
import { listPublishable, root } from './workspace.mjs';

const config = join(root, '.tools', 'tsup.config.mjs');

const names = process.argv.slice(2);

const built = listPublishable().filter(({ name }) => names.length === 0 || names.includes(name));
await reportAll(
  built.map(({ name, folder }) => ({
    name: `build ${name}`,
    check: () => {
      console.log(`building ${name} …`);
      return startBin('tsup', 'tsup', ['--config', config], { cwd: folder });
    },
  })),
);
