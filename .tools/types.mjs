/** Type-checks every tsconfig.json of the repository. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { report, runBin } from './run.mjs';
import { listPackages, root } from './workspace.mjs';

const folders = [...listPackages().map(({ name }) => `packages/${name}`), 'test', 'docs'];

for (const folder of folders) {
  const project = join(root, folder, 'tsconfig.json');
  report(`types ${folder}`, () => {
    if (!existsSync(project)) return { code: 1, output: `${folder} has no tsconfig.json.` };
    return runBin('typescript', 'tsc', ['--noEmit', '--pretty', 'false', '--project', project]);
  });
}
