/**
 * Runs before a package is packed, whoever packs it. In the workspace `exports` point at the source and dependencies
 * at the workspace; only pnpm writes what users need instead. And what is not built, or has changed since, must not
 * leave. npm runs this in the package's own folder.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const { name, publishConfig } = JSON.parse(readFileSync('package.json', 'utf8'));
const problem = findPackerProblem(process.env.npm_config_user_agent) ?? findBuildProblem();
if (problem !== undefined) {
  console.error(`${name} was not packed: ${problem}`);
  process.exitCode = 1;
}

function findPackerProblem(userAgent = '') {
  if (userAgent.startsWith('pnpm/')) return undefined;
  const packer = userAgent.split('/')[0] || 'this';
  return (
    `packed by ${packer} it could not be imported, as its exports would point at the source. ` +
    `Use \`npm run pnpm -- --filter ${name} pack\` in the root, or \`npm run release\` for all.`
  );
}

function findBuildProblem() {
  const built = listBuilt();
  const missing = built.find((path) => !existsSync(path));
  if (missing !== undefined) return `${missing} is missing. Run \`npm run build\`.`;
  const changed = readdirSync('src', { recursive: true })
    .map((path) => join('src', path))
    .find((path) => modifiedAt(path) > Math.min(...built.map(modifiedAt)) && statSync(path).isFile());
  return changed && `${changed} has changed since it was built. Run \`npm run build\`.`;
}

/** Every file of dist that the published manifest names. */
function listBuilt() {
  const entries = [...Object.values(publishConfig.exports), ...Object.values(publishConfig.bin ?? {})];
  const paths = entries.flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)));
  return paths.filter((path) => path.startsWith('./dist/') && !path.includes('*'));
}

function modifiedAt(path) {
  return statSync(path).mtimeMs;
}
