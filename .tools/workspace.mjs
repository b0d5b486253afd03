/** Where things are in this repository, for the tools beside this file. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Reads a JSON file. */
export function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Every workspace package: its folder, its name below packages/, and its manifest. */
export function listPackages() {
  return readdirSync(join(root, 'packages'))
    .sort()
    .map((name) => ({ name, folder: join(root, 'packages', name) }))
    .filter(({ folder }) => existsSync(join(folder, 'package.json')))
    .map((entry) => ({ ...entry, manifest: readJson(join(entry.folder, 'package.json')) }));
}

/** The packages that npm users will see. */
export function listPublishable() {
  return listPackages().filter(({ manifest }) => !manifest.private);
}

/** Whether a package is a program that contains its libraries. Others bundle any other package, to CommonJS as well. */
export function containsLibraries({ publishConfig, devDependencies }) {
  return publishConfig.bin !== undefined && devDependencies !== undefined;
}

/** Returns the files that each path with a star means, and every other path as it is; of the package in the working folder. */
export function expandStars(paths) {
  return paths.flatMap((path) => {
    const [folder, end] = path.split('*');
    if (end === undefined) return [path];
    return readdirSync(folder)
      .filter((name) => name.endsWith(end))
      .map((name) => `${folder}${name}`);
  });
}

/** Returns why what is built of a package is not what its sources say; `undefined` if it is. */
export function findBuildProblem(folder) {
  const { publishConfig } = readJson(join(folder, 'package.json'));
  const built = listBuilt(publishConfig);
  const missing = built.find((path) => !existsSync(join(folder, path)));
  if (missing !== undefined) return `${missing} is missing. Run \`npm run build\`.`;
  const modifiedAt = (path) => statSync(join(folder, path)).mtimeMs;
  const builtAt = Math.min(...built.map(modifiedAt));
  const changed = readdirSync(join(folder, 'src'), { recursive: true })
    .map((path) => join('src', path))
    .find((path) => modifiedAt(path) > builtAt && statSync(join(folder, path)).isFile());
  return changed && `${changed} has changed since it was built. Run \`npm run build\`.`;
}

/** Every file of dist that the published manifest names. */
function listBuilt({ exports, bin = {} }) {
  const entries = [...Object.values(exports), ...Object.values(bin)];
  const paths = entries.flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)));
  return paths.filter((path) => path.startsWith('./dist/') && !path.includes('*'));
}
