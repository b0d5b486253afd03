/**
 * `npm run test:blocked`: the packed packages where users run them, each time with a handler that blocks the event loop for four leases:
 * plain, in bundles that have left the folder they were made in, in Bun and Deno, and below process managers. npm brings the tools; what
 * cannot be had is skipped, visibly. `npm run test:blocked -- webpack`: only those whose name has that text.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLERS } from './bundlers.mjs';
import { runPnpm } from './pnpm.mjs';
import { report, run } from './run.mjs';
import { install, makeFolder } from './runtimes.mjs';
import { root } from './workspace.mjs';

const PACKAGES = ['core', 'worker', 'redis-queue', 'postgres'];
const DRIVERS = ['redis', 'pg'];
const ENGINES = ['redis', 'postgres'];
const EXTERNAL = 'mark redis as external';

const [, , wanted = ''] = process.argv;
const source = join(root, 'test', 'runtimes', 'blocked');
const folder = makeFolder();
const app = join(folder, 'app');
const ways = [];

if (report('packages are packed and installed', installApp)) {
  addNode();
  addManagers();
  addRuntimes();
  addBundles();
  const file = join(folder, 'ways.json');
  writeFileSync(file, JSON.stringify(ways));
  const args = ['--import', 'tsx', join(source, 'main.ts'), file];
  if (run(process.execPath, args, { show: true }).code !== 0) process.exitCode = 1;
}

/** An application of a user: the packages as npm would bring them, the drivers beside them. */
function installApp() {
  const packed = join(folder, 'packed');
  for (const name of PACKAGES) {
    const cwd = join(root, 'packages', name);
    const pack = () => runPnpm(['pack', '--pack-destination', packed], { cwd });
    // What is not built, or has changed since, is not packed.
    if (pack().code === 0) continue;
    const built = run(process.execPath, [join(root, '.tools', 'build.mjs'), name]);
    const { code, output } = built.code === 0 ? pack() : built;
    if (code !== 0) return { code, output };
  }
  mkdirSync(app);
  const problem = install(app, [...readdirSync(packed).map((file) => join(packed, file)), ...DRIVERS]);
  cpSync(source, app, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  return { code: problem === undefined ? 0 : 1, output: problem };
}

function addNode() {
  for (const engine of ENGINES) {
    add('Node', { engine, burns: true });
    // Without the thread the other worker has to take the run: what this says of the ways above can be believed.
    add('Node without the thread', { engine, renewal: 'lost' });
  }
  add('node:cluster', { args: ['cluster.mjs'] });
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  const rights = [permission, '--allow-fs-read=*', '--allow-fs-write=*'];
  if (process.allowedNodeEnvironmentFlags.has('--allow-net')) rights.push('--allow-net');
  add('Node that permits threads', { args: [...rights, '--allow-worker', 'program.mjs'] });
  const cure = "leaseRenewal: 'loop'";
  add('Node that permits no threads', { args: [...rights, 'program.mjs'], renewal: 'loop', cure });
  addOneProcessor();
}

function addOneProcessor() {
  const name = 'one processor for both workers';
  if (run('taskset', ['-c', '0', 'true']).code !== 0) {
    console.log(`SKIP ${name}: there is no taskset here, or no processor 0`);
    return;
  }
  const pinned = { command: 'taskset', args: ['-c', '0', process.execPath, 'program.mjs'], cwd: app };
  for (const engine of ENGINES) add(name, { ...pinned, engine, burns: true, neighbour: pinned });
}

function addManagers() {
  const bin = bring('pm2', ['pm2'], 'PM2');
  if (bin === undefined) return;
  for (const [mode, args] of [
    ['fork', []],
    ['cluster', ['-i', '2']],
  ]) {
    const env = { PM2_HOME: join(folder, `pm2-${mode}`), PM2_DISCRETE_MODE: 'true' };
    add(`PM2, ${mode} mode`, { command: bin('pm2-runtime'), args: ['start', 'program.mjs', ...args], env });
  }
}

function addRuntimes() {
  const bun = bring('bun', ['bun'], 'Bun');
  const deno = bring('deno', ['deno'], 'Deno');
  const oldDeno = bring('old-deno', ['deno@2.1'], 'Deno 2.1');
  const denoArgs = ['run', '--allow-all', 'program.mjs'];
  for (const engine of ENGINES) {
    if (bun !== undefined) add('Bun', { engine, command: bun('bun'), args: ['run', 'program.mjs'] });
    if (deno !== undefined) add('Deno', { engine, command: deno('deno'), args: denoArgs });
  }
  if (oldDeno !== undefined) {
    const old = { command: oldDeno('deno'), args: denoArgs, renewal: 'loop', cure: 'a later one' };
    add('Deno 2.1', old);
  }
}

/** Bundles leave the folder in which they were made, as they do for another machine: what they find there, they do not find later. */
function addBundles() {
  const build = join(folder, 'build');
  const [deployed, alone] = [join(folder, 'deployed'), join(folder, 'alone')];
  for (const [name, { packages, file, isOnlyWithout = false, bundle }] of Object.entries(BUNDLERS)) {
    if (!name.includes(wanted)) continue;
    const id = name.replaceAll(' ', '-');
    const bin = bring(id, packages, name);
    if (bin === undefined) continue;
    for (const hasDrivers of isOnlyWithout ? [false] : [false, true]) {
      const cwd = join(hasDrivers ? alone : deployed, id);
      mkdirSync(cwd, { recursive: true });
      cpSync(app, build, { recursive: true });
      const way = { entry: join(build, 'program.mjs'), cwd: build, outdir: cwd, hasDrivers, bin };
      const label = `${name}, drivers ${hasDrivers ? 'inside' : 'external'}`;
      const isMade = report(`bundled by ${label}`, () => bundle(way));
      rmSync(build, { recursive: true });
      if (!isMade) continue;
      const expected = hasDrivers ? { renewal: 'loop', cure: EXTERNAL } : {};
      for (const engine of hasDrivers ? ['redis'] : ENGINES)
        add(label, { ...expected, engine, cwd, args: [file] });
    }
  }
  mkdirSync(deployed, { recursive: true });
  install(deployed, DRIVERS);
}

/** Brings packages into a folder of their own. @returns what finds their commands; nothing, and says so, when npm cannot */
function bring(id, packages, name) {
  const home = join(folder, 'tools', id);
  mkdirSync(home, { recursive: true });
  const problem = packages.length === 0 ? undefined : install(home, packages);
  if (problem === undefined) return (command) => join(home, 'node_modules', '.bin', command);
  console.log(`SKIP ${name}: npm could not bring it (${problem}). Run npm run test:blocked where it can.`);
  return undefined;
}

function add(name, way) {
  const node = { command: process.execPath, args: ['program.mjs'], cwd: app };
  const whole = { name, engine: 'redis', renewal: 'thread', neighbour: node, ...node, ...way };
  if (name.includes(wanted)) ways.push(whole);
}
