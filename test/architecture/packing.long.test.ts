import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listPackageNames, readText, root } from '../support/repository.ts';

const PNPM = 'pnpm/10.0.0 npm/? node/v20.19.0 linux x64';

interface Packed {
  readonly status: number | null;
  readonly stderr: string;
}

/** Runs the prepack script in a folder, as a packer with this user agent does. */
function prepack(folder: string, userAgent: string): Packed {
  const env = { ...process.env, npm_config_user_agent: userAgent };
  return spawnSync(process.execPath, [join(root, '.tools/prepack.mjs')], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

/** Of each package the same script asks who packs it, which the manifest says. */
it.each(listPackageNames())('package %s checks the packer before it is packed', (name) => {
  const { scripts, files } = JSON.parse(readText(`packages/${name}/package.json`));

  expect(scripts).toEqual({ prepack: 'node ../../.tools/prepack.mjs' });
  expect(files).toContain('CHANGELOG.md');
});

it.each([
  ['npm', 'npm/11.0.0 node/v20.19.0 linux x64 workspaces/false'],
  ['yarn', 'yarn/1.22.22 npm/? node/v20.19.0 linux x64'],
  ['this', ''],
])(
  'a package is not packed by %s, which would publish the source; the error names the command that works',
  (packer, userAgent) => {
    const { status, stderr } = prepack(join(root, 'packages/core'), userAgent);

    expect(status).toBe(1);
    expect(stderr).toContain(`@retry/core was not packed: packed by ${packer} it could not be imported`);
    expect(stderr).toContain('npm run pnpm -- --filter @retry/core pack');
    expect(stderr).toContain('npm run release');
  },
);

describe('a package that pnpm packs', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retry-prepack-'));
    for (const part of ['src', 'dist']) mkdirSync(join(folder, part));
    const entry = { types: './dist/index.d.ts', default: './dist/index.js' };
    const publishConfig = { exports: { '.': entry, './package.json': './package.json' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: '@retry/made', publishConfig }));
    write('src/index.ts', 1_000);
    for (const file of ['dist/index.js', 'dist/index.d.ts']) write(file, 2_000);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, modifiedAt: number): void {
    writeFileSync(join(folder, path), '');
    utimesSync(join(folder, path), modifiedAt, modifiedAt);
  }

  it('is packed as it is built', () => {
    expect(prepack(folder, PNPM)).toMatchObject({ status: 0, stderr: '' });
  });

  it('is refused while a file that it publishes is missing', () => {
    rmSync(join(folder, 'dist/index.d.ts'));

    const { status, stderr } = prepack(folder, PNPM);

    expect(status).toBe(1);
    expect(stderr).toContain('./dist/index.d.ts is missing. Run `npm run build`.');
  });

  it('is refused if its source has changed since the build', () => {
    write('src/other.ts', 3_000);

    const { status, stderr } = prepack(folder, PNPM);

    expect(status).toBe(1);
    expect(stderr).toContain('src/other.ts has changed since it was built');
  });
});

describe('a tarball of a package', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retry-tarball-'));
    mkdirSync(join(folder, 'package'));
    const links = [
      '../../docs/policies.md#jitter',
      '../../docs/examples',
      '../redis-queue',
      'https://example.com/a',
    ];
    write('README.md', links.map((link, index) => `[link ${index}](${link})`).join(' '));
    write('package.json', JSON.stringify({ name: '@retry/made', version: '1.2.3' }));
    spawnSync('tar', ['-czf', join(folder, 'made.tgz'), '-C', folder, 'package']);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, text: string): void {
    writeFileSync(join(folder, 'package', path), text);
  }

  /** Finishes the tarball in a process of its own, as the tools are plain JavaScript; returns how to read a file of it. */
  function finish(base?: string): (path: string) => string {
    const tool = JSON.stringify(pathToFileURL(join(root, '.tools/pack-package.mjs')).href);
    const call = `finishTarball(process.argv[1], { name: 'core', base: process.argv[2] })`;
    const program = `import { finishTarball } from ${tool}; process.exitCode = ${call}.code;`;
    const args = [
      '--input-type=module',
      '--eval',
      program,
      join(folder, 'made.tgz'),
      ...(base ? [base] : []),
    ];
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    return (path) =>
      spawnSync('tar', ['-xzOf', join(folder, 'made.tgz'), `package/${path}`], { encoding: 'utf8' }).stdout;
  }

  it('has the pages that its README links to, and no link that leads out of it', () => {
    const read = finish();

    expect(read('README.md')).toBe(
      '[link 0](docs/policies.md#jitter) link 1 link 2 [link 3](https://example.com/a)',
    );
    expect(read('docs/policies.md')).toMatch(/^# Policies/);
    expect(read('docs/policies.md')).not.toContain('](tasks.md');
    expect(JSON.parse(read('package.json'))).toEqual({ name: '@retry/made', version: '1.2.3' });
  });

  it('of a release links to the repository, and names it', () => {
    const read = finish('https://example.com/me/retry');
    const tree = 'https://example.com/me/retry/blob/v1.2.3';

    expect(read('README.md')).toBe(
      `[link 0](${tree}/docs/policies.md#jitter) [link 1](${tree}/docs/examples) ` +
        `[link 2](${tree}/packages/redis-queue) [link 3](https://example.com/a)`,
    );
    expect(read('docs/policies.md')).toContain(`](${tree}/docs/tasks.md`);
    expect(JSON.parse(read('package.json'))).toMatchObject({
      homepage: 'https://example.com/me/retry#readme',
      repository: { url: 'git+https://example.com/me/retry.git', directory: 'packages/core' },
    });
  });
});

describe('npm run release', () => {
  it('refuses an unknown option before it does anything', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, '.tools/release.mjs'), '--dryrun'], {
      encoding: 'utf8',
    });

    expect(status).toBe(1);
    expect(stderr).toContain('npm run release -- --dry-run');
  });
});
