/**
 * `npm run bench -- redis`: runs a benchmark of test/bench as a user would have it: our packages packed and installed
 * beside the newest peers, on a Node from npm. `--node 20` takes the peers that run there, those of package.json.
 * Timings are printed, never judged; `--write docs/benchmarks.md` also replaces that page's section.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleBench, installPackages, installPeers } from './bench-install.mjs';
import { run } from './run.mjs';

const SUITES = ['inprocess', 'broker', 'redis', 'postgres', 'insight', 'board', 'core', 'results'];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', default: '24' },
    rounds: { type: 'string' },
    only: { type: 'string', multiple: true },
    full: { type: 'boolean' },
    write: { type: 'string' },
  },
});
const [suite] = positionals;
if (!SUITES.includes(suite)) {
  console.error(`There is no benchmark called ${suite}. Use npm run bench -- ${SUITES.join(' | ')}.`);
  process.exit(1);
}

try {
  const peers = installPeers(values.node);
  const home = installPackages(peers.folder);
  const folder = bundleBench(home);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const args = process.argv.slice(2).filter((arg) => arg !== suite);
  const { code } = run(peers.node, ['--expose-gc', join(folder, `${suite}.mjs`), ...args], { show: true });
  process.exitCode = code;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
