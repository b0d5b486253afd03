/**
 * Releases every package under one version: version, changelog, build, pack, check, publish.
 *
 * `npm run release -- --dry-run` does all of it in a copy of the repository and publishes nothing. The real one wants a
 * clean git tree and a login at the registry. Should it fail half-way, run it again: a version that is made is not made
 * once more, and what is published already is passed over. `--repository https://…` is where the repository is published: manifests and
 * links of the READMEs say so.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { env, report, run, runBin } from './run.mjs';
import { readJson, root } from './workspace.mjs';

const isWindows = process.platform === 'win32';
const { 'dry-run': isDryRun, repository } = readArguments();
if (repository !== undefined) env.RETRY_REPOSITORY = repository.replace(/(\.git|\/)$/, '');
const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'retry-release-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const tarballs = join(scratch, 'tarballs');
const folder = isDryRun ? join(scratch, 'retry') : root;

const steps = [
  [isDryRun ? 'copy' : 'ready', isDryRun ? copyRepository : checkReady],
  ['version and changelog', makeVersion],
  ...(isDryRun ? [] : ['lint', 'types', 'test'].map((name) => [name, () => npm(['run', '--silent', name])])),
  ['build', () => tool('build.mjs')],
  ['pack and check', () => tool('check-packages.mjs', '--keep', tarballs)],
  ...(isDryRun ? [] : [['commit and tag', commitAndTag]]),
  ['publish', publishAll],
];
if (steps.every(([name, step]) => report(name, step))) console.log(conclude());

/** @returns what was asked for; ends the process for what it does not know */
function readArguments() {
  try {
    return parseArgs({
      options: { 'dry-run': { type: 'boolean', default: false }, repository: { type: 'string' } },
    }).values;
  } catch (error) {
    console.error(
      `${error.message}\nUse \`npm run release -- --dry-run\`, or \`npm run release -- --repository https://…\`.`,
    );
    process.exit(1);
  }
}

/** Everything but what is made: uncommitted changes come along, so that they can be tried before they are committed. */
function copyRepository() {
  const isMade = (path) => ['node_modules', 'dist', '.git', 'coverage'].includes(basename(path));
  cpSync(root, folder, { recursive: true, filter: (path) => !isMade(path) });
  const git = (...args) =>
    run('git', ['-c', 'user.name=dry run', '-c', 'user.email=dry@run', ...args], { cwd: folder });
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'dry run'],
  ]) {
    const done = git(...args);
    if (done.code !== 0) return done;
  }
  return tool('setup.mjs');
}

function checkReady() {
  if (!URL.canParse(repository ?? ''))
    return { code: 1, output: 'Say where the repository is published: --repository https://…' };
  const status = run('git', ['status', '--porcelain']);
  if (status.code !== 0 || status.stdout !== '')
    return { code: 1, output: `Commit or stash first:\n${status.output}` };
  const login = npm(['whoami']);
  return login.code === 0 ? login : { code: 1, output: `Log in first: npm login\n${login.output}` };
}

/** Takes the change sets up into the changelogs; without any, the version that is there goes on. */
function makeVersion() {
  const isChangeSet = (file) => file.endsWith('.md') && file !== 'README.md';
  const pending = readdirSync(join(folder, '.changeset')).filter(isChangeSet);
  if (pending.length > 0) {
    const made = runBin('@changesets/cli', 'changeset', ['version'], { cwd: folder });
    if (made.code !== 0) return made;
    for (const { name } of packages()) console.log(`  ${name}: ${summary(name)}`);
  }
  if (version() === '0.0.0')
    return { code: 1, output: 'There is no change set, and nothing was ever released.' };
  return { code: 0, output: '' };
}

function summary(name) {
  const path = join(folder, 'packages', name, 'CHANGELOG.md');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return `${version()}, ${lines.filter((line) => line.startsWith('- ')).length} lines of changelog`;
}

function commitAndTag() {
  const tag = `v${version()}`;
  if (run('git', ['rev-parse', '--verify', '--quiet', `refs/tags/${tag}`]).code === 0) return { code: 0 };
  for (const args of [
    ['add', '--all'],
    ['commit', '--allow-empty', '--message', `release: ${tag}`],
    ['tag', tag],
  ]) {
    const done = run('git', args);
    if (done.code !== 0) return done;
  }
  return { code: 0, output: '' };
}

/** What needs no other of ours first. */
function publishAll() {
  const ordered = packages().sort((left, right) => Number(needsOurs(left)) - Number(needsOurs(right)));
  for (const { manifest } of ordered) {
    const done = publish(manifest.name);
    if (done.code !== 0) return done;
  }
  return { code: 0, output: '' };
}

function publish(name) {
  const file = `${name.replace('@', '').replace('/', '-')}-${version()}.tgz`;
  const label = `${name}@${version()}`;
  if (!isDryRun && npm(['view', label, 'version']).stdout.trim() === version()) {
    console.log(`  ${label} is published already`);
    return { code: 0, output: '' };
  }
  const args = ['publish', join(tarballs, file), '--access', 'public', ...(isDryRun ? ['--dry-run'] : [])];
  const done = npm(args);
  if (done.code === 0) console.log(`  ${label}${isDryRun ? ' would be published' : ' is published'}`);
  return done;
}

function conclude() {
  if (isDryRun) return `release ${version()} would be complete; nothing was published or changed`;
  return `release ${version()} is complete. Send it on: git push --follow-tags`;
}

function packages() {
  return readdirSync(join(folder, 'packages'))
    .sort()
    .map((name) => ({ name, manifest: readJson(join(folder, 'packages', name, 'package.json')) }))
    .filter(({ manifest }) => !manifest.private);
}

function needsOurs({ manifest }) {
  return Object.keys(manifest.dependencies ?? {}).some((name) => name.startsWith('@retry/'));
}

function version() {
  return readJson(join(folder, 'packages', 'core', 'package.json')).version;
}

function tool(file, ...args) {
  return run(process.execPath, [join(folder, '.tools', file), ...args], { cwd: folder, show: true });
}

function npm(args) {
  return run('npm', args, { cwd: folder, shell: isWindows });
}
