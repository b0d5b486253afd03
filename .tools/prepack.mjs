/**
 * Runs before a package is packed, whoever packs it. In the workspace `exports` point at the source and dependencies
 * at the workspace; only pnpm writes what users need instead. And what is not built, or has changed since, must not
 * leave. npm runs this in the package's own folder.
 */
import { readFileSync } from 'node:fs';
import { findBuildProblem } from './workspace.mjs';

const { name } = JSON.parse(readFileSync('package.json', 'utf8'));
const problem = findPackerProblem(process.env.npm_config_user_agent) ?? findBuildProblem(process.cwd());
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
