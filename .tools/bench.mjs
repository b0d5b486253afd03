/**
 * `npm run bench -- redis`: runs a benchmark of test/bench as a user would have it: our packages packed and installed
 * beside the newest peers, on a Node from npm. `--node 20` takes the peers that run there, those of package.json.
 * Timings are printed, never judged; `--write docs/benchmarks-all.md` also replaces that page's section.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleBench, installPackages, installPeers } from './bench-install.mjs';
import { run } from './run.mjs';

const SUITES = [
  'inprocess',
  'broker',
  'redis',
  'postgres',
  'insight',
  'board',
  'core',
  'results',
  'telemetry',
  'storm',
  'start',
];
const USAGE = `npm run bench -- ${SUITES.join(' | ')}
Options: --rounds 9, --only "20 KB", --full, --node 20, --write docs/benchmarks-all.md; docs/benchmarks-all.md says what they mean.`;
const { values, positionals } = readArguments();
const [suite] = positionals;
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
if (!SUITES.includes(suite)) refuse(`There is no benchmark called ${suite}.`);

function readArguments() {
  const options = {
    node: { type: 'string', default: '24' },
    rounds: { type: 'string' },
    only: { type: 'string', multiple: true },
    full: { type: 'boolean' },
    write: { type: 'string' },
    help: { type: 'boolean' },
  };
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(message) {
  console.error(`${message}\n${USAGE}`);
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
